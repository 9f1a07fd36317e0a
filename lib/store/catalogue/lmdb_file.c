/* Heads, and a walk over all pages; lmdb_format.h shows the byte layout. */

#include "lib/store/catalogue/lmdb_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/os/new_file.h"
#include "lib/store/catalogue/lmdb_format.h"

/* ---- heads ---- */

/* LMDB's page size is that of the system; the first tree shows it. */
static uint64_t page_len_of(const uint8_t *head)
{
    const uint32_t len = og_lmdb_u32(head + 24);
    const bool makes_sense = len >= OG_LMDB_PAGE && len <= OG_LMDB_MOST_PAGE &&
                             (len & (len - 1)) == 0;
    return makes_sense ? len : OG_LMDB_PAGE;
}

static void load_head(const uint8_t *bytes, uint64_t page_len,
                      struct og_lmdb_head *out)
{
    const uint8_t *trees = bytes + 24;
    *out = (struct og_lmdb_head){
        .txnid = og_lmdb_u64(bytes + 128),
        .last_page = og_lmdb_u64(bytes + 120),
        .page_len = page_len,
        .roots = {og_lmdb_u64(trees + OG_LMDB_ROOT_AT),
                  og_lmdb_u64(trees + OG_LMDB_TREE_LEN + OG_LMDB_ROOT_AT)},
        .is_head = og_lmdb_u32(bytes) == OG_LMDB_MAGIC &&
                   og_lmdb_u32(bytes + 4) == OG_LMDB_FORMAT,
    };
    if (out->last_page >= UINT32_MAX) out->is_head = false; /* 16 TiB */
}

/* Usually reads both at once. */
void og_lmdb_heads_read(int fd, struct og_lmdb_head out[2])
{
    enum { LEN = OG_LMDB_HEAD_AT + OG_LMDB_HEAD_LEN };
    uint8_t bytes[OG_LMDB_PAGE + LEN];
    out[0] = out[1] = (struct og_lmdb_head){0};
    const int64_t n = og_file_read_at(fd, bytes, sizeof(bytes), 0);
    if (n < LEN) return;
    const uint64_t page_len = page_len_of(bytes + OG_LMDB_HEAD_AT);
    load_head(bytes + OG_LMDB_HEAD_AT, page_len, &out[0]);
    const uint8_t *second = bytes + OG_LMDB_PAGE;
    if (page_len != OG_LMDB_PAGE || n < (int64_t)sizeof(bytes)) {
        if (og_file_read_at(fd, bytes, LEN, page_len) != LEN) return;
        second = bytes;
    }
    load_head(second + OG_LMDB_HEAD_AT, page_len, &out[1]);
}

bool og_lmdb_head_read(int fd, struct og_lmdb_head *out)
{
    struct og_lmdb_head both[2];
    og_lmdb_heads_read(fd, both);
    const bool is_second =
        both[1].is_head && (!both[0].is_head || both[1].txnid >= both[0].txnid);
    *out = both[is_second];
    return out->is_head;
}

bool og_lmdb_is_long_enough(int fd)
{
    struct og_lmdb_head head;
    struct stat st;
    return fstat(fd, &st) == 0 && og_lmdb_head_read(fd, &head) &&
           (uint64_t)st.st_size / head.page_len > head.last_page;
}

/* ---- pages ---- */

struct walk {
    int fd;
    const char *path;
    struct og_lmdb_head head;
    uint64_t n_left; /* pages not visited yet */
    uint8_t *pages;  /* one for each depth */
    og_error *err;
};

static og_status damaged(const struct walk *w, uint64_t page, const char *what)
{
    return og_error_set(w->err, OG_ERR_STORE, "'%s', byte %" PRIu64 ": %s",
                        w->path, page * w->head.page_len, what);
}

static og_status read_page(struct walk *w, uint64_t number, size_t len,
                           uint8_t *out)
{
    if (number < 2 || number > w->head.last_page)
        return damaged(w, number, "there is no such page");
    if (w->n_left == 0) return damaged(w, number, "the page is in use twice");
    w->n_left--;
    const int64_t n =
        og_file_read_at(w->fd, out, len, number * w->head.page_len);
    if (n < 0) return og_file_failure(w->err, "read", w->path, errno);
    if ((size_t)n < len) return damaged(w, number, "the file ends before it");
    if (og_lmdb_u64(out) != number)
        return damaged(w, number, "the page has a different number");
    return OG_OK;
}

/* A long value: besides its first page, only its end has to exist. */
static og_status visit_overflow(struct walk *w, uint64_t number, uint64_t len)
{
    uint8_t head[OG_LMDB_PAGE_HEAD], last;
    const uint64_t page_len = w->head.page_len;
    TRY(read_page(w, number, sizeof(head), head));
    const uint64_t n = og_lmdb_u32(head + 12);
    if ((og_lmdb_u16(head + 10) & OG_LMDB_OVERFLOW) == 0 ||
        n * page_len < OG_LMDB_PAGE_HEAD + len || n - 1 > w->n_left ||
        number + n - 1 > w->head.last_page)
        return damaged(w, number, "it is not a page of a long value");
    w->n_left -= n - 1;
    const uint64_t end = (number + n) * page_len;
    if (og_file_read_at(w->fd, &last, 1, end - 1) != 1)
        return damaged(w, number, "the file ends inside a long value");
    return OG_OK;
}

