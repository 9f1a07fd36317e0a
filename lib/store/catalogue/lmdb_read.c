#include "lib/store/catalogue/lmdb_read.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/os/new_file.h"
#include "lib/store/catalogue/lmdb_format.h"

/* ---- states ---- */

void og_lmdb_reader_init(struct og_lmdb_reader *reader, int fd,
                         const char *path, const struct og_page_sums *sums,
                         const og_allocator *allocator)
{
    *reader = (struct og_lmdb_reader){.fd = fd,
                                      .path = path,
                                      .sums = sums,
                                      .allocator = allocator,
                                      .long_value.allocator = allocator};
}

static size_t pages_len(const struct og_lmdb_reader *r)
{
    return OG_LMDB_SLOTS * (size_t)r->head.page_len;
}

void og_lmdb_reader_release(struct og_lmdb_reader *reader)
{
    if (reader->pages != NULL)
        og_release(reader->allocator, reader->pages, pages_len(reader));
    og_pack_release(&reader->long_value);
    reader->pages = NULL;
}

static bool is_same_head(const struct og_lmdb_head *a,
                         const struct og_lmdb_head *b)
{
    return a->is_head && b->is_head && a->txnid == b->txnid &&
           a->last_page == b->last_page && a->page_len == b->page_len &&
           a->roots[0] == b->roots[0] && a->roots[1] == b->roots[1];
}

static void forget_pages(struct og_lmdb_reader *reader)
{
    memset(reader->numbers, 0, sizeof(reader->numbers));
}

og_status og_lmdb_reader_begin(struct og_lmdb_reader *reader, og_error *err)
{
    struct og_lmdb_head both[2];
    reader->has_read = false;
    og_lmdb_heads_read(reader->fd, both);
    const unsigned turn =
        both[1].is_head && (!both[0].is_head || both[1].txnid >= both[0].txnid);
    if (!both[turn].is_head)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not an LMDB file of format %d",
                            reader->path, OG_LMDB_FORMAT);
    if (is_same_head(&both[turn], &reader->head)) return OG_OK;
    if (reader->pages != NULL && both[turn].page_len != reader->head.page_len)
        og_lmdb_reader_release(reader);
    reader->head = both[turn];
    reader->turn = turn;
    reader->n_states++;
    forget_pages(reader);
    if (reader->pages == NULL)
        reader->pages = og_allocate(reader->allocator, pages_len(reader));
    return reader->pages != NULL
               ? OG_OK
               : og_error_memory(err, pages_len(reader), "pages");
}

void og_lmdb_reader_resume(struct og_lmdb_reader *reader)
{
    reader->has_read = false;
}

/* The head is compared completely: it may have been read while it was written.
 * Pages that were cached at the beginning were found to belong to that state
 * before. */
bool og_lmdb_reader_is_steady(struct og_lmdb_reader *reader)
{
    struct og_lmdb_head both[2];
    if (!reader->has_read) return true;
    og_lmdb_heads_read(reader->fd, both);
    const struct og_lmdb_head *other = &both[!reader->turn];
    const bool is_steady =
        is_same_head(&both[reader->turn], &reader->head) &&
        (!other->is_head || other->txnid <= reader->head.txnid + 1);
    if (!is_steady) forget_pages(reader);
    return is_steady;
}

bool og_lmdb_reader_is_newest(const struct og_lmdb_reader *reader)
{
    struct og_lmdb_head newest;
    return og_lmdb_head_read(reader->fd, &newest) &&
           newest.txnid == reader->head.txnid;
}

/* ---- pages ---- */

static og_status damaged(const struct og_lmdb_reader *r, uint64_t page,
                         const char *what, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE, "'%s', byte %" PRIu64 ": %s",
                        r->path, page * r->head.page_len, what);
}

static bool has_sums(const struct og_lmdb_reader *r)
{
    return r->sums != NULL && r->sums->txnid == r->head.txnid;
}

/* `len` bytes from the beginning of page `number`, which is not in a slot. */
static og_status read_pages(struct og_lmdb_reader *r, uint64_t number,
                            uint64_t n, uint8_t *out, og_error *err)
{
    const uint64_t page_len = r->head.page_len;
    r->has_read = true;
    const int64_t got =
        og_file_read_at(r->fd, out, n * page_len, number * page_len);
    if (got < 0) return og_file_failure(err, "read", r->path, errno);
    if ((uint64_t)got < n * page_len)
        return damaged(r, number, "the file ends before it", err);
    if (has_sums(r) &&
        !og_page_sums_fit(r->sums, number * page_len, out, n * page_len))
        return damaged(r, number, "the page does not match its checksum", err);
    if (og_lmdb_u64(out) != number)
        return damaged(r, number, "the page has a different number", err);
    return OG_OK;
}

