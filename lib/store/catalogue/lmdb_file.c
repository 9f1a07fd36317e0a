/* LMDB's format 1 on 64 bits, little end first, as far as it takes to find all
 * pages:
 *
 *     page     0  page number  8      head    0  magic 0xBEEFC0DE       4
 *              8  pad          2              4  format 1               4
 *             10  flags        2              8  address, map length   16
 *             12  lower, upper 4             24  two trees, 48 bytes each
 *             16  the head, or              120  last page in use       8
 *                 offsets of nodes, 2 each  128  transaction            8
 *
 *     tree     0  pad 4, flags 2, depth 2, pages 24, entries 8, root 8
 *     node     0  value length 4, flags 2, key length 2, key, value;
 *                 in a branch the first 6 bytes are the page below
 *
 * A long value lies on pages of its own, whose first has their number at 12; a
 * value can be a tree, or a small page of values that share a key. */

#include "lib/store/catalogue/lmdb_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/packing.h"
#include "lib/os/new_file.h"

enum {
    PAGE = 4096,
    MOST_PAGE = 1 << 16,
    HEAD_AT = 16,
    FORMAT = 1,
    PAGE_HEAD = 16,
    NODE_HEAD = 8,
    TREE_LEN = 48,
    ROOT_AT = 40,
    MOST_DEPTH = 64,
};
#define MAGIC   0xBEEFC0DEu
#define NO_PAGE UINT64_MAX

enum { BRANCH = 1, LEAF = 2, OVERFLOW = 4, LEAF2 = 32, SUBPAGE = 64 };
enum { BIG = 1, TREE = 2, DUPLICATES = 4 };

/* ---- heads ---- */

/* LMDB's pages are as long as the system's, which the first tree tells. */
static uint64_t page_len_of(const uint8_t *head)
{
    const uint32_t len = og_load32(head + 24);
    const bool makes_sense =
        len >= PAGE && len <= MOST_PAGE && (len & (len - 1)) == 0;
    return makes_sense ? len : PAGE;
}

bool og_lmdb_head_read(int fd, struct og_lmdb_head *out)
{
    bool found = false;
    uint64_t page_len = 0;
    for (uint64_t page = 0; page < 2; page++) {
        uint8_t head[136];
        const uint64_t off = page * page_len + HEAD_AT;
        if (og_file_read_at(fd, head, sizeof(head), off) !=
            (int64_t)sizeof(head))
            return found;
        if (page == 0) page_len = page_len_of(head);
        if (og_load32(head) != MAGIC || og_load32(head + 4) != FORMAT) continue;
        const uint64_t txnid = og_load64(head + 128);
        const uint64_t last_page = og_load64(head + 120);
        if (last_page >= UINT32_MAX) continue; /* 16 TiB */
        if (found && txnid < out->txnid) continue;
        *out =
            (struct og_lmdb_head){txnid,
                                  last_page,
                                  page_len,
                                  {og_load64(head + 24 + ROOT_AT),
                                   og_load64(head + 24 + TREE_LEN + ROOT_AT)}};
        found = true;
    }
    return found;
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
    uint64_t n_left; /* pages that were not met yet */
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
    if (og_load64(out) != number)
        return damaged(w, number, "the page has another number");
    return OG_OK;
}

/* A long value: only the end of it need be there as well. */
static og_status visit_overflow(struct walk *w, uint64_t number, uint64_t len)
{
    uint8_t head[PAGE_HEAD], last;
    const uint64_t page_len = w->head.page_len;
    TRY(read_page(w, number, sizeof(head), head));
    const uint64_t n = og_load32(head + 12);
    if ((og_load32(head + 8) >> 16 & OVERFLOW) == 0 ||
        n * page_len < PAGE_HEAD + len || n - 1 > w->n_left ||
        number + n - 1 > w->head.last_page)
        return damaged(w, number, "it is no page of a long value");
    w->n_left -= n - 1;
    const uint64_t end = (number + n) * page_len;
    if (og_file_read_at(w->fd, &last, 1, end - 1) != 1)
        return damaged(w, number, "the file ends inside a long value");
    return OG_OK;
}

