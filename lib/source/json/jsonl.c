/* From the members of a JSON object to the fields of a document.
 *
 * Values are collected by field while the object is read, and checked once it
 * is closed: so the last of two equal keys wins, whatever its type, and `null`
 * removes a field. Numbers are accepted where they make sense (an id, a title,
 * the seconds of a time) as the text in the file: 0.10 stays "0.10".
 *
 * The name of a field may be a path, "doc.body": the member `body` of the
 * object `doc`. A key that itself contains the dots takes precedence. */

#include "lib/source/json/jsonl.h"

#include <stdio.h>
#include <string.h>

#include "lib/source/json/json.h"
#include "lib/source/mail/date.h"

enum field {
    FIELD_ID,
    FIELD_TIME,
    FIELD_TITLE,
    FIELD_URL,
    FIELD_TEXT,
    FIELD_TIME_SOURCE, /* how an export says where the time is from */
    N_FIELDS
};

/* The rest of each field's name inside the current object; NULL: the field is
 * not in it. */
struct names {
    const char *of[N_FIELDS];
    bool has_dots; /* one of them is a path */
};

struct members {
    struct og_json_value values[N_FIELDS]; /* OG_JSON_NULL: absent */
    const char *places[N_FIELDS];          /* where the value began */
    char *extra;                           /* NULL: other members are skipped */
    size_t extra_len;
};

static void set_names(const og_fields *fields, struct names *out)
{
    *out = (struct names){{fields->id, fields->time, fields->title, fields->url,
                           fields->text, "time_source"},
                          false};
    for (int i = 0; i < N_FIELDS; i++)
        if (out->of[i] != NULL && strchr(out->of[i], '.') != NULL)
            out->has_dots = true;
}

static bool is_name(og_bytes key, const char *name)
{
    return name != NULL && strlen(name) == key.len &&
           memcmp(name, key.data, key.len) == 0;
}

/* N_FIELDS for a key that is not a field. */
static enum field field_of(og_bytes key, const struct names *names)
{
    for (int i = 0; i < N_FIELDS; i++)
        if (is_name(key, names->of[i])) return (enum field)i;
    return N_FIELDS;
}

/* Whether paths continue below this key, and the rest of their names. */
static bool names_below(og_bytes key, const struct names *names,
                        struct names *out)
{
    bool is_any = false;
    *out = (struct names){.has_dots = false};
    for (int i = 0; i < N_FIELDS; i++) {
        const char *const name = names->of[i];
        if (name == NULL || strlen(name) <= key.len ||
            memcmp(name, key.data, key.len) != 0 || name[key.len] != '.')
            continue;
        out->of[i] = name + key.len + 1;
        out->has_dots |= strchr(out->of[i], '.') != NULL;
        is_any = true;
    }
    return is_any;
}

/* A member that is not a field, from its key to the end of its value. It fits:
 * each byte of the line is copied once, and the comma before it is one. */
static void add_extra(const struct og_json *json, struct members *members)
{
    if (members->extra == NULL || json->expected != NULL) return;
    char *const end = members->extra + members->extra_len;
    const size_t comma_len = members->extra_len > 0;
    const size_t len = (size_t)(json->at - json->key);
    end[0] = ',';
    memcpy(end + comma_len, json->key, len);
    members->extra_len += comma_len + len;
}

static void read_object(struct og_json *json, const struct names *names,
                        bool is_top, struct members *members);

/* The object after a key that begins a path. It is valid: the value was checked
 * as a whole. It also remains among the other members, for it may contain more.
 * The depth is the number of dots in the name. */
static void read_below(struct og_json *json, const struct names *names,
                       bool is_top, struct members *members)
{
    struct og_json_value value;
    struct og_json inner;
    if (!og_json_next_value(json, &value)) return;
    if (is_top) add_extra(json, members);
    if (value.kind != OG_JSON_OBJECT) return;
    og_json_init(&inner, value.bytes, json->unescaped);
    read_object(&inner, names, false, members);
    json->unescaped = inner.unescaped;
}

