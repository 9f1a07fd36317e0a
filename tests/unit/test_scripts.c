/* Copies in scripts without spaces and from right to left: the four ends of the
 * span are those of what was planted, byte for byte. */

#include "tests/unit/stage_support.h"

#include <origo/origo.h>
#include <stdio.h>

struct planted {
    const char *name;
    const char *before, *plant, *after; /* the document */
    const char *origin_before, *origin_after;
};

static const struct planted cases[] = {
    {"Thai", "เด็กชายคนหนึ่งเลี้ยงปลาทองไว้ในโอ่งหลังบ้าน ",
     "คนเฝ้าประภาคารนับเรือทุกลำที่แล่นผ่านก่อนเที่ยงคืน "
     "แล้วจดชื่อเรือลงในสมุดปกผ้าสีเขียวเล่มใหญ่",
     " วันรุ่งขึ้นฝนตกหนักจนถนนขาด", "หมู่บ้านริมทะเลมีเรื่องเล่าเก่าแก่ว่า ",
     " ก่อนจะดับตะเกียงและเข้านอน"},
    {"Chinese", "一个男孩在屋后的水缸里养金鱼。",
     "守灯塔的人每天夜里数着午夜以前经过的船只,把它们的名字一个一个写进绿色布面"
     "的大本子里,然后才吹灭油灯回房休息",
     "。第二天下了大雨,路断了。",
     "海边的村子有一个很老的故事:", ",孩子们都这样听说"},
    {"Arabic", "ربى صبي سمكة ذهبية في جرة خلف البيت. ",
     "حارس المنارة يعد السفن التي تمر قبل منتصف الليل ويكتب أسماءها واحدة "
     "واحدة "
     "في دفتر كبير مغلف بالقماش الأخضر ثم يطفئ المصباح",
     ". وفي الغد هطل مطر غزير.", "في القرية حكاية قديمة تقول إن ",
     " وينام حتى الصباح"},
    {"Hindi", "एक लड़का घर के पीछे घड़े में सुनहरी मछली पालता था। ",
     "दीपघर का पहरेदार आधी रात से पहले गुज़रने वाले जहाज़ों को गिनता है और उनके "
     "नाम हरे कपड़े की जिल्द वाली बड़ी किताब में लिखता है",
     "। अगले दिन भारी वर्षा हुई।", "गाँव में एक पुरानी कहानी है कि ", " फिर सो जाता है"},
};

/* before + plant + after, and the position of the plant. */
static char *join(const char *before, const char *plant, const char *after,
                  og_range *out)
{
    const size_t len = strlen(before) + strlen(plant) + strlen(after);
    char *text = malloc(len + 1);
    assert_non_null(text);
    snprintf(text, len + 1, "%s%s%s", before, plant, after);
    *out = (og_range){strlen(before), strlen(before) + strlen(plant)};
    return text;
}

static void expect_plant(og_comparison *comparison, const struct planted *p)
{
    og_range here, there;
    char *text = join(p->before, p->plant, p->after, &here);
    char *origin = join(p->origin_before, p->plant, p->origin_after, &there);
    const og_document a = {.id = OG_LITERAL("a"), .text = {text, strlen(text)}};
    const og_document b = {.id = OG_LITERAL("b"),
                           .text = {origin, strlen(origin)}};
    assert_int_equal(og_compare(comparison, &a, &b, NULL, NULL), OG_OK);
    const og_answer *answer = og_comparison_answer(comparison);
    if (answer->n_spans != 1)
        fail_msg("%s: %zu spans", p->name, answer->n_spans);
    const og_span *span = &answer->spans[0];
    assert_int_equal(span->begin, here.begin);
    assert_int_equal(span->end, here.end);
    assert_int_equal(span->origin_begin, there.begin);
    assert_int_equal(span->origin_end, there.end);
    assert_int_equal(span->n_matches, 1);
    assert_true(span->score == 1);
    assert_int_equal(answer->n_novel, 2);
    assert_int_equal(answer->n_origins, 1);
    assert_ptr_equal(answer->origins[0].text.data, origin);
    free(text);
    free(origin);
}

static void test_plants(void **state)
{
    (void)state;
    og_comparison *comparison = og_comparison_new();
    assert_non_null(comparison);
    for (size_t i = 0; i < LENGTH(cases); i++)
        expect_plant(comparison, &cases[i]);
    og_comparison_free(comparison);
}

/* What the texts hold besides the plant is not the same. */
static void test_nothing_planted(void **state)
{
    (void)state;
    og_comparison *comparison = og_comparison_new();
    assert_non_null(comparison);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const og_document a = {
            .id = OG_LITERAL("a"),
            .text = {cases[i].before, strlen(cases[i].before)}};
        const og_document b = {
            .id = OG_LITERAL("b"),
            .text = {cases[i].plant, strlen(cases[i].plant)}};
        assert_int_equal(og_compare(comparison, &a, &b, NULL, NULL), OG_OK);
        assert_int_equal(og_comparison_answer(comparison)->n_spans, 0);
    }
    og_comparison_free(comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plants),
        cmocka_unit_test(test_nothing_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
