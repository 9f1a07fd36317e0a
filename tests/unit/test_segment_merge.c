/* Segments of sentences become one: documents in their order, equal wordsets
 * once, words counted together. */

#include "tests/unit/store_support.h"

#include "lib/base/bits.h"
#include "lib/os/pages.h"
#include "lib/sentence/index/segment_merge.h"
#include "lib/sentence/index/sentence_memtable.h"
#include "tests/unit/phases_support.h"

static struct og_word_reader reader;
static struct og_phases alone;

static int set_up(void **state)
{
    if (make_folder(state) != 0) return 1;
    alone = og_phases_alone(NULL);
    return og_word_reader_init(&reader, NULL, NULL, NULL, NULL) != OG_OK;
}

static int tear_down(void **state)
{
    og_word_reader_release(&reader);
    return remove_folder(state);
}

static void add(struct og_memtable *memtable, uint32_t number, const char *id,
                const char *text)
{
    const og_document doc = {.id = bytes_of(id), .text = bytes_of(text)};
    ASSERT_OK(og_word_reader_read(&reader, doc.text, &story));
    const struct og_words_read read = og_word_reader_view(&reader);
    ASSERT_OK(og_memtable_add(memtable, number, &doc, number, &read, &story));
}

#define SHARED "The ships sail at dawn today. "

static void build(struct og_sentence_segment *out, uint32_t first)
{
    struct og_memtable memtable;
    og_memtable_init(&memtable, NULL, 0, 0);
    add(&memtable, first, first == 0 ? "a" : "c",
        first == 0 ? SHARED "Nobody knows why they left."
                   : SHARED "Everybody asked about the harbour.");
    add(&memtable, first + 1, first == 0 ? "b" : "d", SHARED);
    ASSERT_OK(og_memtable_build(&memtable, &alone, out, &story));
    og_memtable_release(&memtable);
}

static void check_merged(const struct og_sentence_segment *m)
{
    char text[100];
    struct og_text_cache cache;
    assert_int_equal(m->totals.n_documents, 4);
    assert_int_equal(m->totals.n_sentences, 6);
    assert_int_equal(m->totals.n_wordsets, 3); /* the shared one, and two */
    assert_int_equal(m->totals.latest, 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(m->documents[i].number, i);
        assert_int_equal(m->names[m->documents[i].name_off], "abcd"[i]);
    }
    /* The shared wordset has four places, earliest first. */
    size_t wordset = 0;
    while (m->place_starts[wordset + 1] - m->place_starts[wordset] != 4)
        wordset++;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t place = m->places[m->place_starts[wordset] + i];
        assert_int_equal(m->sentences[place].document, i);
        assert_int_equal(m->sentences[place].wordset, wordset);
    }
    for (size_t i = 1; i < m->totals.n_wordsets; i++)
        assert_true(m->wordset_hashes[i - 1] < m->wordset_hashes[i]);
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
                         const struct og_sentence_segment *const *segments)
{
    for (size_t i = 0; i < merged->totals.n_words; i++) {
        uint32_t sum = 0;
        for (size_t k = 0; k < 2; k++) {
            const size_t at =
                og_sentence_segment_find_word(segments[k], merged->words[i]);
            if (at < segments[k]->totals.n_words)
                sum += segments[k]->counts[at];
        }
        assert_int_equal(merged->counts[i], sum);
    }
}

static void two_segments_become_one(void **state)
{
    struct og_sentence_segment first, second, merged;
    const struct og_sentence_segment *segments[] = {&first, &second};
    (void)state;
    build(&first, 0);
    build(&second, 2);
    ASSERT_OK(og_sentence_segments_merge(segments, 2, NULL, &alone, NULL,
                                         &merged, &story));
    check_merged(&merged);
    check_counts(&merged, segments);
    og_sentence_segment_release(&merged);
    /* The same bytes in a file, and again from it. */
    ASSERT_OK(og_sentence_segments_merge(segments, 2, in("m"), &alone, NULL,
                                         &merged, &story));
    check_merged(&merged);
    og_sentence_segment_release(&merged);
    ASSERT_OK(og_sentence_segment_open(&merged, in("m"), &story));
    check_merged(&merged);
    check_counts(&merged, segments);
    og_sentence_segment_release(&merged);
    og_sentence_segment_release(&second);
    og_sentence_segment_release(&first);
}

/* ---- segments in files ---- */

enum { N_LONG = 300, N_SENTENCES = 600, MOST_MAPPED = 24 << 20 };

/* Sentences that no other document has. */
static void add_long(struct og_memtable *memtable, uint32_t number)
{
    static char text[N_SENTENCES * 100];
    static uint32_t random = 1;
    size_t len = 0;
    for (int i = 0; i < N_SENTENCES; i++) {
        for (int k = 0; k < 10; k++) {
            random = random * 1664525u + 1013904223u;
            len += (size_t)sprintf(text + len, "w%u ", random >> 12);
        }
        len += (size_t)sprintf(text + len, "end.\n");
    }
    char id[16];
    sprintf(id, "%u", number);
    add(memtable, number, id, text);
}