/* Valid until the next call. */
static og_status page_at(struct og_lmdb_reader *r, uint64_t number,
                         const uint8_t **out, og_error *err)
{
    const size_t slot = number % OG_LMDB_SLOTS;
    uint8_t *page = r->pages + slot * r->head.page_len;
    *out = page;
    if (number < 2 || number > r->head.last_page)
        return damaged(r, number, "there is no such page", err);
    if (r->numbers[slot] == number) return OG_OK;
    r->numbers[slot] = 0;
    TRY(read_pages(r, number, 1, page, err));
    r->numbers[slot] = number;
    return OG_OK;
}

/* A value on pages of its own. */
static og_status read_long(struct og_lmdb_reader *r, uint64_t number,
                           uint64_t len, og_bytes *out, og_error *err)
{
    const uint64_t page_len = r->head.page_len;
    const uint64_t n = (OG_LMDB_PAGE_HEAD + len + page_len - 1) / page_len;
    if (number < 2 || number > r->head.last_page ||
        n > r->head.last_page - number + 1)
        return damaged(r, number, "there is no such page", err);
    if (!OG_GROW(r->allocator, r->long_value.data, r->long_value.cap,
                 n * page_len))
        return og_error_memory(err, n * page_len, "an entry");
    TRY(read_pages(r, number, n, r->long_value.data, err));
    const uint8_t *head = r->long_value.data;
    if ((og_lmdb_u16(head + 10) & OG_LMDB_OVERFLOW) == 0 ||
        og_lmdb_u32(head + 12) < n)
        return damaged(r, number, "it is not a page of a long value", err);
    *out = (og_bytes){(const char *)head + OG_LMDB_PAGE_HEAD, len};
    return OG_OK;
}

/* ---- nodes ---- */

struct node {
    og_bytes key;
    unsigned flags;
    const uint8_t *value; /* the part that is in the page */
    uint64_t value_len;   /* of the complete value */
    uint64_t below;       /* in a branch: the page */
};

/* Node i of a page that og_lmdb_is_page(). */
static bool node_at(const uint8_t *page, uint64_t page_len, bool is_branch,
                    uint64_t i, struct node *out)
{
    const uint8_t *at = page + OG_LMDB_PAGE_HEAD + 2 * i;
    const uint64_t off = og_lmdb_u16(at);
    if (off < OG_LMDB_PAGE_HEAD || off + OG_LMDB_NODE_HEAD > page_len)
        return false;
    const uint8_t *node = page + off;
    const uint64_t room = page_len - off - OG_LMDB_NODE_HEAD;
    const uint64_t key_len = og_lmdb_key_len(node);
    if (key_len > room) return false;
    *out = (struct node){
        .key = {(const char *)node + OG_LMDB_NODE_HEAD, key_len},
        .flags = og_lmdb_node_flags(node),
        .value = node + OG_LMDB_NODE_HEAD + key_len,
        .value_len = og_lmdb_u32(node),
        .below = og_lmdb_page_below(node),
    };
    if (is_branch) return true;
    const uint64_t held = (out->flags & OG_LMDB_BIG) != 0 ? 8 : out->value_len;
    return held <= room - key_len;
}

