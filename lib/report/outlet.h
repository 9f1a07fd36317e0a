#ifndef OG_REPORT_OUTLET_H
#define OG_REPORT_OUTLET_H

#include <stdio.h>

/*   in:  the bytes of a report                    (report)
 *   out: a file that appears whole, stdout, or a callback
 *
 * A report that goes to a path is written beside it and renamed when it is
 * whole: half a page, or half an XML file, is worse than none. What goes to
 * stdout may be held back in memory until others may read it. */

#include <origo/report.h>

#include "lib/os/new_file.h"
#include "lib/report/writer.h"

struct og_outlet {
    struct og_writer w; /* what the report writes to */
    FILE *file;
    bool own_file; /* opened here: its bytes go to new_file, or to memory */
    bool to_stdout;
    struct og_new_file new_file;
    char *path; /* NULL: there is none */
    char *held; /* of `file`, when it waits for stdout */
    size_t held_len;
};

/* NULL and "-" are stdout; `holds` keeps what is for stdout in memory until
 * og_outlet_pass(). After a failure og_outlet_discard() is still due. */
og_status og_outlet_open(struct og_outlet *o, const char *path, bool holds,
                         og_error *err);
void og_outlet_use(struct og_outlet *o, og_write_fn *write, void *ctx);

/* What was written so far goes to stdout. Nothing for the others. */
og_status og_outlet_pass(struct og_outlet *o, og_error *err);

/* The regular file that is being made; NULL when it goes elsewhere: stdout, a
 * device, a pipe. Only beside such a file may others be put. */
const char *og_outlet_target(const struct og_outlet *o);

/* Ends the file at hand. `path` NULL: under the name it was opened with. */
og_status og_outlet_commit(struct og_outlet *o, const char *path,
                           og_error *err);
/* Begins another one after a commit, for the name of the first. */
og_status og_outlet_reopen(struct og_outlet *o, og_error *err);

/* Frees all; a file that was being made is gone. */
void og_outlet_discard(struct og_outlet *o);

#endif
