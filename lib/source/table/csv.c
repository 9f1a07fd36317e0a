#include "lib/source/table/csv.h"

#include <string.h>

#include "lib/source/json/json_edit.h"
#include "lib/source/mail/date.h"

/* A row being parsed. */
struct row {
    const char *at, *end;
    char delimiter;
    char *unescaped;
    bool is_ended;
};

static struct row row_of(og_bytes row, char delimiter, char *unescaped)
{
    while (row.len > 0 &&
           (row.data[row.len - 1] == '\n' || row.data[row.len - 1] == '\r'))
        row.len--;
    return (struct row){row.data, row.data + row.len, delimiter, unescaped,
                        false};
}

/* After a field: the delimiter, or the end of the row. */
static void end_field(struct row *r)
{
    if (r->at == r->end)
        r->is_ended = true;
    else
        r->at++;
}

static og_bytes take_plain(struct row *r)
{
    const char *const begin = r->at;
    const size_t left = (size_t)(r->end - r->at);
    const char *const border = memchr(r->at, r->delimiter, left);
    r->at = border == NULL ? r->end : border;
    const og_bytes field = {begin, (size_t)(r->at - begin)};
    end_field(r);
    return field;
}

static void put_bytes(struct row *r, const char *from, const char *to)
{
    memmove(r->unescaped, from, (size_t)(to - from));
    r->unescaped += to - from;
}

static const char *find_quote(const struct row *r)
{
    if (r->at == r->end) return r->end;
    const char *const quote = memchr(r->at, '"', (size_t)(r->end - r->at));
    return quote == NULL ? r->end : quote;
}

/* From the opening quote on. A view, provided no quote in it is doubled and
 * nothing follows the closing quote. */
static og_bytes take_quoted(struct row *r)
{
    char *const first = r->unescaped;
    const char *piece = ++r->at;
    const char *quote;
    while ((quote = find_quote(r)), r->end - quote > 1 && quote[1] == '"') {
        put_bytes(r, piece, quote + 1);
        piece = r->at = quote + 2;
    }
    r->at = quote == r->end ? quote : quote + 1;
    const bool is_view =
        r->unescaped == first && (r->at == r->end || *r->at == r->delimiter);
    if (!is_view) put_bytes(r, piece, quote);
    const og_bytes rest = take_plain(r);
    if (is_view) return (og_bytes){piece, (size_t)(quote - piece)};
    put_bytes(r, rest.data, rest.data + rest.len);
    return (og_bytes){first, (size_t)(r->unescaped - first)};
}

static og_bytes take_field(struct row *r)
{
    if (r->at < r->end && *r->at == '"') return take_quoted(r);
    return take_plain(r);
}

/* ---- the header ---- */

