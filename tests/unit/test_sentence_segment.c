/* A segment of sentences: what is in it, and that every fault of it is found
 * when it is opened, though its checksums are right. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/sentence/index/segment_merge.h"
#include "lib/sentence/index/sentence_memtable.h"

enum { N_DOCS = 50 };

static struct og_sentence_segment segment;
static char texts[N_DOCS][400];

static uint64_t word_of(const char *word)
{
    return og_mix64(og_token_hash(word, strlen(word), 0));
}

static void fill(struct og_memtable *memtable)
{
    struct og_word_reader reader;
    uint64_t random = 5;
    ASSERT_OK(og_word_reader_init(&reader, NULL, NULL, NULL, &story));
    for (uint32_t i = 0; i < N_DOCS; i++) {
        char id[16];
        size_t len = 0;
        for (int w = 0; w < 40; w++)
            len += (size_t)snprintf(texts[i] + len, sizeof(texts[i]) - len,
                                    "W%u%s",
                                    (unsigned)(og_random_next(&random) % 90),
                                    w % 5 == 4 ? ". " : " ");
        snprintf(id, sizeof(id), "id%u", i);
        const og_document doc = {.id = bytes_of(id),
                                 .title = bytes_of("t"),
                                 .text = bytes_of(texts[i]),
                                 .has_time = true};
        ASSERT_OK(og_word_reader_read(&reader, doc.text, &story));
        const struct og_words_read read = og_word_reader_view(&reader);
        ASSERT_OK(og_memtable_add(memtable, i, &doc, i, &read, &story));
    }
    og_word_reader_release(&reader);
}

static int set_up(void **state)
{
    const struct og_phases alone = og_phases_alone(NULL);
    struct og_memtable memtable;
    struct og_sentence_segment built;
    const struct og_sentence_segment *list[] = {&built};
    if (make_folder(state) != 0) return 1;
    og_memtable_init(&memtable, NULL, 32, 2);
    fill(&memtable);
    ASSERT_OK(og_memtable_build(&memtable, &alone, &built, &story));
    /* One in memory has not all parts. */
    ASSERT_OK(og_sentence_segments_merge(list, 1, in("whole"), &alone, NULL,
                                         &segment, &story));
    og_sentence_segment_release(&built);
    og_memtable_release(&memtable);
    return 0;
}

static int tear_down(void **state)
{
    og_sentence_segment_release(&segment);
    return remove_folder(state);
}

/* ---- what is in it ---- */

static void words_are_found(void **state)
{
    (void)state;
    size_t n_found = 0;
    for (unsigned i = 0; i < 200; i++) {
        char word[16];
        snprintf(word, sizeof(word), "w%u", i);
        const size_t at =
            og_sentence_segment_find_word(&segment, word_of(word));
        size_t plain = 0;
        while (plain < segment.totals.n_words &&
               segment.words[plain] != word_of(word))
            plain++;
        assert_int_equal(at, plain);
        n_found += at < segment.totals.n_words;
        assert_true(i < 90 || at == segment.totals.n_words);
    }
    assert_int_equal(n_found, segment.totals.n_words);
    assert_int_equal(og_sentence_segment_find_word(&segment, 0),
                     segment.totals.n_words);
    assert_int_equal(og_sentence_segment_find_word(&segment, UINT64_MAX),
                     segment.totals.n_words);
}

static void ids_are_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * N_DOCS; i++) {
        char id[16];
        snprintf(id, sizeof(id), "id%u", i);
        assert_int_equal(
            og_sentence_segment_has_id(&segment, og_id_hash(bytes_of(id))),
            i < N_DOCS);
    }
}

/* Whole, and any part of it, also with a cache that has another one. */
static void texts_come_back(void **state)
{
    (void)state;
    struct og_text_cache cache;
    uint64_t random = 3;
    og_text_cache_init(&cache, NULL);
    for (int round = 0; round < 300; round++) {
        char out[400];
        const size_t i = og_random_next(&random) % N_DOCS;
        const size_t len = strlen(texts[i]);
        const size_t from = og_random_next(&random) % (len + 1);
        const size_t n = og_random_next(&random) % (len - from + 1);
        assert_int_equal(segment.documents[i].text_len, len);
        ASSERT_OK(og_sentence_segment_text(&segment, &cache,
                                           segment.documents[i].text_off + from,
                                           n, out, &story));
        if (n > 0) assert_memory_equal(out, texts[i] + from, n);
    }
    og_text_cache_release(&cache);
}

