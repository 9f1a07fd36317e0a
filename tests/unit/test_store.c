/* Small documents made by hand, whose answers can be worked out by looking. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/bits.h"
#include "lib/store/store.h"
#include "tests/oom/oom_support.h"

#define LIGHTHOUSE                                                             \
    "the old lighthouse will be lit again in spring once the lamp has been "   \
    "brought back from the museum where it has stood for forty years"
#define LIGHTHOUSE_TOKENS 26
#define MARKET                                                                 \
    "seven carts of apples stood in the rain before the market hall while "    \
    "nobody in the whole town wanted to buy a single one of them"

static og_bytes bytes_of(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

/* Every shingle is kept: what the answer must be is then plain. */
static og_params plain_params(void)
{
    og_params params = og_params_default();
    params.select = (og_select_options){.kind = OG_SELECT_ALL};
    params.estimate = OG_ESTIMATE_NONE;
    params.memory = 1 << 20;
    return params;
}

static og_store *open_store(const og_params *params)
{
    og_store *store;
    og_error err;
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = params},
                                   &store, &err),
                     OG_OK);
    return store;
}

static og_store *open_plain(void)
{
    const og_params params = plain_params();
    return open_store(&params);
}

static og_document document(const char *id, const char *text)
{
    return (og_document){.id = bytes_of(id), .text = bytes_of(text)};
}

static og_document timed(const char *id, int64_t time, const char *text)
{
    og_document doc = document(id, text);
    doc.time = time;
    doc.has_time = true;
    return doc;
}

static void add(og_store *store, og_document doc)
{
    og_error err;
    assert_int_equal(og_store_add(store, &doc, NULL, &err), OG_OK);
}

static const og_answer *ask(og_store *store, og_trace *trace, og_document doc)
{
    og_error err;
    assert_int_equal(og_store_trace(store, &doc, trace, &err), OG_OK);
    return og_trace_answer(trace);
}

static void assert_bytes(og_bytes bytes, const char *expected)
{
    assert_int_equal(bytes.len, strlen(expected));
    assert_memory_equal(bytes.data, expected, bytes.len);
}

static void assert_range(og_bytes text, uint64_t begin, uint64_t end,
                         const char *expected)
{
    assert_true(begin <= end && end <= text.len);
    assert_bytes((og_bytes){text.data + begin, end - begin}, expected);
}

/* ---- opening ---- */

static void test_opens_what_is_there(void **state)
{
    (void)state;
    og_store *store = (og_store *)1;
    og_error err;
    assert_int_equal(og_store_open("/nowhere/x", OG_READ, NULL, &store, &err),
                     OG_ERR_NO_STORE);
    assert_null(store);
    assert_string_equal(err.message, "there is no store '/nowhere/x'");
    assert_int_equal(og_store_open("/nowhere/x", OG_WRITE, NULL, &store, NULL),
                     OG_ERR_NO_STORE);
    og_store_close(NULL, NULL);
}

static void test_wrong_params(void **state)
{
    (void)state;
    og_params params = og_params_default();
    og_store *store;
    og_error err;
    params.shingle_len = 1;
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_ERR_USAGE);
    assert_null(store);
    params = og_params_default();
    params.memory = 10;
    assert_int_equal(og_store_open(":memory:", OG_CREATE,
                                   &(og_store_options){.params = &params},
                                   &store, &err),
                     OG_ERR_USAGE);
    assert_null(store);
}

static void test_params_and_info(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_store_info info;
    assert_int_equal(og_store_params(store)->memory, 1 << 20);
    assert_int_equal(og_store_params(store)->select.kind, OG_SELECT_ALL);
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 0);
    assert_int_equal(info.n_slots_used, 0);
    assert_true(info.table_bytes <= 1 << 20);
    assert_true(info.n_slots > 0);
    add(store, document("a", LIGHTHOUSE));
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 1);
    assert_int_equal(info.n_slots_used, LIGHTHOUSE_TOKENS - 8 + 1);
    og_store_close(store, NULL);
}

/* ---- answers ---- */

