/* Writes the reports that the browser tests and those of the formats look at:
 * web_fixture FOLDER. Each in every form, the file's ending is its name:
 *
 *     report   one document of a newsroom: reworded passages of four sources,
 *              quotations, boilerplate, chains of copies
 *     many     several documents, in several scripts
 *     labels   answers as a store without texts gives them
 *     hostile  markup, scripts, controls and bidi overrides everywhere
 *     copies   a passage in several documents of the report, two of one day,
 *              broken lines, a drawing, verse
 *     big      a document of 10 MB with 5,000 passages
 *     large    20,000 documents, as a page alone */

#include "answer_support.h"

#include <stdio.h>

/* ---- reports ---- */

static const og_format formats[] = {
    OG_FORMAT_TEXT, OG_FORMAT_JSON,       OG_FORMAT_TSV, OG_FORMAT_HTML,
    OG_FORMAT_PAN,  OG_FORMAT_ANNOTATION, OG_FORMAT_TEI};
enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

struct reports {
    og_report *list[N_FORMATS];
};

static og_report *open_report_of(const char *folder, const char *name,
                                 og_format format, uint32_t n_snippets)
{
    char path[4096];
    og_error err = {0};
    og_report *report = NULL;
    og_report_options options = og_report_options_default();
    options.format = format;
    options.matches = true;
    options.n_snippets = n_snippets;
    options.offsets = OG_OFFSETS_CHAR;
    options.style = (og_text_style){.colour = false, .width = 130};
    snprintf(path, sizeof(path), "%s/%s.%s", folder, name,
             og_format_name(format));
    must(og_report_open(path, &options, &report, &err) == OG_OK, err.message);
    return report;
}

static og_report *open_report(const char *folder, const char *name,
                              og_format format)
{
    return open_report_of(folder, name, format, 0);
}

static void add(struct reports *r)
{
    og_error err = {0};
    for (size_t i = 0; i < N_FORMATS; i++)
        must(r->list[i] == NULL ||
                 og_report_add(r->list[i], &f.doc, &f.answer, &err) == OG_OK,
             err.message);
    forget();
}

/* ---- the newsroom ---- */

static const char minutes[] =
    "Minutes of the harbour committee, 9 February\n\n"
    "Present: Mrs Marsh in the chair, Messrs Orr, Dale and Fenwick.\n\n"
    "The committee resolved that the timbers of the west pier be examined by a "
    "diver before the end of April, that the planks between the crane and the "
    "ice house be replaced at the cost of the harbour fund, and that no lorry "
    "heavier than three tonnes be let onto the pier until both were done. Mr "
    "Orr asked that his doubts about the fund be recorded.\n\n"
    "The swing bridge was discussed and put off.\n\n"
    "These minutes are a draft until they have been read and agreed at the "
    "following meeting; copies may be had from the clerk during office hours.";

static const char lantern[] =
    "Pier closed after night of storm\n\n"
    "Shortly after two in the morning a barge that had broken from its "
    "moorings "
    "struck the west pier and carried away eleven metres of planking together "
    "with the harbour master's shed. Nobody was hurt. The barge, which carries "
    "gravel for the new quay, was found on the sandbank at low water with its "
    "lamps still burning.\n\n"
    "The owner of the barge did not want to speak to us. The harbour master, "
    "who lost his kettle and nineteen years of tide tables, did: “I have "
    "written to the committee about that mooring every spring since I came, "
    "and every spring they have thanked me for my letter.”\n\n"
    "The pier stays closed until further notice. Fishermen are asked to land "
    "at the north steps.";

static const char report_1987[] =
    "Report on the moorings of the inner basin\n\n"
    "1. The chains of the inner basin were laid in 1951 and have not been "
    "lifted since. Where they could be reached they were found to have lost a "
    "third of their thickness to rust.\n\n"
    "2. We advise that no vessel of more than sixty tonnes be made fast to "
    "them, and that the chains be replaced within five years.\n\n"
    "3. Until then the moorings should be inspected after every storm of force "
    "nine or more, and the results kept where the public can read them.";

