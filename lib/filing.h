#ifndef OG_FILING_H
#define OG_FILING_H

/* Brings pending entries to the catalogue on disk, a lot at a time, on a thread
 * of its own, while the writer goes on with the next documents. */

#include <stdatomic.h>

#include "lib/pending.h"

struct og_documents;
struct og_journal;

/* All zero: nothing is on its way. The writer's, but for what the thread
 * leaves. */
struct og_filing {
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
void og_filing_start(struct og_filing *filing, uint64_t sequence);

/* Whether there is a failure to be told by og_filing_end(). Does not wait. */
bool og_filing_has_failed(const struct og_filing *filing);

/* Waits for what is on its way. After a failure, which is told once, the lot is
 * pending as before, and may be sent again. */
og_status og_filing_end(struct og_filing *filing, og_error *err);

#endif
