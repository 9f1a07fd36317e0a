/* The table of single characters, and the machinery for the others. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/text/character.h"

static const struct og_character *find(struct og_folder *f, uint32_t c)
{
    const struct og_character *found = og_folder_find(f, c);
    assert_non_null(found);
    assert_ptr_equal(found, og_folder_find(f, c)); /* kept */
    return found;
}

static void expect(struct og_folder *f, uint32_t c, const char *folded,
                   unsigned flags)
{
    const struct og_character *found = find(f, c);
    assert_int_equal(found->len, strlen(folded));
    assert_memory_equal(found->folded, folded, found->len);
    assert_int_equal(found->flags, flags | OG_CHARACTER_KNOWN);
}

static void entries_tell_how_characters_meet(void **state)
{
    (void)state;
    enum {
        ALIGNED = OG_CHARACTER_ALIGNED,
        FOLLOWS = OG_CHARACTER_FOLLOWS,
        SECOND = OG_CHARACTER_SECOND,
        OPEN = OG_CHARACTER_OPEN,
        COMPLEX = OG_CHARACTER_COMPLEX
    };
    struct og_folder *f = og_folder_new(NULL);
    assert_non_null(f);
    expect(f, 0x416, "\xd0\xb6", ALIGNED | OPEN);    /* Ж: breve and others */
    expect(f, 0x4e2d, "\xe4\xb8\xad", ALIGNED);      /* 中 */
    expect(f, 0xe01, "\xe0\xb8\x81", ALIGNED);       /* Thai ko kai */
    expect(f, 0xe33, "\xe0\xb9\x8d\xe0\xb8\xb2", 0); /* Thai sara am */
    expect(f, 0xe48, "\xe0\xb9\x88", ALIGNED | FOLLOWS); /* Thai tone */
    expect(f, 0xdf, "ss", OPEN);                         /* sharp s */
    expect(f, 0xfb01, "fi", OPEN);                       /* ligature */
    expect(f, 0xad, "", FOLLOWS);                        /* soft hyphen */
    expect(f, 0x301, "\xcc\x81", ALIGNED | FOLLOWS | SECOND);
    expect(f, 0x9be, "\xe0\xa6\xbe", ALIGNED | FOLLOWS | SECOND);
    expect(f, 0xac00, "\xea\xb0\x80", ALIGNED | OPEN); /* 가: may get a final */
    expect(f, 0xac01, "\xea\xb0\x81", ALIGNED);        /* 각: has it */
    assert_true(find(f, 0x344)->flags & COMPLEX);      /* two marks in one */
    assert_true(find(f, 0xfdfa)->flags & COMPLEX);     /* 18 letters */
    assert_int_equal(find(f, 0x323)->lead_ccc, 220);
    assert_int_equal(find(f, 0xe9)->tail_ccc, 230);
    og_folder_free(f);
    og_folder_free(NULL);
}

static void segments_are_sorted_and_composed(void **state)
{
    (void)state;
    struct og_folder *f = og_folder_new(NULL);
    og_segment_clear(f);
    assert_true(og_segment_fold(f));
    assert_int_equal(f->n_pieces, 0);
    const uint32_t segment[] = {'S', 0x307, 0xad, 0x323}; /* above, below */
    for (size_t i = 0; i < 4; i++)
        assert_true(og_segment_add(f, segment[i]));
    assert_true(og_segment_fold(f));
    assert_int_equal(f->n_pieces, 1);
    assert_int_equal(f->pieces[0], 0x1e69); /* ṩ */
    og_folder_free(f);
}

/* A million marks on one letter: sorted, stable, and in no time. A bubble
 * sort would take hours. */
static void hostile_marks_take_linear_time(void **state)
{
    (void)state;
    enum { N = 1000000 };
    struct og_folder *f = og_folder_new(NULL);
    const clock_t start = clock();
    og_segment_clear(f);
    assert_true(og_segment_add(f, 'x'));
    for (int i = 0; i < N; i++)
        assert_true(og_segment_add(f, i % 2 ? 0x316u : 0x35fu));
    assert_true(og_segment_fold(f));
    assert_int_equal(f->n_pieces, N + 1);
    assert_int_equal(f->pieces[1], 0x316);
    assert_int_equal(f->pieces[N / 2], 0x316);
    assert_int_equal(f->pieces[N / 2 + 1], 0x35f);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    og_folder_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_tell_how_characters_meet),
        cmocka_unit_test(segments_are_sorted_and_composed),
        cmocka_unit_test(hostile_marks_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
