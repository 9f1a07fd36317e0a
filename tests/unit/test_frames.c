/* Frames: packed runs of texts, their places, versions, and untrusted
 * headers. */

#include "tests/unit/texts_support.h"

/* Unpacks a frame without the library. */
static size_t unpack(const uint8_t *frame, char *out, size_t cap)
{
    struct og_frame f;
    assert_null(og_frame_unpack(frame, &f));
    assert_true(
        og_frame_is_sound(frame, frame + OG_FRAME_HEADER, f.packed_len));
    const size_t n =
        ZSTD_decompress(out, cap, frame + OG_FRAME_HEADER, f.packed_len);
    assert_int_equal(n, f.raw_len);
    return n;
}

static void every_text_lies_at_its_place(void **state)
{
    static char raw[1 << 20];
    (void)state;
    struct texts t = make_texts(300, 5000, 1);
    struct og_framer framer;
    struct og_pack out = {0};
    og_pack_bytes(&out, "before", 6);
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(
        og_framer_pack(&framer, NULL, t.list, t.n, &out, t.places, &story));
    size_t n_frames = 0;
    for (size_t i = 0; i < t.n; i++) {
        const struct og_text_place *p = &t.places[i];
        assert_int_equal(p->segment, 0);
        const size_t len =
            unpack(out.data + 6 + p->frame_off, raw, sizeof(raw));
        assert_true(len <= OG_FRAME_RUN + OG_FRAME_RUN / 4);
        assert_true(p->text_off + t.list[i].len <= len);
        assert_memory_equal(raw + p->text_off, t.list[i].data, t.list[i].len);
        n_frames += p->text_off == 0 && t.list[i].len > 0;
    }
    assert_in_range(n_frames, 30, 60); /* 750 KB */
    og_framer_release(&framer);
    og_pack_release(&out);
    free_texts(&t);
}

/* Texts that are erased, one after the other: the others are whole, the frame
 * as long as it was, also where texts are nearly copies of each other. */
static void check_blanked(const struct texts *t, bool are_alike)
{
    static char raw[1 << 20];
    struct og_framer framer;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(
        og_framer_pack(&framer, NULL, t->list, t->n, &out, t->places, &story));
    const size_t len = out.len;
    for (size_t i = 0; i < t->n; i += 1 + are_alike) {
        const struct og_text_place *p = &t->places[i];
        struct og_pack blank = {0};
        const og_bytes frame = {(char *)out.data + p->frame_off,
                                out.len - p->frame_off};
        ASSERT_OK(
            og_frame_blank(frame, p->text_off, t->list[i].len, &blank, &story));
        memcpy(out.data + p->frame_off, blank.data, blank.len);
        assert_int_equal(out.len, len);
        og_pack_release(&blank);
        for (size_t k = 0; k < t->n; k++) {
            const struct og_text_place *q = &t->places[k];
            const bool is_erased = k <= i && k % (1 + are_alike) == 0;
            if (q->frame_off != p->frame_off) continue;
            unpack(out.data + q->frame_off, raw, sizeof(raw));
            for (size_t b = 0; b < t->list[k].len; b++)
                assert_int_equal(raw[q->text_off + b],
                                 is_erased ? 0 : t->list[k].data[b]);
        }
    }
    og_framer_release(&framer);
    og_pack_release(&out);
}

static void texts_can_be_erased(void **state)
{
    char alike[40][420];
    (void)state;
    struct texts t = make_texts(40, 3000, 3);
    check_blanked(&t, false);
    for (size_t i = 0; i < t.n; i++) {
        size_t len = 0;
        for (unsigned k = 0; k < 60; k++)
            len +=
                (size_t)snprintf(alike[i] + len, 420 - len, "x%zuy%u ", i, k);
        free((void *)(uintptr_t)t.list[i].data);
        t.list[i].len = len;
        t.list[i].data = memcpy(malloc(len + 1), alike[i], len);
    }
    check_blanked(&t, true);
    free_texts(&t);
}

