#ifndef OG_INDEX_NEAR_SHARED_H
#define OG_INDEX_NEAR_SHARED_H

/*   in:  sketches of documents, from any number of front ends (lib/near)
 *   out: all of them, in one order for all                    (lib/near)
 *
 * The index of near-duplicates of a store that is on servers. A band of a
 * sketch has many documents, so it is no fingerprint that a partition could
 * have. Sketches are short, though: 116 bytes a document. So the servers have a
 * log of them (lib/remote/remote_log.h), and each front end an index in memory,
 * as that of a store in a folder:
 *
 *     front end 1 [ring] --- append run ---> log ---- records before it --->
 *     front end 2 [ring] <-- what is new ---
 *
 * Whoever adds a run of documents appends their sketches and reads those that
 * came before, which are in its index then before it asks: its answers are
 * those that the order of the log would have given. The log is as long as the
 * index has room. */

#include "lib/near/near_engine.h"
#include "lib/remote/remote_log.h"

struct og_near_shared {
    struct og_remote_log log;
    bool is_open; /* the log: its end was looked for */
};

/* What the index of this store was made with: `options` when there is none yet
 * (and the store is written), else they are replaced. */
og_status og_near_shared_options(og_store *store, og_near_options *options,
                                 og_error *err);

/* After the index was opened: connects it with the log. `shared` must outlive
 * it. */
void og_near_shared_connect(struct og_near_shared *shared, og_store *store,
                            og_near *near);

/* The text of options that another process wrote; for tests. */
bool og_near_shared_parse(og_bytes text, og_near_options *out);

#endif
