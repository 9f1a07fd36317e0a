#ifndef OG_HAMMING_CODE_PLAN_H
#define OG_HAMMING_CODE_PLAN_H

/* Chooses a design by the number of codes, the distance and the memory, and
 * explains the choice. */

#include "lib/hamming/code_design.h"

struct og_code_plan {
    struct og_code_design design; /* fitted to the number of codes */
    uint64_t bytes;               /* of its tables */
    double microseconds;          /* of a query, by the model */
};

enum og_code_want {
    OG_CODE_WANT_BEST = -1, /* the planner's choice */
    OG_CODE_WANT_SCAN = 0,
    /* otherwise the number of tables */
};

/* What the user asks for. */
struct og_code_choice {
    uint64_t memory; /* the most bytes of tables */
    int want;        /* enum og_code_want */
    enum og_code_form form;
};

/* Within `memory` bytes of tables, the design with the lowest time. A `want`
 * other than OG_CODE_WANT_BEST selects the best design with that many tables
 * whatever the memory; OG_ERR_USAGE if there is none. For forms other than
 * directories it is the smallest design if none is within the memory. */
og_status og_code_plan(struct og_code_plan *plan, uint64_t n_codes,
                       unsigned max_distance,
                       const struct og_code_choice *choice, og_error *err);

/* Every design that was considered, one line each, and the choice with its
 * reason. Writes at most out_cap bytes, zero-terminated. */
void og_code_plan_explain(const struct og_code_plan *plan, uint64_t n_codes,
                          const struct og_code_choice *choice, char *out,
                          size_t out_cap);

#endif