/* LMDB's order: numbers of 4 or 8 bytes, or bytes. */
static int compare_keys(unsigned tree_flags, og_bytes a, og_bytes b)
{
    if ((tree_flags & OG_LMDB_INTEGER_KEYS) != 0 && a.len == b.len &&
        (a.len == 4 || a.len == 8)) {
        const uint64_t x =
            a.len == 4 ? og_lmdb_u32(a.data) : og_lmdb_u64(a.data);
        const uint64_t y =
            b.len == 4 ? og_lmdb_u32(b.data) : og_lmdb_u64(b.data);
        return x < y ? -1 : x > y;
    }
    const size_t n = a.len < b.len ? a.len : b.len;
    const int order = n > 0 ? memcmp(a.data, b.data, n) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

/* ---- scans ---- */

struct scan {
    struct og_lmdb_reader *reader;
    og_lmdb_visit *visit;
    void *ctx;
    og_error *err;
    unsigned tree_flags;
    const og_bytes *from; /* NULL: the scan is past it */
    uint64_t n_left;      /* pages that may still be visited */
    bool is_over;
    /* While the values of one key are visited. */
    bool in_values;
    char key[512];
    size_t key_len;
};

static og_status bad_page(const struct scan *s, uint64_t number,
                          const char *what)
{
    return damaged(s->reader, number, what, s->err);
}

static void give(struct scan *s, og_bytes key, og_bytes value)
{
    if (!s->visit(s->ctx, key, value)) s->is_over = true;
}

/* An array of values of one length, in a page or a small page. */
static void give_row(struct scan *s, const uint8_t *page, uint64_t n)
{
    const og_bytes key = {s->key, s->key_len};
    const size_t len = og_lmdb_u16(page + 8);
    for (uint64_t i = 0; i < n && !s->is_over; i++)
        give(s, key,
             (og_bytes){(const char *)page + OG_LMDB_PAGE_HEAD + i * len, len});
}

static og_status scan_page(struct scan *s, uint64_t number, unsigned depth);

static og_status give_values(struct scan *s, uint64_t number,
                             const struct node *node, unsigned depth)
{
    unsigned flags;
    uint64_t n;
    if (s->in_values || node->key.len > sizeof(s->key))
        return bad_page(s, number, "the values of a key are none");
    s->key_len = node->key.len;
    if (s->key_len > 0) memcpy(s->key, node->key.data, s->key_len);
    if ((node->flags & OG_LMDB_TREE) == 0) {
        if (node->value_len < OG_LMDB_PAGE_HEAD ||
            !og_lmdb_is_page(node->value, node->value_len, &flags, &n) ||
            flags != (OG_LMDB_LEAF | OG_LMDB_LEAF2))
            return bad_page(s, number, "the values of a key are none");
        give_row(s, node->value, n);
        return OG_OK;
    }
    if (node->value_len != OG_LMDB_TREE_LEN)
        return bad_page(s, number, "a tree has a different length");
    s->in_values = true;
    const og_status status =
        scan_page(s, og_lmdb_u64(node->value + OG_LMDB_ROOT_AT), depth + 1);
    s->in_values = false;
    return status;
}

static og_status give_node(struct scan *s, uint64_t number,
                           const struct node *node, unsigned depth)
{
    og_bytes value = {(const char *)node->value, node->value_len};
    if ((node->flags & OG_LMDB_DUPLICATES) != 0)
        return give_values(s, number, node, depth);
    if ((node->flags & OG_LMDB_BIG) != 0)
        TRY(read_long(s->reader, og_lmdb_u64(node->value), node->value_len,
                      &value, s->err));
    give(s, node->key, value);
    return OG_OK;
}

/* The first node whose key is at least `from`; in a branch, where the first key
 * is ignored, the last one whose key is at most `from`. */
static og_status find_node(const struct scan *s, uint64_t number,
                           const uint8_t *page, uint64_t n, bool is_branch,
                           uint64_t *out)
{
    struct node node;
    uint64_t low = is_branch ? 1 : 0;
    uint64_t high = n;
    *out = 0;
    if (s->from == NULL) return OG_OK;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (!node_at(page, s->reader->head.page_len, is_branch, middle, &node))
            return bad_page(s, number, "a node is not in its page");
        const int order = compare_keys(s->tree_flags, node.key, *s->from);
        if (order < 0 || (is_branch && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    *out = is_branch ? low - 1 : low;
    return OG_OK;
}

/* The page is fetched again after the pages below it were visited. */
static og_status scan_nodes(struct scan *s, uint64_t number,
                            const uint8_t *page, uint64_t n, bool is_branch,
                            unsigned depth)
{
    struct node node;
    uint64_t i;
    TRY(find_node(s, number, page, n, is_branch, &i));
    if (!is_branch) s->from = NULL;
    for (; i < n && !s->is_over; i++) {
        TRY(page_at(s->reader, number, &page, s->err));
        if (!node_at(page, s->reader->head.page_len, is_branch, i, &node))
            return bad_page(s, number, "a node is not in its page");
        TRY(is_branch ? scan_page(s, node.below, depth + 1)
                      : give_node(s, number, &node, depth));
    }
    return OG_OK;
}

static og_status scan_page(struct scan *s, uint64_t number, unsigned depth)
{
    const uint8_t *page;
    unsigned flags;
    uint64_t n;
    if (depth >= OG_LMDB_MOST_DEPTH)
        return bad_page(s, number, "the tree is too deep");
    if (s->n_left == 0) return bad_page(s, number, "the page is in use twice");
    s->n_left--;
    TRY(page_at(s->reader, number, &page, s->err));
    if (!og_lmdb_is_page(page, s->reader->head.page_len, &flags, &n) ||
        (flags == OG_LMDB_BRANCH && n == 0) ||
        (flags == (OG_LMDB_LEAF | OG_LMDB_LEAF2) && !s->in_values))
        return bad_page(s, number, "it is not a page of a tree");
    if (flags == (OG_LMDB_LEAF | OG_LMDB_LEAF2)) {
        give_row(s, page, n);
        return OG_OK;
    }
    if (s->in_values && flags == OG_LMDB_LEAF)
        return bad_page(s, number, "it is not a page of values");
    return scan_nodes(s, number, page, n, flags == OG_LMDB_BRANCH, depth);
}

og_status og_lmdb_scan(struct og_lmdb_reader *reader, struct og_lmdb_tree tree,
                       const og_bytes *from, og_lmdb_visit *visit, void *ctx,
                       og_error *err)
{
    struct scan s = {.reader = reader,
                     .visit = visit,
                     .ctx = ctx,
                     .err = err,
                     .tree_flags = tree.flags,
                     .from = from,
                     .n_left = reader->head.last_page + 1};
    if (tree.root == OG_LMDB_NO_PAGE) return OG_OK;
    return scan_page(&s, tree.root, 0);
}

struct tree_search {
    og_bytes name;
    struct og_lmdb_tree *out;
    bool is_found;
};

static bool take_tree(void *ctx, og_bytes key, og_bytes value)
{
    struct tree_search *search = ctx;
    if (key.len != search->name.len ||
        memcmp(key.data, search->name.data, key.len) != 0 ||
        value.len != OG_LMDB_TREE_LEN)
        return false;
    const uint8_t *tree = (const uint8_t *)value.data;
    search->out->root = og_lmdb_u64(tree + OG_LMDB_ROOT_AT);
    search->out->flags = og_lmdb_u16(tree + OG_LMDB_TREE_FLAGS_AT);
    search->is_found = true;
    return false;
}

og_status og_lmdb_tree_find(struct og_lmdb_reader *reader, const char *name,
                            struct og_lmdb_tree *out, og_error *err)
{
    struct tree_search search = {.name = {name, strlen(name)}, .out = out};
    const struct og_lmdb_tree names = {.root = reader->head.roots[1]};
    TRY(og_lmdb_scan(reader, names, &search.name, take_tree, &search, err));
    return search.is_found ? OG_OK : OG_END;
}

/* ---- a damaged file ---- */

static void salvage_page(struct og_lmdb_reader *r, const uint8_t *page,
                         og_lmdb_visit *visit, void *ctx)
{
    unsigned flags;
    uint64_t n;
    struct node node;
    if (!og_lmdb_is_page(page, r->head.page_len, &flags, &n) ||
        flags != OG_LMDB_LEAF)
        return;
    for (uint64_t i = 0; i < n; i++) {
        if (!node_at(page, r->head.page_len, false, i, &node) ||
            (node.flags & (OG_LMDB_DUPLICATES | OG_LMDB_TREE)) != 0)
            continue;
        og_bytes value = {(const char *)node.value, node.value_len};
        if ((node.flags & OG_LMDB_BIG) != 0 &&
            read_long(r, og_lmdb_u64(node.value), node.value_len, &value,
                      NULL) != OG_OK)
            continue;
        (void)visit(ctx, node.key, value);
    }
}

og_status og_lmdb_salvage(int fd, const char *path,
                          const og_allocator *allocator, og_lmdb_visit *visit,
                          void *ctx, og_error *err)
{
    struct og_lmdb_reader r;
    struct og_lmdb_head head;
    struct stat st;
    if (fstat(fd, &st) != 0) return og_file_failure(err, "read", path, errno);
    og_lmdb_reader_init(&r, fd, path, NULL, allocator);
    r.head.page_len =
        og_lmdb_head_read(fd, &head) ? head.page_len : OG_LMDB_PAGE;
    r.head.last_page = (uint64_t)st.st_size / r.head.page_len;
    uint8_t *page = og_allocate(allocator, r.head.page_len);
    if (page == NULL) return og_error_memory(err, r.head.page_len, "a page");
    og_status status = OG_OK;
    for (uint64_t i = 2; i < r.head.last_page && status == OG_OK; i++) {
        const uint64_t off = i * r.head.page_len;
        const int64_t got = og_file_read_at(fd, page, r.head.page_len, off);
        if (got < 0) status = og_file_failure(err, "read", path, errno);
        if (got == (int64_t)r.head.page_len) salvage_page(&r, page, visit, ctx);
    }
    og_release(allocator, page, r.head.page_len);
    og_lmdb_reader_release(&r);
    return status;
}