static const char footer[] =
    "The Tidewell Lantern is printed on paper from managed forests. Letters "
    "may "
    "be shortened. The editor is not liable for manuscripts that were sent "
    "without being asked for.";

static const char article[] =
    "Who knew about the moorings?\n\n"
    "When a gravel barge tore loose last Tuesday and went through the west "
    "pier, "
    "the town called it bad luck. The papers in the cellar of the town hall "
    "say "
    "otherwise.\n\n"
    "Shortly after two in the morning a barge that had broken from its "
    "moorings "
    "hit the west pier and carried away eleven metres of planking along with "
    "the "
    "harbour master's wooden shed. No one was hurt. The barge, which carries "
    "gravel for the new quay, was found on the sandbank at low water with its "
    "lamps still burning. So much was in the Lantern the next day, and so far "
    "nobody disputes it.\n\n"
    "What the Lantern could not know is that the chains had been looked at "
    "before. The chains of the inner basin were laid in 1951 and have never "
    "been "
    "lifted since. Where they could be reached they had lost a third of their "
    "thickness to rust. An engineer's report, typed in 1987 and stamped "
    "“received”, goes on: “We advise that no vessel of more than sixty tonnes "
    "be made fast to them, and that the chains be replaced within five years.” "
    "The barge has two hundred and ten.\n\n"
    "The committee did act once, though on planks and not on chains. It "
    "resolved "
    "that the timbers of the west pier be examined by a diver before the end "
    "of "
    "April, that the planks between the crane and the ice house be replaced at "
    "the cost of the harbour fund, and that no lorry heavier than three tonnes "
    "be "
    "let onto the pier until both were done. Nobody has found the diver's "
    "bill.\n\n"
    "The harbour master has kept carbon copies of his letters. There are "
    "nineteen. “I have written to the committee about that mooring every "
    "spring "
    "since I came, and every spring they have thanked me for my letter.” Asked "
    "what he wants now, he said: a kettle.\n\n"
    "Mrs Marsh, who has chaired the committee for twenty-two years, was "
    "reached "
    "by telephone. She said that she would look into it, and that the line was "
    "very bad.\n\n"
    "The Tidewell Lantern is printed on paper from managed forests. Letters "
    "may "
    "be shortened. The editor is not liable for manuscripts that were sent "
    "without being asked for.";

static void newsroom(struct reports *r)
{
    begin("gull-2016-031", "Who knew about the moorings?",
          "https://gull.example/2016/03/moorings", "2016-03-12", article);
    og_origin *news =
        origin("lantern-2016-014", "Pier closed after night of storm",
               "https://lantern.example/pier-closed", "2016-03-09", lantern);
    og_origin *council = origin("council-1999-02",
                                "Minutes of the harbour committee, 9 February",
                                NULL, "1999-02-09", minutes);
    og_origin *engineer = origin(
        "report-1987", "Report on the moorings of the inner basin",
        "https://archive.example/basin?a=1&b=2", "1987-06-01", report_1987);
    og_origin *foot = origin("lantern-1996-001", "The Tidewell Lantern, No. 1",
                             NULL, "1996-01-06", footer);
    copied(news, "Shortly after two", "still burning", "Shortly after two",
           "still burning");
    copied(engineer, "The chains of the inner", "to rust",
           "The chains of the inner", "to rust");
    copied(engineer, "We advise that", "five years", "We advise that",
           "five years");
    copied(council, "resolved", "both were done", "resolved", "both were done");
    copied(news, "I have written", "for my letter", "I have written",
           "for my letter");
    copied(foot, "The Tidewell Lantern is", "asked for",
           "The Tidewell Lantern is", "asked for");
    copiers(news, 2, "courier-2016-077", "2016-03-10", "harbour-blog-9",
            "2016-03-11");
    copiers(council, 2, "lantern-2000-009", "2000-03-04", "guide-2007",
            "2007-05-20");
    copiers(engineer, 1, "inquiry-1994", "1994-10-02");
    copiers(foot, 9, "lantern-1997", "1997-01-04", "lantern-1999", "1999-01-02",
            "lantern-2001", "2001-01-06", "lantern-2003", "2003-01-04",
            "lantern-2005", "2005-01-01", "lantern-2007", "2007-01-06",
            "lantern-2009", "2009-01-03", "lantern-2011", "2011-01-01",
            "lantern-2013", "2013-01-05");
    f.answer.best_id = bytes_of("courier-2016-077");
    f.answer.best_share = 0.41;
    finish(0);
    add(r);
}

