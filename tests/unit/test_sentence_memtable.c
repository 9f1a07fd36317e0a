/* Sentences that wait: what is counted of them against a plain count, and that
 * a document without memory leaves no trace. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/sentence/index/sentence_memtable.h"

static struct og_word_reader reader;

static int set_up(void **state)
{
    (void)state;
    return og_word_reader_init(&reader, NULL, NULL, NULL, NULL) != OG_OK;
}

static int tear_down(void **state)
{
    (void)state;
    og_word_reader_release(&reader);
    return 0;
}

static og_status try_add(struct og_memtable *memtable, uint32_t number,
                         const char *id, const char *text)
{
    const og_document doc = {.id = bytes_of(id),
                             .title = bytes_of("title"),
                             .text = bytes_of(text),
                             .has_time = true};
    ASSERT_OK(og_word_reader_read(&reader, doc.text, &story));
    const struct og_words_read read = og_word_reader_view(&reader);
    return og_memtable_add(memtable, number, &doc, (int64_t)number * 10, &read,
                           &story);
}

static void add(struct og_memtable *memtable, uint32_t number, const char *id,
                const char *text)
{
    ASSERT_OK(try_add(memtable, number, id, text));
}

static uint64_t word_of(const char *word)
{
    return og_mix64(og_token_hash(word, strlen(word), 0));
}

static void words_and_wordsets_are_counted(void **state)
{
    struct og_memtable memtable;
    (void)state;
    og_memtable_init(&memtable, NULL, 0, 0);
    assert_int_equal(og_memtable_df(&memtable, word_of("ship")), 0);
    add(&memtable, 0, "a", "The ship sails. A ship, the ship!");
    add(&memtable, 1, "b", "Sails the ship? Nothing else here.");
    /* Sentences, not places: "A ship, the ship" counts once. */
    assert_int_equal(og_memtable_df(&memtable, word_of("ship")), 3);
    assert_int_equal(og_memtable_df(&memtable, word_of("sails")), 2);
    assert_int_equal(og_memtable_df(&memtable, word_of("nothing")), 1);
    assert_int_equal(og_memtable_df(&memtable, word_of("boat")), 0);
    assert_int_equal(memtable.n_documents, 2);
    assert_int_equal(memtable.n_sentences, 4);
    assert_int_equal(memtable.n_wordsets,
                     3); /* the order of words says nothing */
    assert_int_equal(memtable.sentences[2].wordset,
                     memtable.sentences[0].wordset);
    assert_int_equal(memtable.sentences[2].document, 1);
    assert_int_equal(memtable.wordsets[memtable.sentences[0].wordset].n_places,
                     2);
    assert_int_equal(memtable.documents[1].first_sentence, 2);
    assert_int_equal(memtable.documents[1].number, 1);
    assert_int_equal(memtable.latest, 10);
    og_memtable_release(&memtable);
}

/* Sentences without words are none; documents without sentences are there. */
static void nothing_to_count(void **state)
{
    struct og_memtable memtable;
    (void)state;
    og_memtable_init(&memtable, NULL, 0, 0);
    add(&memtable, 0, "a", "");
    add(&memtable, 1, "b", "?! ...");
    assert_int_equal(memtable.n_documents, 2);
    assert_int_equal(memtable.n_sentences, 0);
    assert_int_equal(memtable.n_wordsets, 0);
    og_memtable_release(&memtable);
}

static void ids_are_whole(void **state)
{
    struct og_memtable memtable;
    (void)state;
    og_memtable_init(&memtable, NULL, 0, 0);
    add(&memtable, 0, "one", "Text.");
    add(&memtable, 1, "", "Text.");
    assert_true(og_memtable_has_id(&memtable, bytes_of("one")));
    assert_true(og_memtable_has_id(&memtable, bytes_of("")));
    assert_false(og_memtable_has_id(&memtable, bytes_of("on")));
    assert_false(og_memtable_has_id(&memtable, bytes_of("onet")));
    assert_true(og_id_hash(bytes_of("one")) != og_id_hash(bytes_of("on")));
    og_memtable_release(&memtable);
}

/* Against a count of sentences, over many documents and growing tables; once
 * more after it was emptied. */
