#ifndef OG_REMOTE_REMOTE_LOG_H
#define OG_REMOTE_REMOTE_LOG_H

/*   in:  records of one length, of any number of front ends  (lib/store, index)
 *   out: all of them, in one order for all                   (the same)
 *
 * A log on servers. It lies in segments, "origo:{TAG}:NAME:{KIND}:NUMBER", to
 * which front ends append. APPEND answers with the length that the segment has
 * then, so who appends knows its place, and reads what is before it: everyone
 * sees the same records in the same order.
 *
 *     segment 0            segment 1            segment 2
 *     [...............4 MiB][...............4 MiB][......
 *                                                       ^ appended here
 *
 * What is appended at once is a batch, of which the length comes first, in four
 * bytes. A batch that begins at 4 MiB or later counts for nothing: who finds
 * that it did so appends it once more, to the next segment. A batch may be
 * there twice, as when it was sent again because an answer was lost; who reads
 * must not mind. Segments of which `n_kept` are newer are removed.
 *
 * One thread at a time. */

#include "lib/remote/remote_catalogue.h"

struct og_pack;

#define OG_REMOTE_LOG_SEGMENT ((uint64_t)4 << 20)

struct og_remote_log {
    struct og_remote_catalogue *catalogue;
    char kind;
    uint32_t record_len;
    uint32_t n_kept; /* segments; 0: all */
    uint64_t segment_len;
    /* All before this was read. */
    uint32_t segment;
    uint64_t off;
    uint32_t newest; /* segment that was known when it was opened */
};

/* At the first record that is kept; with `at_end` after the last one. */
og_status og_remote_log_open(struct og_remote_log *log, bool at_end,
                             og_error *err);

/* Appends records to `out` that came since. */
og_status og_remote_log_read(struct og_remote_log *log, struct og_pack *out,
                             og_error *err);

/* Appends records to the log, and to `before` those of others that came before
 * them. Both count as read then. */
og_status og_remote_log_append(struct og_remote_log *log, og_bytes records,
                               struct og_pack *before, og_error *err);

#endif
