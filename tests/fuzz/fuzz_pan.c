/* An untrusted corpus of PAN: the list of pairs, up to the first zero byte, and
 * the XML of the true passages after it. Every name returned is known, and a
 * score is valid whatever the offsets are. */

#include "tests/fuzz/fuzz_support.h"

#include <stdio.h>

#include "eval/measure/pan.h"

static void must(bool holds)
{
    if (!holds) abort();
}

static void check_subset(const struct og_pan_corpus *corpus,
                         const struct og_pan_subset *subset)
{
    for (size_t i = 0; i < subset->n_pairs; i++)
        must(subset->pairs[i].document < corpus->names.n &&
             subset->pairs[i].source < corpus->names.n);
    for (size_t i = 0; i < subset->cases.n; i++)
        must(subset->cases.data[i].document < corpus->names.n &&
             subset->cases.data[i].source < corpus->names.n);
}

/* What was found is every other true passage, as it is. */
static void check_score(struct og_pan_cases *truth)
{
    struct og_pan_cases found = {0};
    must(OG_GROW(NULL, found.data, found.cap, truth->n + 1));
    for (size_t i = 0; i < truth->n; i += 2)
        found.data[found.n++] = truth->data[i];
    const struct og_pan_score s = og_pan_score(truth, &found);
    must(s.recall >= 0 && s.recall <= 1 + 1e-9);
    must(s.precision >= 0 && s.precision <= 1 + 1e-9);
    must(s.granularity >= 1 && s.plagdet >= 0 && s.plagdet <= 1 + 1e-9);
    og_pan_cases_release(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_pan_corpus corpus = {0};
    char path[128];
    og_error err = {0};
    make_fuzz_folder();
    snprintf(path, sizeof(path), "%s/01-case", fuzz_folder);
    mkdir(path, 0700);
    const uint8_t *zero = len == 0 ? NULL : memchr(data, 0, len);
    const size_t pairs_len = zero == NULL ? 0 : (size_t)(zero - data);
    const size_t skip = zero == NULL ? 0 : pairs_len + 1;
    write_fuzz_file("01-case/pairs", data, pairs_len);
    write_fuzz_file("01-case/a.xml", data + skip, len - skip);
    const og_status status =
        og_pan_corpus_read(&corpus, fuzz_folder, (unsigned)len % 3, &err);
    must(status == OG_OK || status == OG_ERR_INPUT);
    must(status == OG_OK || strstr(err.message, "01-case/") != NULL);
    for (size_t i = 0; status == OG_OK && i < corpus.n_subsets; i++) {
        check_subset(&corpus, &corpus.subsets[i]);
        check_score(&corpus.subsets[i].cases);
    }
    og_pan_corpus_release(&corpus);
    return 0;
}