static void what_is_no_frame_is_not_erased(void **state)
{
    struct og_pack out = {0}, blank = {0};
    struct og_framer framer;
    struct og_text_place place;
    const og_bytes text = {"some words, some words, some words", 34};
    (void)state;
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack(&framer, NULL, &text, 1, &out, &place, &story));
    const og_bytes whole = {(char *)out.data, out.len};
    for (size_t i = 0; i < out.len; i++) {
        const og_bytes part = {whole.data, i};
        assert_int_equal(og_frame_blank(part, 0, 1, &blank, NULL),
                         OG_ERR_STORE);
        out.data[i] ^= 1;
        assert_int_equal(og_frame_blank(whole, 0, 1, &blank, NULL),
                         OG_ERR_STORE);
        out.data[i] ^= 1;
    }
    assert_int_equal(og_frame_blank(whole, 30, 5, &blank, NULL), OG_ERR_STORE);
    assert_int_equal(og_frame_blank(whole, 35, 0, &blank, NULL), OG_ERR_STORE);
    assert_int_equal(blank.len, 0);
    og_framer_release(&framer);
    og_pack_release(&out);
    og_pack_release(&blank);
}

static void a_long_text_has_its_own_frame(void **state)
{
    (void)state;
    static char raw[400000];
    char *text = malloc(300000);
    const size_t len = make_text(text, 300000, 2);
    const og_bytes texts[] = {{"short", 5}, {text, len}, {"", 0}, {"x", 1}};
    struct og_text_place places[4];
    struct og_framer framer;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack(&framer, NULL, texts, 4, &out, places, &story));
    assert_int_equal(places[0].frame_off, 0);
    assert_true(places[1].frame_off > 0);
    assert_true(places[2].frame_off > places[1].frame_off);
    assert_int_equal(places[3].frame_off, places[2].frame_off);
    assert_int_equal(unpack(out.data + places[1].frame_off, raw, sizeof(raw)),
                     len);
    assert_memory_equal(raw, text, len);
    og_framer_release(&framer);
    og_pack_release(&out);
    free(text);
}

static void nothing_but_empty_texts(void **state)
{
    (void)state;
    char raw[1];
    const og_bytes texts[] = {{NULL, 0}, {"", 0}};
    struct og_text_place places[2];
    struct og_framer framer;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack(&framer, NULL, texts, 0, &out, places, &story));
    assert_int_equal(out.len, 0);
    ASSERT_OK(og_framer_pack(&framer, NULL, texts, 2, &out, places, &story));
    assert_int_equal(unpack(out.data, raw, 0), 0);
    og_framer_release(&framer);
    og_pack_release(&out);
}

/* A version is short, and alone when the chain is long enough. */
static void versions_share(void **state)
{
    (void)state;
    uint64_t seed = 3;
    char *text = malloc(40000);
    const og_bytes old = {text, make_text(text, 40000, 5)};
    const og_bytes new = next_version(old, &seed);
    const struct og_text_prefix prefix = {{3, 1234, 7}, old, 2};
    struct og_text_place place = {9, 9, 9};
    struct og_framer framer;
    struct og_frame f;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack_version(&framer, NULL, new, &prefix, &out, &place,
                                     &story));
    assert_int_equal(place.segment | place.frame_off | place.text_off, 0);
    assert_true(out.len < 400);
    assert_null(og_frame_unpack(out.data, &f));
    assert_int_equal(f.depth, 3);
    assert_int_equal(f.prefix.segment, 3);
    assert_int_equal(f.prefix.frame_off, 1234);
    assert_int_equal(f.prefix.text_off, 7);
    assert_int_equal(f.prefix_len, old.len);
    struct og_text_prefix last = prefix;
    last.depth = OG_FRAME_DEPTH_MAX;
    out.len = 0;
    ASSERT_OK(og_framer_pack_version(&framer, NULL, new, &last, &out, &place,
                                     &story));
    assert_null(og_frame_unpack(out.data, &f));
    assert_int_equal(f.depth, 0);
    assert_true(out.len > 4000);
    og_framer_release(&framer);
    og_pack_release(&out);
    free(text);
    free((void *)(uintptr_t) new.data);
}

