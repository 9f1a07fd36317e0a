#ifndef CLI_PAPER_TABLES_H
#define CLI_PAPER_TABLES_H

/* `origo eval origin --paper`: tables 1 to 11 and figure 2 of the origin paper
 * for another stream, in Markdown on stdout, beside the published figures. */

#include "eval/evaluation.h"
#include <origo/origo.h>

struct paper_options {
    og_layout_kind layout; /* of all tables except origo's own */
    uint32_t bridge_limit;
    /* Called when all runs are done, before anything is printed. */
    void (*on_measured)(void *ctx);
    void *ctx;
};

og_status paper_print(og_eval *eval, const struct paper_options *options,
                      og_error *err);

#endif