/* ---- other scripts ---- */

static const char arabic_old[] =
    "كان في المدينة القديمة جرس كبير صنعه الأهالي من ملاعق المطابخ بعد أن أخذ "
    "البحر الكنيسة. وفي الليلة الأولى دق الجرس وحده فعاد الصيادون جميعا.";
static const char arabic_new[] =
    "حكاية من الميناء\n\nيقول الشيوخ إن كل شيء بدأ بعاصفة. كان في المدينة "
    "القديمة جرس عظيم صنعه الأهالي من ملاعق المطابخ بعد أن أخذ البحر الكنيسة. "
    "ولا أحد يعرف أين هو اليوم.";
static const char chinese_old[] = "委员会决定在四月底之前由潜水员检查西码头的木"
                                  "桩，并由港口基金支付更换起重机与"
                                  "冰库之间木板的费用。";
static const char chinese_new[] = "本报讯：经过一个冬天的投诉，港口终于有了动静"
                                  "。委员会决定在五月底之前由潜水员"
                                  "检查西码头的木桩，并由港口基金支付更换起重机"
                                  "与冰库之间木板的费用。谁来付潜水"
                                  "员的钱，没有人知道。";
static const char thai_old[] = "เมื่อหมอกหนาเรายังได้ยินเสียงระฆังใต้น้ำนับคนที่กลับบ้าน";
static const char thai_new[] =
    "ยายเล่าให้ฟังว่า เมื่อหมอกหนาเรายังได้ยินเสียงระฆังใต้น้ำนับคนที่กลับบ้าน แล้วเธอก็เปิดหน้าต่าง";

static void scripts(struct reports *r)
{
    begin("hikaya-2", "حكاية من الميناء", NULL, "2012-04-01", arabic_new);
    og_origin *o = origin("hikaya-1", "الجرس", NULL, "2004-01-15", arabic_old);
    copied(o, "كان في المدينة", "البحر الكنيسة", "كان في المدينة",
           "البحر الكنيسة");
    finish(0);
    add(r);

    begin("gangkou-2", "西码头终于要修了", NULL, "2000-03-05", chinese_new);
    o = origin("gangkou-1", "港口委员会会议记录", NULL, "1999-02-09",
               chinese_old);
    copied(o, "委员会决定在", "木板的费用", "委员会决定在", "木板的费用");
    finish(0);
    add(r);

    begin("tale-th-2", NULL, NULL, NULL, thai_new);
    o = origin("tale-th-1", NULL, NULL, NULL, thai_old);
    copied(o, "เมื่อหมอกหนา", "กลับบ้าน", "เมื่อหมอกหนา", "กลับบ้าน");
    finish(0);
    add(r);

    begin("own-1", "A poem of nobody else", NULL, "2015-09-09",
          "The tide writes one line twice a day\nand twice a day thinks better "
          "of it.");
    finish(0);
    add(r);
}

/* ---- labels alone ---- */

static void labels(struct reports *r)
{
    begin("plain-2", NULL, NULL, NULL, article);
    og_origin *o = origin("plain-1", NULL, NULL, "1999-02-09", NULL);
    og_origin *p = origin("plain-0", NULL, NULL, NULL, NULL);
    add_span(o, find(f.doc.text, "Shortly after two", "still burning", 0));
    add_span(p, find(f.doc.text, "that the timbers", "both were done", 0));
    f.spans[1].how = OG_HOW_BRIDGED;
    f.answer.n_origins = 0;
    finish(0);
    add(r);
}

/* ---- hostile text ---- */