static void read_object(struct og_json *json, const struct names *names,
                        bool is_top, struct members *members)
{
    og_bytes key;
    struct names below;
    og_json_open(json);
    while (og_json_next_key(json, &key)) {
        const enum field field = field_of(key, names);
        if (field != N_FIELDS) {
            members->places[field] = json->at;
            og_json_next_value(json, &members->values[field]);
        } else if (names->has_dots && names_below(key, names, &below)) {
            read_below(json, &below, is_top, members);
        } else {
            og_json_skip_value(json);
            if (is_top) add_extra(json, members);
        }
    }
}

static bool is_string(const struct og_json_value *value)
{
    return value->kind == OG_JSON_STRING;
}

/* A string, or the digits of a number; otherwise nothing. */
static og_bytes text_of(const struct og_json_value *value)
{
    const bool has_text = is_string(value) || value->kind == OG_JSON_NUMBER;
    return has_text ? value->bytes : (og_bytes){"", 0};
}

static void set_time(const struct og_json_value *values, struct og_record *out)
{
    const struct og_json_value *const value = &values[FIELD_TIME];
    og_document *const doc = &out->doc;
    doc->has_time = og_date_of_field(text_of(value),
                                     value->kind == OG_JSON_NUMBER, &doc->time);
    out->bad_time = !doc->has_time && value->kind != OG_JSON_NULL;
    if (!doc->has_time) return;
    doc->time_source = OG_TIME_RECORD;
    og_time_source_parse(text_of(&values[FIELD_TIME_SOURCE]),
                         &doc->time_source);
}

/* ---- errors of a line ---- */

void og_jsonl_list_field(struct og_jsonl_problem *problem, og_bytes name)
{
    enum { LONGEST = 40 };
    const size_t len = strlen(problem->fields);
    const size_t room = sizeof(problem->fields) - len;
    const bool is_long = name.len > LONGEST;
    const int n = (int)(is_long ? LONGEST : name.len);
    if (room < (size_t)n + sizeof(", ..., ...")) {
        if (len > 4 && strcmp(problem->fields + len - 3, "...") != 0)
            snprintf(problem->fields + len, room, ", ...");
        return;
    }
    snprintf(problem->fields + len, room, "%s%.*s%s", len > 0 ? ", " : "", n,
             name.data, is_long ? "..." : "");
}

/* Lists the names of the members, so that the user can choose the right one. */
static void list_fields(og_bytes line, char *unescaped,
                        struct og_jsonl_problem *problem)
{
    struct og_json json;
    og_bytes key;
    og_json_init(&json, line, unescaped);
    og_json_open(&json);
    while (og_json_next_key(&json, &key)) {
        og_jsonl_list_field(problem, key);
        og_json_skip_value(&json);
    }
}

static void miss_text(og_bytes line, char *unescaped,
                      const struct members *members,
                      struct og_jsonl_problem *problem)
{
    const char *const place = members->places[FIELD_TEXT];
    const bool is_inside = place >= line.data && place < line.data + line.len;
    problem->off = is_inside ? (size_t)(place - line.data) : 0;
    problem->message = members->values[FIELD_TEXT].kind == OG_JSON_NULL
                           ? "the record has no text"
                           : "the text of the record is not a string";
    list_fields(line, unescaped, problem);
}

char *og_jsonl_read(og_bytes line, const og_fields *fields, char *unescaped,
                    char *extra, struct og_record *out,
                    struct og_jsonl_problem *problem)
{
    struct og_json json;
    struct names names;
    struct members members = {.places = {NULL}, .extra = extra};
    set_names(fields, &names);
    og_json_init(&json, line, unescaped);
    problem->message = NULL;
    problem->off = 0;
    problem->fields[0] = 0;
    read_object(&json, &names, true, &members);
    if (!og_json_close(&json)) {
        problem->message = json.expected;
        problem->off = json.error_off;
        return NULL;
    }
    const struct og_json_value *const values = members.values;
    if (!is_string(&values[FIELD_TEXT])) {
        miss_text(line, unescaped, &members, problem);
        return NULL;
    }
    *out = (struct og_record){.doc.text = values[FIELD_TEXT].bytes};
    out->doc.id = text_of(&values[FIELD_ID]);
    out->doc.title = text_of(&values[FIELD_TITLE]);
    out->doc.url = text_of(&values[FIELD_URL]);
    out->doc.extra = (og_bytes){extra, members.extra_len};
    set_time(values, out);
    return json.unescaped;
}
