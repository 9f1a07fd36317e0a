#ifndef OG_STORE_CATALOGUE_CATALOGUE_FLUSH_H
#define OG_STORE_CATALOGUE_CATALOGUE_FLUSH_H

/* Writes pending entries to the catalogue on disk, a batch at a time, on its
 * own thread, while the writer continues with the next documents. */

#include <stdatomic.h>

#include "lib/store/catalogue/pending.h"

struct og_documents;
struct og_journal;

/* All zero: no flush is running. Belongs to the writer, except what the thread
 * sets. */
struct og_catalogue_flush {
    struct og_pending *pending;
    struct og_documents *documents;
    struct og_journal *journal;
    uint64_t sequence; /* of the last record of the lot */
    pthread_t thread;
    bool is_running;                    /* there is a thread to be joined */
    atomic_uint_least64_t microseconds; /* of the processor, of all threads that
                                           ended */
    /* The thread's until it is joined. */
    atomic_bool has_failed;
    og_error failure;
};

/* Writes the frozen lot, or when there is none, the active one, which ends with
 * the record `sequence`. The previous flush must have ended, and there must be
 * something to write. If no thread can be started, it is done at once. */
void og_catalogue_flush_start(struct og_catalogue_flush *flush,
                              uint64_t sequence);

/* Whether there is a failure for og_catalogue_flush_end() to report. Does not
 * wait. */
bool og_catalogue_flush_has_failed(const struct og_catalogue_flush *flush);

/* Waits for the running flush. After a failure, which is reported once, the lot
 * is pending as before, and may be written again. */
og_status og_catalogue_flush_end(struct og_catalogue_flush *flush,
                                 og_error *err);

#endif
