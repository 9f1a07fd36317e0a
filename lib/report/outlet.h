#ifndef OG_REPORT_OUTLET_H
#define OG_REPORT_OUTLET_H

#include <stdio.h>

/*   in:  the bytes of a report                    (report)
 *   out: a file that appears whole, stdout, or a callback
 *
 * A report for a path is written beside it and renamed when it is complete:
 * half a page, or half an XML file, is worse than none. Output for stdout may
 * be held back in memory until it may be published. */

#include <origo/report.h>

#include "lib/base/packing.h"
#include "lib/os/new_file.h"
#include "lib/report/writer.h"

struct og_outlet {
    struct og_writer w; /* the writer of the report */
    FILE *file;
    bool own_file; /* opened here: its bytes go to new_file */
    bool to_stdout, holds;
    struct og_new_file new_file;
    char *path;          /* NULL: none */
    struct og_pack held; /* awaits og_outlet_pass() */
};

/* NULL and "-" are stdout; with `holds`, output for stdout is kept in memory
 * until og_outlet_pass(). After a failure og_outlet_discard() must still be
 * called. */
og_status og_outlet_open(struct og_outlet *o, const char *path, bool holds,
                         og_error *err);
void og_outlet_use(struct og_outlet *o, og_write_fn *write, void *ctx);

/* Writes the output so far to stdout. No effect on other destinations. */
og_status og_outlet_pass(struct og_outlet *o, og_error *err);

/* The regular file being written; NULL for other destinations: stdout, a
 * device, a pipe. Only beside such a file may others be created. */
const char *og_outlet_target(const struct og_outlet *o);

/* Ends the current file. `path` NULL: under the name it was opened with. */
og_status og_outlet_commit(struct og_outlet *o, const char *path,
                           og_error *err);
/* Begins another file after a commit, for the original name. */
og_status og_outlet_reopen(struct og_outlet *o, og_error *err);

/* Frees everything; a file being written is removed. */
void og_outlet_discard(struct og_outlet *o);

#endif
