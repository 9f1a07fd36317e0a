/* Checks the trees of a catalogue against each other. The entries have
 * checksums; the contents of the trees of ids and of copies follow from them.
 * Both are summed independently of order, so each tree is read once, front to
 * back. */

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/bits.h"
#include "lib/store/catalogue/documents_env.h"
#include "lib/store/catalogue/lmdb_format.h"

struct totals {
    uint64_t n, sum;
};

static void count_pair(struct totals *t, uint64_t key, uint64_t value)
{
    t->n++;
    t->sum += og_mix64(og_mix64(key) + value);
}

struct audit {
    const char *folder;
    uint32_t n_entries;
    struct totals ids, copies; /* according to the entries */
    struct totals seen;        /* of the tree that is being read */
    og_status status;          /* of an entry */
    og_error *err;
};

static og_status unsound(const struct audit *a, const char *what)
{
    return og_error_set(a->err, OG_ERR_STORE, "'%s' is damaged: %s", a->folder,
                        what);
}

static void restart_entries(void *ctx)
{
    struct audit *a = ctx;
    a->n_entries = 0;
    a->ids = a->copies = (struct totals){0};
    a->status = OG_OK;
}

static bool add_entry(void *ctx, og_bytes key, og_bytes value)
{
    struct audit *a = ctx;
    struct og_entry entry;
    const uint32_t number = a->n_entries++;
    if (key.len != 4 || og_lmdb_u32(key.data) != number ||
        !og_entry_unpack(value, &entry)) {
        a->status = og_error_set(a->err, OG_ERR_STORE,
                                 "'%s' is damaged: the entry of document "
                                 "%" PRIu32 " is not as it was written",
                                 a->folder, number);
        return false;
    }
    if (!entry.is_purged)
        count_pair(&a->ids, og_documents_hash(entry.id), number);
    for (uint32_t i = 0; i < entry.n_origins; i++)
        count_pair(&a->copies, entry.origins[i].doc,
                   (uint64_t)number << 32 | entry.origins[i].n_tokens);
    return true;
}

static void restart_pairs(void *ctx)
{
    struct audit *a = ctx;
    a->seen = (struct totals){0};
}

static uint64_t number_of(og_bytes v)
{
    return v.len == 4   ? og_lmdb_u32(v.data)
           : v.len == 8 ? og_lmdb_u64(v.data)
                        : 0;
}

static bool add_pair(void *ctx, og_bytes key, og_bytes value)
{
    struct audit *a = ctx;
    count_pair(&a->seen, number_of(key), number_of(value));
    return true;
}

static og_status compare_tree(struct og_documents_view *view, struct audit *a,
                              const char *tree, const struct totals *expected)
{
    const struct og_catalogue_question q = {
        .tree = tree, .visit = add_pair, .restart = restart_pairs, .ctx = a};
    char what[64];
    TRY(og_documents_ask(view, &q, a->err));
    if (a->seen.n == expected->n && a->seen.sum == expected->sum) return OG_OK;
    snprintf(what, sizeof(what), "its %s are not those of its entries", tree);
    return unsound(a, what);
}

static og_status compare_trees(struct og_documents_view *view, struct audit *a)
{
    const struct og_catalogue_question q = {.tree = "documents",
                                            .visit = add_entry,
                                            .restart = restart_entries,
                                            .ctx = a};
    TRY(og_documents_ask(view, &q, a->err));
    TRY(a->status);
    if (a->n_entries != view->count)
        return unsound(a, "entries of documents are missing");
    TRY(compare_tree(view, a, "ids", &a->ids));
    return compare_tree(view, a, "copies", &a->copies);
}

og_status og_documents_audit(struct og_documents *db, og_error *err)
{
    struct og_documents_view view;
    struct audit a = {.folder = db->folder, .err = err};
    og_documents_view_init(&view, db);
    og_status status = og_documents_view_begin(&view, err);
    const uint64_t sequence = view.sequence;
    if (status == OG_OK) status = compare_trees(&view, &a);
    /* A writer that opened it meanwhile has checked it as well. */
    if (status == OG_ERR_STORE &&
        og_documents_view_begin(&view, NULL) == OG_OK &&
        view.sequence != sequence)
        status = OG_OK;
    og_documents_view_release(&view);
    return status;
}
