#ifndef TESTS_UNIT_INPUT_SUPPORT_H
#define TESTS_UNIT_INPUT_SUPPORT_H

/* The input of a stream in one line. */

#include <origo/origo.h>

static inline og_input input_of(const char *const *paths, size_t n,
                                unsigned n_threads)
{
    og_input input = og_input_default();
    input.paths = paths;
    input.n_paths = n;
    input.n_threads = n_threads;
    return input;
}

/* As an argument. */
#define FILES(list, n)                                                         \
    (&(const og_input){                                                        \
        .paths = (list), .n_paths = (n), .fields = OG_FIELDS_DEFAULT})

#endif