static void test_nothing_is_known(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    assert_int_equal(og_trace_answer(trace)->n_tokens, 0);
    const og_document doc = document("a", "  " LIGHTHOUSE ".");
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_tokens, LIGHTHOUSE_TOKENS);
    assert_int_equal(answer->n_fresh, LIGHTHOUSE_TOKENS);
    assert_int_equal(answer->n_spans, 0);
    assert_false(answer->has_dominant);
    assert_int_equal(answer->n_novel, 1);
    assert_range(doc.text, answer->novel[0].begin, answer->novel[0].end,
                 LIGHTHOUSE);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_copied_paragraph(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, document("market", MARKET));
    add(store, timed("light", 1000000, LIGHTHOUSE));
    const og_document doc =
        document("q", "He wrote: \"" LIGHTHOUSE "\" (and more)!");
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_tokens, LIGHTHOUSE_TOKENS + 4);
    assert_int_equal(answer->n_fresh, 4);
    assert_int_equal(answer->n_spans, 1);
    const og_span *span = &answer->spans[0];
    assert_range(doc.text, span->begin, span->end, LIGHTHOUSE);
    assert_int_equal(span->n_tokens, LIGHTHOUSE_TOKENS);
    assert_int_equal(span->how, OG_HOW_HIT);
    assert_int_equal(span->origin, 1);
    assert_bytes(span->origin_id, "light");
    assert_true(span->origin_has_time);
    assert_int_equal(span->origin_time, 1000000);
    assert_true(span->origin_begin == OG_UNKNOWN);
    assert_true(span->origin_end == OG_UNKNOWN);
    assert_int_equal(answer->n_novel, 2);
    assert_range(doc.text, answer->novel[0].begin, answer->novel[0].end,
                 "He wrote");
    assert_range(doc.text, answer->novel[1].begin, answer->novel[1].end,
                 "and more");
    assert_true(answer->has_dominant);
    assert_bytes(answer->dominant_id, "light");
    assert_true(answer->dominant_share == 19.0 / 23.0);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_default_params_find_it_too(void **state)
{
    (void)state;
    og_params params = og_params_default();
    params.memory = 1 << 20;
    og_store *store = open_store(&params);
    og_trace *trace = og_trace_new(store);
    add(store, document("light", LIGHTHOUSE));
    const og_document doc = document("q", LIGHTHOUSE);
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_spans, 1);
    assert_bytes(answer->spans[0].origin_id, "light");
    assert_false(answer->spans[0].origin_has_time);
    assert_true(answer->has_dominant);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* Offsets are of the source: its accents in two pieces, its ligatures and its
 * wide spaces are longer or shorter than what they fold to. */
static void test_offsets_of_many_bytes(void **state)
{
    (void)state;
#define COPIED                                                                 \
    "caf\xc3\xa9 \xef\xac\x81sh e\xcc\x81t\xc3\xa9 na\xc3\xafve "              \
    "\xe4\xb8\xad\xe6\x96\x87 STRASSE \xce\xa3\xce\xaf\xcf\x83\xcf\x85\xcf"    \
    "\x86\xce\xbf\xcf\x82"
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, document("a", COPIED));
    const og_document doc =
        document("q", "\xc3\x9c\xc2\xa0\xef\xbc\xa1 \xe2\x80\x9c" COPIED
                      "\xe2\x80\x9d \xf0\x9f\x98\x80 ma\xc3\xb1"
                      "ana \xef\xac\x83");
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_spans, 1);
    assert_range(doc.text, answer->spans[0].begin, answer->spans[0].end,
                 COPIED);
    assert_bytes(answer->spans[0].origin_id, "a");
    assert_int_equal(answer->n_novel, 2);
    assert_range(doc.text, answer->novel[0].begin, answer->novel[0].end,
                 "\xc3\x9c\xc2\xa0\xef\xbc\xa1");
    assert_range(doc.text, answer->novel[1].begin, answer->novel[1].end,
                 "ma\xc3\xb1"
                 "ana \xef\xac\x83");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* One half folds to the tokens 1 and 2. When only the second is copied, the
 * character belongs to the span. */
