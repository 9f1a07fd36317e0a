/* Images of sentences become one: documents in their order, equal forms once,
 * words counted together. */

#include "tests/unit/store_support.h"

#include "lib/sentence/index/segment_merge.h"
#include "lib/sentence/index/sentence_memtable.h"

static struct og_word_reader reader;

static int set_up(void **state)
{
    if (make_folder(state) != 0) return 1;
    return og_word_reader_init(&reader, NULL, NULL, NULL, NULL) != OG_OK;
}

static int tear_down(void **state)
{
    og_word_reader_release(&reader);
    return remove_folder(state);
}

static void add(struct og_memtable *heap, uint32_t number, const char *id,
                const char *text)
{
    const og_document doc = {.id = bytes_of(id), .text = bytes_of(text)};
    ASSERT_OK(og_word_reader_read(&reader, doc.text, &story));
    const struct og_words_read read = og_word_reader_view(&reader);
    ASSERT_OK(og_memtable_add(heap, number, &doc, number, &read, &story));
}

#define SHARED "The ships sail at dawn today. "

static void build(struct og_sentence_segment *out, uint32_t first)
{
    struct og_memtable heap;
    og_memtable_init(&heap, NULL, 0, 0);
    add(&heap, first, first == 0 ? "a" : "c",
        first == 0 ? SHARED "Nobody knows why they left."
                   : SHARED "Everybody asked about the harbour.");
    add(&heap, first + 1, first == 0 ? "b" : "d", SHARED);
    ASSERT_OK(og_memtable_build(&heap, out, &story));
    og_memtable_release(&heap);
}

static void check_merged(const struct og_sentence_segment *m)
{
    char text[100];
    struct og_text_cache cache;
    assert_int_equal(m->totals.n_documents, 4);
    assert_int_equal(m->totals.n_sentences, 6);
    assert_int_equal(m->totals.n_forms, 3); /* the shared one, and two */
    assert_int_equal(m->totals.latest, 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(m->documents[i].number, i);
        assert_int_equal(m->names[m->documents[i].name_off], "abcd"[i]);
    }
    /* The shared form has four places, earliest first. */
    size_t form = 0;
    while (m->place_starts[form + 1] - m->place_starts[form] != 4)
        form++;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t place = m->places[m->place_starts[form] + i];
        assert_int_equal(m->sentences[place].document, i);
        assert_int_equal(m->sentences[place].form, form);
    }
    for (size_t i = 1; i < m->totals.n_forms; i++)
        assert_true(m->form_hashes[i - 1] < m->form_hashes[i]);
    for (size_t i = 1; i < m->totals.n_words; i++)
        assert_true(m->words[i - 1] < m->words[i]);
    og_text_cache_init(&cache, NULL);
    ASSERT_OK(og_sentence_segment_text(m, &cache, m->documents[2].text_off,
                                       m->documents[2].text_len, text, &story));
    assert_memory_equal(text, SHARED "Everybody", strlen(SHARED "Everybody"));
    og_text_cache_release(&cache);
}

/* Words of the shared sentence are in four, of others in one. */
static void check_counts(const struct og_sentence_segment *merged,
                         const struct og_sentence_segment *const *images)
{
    for (size_t i = 0; i < merged->totals.n_words; i++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < 2; k++) {
            const size_t at =
                og_sentence_segment_find_word(images[k], merged->words[i]);
            if (at < images[k]->totals.n_words) sum += images[k]->counts[at];
        }
        assert_int_equal(merged->counts[i], sum);
    }
}

static void two_images_become_one(void **state)
{
    struct og_sentence_segment first, second, merged;
    const struct og_sentence_segment *images[] = {&first, &second};
    (void)state;
    build(&first, 0);
    build(&second, 2);
    ASSERT_OK(
        og_sentence_segments_merge(images, 2, NULL, NULL, &merged, &story));
    check_merged(&merged);
    check_counts(&merged, images);
    og_sentence_segment_release(&merged);
    /* The same bytes in a file, and again from it. */
    ASSERT_OK(
        og_sentence_segments_merge(images, 2, in("m"), NULL, &merged, &story));
    check_merged(&merged);
    og_sentence_segment_release(&merged);
    ASSERT_OK(og_sentence_segment_open(&merged, in("m"), &story));
    check_merged(&merged);
    check_counts(&merged, images);
    og_sentence_segment_release(&merged);
    og_sentence_segment_release(&second);
    og_sentence_segment_release(&first);
}

/* One image merged is itself. */
static void one_image_stays(void **state)
{
    struct og_sentence_segment first, merged;
    const struct og_sentence_segment *images[] = {&first};
    (void)state;
    build(&first, 0);
    ASSERT_OK(
        og_sentence_segments_merge(images, 1, NULL, NULL, &merged, &story));
    assert_int_equal(merged.totals.n_words, first.totals.n_words);
    assert_memory_equal(merged.words, first.words,
                        first.totals.n_words * sizeof(*first.words));
    assert_memory_equal(merged.form_hashes, first.form_hashes,
                        first.totals.n_forms * sizeof(*first.form_hashes));
    assert_memory_equal(merged.postings, first.postings,
                        first.totals.n_keys * sizeof(*first.postings));
    og_sentence_segment_release(&merged);
    og_sentence_segment_release(&first);
}

static void no_room_is_reported(void **state)
{
    struct og_sentence_segment first, merged;
    const struct og_sentence_segment *images[] = {&first};
    (void)state;
    build(&first, 0);
    assert_int_equal(og_sentence_segments_merge(images, 1, in("no/such"), NULL,
                                                &merged, &story),
                     OG_ERR_IO);
    assert_non_null(strstr(story.message, "no/such"));
    og_sentence_segment_release(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_images_become_one),
        cmocka_unit_test(one_image_stays),
        cmocka_unit_test(no_room_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