static og_bytes trim_blanks(og_bytes s)
{
    while (s.len > 0 && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
        s.len--;
    return s;
}

bool og_csv_read_header(og_bytes row, char delimiter, struct og_pack *out)
{
    struct og_pack buffer = {.allocator = out->allocator};
    bool has_name = false;
    out->len = 0;
    if (!OG_GROW(buffer.allocator, buffer.data, buffer.cap, row.len + 1)) {
        out->failed = true;
        return false;
    }
    struct row r = row_of(row, delimiter, (char *)buffer.data);
    while (!r.is_ended) {
        const og_bytes name = trim_blanks(take_field(&r));
        const size_t len = strnlen(name.data, name.len);
        og_pack_bytes(out, name.data, len);
        og_pack_bytes(out, "", 1);
        has_name |= len > 0;
    }
    og_pack_release(&buffer);
    return has_name && !out->failed;
}

bool og_csv_has_column(og_bytes names, const char *name)
{
    const char *const end = names.data + names.len;
    for (const char *p = names.data; p < end; p += strlen(p) + 1)
        if (strcmp(p, name) == 0) return true;
    return false;
}

char og_csv_delimiter(og_bytes header, const char *text, bool *out_has_text,
                      const og_allocator *allocator)
{
    static const char candidates[] = {',', ';', '\t', '|'};
    struct og_pack names = {.allocator = allocator};
    char best = ',';
    size_t most = 0;
    *out_has_text = false;
    for (size_t i = 0; i < sizeof(candidates) && !*out_has_text; i++) {
        const char c = candidates[i];
        size_t n = 0;
        for (size_t k = 0; k < header.len; k++)
            n += header.data[k] == c;
        if (n == 0 || !og_csv_read_header(header, c, &names)) continue;
        const og_bytes list = {(const char *)names.data, names.len};
        *out_has_text = text != NULL && og_csv_has_column(list, text);
        if (n > most || *out_has_text) best = c;
        if (n > most) most = n;
    }
    og_pack_release(&names);
    return best;
}

/* ---- rows ---- */

static bool is_name(const char *column, const char *name)
{
    return name != NULL && strcmp(column, name) == 0;
}

static void add_extra(struct og_pack *extra, const char *name, og_bytes value)
{
    if (extra == NULL || value.len == 0) return;
    if (extra->len > 0) og_pack_bytes(extra, ",", 1);
    og_pack_json_string(extra, (og_bytes){name, strlen(name)});
    og_pack_bytes(extra, ":", 1);
    og_pack_json_string(extra, value);
}

static void put_field(const char *name, og_bytes value, const og_fields *fields,
                      struct og_pack *extra, struct og_record *out,
                      bool *has_text)
{
    if (is_name(name, fields->text)) {
        out->doc.text = value;
        *has_text = true;
    } else if (is_name(name, fields->id)) {
        out->doc.id = value;
    } else if (is_name(name, fields->title)) {
        out->doc.title = value;
    } else if (is_name(name, fields->url)) {
        out->doc.url = value;
    } else if (is_name(name, fields->time)) {
        out->doc.has_time = og_date_of_field(value, false, &out->doc.time);
        out->bad_time = !out->doc.has_time && value.len > 0;
        if (out->doc.has_time) out->doc.time_source = OG_TIME_RECORD;
    } else {
        add_extra(extra, name, value);
    }
}

static void list_columns(og_bytes names, struct og_jsonl_problem *problem)
{
    const char *const end = names.data + names.len;
    for (const char *p = names.data; p < end; p += strlen(p) + 1)
        og_jsonl_list_field(problem, (og_bytes){p, strlen(p)});
}

char *og_csv_read(og_bytes row, char delimiter, og_bytes names,
                  const og_fields *fields, char *unescaped,
                  struct og_pack *extra, struct og_record *out,
                  struct og_jsonl_problem *problem)
{
    static const og_bytes nothing = {"", 0};
    struct row r = row_of(row, delimiter, unescaped);
    const char *name = names.data;
    const char *const names_end = names.data + names.len;
    bool has_text = false, is_odd = false;
    *out = (struct og_record){
        .doc = {
            .id = nothing, .title = nothing, .url = nothing, .text = nothing}};
    *problem = (struct og_jsonl_problem){.message = NULL};
    if (extra != NULL) extra->len = 0;
    while (!r.is_ended) {
        const og_bytes value = take_field(&r);
        if (name == names_end) {
            is_odd |= value.len > 0;
            continue;
        }
        put_field(name, value, fields, extra, out, &has_text);
        name += strlen(name) + 1;
    }
    if (is_odd || name < names_end) {
        problem->message = is_odd ? "the row has more fields than the header"
                                  : "the row has fewer fields than the header";
        list_columns(names, problem);
        return NULL;
    }
    if (!has_text) {
        problem->message = "the record has no text";
        list_columns(names, problem);
        return NULL;
    }
    if (extra != NULL)
        out->doc.extra = (og_bytes){(const char *)extra->data, extra->len};
    return r.unescaped;
}
