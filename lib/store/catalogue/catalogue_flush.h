#ifndef OG_STORE_CATALOGUE_CATALOGUE_FLUSH_H
#define OG_STORE_CATALOGUE_CATALOGUE_FLUSH_H

/* Brings pending entries to the catalogue on disk, a batch at a time, on a
 * thread of its own, while the writer continues with the next documents. */

#include <stdatomic.h>

#include "lib/store/catalogue/pending.h"

struct og_documents;
struct og_journal;

/* All zero: nothing is on its way. The writer's, but for what the thread
 * leaves. */
struct og_catalogue_flush {
    struct og_pending *pending;
    struct og_documents *documents;
    struct og_journal *journal;
    uint64_t sequence; /* of the last record of the lot */
    pthread_t thread;
    bool is_running; /* there is a thread to be joined */
    /* The thread's until it is joined. */
    atomic_bool has_failed;
    og_error failure;
};

/* Sends the old lot, or when there is none, the young one, which ends with the
 * record `sequence`. The one before must have ended, and there must be
 * something to send. Without a thread it is done at once. */
void og_catalogue_flush_start(struct og_catalogue_flush *flush,
                              uint64_t sequence);

/* Whether there is a failure to be reported by og_catalogue_flush_end(). Does
 * not wait. */
bool og_catalogue_flush_has_failed(const struct og_catalogue_flush *flush);

/* Waits for what is on its way. After a failure, which is reported once, the
 * lot is pending as before, and may be sent again. */
og_status og_catalogue_flush_end(struct og_catalogue_flush *flush,
                                 og_error *err);

#endif
