/* Two texts are compared while every single allocation fails once. */

#include <origo/origo.h>
#include <stdio.h>
#include <string.h>

#include "tests/oom/oom_support.h"

#include "lib/base/bits.h"

static const char *const sentences[] = {
    "The harbour was built by fishermen from the northern islands in winter. ",
    "They carried granite blocks across the frozen strait on wooden sledges. ",
    "A storm in February broke the outer wall and drowned eleven men there. ",
    "The widow of the master mason paid for a second wall with her silver. ",
    "Every spring the parish rings a bell for those who were drowned then. ",
    "\xe5\xae\x88\xe7\x81\xaf\xe5\xa1\x94\xe7\x9a\x84\xe4\xba\xba. ",
};
enum { N_SENTENCES = sizeof(sentences) / sizeof(sentences[0]) };

/* A document that copies, shuffles and repeats its origin. */
static og_bytes text_of(const char *order, char *out)
{
    size_t len = 0;
    for (const char *c = order; *c != '\0'; c++) {
        const char *sentence = sentences[(size_t)(*c - '0') % N_SENTENCES];
        memcpy(out + len, sentence, strlen(sentence));
        len += strlen(sentence);
    }
    return (og_bytes){out, len};
}

struct compare_objects {
    og_comparison *comparison;
};

static void *compare_init(struct work *w)
{
    static struct compare_objects o;
    (void)w;
    o = (struct compare_objects){NULL};
    return &o;
}

static og_status compare_run(struct work *w, uint64_t *out_sum)
{
    static char here[8192], there[8192];
    struct compare_objects *o = w->objects;
    const og_document doc = {.id = OG_LITERAL("a"),
                             .text = text_of("0123405152534", here)};
    const og_document origin = {.id = OG_LITERAL("b"),
                                .text = text_of("43210015", there)};
    if (o->comparison == NULL) o->comparison = og_comparison_new();
    if (o->comparison == NULL) return OG_ERR_MEMORY;
    const og_status status =
        og_compare(o->comparison, &doc, &origin, NULL, NULL);
    const og_answer *answer = og_comparison_answer(o->comparison);
    *out_sum = answer->n_fresh;
    for (size_t i = 0; i < answer->n_spans; i++) {
        const og_span *span = &answer->spans[i];
        *out_sum = og_mix64(*out_sum + span->begin + 3 * span->end +
                            5 * span->origin_begin + 7 * span->n_matches);
    }
    assert_true(status == OG_OK || answer->n_spans == 0);
    return status;
}

static void compare_release(struct work *w)
{
    struct compare_objects *o = w->objects;
    og_comparison_free(o->comparison);
}

static void test_comparing(void **state)
{
    static const struct scenario comparing = {compare_init, compare_run,
                                              compare_release};
    (void)state;
    try_all_failures(&comparing, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_comparing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