static void what_shares_nothing_is_alone(void **state)
{
    (void)state;
    char a[8000], b[8000];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof(a); i++) {
        a[i] = (char)('a' + og_random_next(&seed) % 26);
        b[i] = (char)('A' + og_random_next(&seed) % 26);
    }
    const struct og_text_prefix prefix = {{1, 64, 0}, {a, sizeof(a)}, 0};
    struct og_text_place place;
    struct og_framer framer;
    struct og_frame f;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(og_framer_pack_version(&framer, NULL, (og_bytes){b, sizeof(b)},
                                     &prefix, &out, &place, &story));
    assert_null(og_frame_unpack(out.data, &f));
    assert_int_equal(out.len, OG_FRAME_HEADER + f.packed_len);
    assert_int_equal(f.depth, 0);
    og_framer_release(&framer);
    og_pack_release(&out);
}

static void every_changed_bit_is_found(void **state)
{
    (void)state;
    struct texts t = make_texts(3, 300, 4);
    struct og_framer framer;
    struct og_pack out = {0};
    ASSERT_OK(og_framer_init(&framer, NULL, &story));
    ASSERT_OK(
        og_framer_pack(&framer, NULL, t.list, t.n, &out, t.places, &story));
    for (size_t bit = 0; bit < 8 * out.len; bit++) {
        struct og_frame f;
        out.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(og_frame_unpack(out.data, &f) != NULL ||
                    f.packed_len != out.len - OG_FRAME_HEADER ||
                    !og_frame_is_sound(out.data, out.data + OG_FRAME_HEADER,
                                       f.packed_len));
        out.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    og_framer_release(&framer);
    og_pack_release(&out);
    free_texts(&t);
}

/* Lengths that would make a reader take memory for nothing. */
static void heads_that_make_no_sense(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint32_t value;
    } faults[] = {
        {0, 0},                    /* magic */
        {4, OG_FRAME_RAW_MAX + 1}, /* too long */
        {4, OG_FRAME_RAW_MAX},     /* 2 GiB in 50 bytes */
        {8, 0},                    /* nothing packed */
        {8, 1 << 20},              /* packed longer than the text can be */
        {16, 1},                   /* a prefix of depth 0 */
        {20, 1},                   /* a depth without prefix */
        {20, 9},                   /* too deep */
        {24, 64},                  /* an offset without segment */
        {32, 1},
        {36, 1},
    };
    uint8_t head[OG_FRAME_HEADER] = {'O', 'G', 't', 'F', 100, 0, 0, 0, 50};
    struct og_frame f;
    assert_null(og_frame_unpack(head, &f));
    for (size_t i = 0; i < LENGTH(faults); i++) {
        uint8_t bad[OG_FRAME_HEADER];
        memcpy(bad, head, sizeof(bad));
        og_store32(bad + faults[i].at, faults[i].value);
        assert_non_null(og_frame_unpack(bad, &f));
    }
    og_store32(head + 12, 1); /* a dictionary is fine, with a prefix not */
    assert_null(og_frame_unpack(head, &f));
    og_store32(head + 16, 1);
    og_store32(head + 20, 1);
    assert_non_null(og_frame_unpack(head, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_lies_at_its_place),
        cmocka_unit_test(texts_can_be_erased),
        cmocka_unit_test(what_is_no_frame_is_not_erased),
        cmocka_unit_test(a_long_text_has_its_own_frame),
        cmocka_unit_test(nothing_but_empty_texts),
        cmocka_unit_test(versions_share),
        cmocka_unit_test(what_shares_nothing_is_alone),
        cmocka_unit_test(every_changed_bit_is_found),
        cmocka_unit_test(heads_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