/* The words of every sentence are in the postings, and nothing else is. */
static void postings_are_those_of_the_wordsets(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t w = 0; w < segment.totals.n_words; w++) {
        const uint64_t begin = segment.word_starts[w];
        uint32_t n_sentences = 0;
        for (uint64_t p = begin; p < segment.word_starts[w + 1]; p++, n++) {
            const uint32_t wordset = segment.postings[p];
            bool has_it = false;
            for (uint64_t k = segment.wordset_starts[wordset];
                 k < segment.wordset_starts[wordset + 1]; k++)
                has_it |= segment.keys[k] == og_word_key(segment.words[w]);
            assert_true(has_it);
            assert_true(p == begin || segment.postings[p - 1] < wordset);
            n_sentences += segment.place_starts[wordset + 1] -
                           segment.place_starts[wordset];
        }
        assert_int_equal(segment.counts[w], n_sentences);
    }
    assert_int_equal(n, segment.totals.n_keys);
}

/* ---- faults ---- */

static uint8_t *section_of(unsigned part, size_t *out_len)
{
    *out_len = segment.file.section[part].len;
    uint8_t *data = malloc(*out_len + 16);
    assert_non_null(data);
    if (*out_len > 0)
        memcpy(data, og_segment_section(&segment.file, part), *out_len);
    return data;
}

/* The segment once more, with the bytes of one part changed at `off`, or with
 * the part longer. */
static og_status rebuild(unsigned changed, size_t off, const void *bytes,
                         size_t len, size_t more,
                         const struct og_sentence_totals *totals)
{
    struct og_segment_writer *w;
    struct og_segment_file file;
    struct og_sentence_segment out;
    ASSERT_OK(og_segment_writer_new(NULL, &og_sentence_segment_kind, NULL, &w,
                                    &story));
    for (unsigned part = 0; part < OG_PART_TOTALS; part++) {
        size_t part_len;
        uint8_t *data = section_of(part, &part_len);
        if (part == changed) {
            assert_true(off + len <= part_len);
            if (len > 0) memcpy(data + off, bytes, len);
            memset(data + part_len, 0, 16);
            part_len += more;
        }
        og_segment_write(w, data, part_len);
        og_segment_end_section(w);
        free(data);
    }
    og_segment_write(w, totals != NULL ? totals : &segment.totals,
                     sizeof(segment.totals));
    og_segment_end_section(w);
    ASSERT_OK(og_segment_writer_end(w, &file, &story));
    const og_status status =
        og_sentence_segment_take(&out, file.data, file.len, file.data_cap, NULL,
                                 "a segment of sentences", &story);
    if (status == OG_OK)
        og_sentence_segment_release(&out);
    else
        og_segment_file_release(&file);
    return status;
}

static void check_fault(unsigned part, size_t off, uint64_t value, size_t len,
                        const char *fault)
{
    assert_int_equal(rebuild(part, off, &value, len, 0, NULL), OG_ERR_STORE);
    assert_non_null(strstr(story.message, fault));
}

static void an_segment_that_is_whole(void **state)
{
    (void)state;
    assert_int_equal(rebuild(OG_N_PARTS, 0, NULL, 0, 0, NULL), OG_OK);
}

static void numbers_out_of_order_or_range(void **state)
{
    (void)state;
    const struct og_sentence_totals *t = &segment.totals;
#define DOC(member) offsetof(struct og_sentence_segment_document, member)
#define SEN(member) offsetof(struct og_sentence_segment_sentence, member)
    const size_t last =
        (t->n_documents - 1) * sizeof(struct og_sentence_segment_document);
    check_fault(OG_PART_DOCUMENTS, last + DOC(name_off), UINT64_MAX, 8,
                "documents");
    check_fault(OG_PART_DOCUMENTS, last + DOC(title_len), 1000, 4, "documents");
    check_fault(OG_PART_DOCUMENTS, last + DOC(text_len), 100000, 4,
                "documents");
    check_fault(OG_PART_DOCUMENTS, DOC(first_sentence), t->n_sentences + 1, 4,
                "documents");
    check_fault(OG_PART_DOCUMENTS, DOC(has_time), 2, 4, "documents");
    check_fault(OG_PART_ID_HASHES, 0, UINT64_MAX, 8, "id hashes");
    check_fault(OG_PART_SENTENCES, SEN(document), N_DOCS, 4, "sentences");
    check_fault(OG_PART_SENTENCES, SEN(wordset), t->n_wordsets, 4, "sentences");
    check_fault(OG_PART_SENTENCES, SEN(begin), 100000, 4, "sentences");
    check_fault(OG_PART_SENTENCES, SEN(len), UINT32_MAX, 4, "sentences");
    check_fault(OG_PART_FORM_HASHES, 0, segment.wordset_hashes[1], 8,
                "wordset hashes");
    check_fault(OG_PART_FORM_STARTS, 0, 1, 8, "wordset starts");
    check_fault(OG_PART_FORM_STARTS, 8 * t->n_wordsets, t->n_keys + 1, 8,
                "wordset starts");
    check_fault(OG_PART_FORM_STARTS, 8, t->n_keys + 1, 8, "wordset starts");
    check_fault(OG_PART_PLACE_STARTS, 4, t->n_sentences + 1, 4, "place starts");
    check_fault(OG_PART_PLACES, 0, t->n_sentences, 4, "places");
    check_fault(OG_PART_WORDS, 0, segment.words[1], 8, "words");
    check_fault(OG_PART_WORD_STARTS, 8, t->n_keys + 1, 8, "word starts");
    check_fault(OG_PART_DIRECTORY, 0, 1, 4, "directory");
    check_fault(OG_PART_POSTINGS, 0, t->n_wordsets, 4, "postings");
    check_fault(OG_PART_TEXT_STARTS, 0, 1, 8, "text starts");
    check_fault(OG_PART_TEXT_STARTS, 16 * t->n_blocks, t->text_len + 1, 8,
                "text starts");
    check_fault(OG_PART_PARTS, 4 * 65537, t->n_wordsets, 4, "signatures");
    check_fault(OG_PART_PARTS, 4, t->n_wordsets + 1, 4, "signatures");
}

