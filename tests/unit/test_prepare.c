/* From text to selection, against the stages one by one. */

#include "tests/unit/stage_support.h"

#include "lib/select/prepare.h"

#define TEXT "One two, three four five; Six seven eight nine ten eleven."
enum { SHINGLE_LEN = 4, N_TOKENS = 11, N_SHINGLES = 8 };

static struct og_scratch scratch;
static struct og_shingle_factors factors;
static struct og_prepare_options options;

static int begin(void **state)
{
    (void)state;
    og_scratch_init(&scratch, NULL);
    og_shingle_factors_init(&factors, og_rabin_default(), SHINGLE_LEN);
    options = (struct og_prepare_options){
        .tokens = OG_TOKEN_WORDS,
        .shingle_factors = &factors,
        .select = {.kind = OG_SELECT_ALL},
        .note = OG_CONTEXT_ORDER,
    };
    return 0;
}

static int end(void **state)
{
    (void)state;
    og_scratch_release(&scratch);
    return 0;
}

static void prepare(const char *text)
{
    assert_int_equal(og_scratch_prepare(&scratch,
                                        (og_bytes){text, strlen(text)},
                                        &options, NULL),
                     OG_OK);
}

static void test_stages(void **state)
{
    const struct og_selection *sel = &scratch.prepared.selection;
    (void)state;
    prepare(TEXT);
    assert_int_equal(scratch.prepared.tokens.n, N_TOKENS);
    assert_int_equal(sel->n, N_SHINGLES);
    struct og_fps fps;
    og_fps_init(&fps, NULL);
    assert_int_equal(
        og_tokens_fingerprint(&scratch.prepared.tokens, &factors, &fps, NULL),
        OG_OK);
    for (size_t i = 0; i < sel->n; i++) {
        assert_int_equal(sel->pos[i], i);
        assert_int_equal(sel->len[i], SHINGLE_LEN);
        assert_true(sel->fp[i] == fps.data[i]);
        assert_int_equal(sel->offset[i], i); /* the context was added */
    }
    og_fps_release(&fps);
    /* The text is folded: the same words in other letters are the same. */
    const uint64_t first = sel->fp[0];
    prepare("ONE TWO THREE FOUR");
    assert_int_equal(sel->n, 1);
    assert_true(sel->fp[0] == first);
    prepare("one two three");
    assert_int_equal(sel->n, 0);
    prepare("");
    assert_int_equal(sel->n, 0);
    assert_int_equal(scratch.prepared.tokens.n, 0);
}

/* A key changes the fingerprints, not which are selected, nor their context. */
static void test_shingle_key(void **state)
{
    const struct og_selection *sel = &scratch.prepared.selection;
    struct og_shingle_key key;
    uint16_t near[N_SHINGLES];
    uint64_t fp[N_SHINGLES];
    (void)state;
    og_shingle_key_init(&key, 9);
    prepare(TEXT);
    memcpy(near, sel->near, sizeof(near));
    memcpy(fp, sel->fp, sizeof(fp));
    options.shingle_key = &key;
    prepare(TEXT);
    assert_int_equal(sel->n, N_SHINGLES);
    assert_memory_equal(near, sel->near, sizeof(near));
    for (size_t i = 0; i < sel->n; i++) {
        assert_true(sel->fp[i] != fp[i]);
        assert_true(sel->fp[i] ==
                    og_shingle_keyed(&key, scratch.prepared.tokens.hash + i,
                                     SHINGLE_LEN));
    }
}

static void test_options(void **state)
{
    const struct og_selection *sel = &scratch.prepared.selection;
    (void)state;
    prepare(TEXT);
    const uint64_t fp = sel->fp[0];
    options.token_key = 1;
    prepare(TEXT);
    assert_true(sel->fp[0] != fp);
    options.token_key = 0;
    options.select = (og_select_options){.kind = OG_SELECT_EVERY, .param = 3};
    prepare(TEXT);
    assert_true(sel->n > 0 && sel->n < N_SHINGLES);
    /* Text and tokens alone: what was selected before is gone. */
    options.no_fps = true;
    prepare(TEXT);
    assert_int_equal(scratch.prepared.tokens.n, N_TOKENS);
    assert_int_equal(sel->n, 0);
    options.no_fps = false;
    options.select = (og_select_options){.kind = OG_SELECT_ALL};
    options.tokens = OG_TOKEN_CHARS;
    prepare("ab cd e");
    assert_int_equal(scratch.prepared.tokens.n, 5);
    assert_int_equal(sel->n, 2);
    /* v is u. */
    options.tokens = OG_TOKEN_WORDS;
    options.fold = OG_FOLD_LATIN;
    prepare("vna silva vbi erat");
    const uint64_t latin = sel->fp[0];
    prepare("una silua ubi erat");
    assert_true(sel->fp[0] == latin);
    options.fold = 0;
    prepare("vna silva vbi erat");
    assert_true(sel->fp[0] != latin);
}

/* The second half alone gives the same selection. */
static void test_select(void **state)
{
    struct og_scratch other;
    (void)state;
    prepare(TEXT);
    og_scratch_init(&other, NULL);
    assert_int_equal(
        og_scratch_select(&other, &scratch.prepared.tokens, &options, NULL),
        OG_OK);
    assert_int_equal(other.prepared.selection.n, N_SHINGLES);
    assert_int_equal(other.prepared.tokens.n, 0);
    assert_memory_equal(other.prepared.selection.fp,
                        scratch.prepared.selection.fp,
                        N_SHINGLES * sizeof(uint64_t));
    og_scratch_release(&other);
}

static void test_trim(void **state)
{
    enum { GIANT = 3 << 20 };
    char *giant = malloc(GIANT + 1);
    (void)state;
    prepare(TEXT);
    const size_t cap = scratch.prepared.text.cap;
    og_scratch_trim(&scratch); /* small buffers stay */
    assert_int_equal(scratch.prepared.text.cap, cap);
    assert_int_equal(scratch.prepared.tokens.n, N_TOKENS);
    assert_non_null(giant);
    memset(giant, 'a', GIANT);
    giant[GIANT] = 0;
    prepare(giant);
    free(giant);
    assert_true(scratch.prepared.text.cap >= GIANT);
    og_scratch_trim(&scratch);
    assert_int_equal(scratch.prepared.text.cap, 0);
    prepare(TEXT); /* and it is as good as new */
    assert_int_equal(scratch.prepared.selection.n, N_SHINGLES);
}

static void test_too_long(void **state)
{
    (void)state;
    assert_int_equal(og_scratch_prepare(&scratch,
                                        (og_bytes){TEXT, OG_TEXT_MAX + 1},
                                        &options, NULL),
                     OG_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stages, begin, end),
        cmocka_unit_test_setup_teardown(test_shingle_key, begin, end),
        cmocka_unit_test_setup_teardown(test_options, begin, end),
        cmocka_unit_test_setup_teardown(test_select, begin, end),
        cmocka_unit_test_setup_teardown(test_trim, begin, end),
        cmocka_unit_test_setup_teardown(test_too_long, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
