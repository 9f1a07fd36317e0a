/* Verifying texts: valid ones pass, every changed byte is found at its frame,
 * and bytes past the end do not count. */

#include "lib/store/text/text_files.h"
#include "tests/unit/texts_support.h"

static void every_changed_byte_is_found(void **state)
{
    (void)state;
    struct og_texts_end ends[2];
    struct og_texts_sums sums;
    og_error err;
    for (size_t i = 0; i < 2; i++) {
        struct og_texts *texts = NULL;
        const struct og_texts_options options = {
            .uuid = uuid,
            .end = i == 0 ? (struct og_texts_end){0} : ends[0],
            .segment_len = 100};
        ASSERT_OK(og_texts_open(in("texts"), &options, &texts, &story));
        struct texts t = make_texts(8, 200, i + 1);
        append_all(texts, &t);
        ASSERT_OK(og_texts_sync(texts, &ends[i], &story));
        ASSERT_OK(og_texts_close(texts, &story));
        free_texts(&t);
    }
    ASSERT_OK(
        og_texts_check(in("texts"), uuid, ends[1], NULL, NULL, &sums, &story));
    assert_int_equal(sums.n_segments, 2);
    assert_int_equal(sums.n_frames, 2);
    assert_int_equal(sums.packed_len,
                     ends[0].off + ends[1].off - 2 * OG_SEGMENT_HEAD);
    const char *const files[] = {"texts/000001.seg", "texts/000002.seg"};
    for (size_t f = 0; f < 2; f++) {
        size_t len;
        FILE *more = fopen(in(files[f]), "ab");
        assert_non_null(more);
        fputs("behind the end", more);
        fclose(more);
        uint8_t *bytes = read_file(in(files[f]), &len);
        for (size_t i = 0; i < len; i++) {
            bytes[i] ^= (uint8_t)(1u << i % 8);
            write_file(in(files[f]), bytes, len);
            const og_status status = og_texts_check(in("texts"), uuid, ends[1],
                                                    NULL, NULL, &sums, &err);
            assert_int_equal(status, i < ends[f].off ? OG_ERR_STORE : OG_OK);
            if (status != OG_OK) assert_non_null(strstr(err.message, files[f]));
            bytes[i] ^= (uint8_t)(1u << i % 8);
        }
        for (size_t cut = 0; cut < len; cut += 7) {
            write_file(in(files[f]), bytes, cut);
            assert_int_equal(og_texts_check(in("texts"), uuid, ends[1], NULL,
                                            NULL, &sums, &err),
                             cut < ends[f].off ? OG_ERR_STORE : OG_OK);
        }
        write_file(in(files[f]), bytes, len);
        free(bytes);
    }
    assert_int_equal(unlink(in(files[0])), 0);
    assert_int_equal(
        og_texts_check(in("texts"), uuid, ends[1], NULL, NULL, &sums, &err),
        OG_ERR_STORE);
}

static void no_texts_are_sound(void **state)
{
    (void)state;
    struct og_texts_sums sums;
    const struct og_text_place none = {0};
    struct og_texts_end end = {1, 1};
    ASSERT_OK(og_texts_check(in("nowhere"), uuid, (struct og_texts_end){0},
                             NULL, NULL, &sums, &story));
    assert_int_equal(sums.n_segments, 0);
    ASSERT_OK(og_texts_end_of(in("nowhere"), uuid, &none, NULL, &end, &story));
    assert_int_equal(end.segment, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_byte_is_found),
        cmocka_unit_test(no_texts_are_sound),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