/* Every part has the length that the totals say. */
static void lengths_that_do_not_agree(void **state)
{
    (void)state;
    for (unsigned part = 0; part < OG_PART_TOTALS; part++) {
        if (part == OG_PART_NAMES) continue; /* longer is fine */
        assert_int_equal(rebuild(part, 0, NULL, 0, 16, NULL), OG_ERR_STORE);
        assert_non_null(strstr(
            story.message, part == OG_PART_TEXTS ? "text starts" : "lengths"));
    }
}

static void totals_that_cannot_be(void **state)
{
    (void)state;
    struct og_sentence_totals t[4];
    for (size_t i = 0; i < 4; i++)
        t[i] = segment.totals;
    t[0].directory_bits = 33;
    t[1].no_texts = 2;
    t[2].signature_bits = 17;
    t[3].n_wordsets = (uint64_t)UINT32_MAX + 1;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(rebuild(OG_N_PARTS, 0, NULL, 0, 0, &t[i]),
                         OG_ERR_STORE);
        assert_non_null(strstr(story.message, "totals"));
    }
}

/* What is taken stays the caller's when it is damaged. */
static void bytes_that_are_taken(void **state)
{
    (void)state;
    struct og_sentence_segment taken;
    const size_t len = segment.file.len;
    uint8_t *data = og_allocate(NULL, len);
    assert_non_null(data);
    memcpy(data, segment.file.data, len);
    data[len / 2] ^= 1;
    assert_int_equal(
        og_sentence_segment_take(&taken, data, len, len, NULL, "it", &story),
        OG_ERR_STORE);
    assert_non_null(strstr(story.message, "'it'"));
    assert_null(taken.file.data);
    data[len / 2] ^= 1;
    ASSERT_OK(
        og_sentence_segment_take(&taken, data, len, len, NULL, "it", &story));
    assert_int_equal(taken.totals.n_documents, N_DOCS);
    og_sentence_segment_release(&taken);
}

static void a_file_is_mapped(void **state)
{
    (void)state;
    struct og_sentence_segment mapped;
    char path[300];
    snprintf(path, sizeof(path), "%s", in("image"));
    save(path, segment.file.data, segment.file.len);
    ASSERT_OK(og_sentence_segment_open(&mapped, path, &story));
    assert_int_equal(mapped.totals.n_documents, N_DOCS);
    assert_memory_equal(mapped.words, segment.words,
                        8 * segment.totals.n_words);
    og_sentence_segment_release(&mapped);
    flip(path, (long)segment.file.section[OG_PART_WORDS].off, 1);
    assert_int_equal(og_sentence_segment_open(&mapped, path, &story),
                     OG_ERR_STORE);
    assert_int_equal(og_sentence_segment_open(&mapped, in("none"), &story),
                     OG_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found),
        cmocka_unit_test(ids_are_found),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(postings_are_those_of_the_wordsets),
        cmocka_unit_test(an_segment_that_is_whole),
        cmocka_unit_test(numbers_out_of_order_or_range),
        cmocka_unit_test(lengths_that_do_not_agree),
        cmocka_unit_test(totals_that_cannot_be),
        cmocka_unit_test(bytes_that_are_taken),
        cmocka_unit_test(a_file_is_mapped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