static void test_one_character_of_two_tokens(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, document("a", "2 " LIGHTHOUSE));
    const og_document doc = document("q", "\xc2\xbd " LIGHTHOUSE);
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_tokens, LIGHTHOUSE_TOKENS + 2);
    assert_int_equal(answer->n_fresh, 1);
    assert_int_equal(answer->n_spans, 1);
    assert_int_equal(answer->spans[0].begin, 0);
    assert_int_equal(answer->spans[0].end, doc.text.len);
    assert_int_equal(answer->n_novel, 0);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* A character whose two tokens are the end of one copy and the beginning of
 * the next: spans do not overlap, no token is lost. */
static void test_a_character_between_two_spans(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, document("a", LIGHTHOUSE " 1"));
    add(store, document("b", "2 " MARKET));
    const og_document doc = document("q", LIGHTHOUSE " \xc2\xbd " MARKET);
    const og_answer *answer = ask(store, trace, doc);
    assert_int_equal(answer->n_spans, 2);
    assert_range(doc.text, answer->spans[0].begin, answer->spans[0].end,
                 LIGHTHOUSE " \xc2\xbd");
    assert_range(doc.text, answer->spans[1].begin, answer->spans[1].end,
                 " " MARKET);
    assert_int_equal(answer->spans[0].n_tokens + answer->spans[1].n_tokens,
                     answer->n_tokens);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_counts_what_is_not_utf8(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    const og_answer *answer =
        ask(store, trace, document("a", "one \xff two \xc3 three"));
    assert_int_equal(answer->n_repaired, 2);
    assert_int_equal(answer->n_tokens, 3);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_few_tokens(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " .,;", "one", "one two",
                                        "a b c d e f g"};
    og_params params = plain_params();
    params.min_tokens = 0;
    og_store *store = open_store(&params);
    og_trace *trace = og_trace_new(store);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
            const og_document doc = document("few", texts[i]);
            og_error err;
            assert_int_equal(og_store_add(store, &doc, trace, &err), OG_OK);
            const og_answer *answer = og_trace_answer(trace);
            assert_int_equal(answer->n_fresh, answer->n_tokens);
            assert_int_equal(answer->n_spans, 0);
            assert_int_equal(answer->n_novel, answer->n_tokens > 0);
            assert_false(answer->has_dominant);
        }
    const og_document nothing = {.id = {NULL, 0}};
    add(store, nothing);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_short_documents_are_not_kept(void **state)
{
    (void)state;
    og_params params = plain_params();
    params.min_tokens = LIGHTHOUSE_TOKENS + 1;
    og_store *store = open_store(&params);
    og_trace *trace = og_trace_new(store);
    og_store_info info;
    add(store, document("short", LIGHTHOUSE));
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 0);
    assert_int_equal(info.n_slots_used, 0);
    add(store, document("long", LIGHTHOUSE " now"));
    const og_answer *answer = ask(store, trace, document("q", LIGHTHOUSE));
    assert_int_equal(answer->n_spans, 1);
    assert_bytes(answer->spans[0].origin_id, "long");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_answer_is_of_before_the_addition(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    const og_document doc = document("a", LIGHTHOUSE);
    og_error err;
    assert_int_equal(og_store_add(store, &doc, trace, &err), OG_OK);
    assert_int_equal(og_trace_answer(trace)->n_spans, 0);
    const og_document copy = document("b", LIGHTHOUSE);
    assert_int_equal(og_store_add(store, &copy, trace, &err), OG_OK);
    assert_int_equal(og_trace_answer(trace)->n_spans, 1);
    assert_int_equal(og_trace_answer(trace)->spans[0].origin, 0);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* ---- order ---- */

/* The id of the only origin; "" if there is none. */
static og_bytes origin_of(og_store *store, og_trace *trace, og_document doc)
{
    const og_answer *answer = ask(store, trace, doc);
    if (answer->n_spans == 0) return (og_bytes){"", 0};
    assert_int_equal(answer->n_spans, 1);
    return answer->spans[0].origin_id;
}

static void test_earliest_wins(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, timed("first", 10, LIGHTHOUSE));
    add(store, timed("second", 20, LIGHTHOUSE));
    add(store, timed("third", 20, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "first");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_late_but_older_takes_over(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, timed("new", 20, LIGHTHOUSE));
    add(store, timed("old", 10, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "old");
    add(store, timed("between", 15, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "old");
    add(store, timed("oldest", -5, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "oldest");
    add(store, timed("as old", -5, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "oldest");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_holder_is_not_earlier(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    og_error err;
    add(store, timed("held", 20, LIGHTHOUSE));
    const og_document older = timed("q", 19, LIGHTHOUSE);
    assert_bytes(origin_of(store, trace, older), "");
    assert_bytes(origin_of(store, trace, timed("q", 20, LIGHTHOUSE)), "held");
    assert_bytes(origin_of(store, trace, timed("q", 21, LIGHTHOUSE)), "held");
    assert_int_equal(og_store_add(store, &older, trace, &err), OG_OK);
    assert_int_equal(og_trace_answer(trace)->n_spans, 0);
    assert_int_equal(og_trace_answer(trace)->n_fresh, LIGHTHOUSE_TOKENS);
    assert_bytes(origin_of(store, trace, timed("r", 20, LIGHTHOUSE)), "q");
    /* The same text under its own id is not a copy of itself. */
    assert_bytes(origin_of(store, trace, timed("q", 20, LIGHTHOUSE)), "");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

static void test_without_a_time_arrival_counts(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    add(store, document("very first", LIGHTHOUSE));
    add(store, timed("later", -1000, LIGHTHOUSE));
    assert_bytes(origin_of(store, trace, timed("q", INT64_MIN, LIGHTHOUSE)),
                 "very first");
    add(store, timed("latest", 50, MARKET));
    add(store, document("takes 50", MARKET " indeed"));
    add(store, timed("49", 49, MARKET " indeed"));
    assert_bytes(origin_of(store, trace, document("q", MARKET " indeed")),
                 "49");
    const og_answer *answer = ask(store, trace, timed("q", 49, MARKET));
    assert_int_equal(answer->n_spans, 1);
    assert_bytes(answer->spans[0].origin_id, "49");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* Every document in every order of arrival: the origin is the oldest. */
static void test_any_order_of_arrival(void **state)
{
    (void)state;
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const char *const ids[3] = {"t0", "t1", "t2"};
    for (size_t i = 0; i < 6; i++) {
        og_store *store = open_plain();
        og_trace *trace = og_trace_new(store);
        for (size_t j = 0; j < 3; j++) {
            const int t = orders[i][j];
            add(store, timed(ids[t], t, LIGHTHOUSE));
        }
        assert_bytes(origin_of(store, trace, document("q", LIGHTHOUSE)), "t0");
        assert_bytes(origin_of(store, trace, timed("q", -1, LIGHTHOUSE)), "");
        og_trace_free(trace);
        og_store_close(store, NULL);
    }
}

static void test_repeated_id_is_another_version(void **state)
{
    (void)state;
    og_store *store = open_plain();
    og_trace *trace = og_trace_new(store);
    og_store_info info;
    add(store, document("a", LIGHTHOUSE));
    add(store, document("a", MARKET));
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 2);
    const og_answer *answer =
        ask(store, trace, document("q", LIGHTHOUSE " " MARKET));
    assert_int_equal(answer->n_spans, 2);
    assert_int_equal(answer->spans[0].origin, 0);
    assert_int_equal(answer->spans[1].origin, 1);
    assert_bytes(answer->spans[1].origin_id, "a");
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* ---- many ---- */

/* Words that no other document has, so that each has its own fingerprints. */
static size_t make_up_text(char *out, uint64_t seed, int n_words)
{
    size_t len = 0;
    for (int i = 0; i < n_words; i++)
        len += (size_t)sprintf(out + len, "%llx ",
                               (unsigned long long)og_random_next(&seed));
    return len;
}

/* More documents than the first level of the catalogue has, more fingerprints
 * than the table: ids that were given out stay, the memory stays under its cap.
 */
static void test_many_documents_in_little_memory(void **state)
{
    (void)state;
    og_params params = plain_params();
    params.memory = 1 << 16;
    /* 24 bits of a fingerprint: one of 165,000 look-ups would find another one.
     */
    params.layout = OG_LAYOUT_PAPER;
    og_store *store = open_store(&params);
    og_trace *trace = og_trace_new(store);
    char text[2048], id[32];
    for (uint64_t i = 0; i < 5000; i++) {
        const size_t len = make_up_text(text, i, 40);
        const int id_len = sprintf(id, "d%llu", (unsigned long long)i);
        const og_document doc = {.id = {id, (size_t)id_len},
                                 .text = {text, len}};
        og_error err;
        const og_document copy = {.id = OG_LITERAL("copy"), .text = doc.text};
        assert_int_equal(og_store_add(store, &doc, NULL, &err), OG_OK);
        assert_int_equal(og_store_trace(store, &copy, trace, &err), OG_OK);
        const og_answer *answer = og_trace_answer(trace);
        assert_int_equal(answer->n_spans, 1);
        assert_bytes(answer->spans[0].origin_id, id);
        assert_int_equal(answer->spans[0].origin, i);
    }
    og_store_info info;
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 5000);
    assert_true(info.table_bytes <= params.memory);
    assert_true(info.n_slots_used <= info.n_slots);
    assert_true(info.n_evicted > 0);
    og_trace_free(trace);
    og_store_close(store, NULL);
}

/* ---- without memory ---- */

/* Returns false when nothing failed. An addition that failed can be tried
 * again and counts once. */
static bool try_with_failure(size_t n)
{
    struct failing failing = {.fail_at = n};
    og_allocator_set(&(og_allocator){&failing, failing_resize});
    og_params params = og_params_default();
    og_store *store;
    og_error err;
    params.memory = 1 << 16;
    if (og_store_open(":memory:", OG_CREATE,
                      &(og_store_options){.params = &params}, &store,
                      &err) != OG_OK) {
        assert_int_equal(err.status, OG_ERR_MEMORY);
        og_allocator_set(NULL);
        assert_int_equal(failing.n_held, 0);
        return true;
    }
    og_trace *trace = og_trace_new(store);
    if (trace == NULL) trace = og_trace_new(store);
    assert_non_null(trace);
    const og_document docs[] = {document("a", LIGHTHOUSE),
                                document("b", MARKET),
                                document("c", LIGHTHOUSE " " MARKET)};
    for (size_t i = 0; i < 3; i++)
        if (og_store_add(store, &docs[i], i == 1 ? NULL : trace, &err) !=
            OG_OK) {
            assert_int_equal(err.status, OG_ERR_MEMORY);
            if (i != 1) assert_int_equal(og_trace_answer(trace)->n_spans, 0);
            add(store, docs[i]);
        }
    const og_answer *answer = ask(store, trace, docs[2]);
    assert_true(answer->n_spans >= 2);
    assert_bytes(answer->spans[0].origin_id, "a");
    og_store_info info;
    og_store_info_get(store, &info);
    assert_int_equal(info.n_documents, 3);
    og_trace_free(trace);
    og_store_close(store, NULL);
    og_allocator_set(NULL);
    assert_int_equal(failing.n_held, 0);
    return failing.n_calls >= n;
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    size_t n = 1;
    while (try_with_failure(n))
        n++;
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opens_what_is_there),
        cmocka_unit_test(test_wrong_params),
        cmocka_unit_test(test_params_and_info),
        cmocka_unit_test(test_nothing_is_known),
        cmocka_unit_test(test_copied_paragraph),
        cmocka_unit_test(test_default_params_find_it_too),
        cmocka_unit_test(test_offsets_of_many_bytes),
        cmocka_unit_test(test_one_character_of_two_tokens),
        cmocka_unit_test(test_a_character_between_two_spans),
        cmocka_unit_test(test_counts_what_is_not_utf8),
        cmocka_unit_test(test_few_tokens),
        cmocka_unit_test(test_short_documents_are_not_kept),
        cmocka_unit_test(test_answer_is_of_before_the_addition),
        cmocka_unit_test(test_earliest_wins),
        cmocka_unit_test(test_late_but_older_takes_over),
        cmocka_unit_test(test_holder_is_not_earlier),
        cmocka_unit_test(test_without_a_time_arrival_counts),
        cmocka_unit_test(test_any_order_of_arrival),
        cmocka_unit_test(test_repeated_id_is_another_version),
        cmocka_unit_test(test_many_documents_in_little_memory),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