/* Both page and small page: `len` bytes, a head and `lower` in it. */
static bool is_page_of(const uint8_t *page, uint64_t len, unsigned *out_flags,
                       uint64_t *out_n)
{
    const unsigned flags = og_load32(page + 8) >> 16;
    const uint64_t pad = og_load32(page + 8) & 0xffff;
    const uint64_t lower = og_load32(page + 12) & 0xffff;
    const uint64_t upper = og_load32(page + 12) >> 16;
    *out_flags = flags & (BRANCH | LEAF | LEAF2);
    *out_n = (lower - PAGE_HEAD) / 2;
    if (lower < PAGE_HEAD || lower > len || upper > len) return false;
    if (*out_flags == (LEAF | LEAF2)) return PAGE_HEAD + *out_n * pad <= len;
    return (*out_flags == LEAF || *out_flags == BRANCH) && lower <= upper;
}

static og_status visit_page(struct walk *w, uint64_t number, unsigned depth);

static og_status visit_tree(struct walk *w, uint64_t page, const uint8_t *value,
                            uint64_t len, unsigned depth)
{
    if (len != TREE_LEN) return damaged(w, page, "a tree has another length");
    const uint64_t root = og_load64(value + ROOT_AT);
    return root == NO_PAGE ? OG_OK : visit_page(w, root, depth + 1);
}

/* Values in a small page of nodes would need no second look: none is used. */
static bool is_small_page(const uint8_t *value, uint64_t len)
{
    unsigned flags;
    uint64_t n;
    return len >= PAGE_HEAD && is_page_of(value, len, &flags, &n) &&
           flags == (LEAF | LEAF2);
}

static og_status visit_leaf_node(struct walk *w, uint64_t page,
                                 const uint8_t *node, uint64_t room,
                                 unsigned depth)
{
    const uint64_t value_len = og_load32(node);
    const unsigned flags = og_load32(node + 4) & 0xffff;
    const uint64_t key_len = og_load32(node + 4) >> 16;
    const uint64_t held = (flags & BIG) != 0 ? 8 : value_len;
    if (key_len + held > room - NODE_HEAD)
        return damaged(w, page, "a node leads out of its page");
    const uint8_t *value = node + NODE_HEAD + key_len;
    if ((flags & BIG) != 0)
        return visit_overflow(w, og_load64(value), value_len);
    if ((flags & TREE) != 0)
        return visit_tree(w, page, value, value_len, depth);
    if ((flags & DUPLICATES) != 0 && !is_small_page(value, value_len))
        return damaged(w, page, "the values of a key are none");
    return OG_OK;
}

static og_status visit_node(struct walk *w, uint64_t page, const uint8_t *data,
                            uint64_t off, bool is_branch, unsigned depth)
{
    const uint64_t page_len = w->head.page_len;
    if (off < PAGE_HEAD || off + NODE_HEAD > page_len)
        return damaged(w, page, "a node is not in its page");
    const uint8_t *node = data + off;
    if (!is_branch)
        return visit_leaf_node(w, page, node, page_len - off, depth);
    const uint64_t key_len = og_load32(node + 4) >> 16;
    if (key_len > page_len - off - NODE_HEAD)
        return damaged(w, page, "a key leads out of its page");
    return visit_page(w, og_load64(node) & 0xffffffffffff, depth + 1);
}

static og_status visit_page(struct walk *w, uint64_t number, unsigned depth)
{
    unsigned flags;
    uint64_t n;
    const uint64_t page_len = w->head.page_len;
    if (depth >= MOST_DEPTH) return damaged(w, number, "the tree is too deep");
    uint8_t *data = w->pages + depth * page_len;
    TRY(read_page(w, number, page_len, data));
    if (!is_page_of(data, page_len, &flags, &n) || (flags == BRANCH && n == 0))
        return damaged(w, number, "it is no page of a tree");
    if (flags == (LEAF | LEAF2)) return OG_OK;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *at = data + PAGE_HEAD + 2 * i;
        TRY(visit_node(w, number, data, (uint64_t)(at[0] | at[1] << 8),
                       flags == BRANCH, depth));
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
                            FORMAT);
    w.n_left = w.head.last_page + 1;
    const size_t len = MOST_DEPTH * w.head.page_len;
    w.pages = og_allocate(allocator, len);
    if (w.pages == NULL) return og_error_memory(err, len, "pages");
    og_status status = OG_OK;
    for (int i = 0; i < 2 && status == OG_OK; i++)
        if (w.head.roots[i] != NO_PAGE)
            status = visit_page(&w, w.head.roots[i], 0);
    og_release(allocator, w.pages, len);
    return status;
}
