/* A step inside a long document ends on request. */

#include "tests/unit/align_support.h"

#include <stdio.h>

#include "lib/base/stopping.h"
#include "lib/sentence/split/sentence_words.h"

static int n_asked;

/* The n-th time, and from then on. */
static bool at_the(void *ctx)
{
    const int *n = ctx;
    return ++n_asked >= *n;
}

static void nobody_is_asked_at_first(void **state)
{
    (void)state;
    assert_int_equal(og_stop_check(NULL), OG_OK);
}

static void steps_end(void **state)
{
    (void)state;
    enum { N = 9000 };
    static char text[8 * N];
    og_error err = {0};
    size_t len = 0;
    int first = 1, third = 3;
    for (int i = 0; i < N; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%c%d%s",
                                i % 3 == 0 ? 'W' : 'w', i,
                                i % 3 == 2 ? ". " : " ");
    const og_bytes bytes = {text, len};
    struct pair p;
    struct og_word_reader reader;
    pair_init(&p);
    pair_read(&p, text, text);
    assert_int_equal(og_word_reader_init(&reader, NULL, NULL, NULL, NULL),
                     OG_OK);

    og_stop_set(at_the, &first);
    assert_int_equal(
        og_text_tokenise(&p.texts[0], OG_TOKEN_WORDS, 0, &p.tokens[0], &err),
        OG_ERR_STOPPED);
    assert_string_equal(err.message, "stopped by the caller");

    og_stop_set(NULL, NULL);
    pair_read(&p, text, text);
    n_asked = 0;
    og_stop_set(at_the, &third); /* at every 4,096th token */
    assert_int_equal(
        og_align(p.aligner, p.document, p.origin, &p.options, &p.found, &err),
        OG_ERR_STOPPED);
    assert_int_equal(n_asked, 3);
    n_asked = 0; /* once for its tokens, then at every 1,024th sentence */
    assert_int_equal(og_word_reader_read(&reader, bytes, &err), OG_ERR_STOPPED);
    assert_int_equal(n_asked, 3);

    og_stop_set(NULL, NULL);
    assert_int_equal(og_word_reader_read(&reader, bytes, &err), OG_OK);
    pair_align(&p);
    assert_int_equal(p.found.n_passages, 1);
    og_word_reader_release(&reader);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_asked_at_first),
        cmocka_unit_test(steps_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