#define RLO "\xe2\x80\xae"
#define ATTACK                                                                 \
    "</script></style></textarea></title>--><script>document.title='owned';"   \
    "window.owned=1</script><img src=x onerror=\"window.owned=1\">"            \
    "<svg/onload=window.owned=1> ]]> &lt;b&gt; &#60;script&#62; <!-- " RLO     \
    "txet desrever \xff\xfe \x01\x1b[31m \xef\xbf\xbe end"

static void hostile(struct reports *r)
{
    static const char text[] =
        "before " ATTACK " middle " ATTACK "\r\n\r\nbehind \xe2\x81\xa6isolate";
    begin("id " ATTACK, "title " ATTACK, "javascript:window.owned=1",
          "2010-01-01", text);
    og_origin *o =
        origin("origin " ATTACK, "source " ATTACK,
               "https://x.example/\"><script>window.owned=1</script>",
               "2009-01-01", "there " ATTACK " there too");
    f.doc.text.len = sizeof(text) - 1;
    copied(o, "</script></style>", "end", "</script></style>", "end");
    copiers(o, 1, "copier " ATTACK, "2009-06-01");
    f.answer.n_repaired = 4;
    f.answer.best_id = bytes_of("best " ATTACK);
    finish(0);
    add(r);
}

/* ---- ten megabytes ---- */

static void big(struct reports *r)
{
    enum { LEN = 10 << 20, EVERY = 2100 };
    static const char sentence[] =
        "the sea keeps a ledger of every plank and every promise and ";
    char *text = malloc(LEN + 1), *source = malloc(LEN / 8 + 1);
    must(text != NULL && source != NULL, "no memory");
    for (size_t i = 0; i < LEN; i++)
        text[i] = sentence[i % (sizeof(sentence) - 1)];
    for (size_t i = 700; i < LEN; i += 700 + i % 97)
        text[i] = '\n', text[i + 1] = '\n';
    text[LEN] = '\0';
    memcpy(source, text, LEN / 8);
    source[LEN / 8] = '\0';
    begin("big", "A ledger of ten megabytes", NULL, "2011-01-01", text);
    og_origin *o =
        origin("small", "The first part of it", NULL, "2001-01-01", source);
    for (uint64_t at = 1000; at + 600 < LEN && f.answer.n_spans < 5000;
         at += EVERY) {
        og_span *span = add_span(o, (og_range){at, at + 300});
        if (at + 300 > LEN / 8) continue;
        og_match *match = calloc(1, sizeof(*match));
        must(match != NULL, "no memory");
        *match = (og_match){at, at + 300, at, at + 300};
        span->how = OG_HOW_VERIFIED;
        span->origin_begin = at;
        span->origin_end = at + 300;
        span->matches = match;
        span->n_matches = 1;
        span->score = 1;
    }
    finish(LEN / 5);
    add(r);
    free(text);
    free(source);
}

/* ---- one passage in many places ---- */

static const char first_text[] =
    "Nobody in the harbour knew who had painted the boats white in the night, "
    "but by noon every child had a spot of paint on its nose and every dog "
    "walked as if it were new.";
static const char second_text[] =
    "A letter. Nobody in the harbour knew who had painted the boats white in "
    "the night, but by noon every child had a spot of paint on its nose and "
    "every dog walked as if it were new. So much for letters.";
static const char third_text[] =
    "Another letter. Nobody in the harbour knew who had painted the boats "
    "white in the night, but by noon every child had a spot of paint on its "
    "nose and every dog walked as if it were new. No more of them.";
static const char fourth_text[] =
    "They say that nobody knows: by noon every child had a spot of paint on "
    "its nose and every dog walked as if it were new.";
static const char fifth_text[] =
    "Nobody in the harbour knew who had painted the boats white in the\n"
    "night, but by noon every child had a spot of paint on its nose and\n"
    "every dog walked as if it were new. It was printed by a machine\n"
    "that broke its lines at the same place.\n\n"
    "  boats     white    3\n"
    "  dogs      spotted  1\n"
    "  children  all      9\n\n"
    "The tide comes in,\nthe tide goes out,\nand nobody asks it\nwhy.\n\n"
    "   And a last paragraph that was set in by three columns, as they do\n"
    "   it in the papers that engineers write for each other, and that is\n"
    "   broken in the same way.\n";

