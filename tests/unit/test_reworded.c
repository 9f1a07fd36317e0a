/* Passages in other words: texts written for this test. */

#include "lib/align/aligner.h"
#include "tests/unit/align_support.h"

/* Six sentences, and below the same content in another order. */
#define TOLD                                                                   \
    "The harbour of Lindesnes was built by fishermen from the northern "       \
    "islands in the winter of 1874. They carried granite blocks across the "   \
    "frozen strait on sledges drawn by reindeer. A storm in February broke "   \
    "the outer wall and drowned eleven men. The widow of the master mason "    \
    "paid for a second wall with the silver of her dowry. It stands to this "  \
    "day, covered with green copper plates against the salt. Every spring "    \
    "the parish rings a bell for the drowned. "

#define RETOLD                                                                 \
    "In winter 1874 fishermen of the northern islands built the Lindesnes "    \
    "harbour. On sledges that reindeer drew they carried blocks of granite "   \
    "over the frozen strait. Eleven men drowned when a February storm broke "  \
    "its outer wall. With the silver from her dowry, the master mason's "      \
    "widow paid for a second. Green copper plates cover it against salt, and " \
    "it stands even now. The parish rings its bell each spring for those "     \
    "drowned. "

#define OTHER                                                                  \
    "Nobody remembers who first kept bees in the valley of the two mills. "    \
    "The hives were woven of straw and stood along the orchard fence. Each "   \
    "family marked its own with a coloured ribbon. Honey was sold in clay "    \
    "jars at the autumn market. A sour summer once left all of them empty. "   \
    "Since then a pinch of sugar is put aside in every kitchen. "

#define ANOTHER                                                                \
    "The tram line was opened on a rainy Sunday. Its cars were painted "       \
    "yellow and could seat forty passengers. Tickets cost two pennies for "    \
    "grown people and one for children. The depot burned down after a "        \
    "quarrel between two drivers. Buses took over most of the routes. A "      \
    "museum shows the last car with its brass bell. "

static void test_retold(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_read(&p, OTHER RETOLD, ANOTHER TOLD ANOTHER);
    pair_align(&p);
    pair_check(&p);
    assert_int_equal(p.found.n_passages, 1);
    const struct og_passage *q = &p.found.passages[0];
    assert_int_equal(q->kind, OG_PASSAGE_REWORDED);
    /* The ends are those of the passage, to the sentence. */
    struct pair part;
    pair_init(&part);
    pair_read(&part, OTHER, ANOTHER);
    assert_int_equal(q->begin, part.tokens[0].n);
    assert_int_equal(q->end, p.tokens[0].n);
    assert_int_equal(q->origin_begin, part.tokens[1].n);
    assert_int_equal(q->origin_end, p.tokens[1].n - part.tokens[1].n);
    assert_true(q->n_runs > 8 && q->score > 0.5);
    /* And not at all without. */
    p.options.reworded = false;
    pair_align(&p);
    assert_int_equal(p.found.n_passages, 0);
    pair_release(&part);
    pair_release(&p);
}

static void test_unrelated(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_read(&p, OTHER ANOTHER, TOLD);
    pair_align(&p);
    assert_int_equal(p.found.n_passages, 0);
    pair_release(&p);
}

/* A copy word for word keeps its exact ends, in the middle of sentences. */
static void test_copy_keeps_its_ends(void **state)
{
    (void)state;
    struct pair p;
    pair_init(&p);
    pair_read(&p,
              OTHER "Someone wrote that a storm in February broke the outer "
                    "wall and drowned eleven men. The widow of the master "
                    "mason paid for a second wall, they say. " ANOTHER,
              TOLD);
    pair_align(&p);
    pair_check(&p);
    assert_int_equal(p.found.n_passages, 1);
    const struct og_passage *q = &p.found.passages[0];
    assert_int_equal(q->kind, OG_PASSAGE_COPY);
    assert_int_equal(q->end - q->begin, 23);
    assert_int_equal(q->n_runs, 1);
    assert_true(q->score == 1);
    pair_release(&p);
}

/* The same stems everywhere: work is bounded, nothing overflows. */
static void test_repeated_sentences(void **state)
{
    enum { N = 3000 };
    static const char sentence[] = "one two three four five six. ";
    const size_t len = sizeof(sentence) - 1;
    char *text = malloc(N * len + 1);
    struct pair p;
    (void)state;
    assert_non_null(text);
    pair_init(&p);
    for (size_t i = 0; i < N; i++)
        memcpy(text + i * len, sentence, len + 1);
    pair_read(&p, text, text + len * (N / 2));
    pair_align(&p);
    pair_check(&p);
    assert_true(p.found.n_passages > 0);
    free(text);
    pair_release(&p);
}

static const struct og_align_thresholds usual = OG_ALIGN_THRESHOLDS_DEFAULT;

/* A sentence from one place and one from far after it. */
static void test_pieces_of_a_summary(void **state)
{
    (void)state;
    struct og_passage data[] = {
        {10, 30, 500, 520, OG_PASSAGE_COPY, 20, 0, 0, 1},
        {60, 80, 100, 130, OG_PASSAGE_REWORDED, 45, 0, 0, 0},
        {400, 420, 10, 30, OG_PASSAGE_COPY, 20, 0, 0, 1},
        {430, 450, 40, 60, OG_PASSAGE_COPY, 20, 0, 0, 1}, /* as long there */
        {600, 700, 600, 700, OG_PASSAGE_COPY, 100, 0, 0, 1},
        {710, 730, 10, 30, OG_PASSAGE_COPY, 20, 0, 0, 1}, /* by a long copy */
    };
    struct og_passages passages = {.data = data, .n = 6};
    og_passages_join_drawn(&passages, &usual);
    assert_int_equal(passages.n, 5);
    assert_int_equal(data[0].begin, 10);
    assert_int_equal(data[0].end, 80);
    assert_int_equal(data[0].origin_begin, 100);
    assert_int_equal(data[0].origin_end, 520);
    assert_int_equal(data[0].kind, OG_PASSAGE_REWORDED);
    assert_int_equal(data[1].begin, 400);
    assert_int_equal(data[4].begin, 710);
    passages.n = 0;
    og_passages_join_drawn(&passages, &usual);
    assert_int_equal(passages.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retold),
        cmocka_unit_test(test_unrelated),
        cmocka_unit_test(test_copy_keeps_its_ends),
        cmocka_unit_test(test_repeated_sentences),
        cmocka_unit_test(test_pieces_of_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