static og_status visit_page(struct walk *w, uint64_t number, unsigned depth);

static og_status visit_tree(struct walk *w, uint64_t page, const uint8_t *value,
                            uint64_t len, unsigned depth)
{
    if (len != OG_LMDB_TREE_LEN)
        return damaged(w, page, "a tree has a different length");
    const uint64_t root = og_lmdb_u64(value + OG_LMDB_ROOT_AT);
    return root == OG_LMDB_NO_PAGE ? OG_OK : visit_page(w, root, depth + 1);
}

/* Small pages of nodes would need further checks, but LMDB writes none here. */
static bool is_small_page(const uint8_t *value, uint64_t len)
{
    unsigned flags;
    uint64_t n;
    return len >= OG_LMDB_PAGE_HEAD &&
           og_lmdb_is_page(value, len, &flags, &n) &&
           flags == (OG_LMDB_LEAF | OG_LMDB_LEAF2);
}

static og_status visit_leaf_node(struct walk *w, uint64_t page,
                                 const uint8_t *node, uint64_t room,
                                 unsigned depth)
{
    const uint64_t value_len = og_lmdb_u32(node);
    const unsigned flags = og_lmdb_node_flags(node);
    const uint64_t key_len = og_lmdb_key_len(node);
    const uint64_t held = (flags & OG_LMDB_BIG) != 0 ? 8 : value_len;
    if (key_len + held > room - OG_LMDB_NODE_HEAD)
        return damaged(w, page, "a node leads out of its page");
    const uint8_t *value = node + OG_LMDB_NODE_HEAD + key_len;
    if ((flags & OG_LMDB_BIG) != 0)
        return visit_overflow(w, og_lmdb_u64(value), value_len);
    if ((flags & OG_LMDB_TREE) != 0)
        return visit_tree(w, page, value, value_len, depth);
    if ((flags & OG_LMDB_DUPLICATES) != 0 && !is_small_page(value, value_len))
        return damaged(w, page, "the values of a key are none");
    return OG_OK;
}

static og_status visit_node(struct walk *w, uint64_t page, const uint8_t *data,
                            uint64_t off, bool is_branch, unsigned depth)
{
    const uint64_t page_len = w->head.page_len;
    if (off < OG_LMDB_PAGE_HEAD || off + OG_LMDB_NODE_HEAD > page_len)
        return damaged(w, page, "a node is not in its page");
    const uint8_t *node = data + off;
    if (!is_branch)
        return visit_leaf_node(w, page, node, page_len - off, depth);
    const uint64_t key_len = og_lmdb_key_len(node);
    if (key_len > page_len - off - OG_LMDB_NODE_HEAD)
        return damaged(w, page, "a key leads out of its page");
    return visit_page(w, og_lmdb_page_below(node), depth + 1);
}

static og_status visit_page(struct walk *w, uint64_t number, unsigned depth)
{
    unsigned flags;
    uint64_t n;
    const uint64_t page_len = w->head.page_len;
    if (depth >= OG_LMDB_MOST_DEPTH)
        return damaged(w, number, "the tree is too deep");
    uint8_t *data = w->pages + depth * page_len;
    TRY(read_page(w, number, page_len, data));
    if (!og_lmdb_is_page(data, page_len, &flags, &n) ||
        (flags == OG_LMDB_BRANCH && n == 0))
        return damaged(w, number, "it is not a page of a tree");
    if (flags == (OG_LMDB_LEAF | OG_LMDB_LEAF2)) return OG_OK;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *at = data + OG_LMDB_PAGE_HEAD + 2 * i;
        TRY(visit_node(w, number, data, og_lmdb_u16(at),
                       flags == OG_LMDB_BRANCH, depth));
    }
    return OG_OK;
}

og_status og_lmdb_walk(int fd, const char *path, const og_allocator *allocator,
                       og_error *err)
{
    struct walk w = {.fd = fd, .path = path, .err = err};
    if (!og_lmdb_head_read(fd, &w.head))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not an LMDB file of format %d", path,
                            OG_LMDB_FORMAT);
    w.n_left = w.head.last_page + 1;
    const size_t len = OG_LMDB_MOST_DEPTH * w.head.page_len;
    w.pages = og_allocate(allocator, len);
    if (w.pages == NULL) return og_error_memory(err, len, "pages");
    og_status status = OG_OK;
    for (int i = 0; i < 2 && status == OG_OK; i++)
        if (w.head.roots[i] != OG_LMDB_NO_PAGE)
            status = visit_page(&w, w.head.roots[i], 0);
    og_release(allocator, w.pages, len);
    return status;
}