static void write_long(const char *path, uint32_t first,
                       struct og_sentence_segment *out)
{
    struct og_memtable memtable;
    struct og_sentence_segment built;
    const struct og_sentence_segment *segments[] = {&built};
    og_memtable_init(&memtable, NULL, 0, 0);
    for (uint32_t i = 0; i < N_LONG; i++)
        add_long(&memtable, first + i);
    ASSERT_OK(og_memtable_build(&memtable, &alone, &built, &story));
    og_memtable_release(&memtable);
    ASSERT_OK(og_sentence_segments_merge(segments, 1, path, &alone, NULL, out,
                                         &story));
    og_sentence_segment_release(&built);
    og_sentence_segment_release(out);
    ASSERT_OK(og_sentence_segment_open(out, path, &story));
}

static uint64_t most_resident;

/* One piece after the other; what is resident after each of them. */
static og_status share_and_look(const struct og_phases *phases, size_t n,
                                og_piece_fn *piece, void *ctx, og_error *err)
{
    (void)phases;
    for (size_t i = 0; i < n; i++) {
        TRY(piece(ctx, NULL, i, err));
        const uint64_t now = og_mapped_resident();
        if (now > most_resident) most_resident = now;
    }
    return OG_OK;
}

/* However short its pieces are, a merge keeps no more of the files it reads. */
static void pages_are_released(void **state)
{
    struct og_sentence_segment first, second, merged;
    const struct og_sentence_segment *segments[] = {&first, &second};
    const struct og_phases looking = {.n_threads = 2, .share = share_and_look};
    (void)state;
    write_long(in("first"), 0, &first);
    write_long(in("second"), N_LONG, &second);
    assert_true(first.file.is_mapped);
    assert_true(first.file.len + second.file.len > 2 * (size_t)MOST_MAPPED);
    const uint64_t before = og_mapped_resident();
    const uint64_t most = before > MOST_MAPPED ? before : MOST_MAPPED;
    ASSERT_OK(og_sentence_segments_merge(segments, 2, in("m"), &looking, NULL,
                                         &merged, &story));
    assert_int_equal(merged.totals.n_documents, 2 * N_LONG);
    assert_true(most_resident > 0);
    assert_true(most_resident <= most + (2 << 20));
    og_sentence_segment_release(&merged);
    og_sentence_segment_release(&second);
    og_sentence_segment_release(&first);
}

/* One segment merged is itself. */
static void one_segment_stays(void **state)
{
    struct og_sentence_segment first, merged;
    const struct og_sentence_segment *segments[] = {&first};
    (void)state;
    build(&first, 0);
    ASSERT_OK(og_sentence_segments_merge(segments, 1, NULL, &alone, NULL,
                                         &merged, &story));
    assert_int_equal(merged.totals.n_words, first.totals.n_words);
    assert_memory_equal(merged.words, first.words,
                        first.totals.n_words * sizeof(*first.words));
    assert_memory_equal(merged.wordset_hashes, first.wordset_hashes,
                        first.totals.n_wordsets *
                            sizeof(*first.wordset_hashes));
    assert_memory_equal(merged.postings, first.postings,
                        first.totals.n_keys * sizeof(*first.postings));
    og_sentence_segment_release(&merged);
    og_sentence_segment_release(&first);
}

static void no_room_is_reported(void **state)
{
    struct og_sentence_segment first, merged;
    const struct og_sentence_segment *segments[] = {&first};
    (void)state;
    build(&first, 0);
    assert_int_equal(og_sentence_segments_merge(segments, 1, in("no/such"),
                                                &alone, NULL, &merged, &story),
                     OG_ERR_IO);
    assert_non_null(strstr(story.message, "no/such"));
    og_sentence_segment_release(&first);
}

/* ---- one by one is the oracle ---- */

enum { N_DOCS = 3000, N_PARTS = 5 };

/* Some words are everywhere, most are rare; some sentences come again. */
static void add_random(struct og_memtable *memtable, uint32_t number,
                       bool in_order)
{
    uint64_t random = number * 77 + 1;
    char text[2000], id[16];
    size_t len = 0;
    for (int s = 0; s < 6; s++) {
        const bool again = og_random_next(&random) % 4 == 0;
        uint64_t kind =
            again ? og_random_next(&random) % 50 + 1 : og_random_next(&random);
        for (int w = 0; w < 9; w++) {
            const uint64_t r = og_random_next(&kind);
            const uint64_t word = r % 3 == 0 ? r / 3 % 5 : r / 3 % 20000;
            len += (size_t)snprintf(text + len, sizeof(text) - len, "W%u%s",
                                    (unsigned)word, w < 8 ? " " : ". ");
        }
    }
    snprintf(id, sizeof(id), "d%u", number);
    const og_document doc = {.id = bytes_of(id), .text = {text, len}};
    const int64_t time = in_order ? number : og_random_next(&random) % 1000;
    ASSERT_OK(og_word_reader_read(&reader, doc.text, &story));
    const struct og_words_read read = og_word_reader_view(&reader);
    ASSERT_OK(og_memtable_add(memtable, number, &doc, time, &read, &story));
}

