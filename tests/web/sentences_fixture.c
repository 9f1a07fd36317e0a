/* Writes the pages of reused sentences that the browser tests look at:
 * sentences_fixture FOLDER. Each as HTML and as JSON:
 *
 *     sentences          a column that takes up sentences of three papers
 *     sentences-hostile  markup in names and texts */

#include <origo/origo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static og_error err;

static void must(og_status status)
{
    if (status == OG_OK) return;
    fprintf(stderr, "sentences_fixture: %s\n", err.message);
    exit(1);
}

static og_document document(const char *id, const char *title, const char *date,
                            const char *text)
{
    int64_t time = 0;
    if (!og_time_parse((og_bytes){date, strlen(date)}, &time)) exit(1);
    return (og_document){.id = {id, strlen(id)},
                         .title = {title, strlen(title)},
                         .text = {text, strlen(text)},
                         .time = time,
                         .has_time = true};
}

static void write_page(const char *folder, const char *name,
                       const og_document *old, size_t n_old,
                       const og_document *column)
{
    static const struct {
        og_format format;
        const char *ending;
    } forms[] = {{OG_FORMAT_HTML, "html"}, {OG_FORMAT_JSON, "json"}};
    og_store *store;
    const og_store_options options = {.indexes = OG_INDEX_SENTENCES};
    const og_quotes *quotes;
    must(og_store_open(":memory:", OG_CREATE, &options, &store, &err));
    for (size_t i = 0; i < n_old; i++)
        must(og_store_add(store, &old[i], NULL, &err));
    must(og_store_quote(store, column, NULL, &quotes, &err));
    for (unsigned i = 0; i < 2; i++) {
        char path[4096];
        og_report_options form = og_report_options_default();
        og_report *report;
        form.format = forms[i].format;
        form.sentences = true;
        snprintf(path, sizeof(path), "%s/%s.%s", folder, name, forms[i].ending);
        must(og_report_open(path, &form, &report, &err));
        must(og_report_add_quotes(report, column, quotes, &err));
        must(og_report_close(report, &err));
    }
    must(og_store_close(store, &err));
}

static void papers(const char *folder)
{
    const og_document old[] = {
        document("gull-3", "", "2016-03-10",
                 "A barge struck the west pier of the harbour in the night! "
                 "The planks are to be replaced at the cost of the harbour "
                 "fund."),
        document("lantern-14", "Pier closed after night of storm", "2016-03-09",
                 "The west pier of the harbour was struck by a barge in the "
                 "night. Nobody was hurt, the harbour master told this paper. "
                 "His kettle is lost."),
        document("minutes-2", "Minutes, 9 February", "2016-02-09",
                 "Resolved that the planks be replaced at the cost of the "
                 "harbour fund before the end of April. Mr Orr asked that his "
                 "doubts about the fund be recorded."),
    };
    const og_document column = document(
        "column", "Who knew about the moorings?", "2016-03-15",
        "Who knew? The west pier of the harbour was struck by a barge "
        "yesterday in the night. I was asleep, as were all of my neighbours "
        "in this street.\n\n"
        "The planks are to be replaced soon at the cost of the harbour "
        "fund. Mr Orr asked that his doubts about the fund be recorded. So "
        "do I.");
    write_page(folder, "sentences", old, 3, &column);
}

static void hostile(const char *folder)
{
    static const char text[] =
        "Look at this <img src=x onerror=alert(1)> of the old harbour & pier.";
    const og_document old = document(
        "\"><b>", "</bdi><script>alert(2)</script>", "2001-01-01", text);
    const og_document column =
        document("' onclick='alert(3)", "<style>*{display:none}</style>",
                 "2002-01-01", text);
    write_page(folder, "sentences-hostile", &old, 1, &column);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: sentences_fixture FOLDER\n");
        return 1;
    }
    papers(argv[1]);
    hostile(argv[1]);
    return 0;
}