static void one_copy(struct reports *r, const char *id, const char *title,
                     const char *date, const char *text, const char *from)
{
    begin(id, title, NULL, date, text);
    og_origin *o =
        origin("first", "The first", NULL, "2001-01-01T08:00:00Z", first_text);
    o->number = 77;
    copied(o, from, "were new", from, "were new");
    finish(0);
    add(r);
}

static void copies(struct reports *r)
{
    begin("first", "The first", NULL, "2001-01-01T08:00:00Z", first_text);
    finish(0);
    add(r);
    one_copy(r, "second", "The second", "2002-01-01", second_text, "Nobody");
    one_copy(r, "third", "The third", "2003-01-01", third_text, "Nobody");
    one_copy(r, "fourth", "The fourth", "2004-01-01", fourth_text, "by noon");
    begin("fifth", "The fifth", NULL, "2001-01-01T17:30:00Z", fifth_text);
    og_origin *o = origin("other", "Another source", NULL, "2000-01-01", NULL);
    o->number = 78;
    add_span(o, find(f.doc.text, "Nobody", "were new", 0));
    finish(0);
    add(r);
}

/* ---- twenty thousand documents ---- */

static void large(const char *folder)
{
    enum { N = 20000 };
    og_report *report = open_report(folder, "large", OG_FORMAT_HTML);
    og_error err = {0};
    for (unsigned i = 1; i <= N; i++) {
        char id[32], title[32], text[1024], from[32];
        snprintf(id, sizeof(id), "entry-%u", i);
        snprintf(title, sizeof(title), "Entry %u", i);
        snprintf(from, sizeof(from), "entry-%u", 1 + i * 7919u % i);
        snprintf(text, sizeof(text),
                 "It was written in the ledger of day %u that the weather of "
                 "place %u was worth %u words. %s And the page was turned.",
                 i, i * 31u % 997u, i % 89u, first_text);
        begin(id, title, NULL, NULL, text);
        f.doc.has_time = true;
        f.doc.time = (int64_t)i * 7 * 3600 * 1000000;
        if (i % 3 != 0) {
            og_origin *o = origin(from, NULL, NULL, "1971-01-01", NULL);
            add_span(o, find(f.doc.text, "Nobody", "were new", 0));
        }
        finish(0);
        must(og_report_add(report, &f.doc, &f.answer, &err) == OG_OK,
             err.message);
        forget();
    }
    must(og_report_close(report, &err) == OG_OK, err.message);
}

static void write_one(const char *folder, const char *name,
                      void (*fill)(struct reports *r))
{
    struct reports r;
    og_error err = {0};
    for (size_t i = 0; i < N_FORMATS; i++)
        r.list[i] = open_report(folder, name, formats[i]);
    fill(&r);
    for (size_t i = 0; i < N_FORMATS; i++)
        must(og_report_close(r.list[i], &err) == OG_OK, err.message);
}

static void many(struct reports *r)
{
    newsroom(r);
    scripts(r);
}

/* The best new sentences, in the forms that have them. */
static void write_novel(const char *folder)
{
    struct reports r = {.list = {NULL}};
    og_error err = {0};
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i] == OG_FORMAT_HTML || formats[i] == OG_FORMAT_JSON)
            r.list[i] = open_report_of(folder, "novel", formats[i], 2);
    many(&r);
    for (size_t i = 0; i < N_FORMATS; i++)
        must(og_report_close(r.list[i], &err) == OG_OK, err.message);
}

int main(int argc, char **argv)
{
    must(argc == 2, "usage: web_fixture FOLDER");
    write_novel(argv[1]);
    write_one(argv[1], "report", newsroom);
    write_one(argv[1], "many", many);
    write_one(argv[1], "labels", labels);
    write_one(argv[1], "hostile", hostile);
    write_one(argv[1], "copies", copies);
    write_one(argv[1], "big", big);
    large(argv[1]);
    return 0;
}