static void build_random(struct og_sentence_segment *out, uint32_t begin,
                         uint32_t end, bool in_order, uint32_t signature_bits,
                         const struct og_phases *phases)
{
    struct og_memtable memtable;
    og_memtable_init(&memtable, NULL, signature_bits, signature_bits / 16);
    memtable.no_texts = true; /* blocks of texts depend on where they begin */
    for (uint32_t i = begin; i < end; i++)
        add_random(&memtable, i, in_order);
    ASSERT_OK(og_memtable_build(&memtable, phases, out, &story));
    og_memtable_release(&memtable);
}

/* Documents in one memtable, of different lengths in N_PARTS that are merged
 * all at once, or one after the other. */
static void make_file(const char *path, bool in_order, uint32_t bits,
                      unsigned n_parts, bool by_steps,
                      const struct og_phases *phases)
{
    struct og_sentence_segment segments[N_PARTS], merged;
    const struct og_sentence_segment *list[N_PARTS];
    for (uint32_t i = 0; i < n_parts; i++) {
        build_random(&segments[i], N_DOCS * i * i / (n_parts * n_parts),
                     N_DOCS * (i + 1) * (i + 1) / (n_parts * n_parts), in_order,
                     bits, phases);
        list[i] = &segments[i];
    }
    unsigned n = n_parts;
    while (by_steps && n > 1) { /* in memory */
        ASSERT_OK(og_sentence_segments_merge(list + n - 2, 2, NULL, phases,
                                             NULL, &merged, &story));
        og_sentence_segment_release(&segments[--n]);
        og_sentence_segment_release(&segments[n - 1]);
        segments[n - 1] = merged;
    }
    ASSERT_OK(og_sentence_segments_merge(list, n, path, phases, NULL, &merged,
                                         &story));
    og_sentence_segment_release(&merged);
    /* Opening it checks everything. */
    ASSERT_OK(og_sentence_segment_open(&merged, path, &story));
    assert_int_equal(merged.totals.n_documents, N_DOCS);
    assert_int_equal(merged.totals.n_sentences, 6 * N_DOCS);
    assert_true(merged.totals.n_wordsets < merged.totals.n_sentences);
    og_sentence_segment_release(&merged);
    for (unsigned i = 0; i < n; i++)
        og_sentence_segment_release(&segments[i]);
}

static void check_same(const char *a, const char *b)
{
    size_t a_len, b_len;
    uint8_t *x = load(a, &a_len), *y = load(b, &b_len);
    assert_int_equal(a_len, b_len);
    assert_memory_equal(x, y, a_len);
    free(x);
    free(y);
}

/* The same file as of one memtable with all documents, byte by byte, on any
 * number of threads. */
static void parts_are_the_whole(void **state)
{
    char whole[300], parts[300];
    (void)state;
    snprintf(whole, sizeof(whole), "%s", in("one"));
    snprintf(parts, sizeof(parts), "%s", in("many"));
    for (unsigned round = 0; round < 4; round++) {
        const bool in_order = round % 2 == 0;
        const uint32_t bits = round < 2 ? 64 : 0;
        make_file(whole, in_order, bits, 1, false, &alone);
        make_file(parts, in_order, bits, N_PARTS, false, &alone);
        check_same(whole, parts);
        for (unsigned n = 2; n <= 8; n *= 2) {
            struct og_ring *ring = threads_of(n);
            const struct og_phases phases = phases_of(ring);
            make_file(parts, in_order, bits, n / 2 + 1, n != 4, &phases);
            og_ring_free(ring);
            check_same(whole, parts);
        }
    }
}

/* A crafted file may say that equal sentences have other words. */
static void words_that_do_not_agree(void **state)
{
    struct og_sentence_segment segments[2], merged;
    const struct og_sentence_segment *list[] = {&segments[0], &segments[1]};
    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        build_random(&segments[i], 0, 200, true, 64, &alone);
    for (size_t i = 0; i <= segments[1].totals.n_wordsets; i++)
        ((uint64_t *)segments[1].wordset_starts)[i] = 0; /* they have no keys */
    assert_int_equal(og_sentence_segments_merge(list, 2, NULL, &alone, NULL,
                                                &merged, &story),
                     OG_ERR_STORE);
    assert_non_null(strstr(story.message, "do not agree"));
    og_sentence_segment_release(&segments[0]);
    og_sentence_segment_release(&segments[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_segments_become_one),
        cmocka_unit_test(pages_are_released),
        cmocka_unit_test(one_segment_stays),
        cmocka_unit_test(no_room_is_reported),
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(words_that_do_not_agree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
