/* The writer is the bottleneck, and a batch of the catalogue costs it as much
 * as a tenth of its documents, with two syncs in it. Nothing that the writer
 * does next depends on the batch: its entries stay pending until they can be
 * found on disk.
 *
 *     writer:   young lot full -> part -> young lot full -> wait -> part ...
 *     thread:                     commit, batch, drop       commit, batch ...
 *
 * The order on disk is that of a writer without a second thread: first the
 * journal, up to the last record of the lot, then the batch. */

#include "lib/store/catalogue/catalogue_flush.h"

#include "lib/disk/journal.h"
#include "lib/os/clock.h"
#include "lib/store/catalogue/documents.h"

static og_status file_lot(struct og_catalogue_flush *f, og_error *err)
{
    const struct og_pending_batch *lot = og_pending_frozen(f->pending);
    const struct og_documents_batch batch = {
        .first = lot->first,
        .entries = lot->entries,
        .n_entries = lot->n,
        .removed = lot->removed,
        .n_removed = lot->n_removed,
        .sequence = f->sequence,
    };
    /* Otherwise the catalogue could contain documents that a crash removes from
     * the journal. */
    TRY(og_journal_commit(f->journal, err));
    TRY(og_documents_write(f->documents, &batch, err));
    og_pending_discard(f->pending);
    return OG_OK;
}

static void *run(void *ctx)
{
    struct og_catalogue_flush *f = ctx;
    const double begin = og_clock_thread();
    if (file_lot(f, &f->failure) != OG_OK) atomic_store(&f->has_failed, true);
    atomic_fetch_add(&f->microseconds,
                     (uint64_t)(1e6 * (og_clock_thread() - begin)));
    return NULL;
}

void og_catalogue_flush_start(struct og_catalogue_flush *flush,
                              uint64_t sequence)
{
    struct og_catalogue_flush *f = flush;
    if (og_pending_frozen(f->pending) == NULL) {
        og_pending_freeze(f->pending);
        f->sequence = sequence;
    }
    f->is_running = pthread_create(&f->thread, NULL, run, f) == 0;
    if (!f->is_running) run(f);
}

bool og_catalogue_flush_has_failed(const struct og_catalogue_flush *flush)
{
    return atomic_load(&flush->has_failed);
}

og_status og_catalogue_flush_end(struct og_catalogue_flush *flush,
                                 og_error *err)
{
    struct og_catalogue_flush *f = flush;
    if (f->is_running) pthread_join(f->thread, NULL);
    f->is_running = false;
    if (!atomic_exchange(&f->has_failed, false)) return OG_OK;
    return og_error_set(err, f->failure.status, "%s", f->failure.message);
}