static void counts_are_those_of_a_plain_count(void **state)
{
    enum { N_WORDS = 3000, N_DOCS = 400 };
    struct og_memtable memtable;
    (void)state;
    og_memtable_init(&memtable, NULL, 0, 0);
    for (uint64_t round = 1; round <= 2; round++) {
        static uint32_t n[N_WORDS];
        uint64_t random = round;
        size_t n_sentences = 0;
        memset(n, 0, sizeof(n));
        for (uint32_t doc = 0; doc < N_DOCS; doc++) {
            char text[1000];
            size_t len = 0;
            for (int s = 0; s < 4; s++, n_sentences++) {
                uint32_t words[6];
                for (int w = 0; w < 6; w++) {
                    words[w] = (uint32_t)(og_random_next(&random) % N_WORDS);
                    bool is_new = true;
                    for (int v = 0; v < w; v++)
                        is_new &= words[v] != words[w];
                    n[words[w]] += is_new;
                    len +=
                        (size_t)snprintf(text + len, sizeof(text) - len,
                                         "W%u%s", words[w], w < 5 ? " " : ". ");
                }
            }
            add(&memtable, doc, "x", text);
        }
        assert_int_equal(memtable.n_sentences, n_sentences);
        size_t n_counted = 0;
        for (uint32_t i = 0; i < N_WORDS; i++) {
            char word[16];
            snprintf(word, sizeof(word), "w%u", i);
            assert_int_equal(og_memtable_df(&memtable, word_of(word)), n[i]);
            n_counted += n[i] != 0;
        }
        assert_int_equal(memtable.n_counted, n_counted);
        og_memtable_clear(&memtable);
        assert_int_equal(og_memtable_df(&memtable, word_of("w1")), 0);
        assert_int_equal(memtable.n_documents, 0);
    }
    og_memtable_release(&memtable);
}

/* Names and texts may be in a store; what is counted is the same. */
static void texts_may_be_elsewhere(void **state)
{
    struct og_memtable memtable;
    (void)state;
    og_memtable_init(&memtable, NULL, 0, 0);
    memtable.no_texts = true;
    add(&memtable, 7, "one", "A ship sails. It sinks.");
    assert_int_equal(memtable.names_len, 0);
    assert_int_equal(memtable.texts_len, 0);
    assert_int_equal(memtable.documents[0].text_len, 23);
    assert_int_equal(og_memtable_df(&memtable, word_of("ship")), 1);
    og_memtable_release(&memtable);
    assert_true(memtable.no_texts);
}

static void signatures_are_made_when_asked_for(void **state)
{
    struct og_memtable memtable;
    struct og_signature plain = {{0, 0}};
    (void)state;
    og_memtable_init(&memtable, NULL, 64, 2);
    add(&memtable, 0, "a", "Ship ahoy");
    og_signature_add(&plain, og_word_key(word_of("ship")), 64, 2);
    og_signature_add(&plain, og_word_key(word_of("ahoy")), 64, 2);
    assert_memory_equal(&memtable.signatures[0], &plain, sizeof(plain));
    og_memtable_release(&memtable);
}

/* ---- no memory ---- */

static void *scarce_resize(void *ctx, void *ptr, size_t old_len, size_t new_len)
{
    long *n_left = ctx;
    (void)old_len;
    if (new_len == 0) {
        free(ptr);
        return NULL;
    }
    return (*n_left)-- > 0 ? realloc(ptr, new_len) : NULL;
}

static void a_document_without_memory_leaves_no_trace(void **state)
{
    (void)state;
    bool has_worked = false;
    for (long n = 0; !has_worked; n++) {
        long n_left = 1000;
        const og_allocator scarce = {&n_left, scarce_resize};
        struct og_memtable memtable;
        og_memtable_init(&memtable, &scarce, 64, 2);
        if (n % 2 == 0) add(&memtable, 0, "a", "A ship sails.");
        const size_t n_documents = memtable.n_documents,
                     n_wordsets = memtable.n_wordsets;
        const size_t n_counted = memtable.n_counted;
        n_left = n / 2;
        has_worked =
            try_add(&memtable, 1, "b", "Another ship. It sinks.") == OG_OK;
        if (!has_worked) {
            assert_int_equal(story.status, OG_ERR_MEMORY);
            assert_int_equal(memtable.n_documents, n_documents);
            assert_int_equal(memtable.n_wordsets, n_wordsets);
            assert_int_equal(memtable.n_counted, n_counted);
            assert_int_equal(og_memtable_df(&memtable, word_of("ship")),
                             n_documents);
            n_left = 1000;
            add(&memtable, 1, "b", "Another ship. It sinks.");
        }
        assert_int_equal(og_memtable_df(&memtable, word_of("ship")),
                         n_documents + 1);
        og_memtable_release(&memtable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_wordsets_are_counted),
        cmocka_unit_test(nothing_to_count),
        cmocka_unit_test(ids_are_whole),
        cmocka_unit_test(counts_are_those_of_a_plain_count),
        cmocka_unit_test(texts_may_be_elsewhere),
        cmocka_unit_test(signatures_are_made_when_asked_for),
        cmocka_unit_test(a_document_without_memory_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
