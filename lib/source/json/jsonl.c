/* From the members of a JSON object to the fields of a document.
 *
 * Values are kept by field while the object is read, and judged when it is
 * closed: so the last of two equal keys wins, whatever it is, and `null` takes
 * a field back. Numbers are taken where they make sense (an id, a title, the
 * seconds of a time) as the text that stands in the file: 0.10 stays "0.10". */

#include "lib/source/json/jsonl.h"

#include <string.h>

#include "lib/source/json/json.h"

enum field {
    FIELD_ID,
    FIELD_TIME,
    FIELD_TITLE,
    FIELD_URL,
    FIELD_TEXT,
    N_FIELDS
};

struct members {
    struct og_json_value values[N_FIELDS]; /* OG_JSON_NULL: absent */
    const char *places[N_FIELDS];          /* where the value began */
    char *extra; /* NULL: what is no field is passed over */
    size_t extra_len;
};

static bool is_name(og_bytes key, const char *name)
{
    return name != NULL && strlen(name) == key.len &&
           memcmp(name, key.data, key.len) == 0;
}

/* N_FIELDS for a key that nobody asked for. */
static enum field field_of(og_bytes key, const og_fields *fields)
{
    if (is_name(key, fields->id)) return FIELD_ID;
    if (is_name(key, fields->time)) return FIELD_TIME;
    if (is_name(key, fields->title)) return FIELD_TITLE;
    if (is_name(key, fields->url)) return FIELD_URL;
    if (is_name(key, fields->text)) return FIELD_TEXT;
    return N_FIELDS;
}

/* A member that nobody asked for, from its key to the end of its value. Fits:
 * each byte of the line is copied once, a comma for the one in front of it. */
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

static bool read_members(struct og_json *json, const og_fields *fields,
                         struct members *members)
{
    og_bytes key;
    og_json_open(json);
    while (og_json_next_key(json, &key)) {
        const enum field field = field_of(key, fields);
        if (field == N_FIELDS) {
            og_json_skip_value(json);
            add_extra(json, members);
        } else {
            members->places[field] = json->at;
            og_json_next_value(json, &members->values[field]);
        }
    }
    return og_json_close(json);
}

static bool is_string(const struct og_json_value *value)
{
    return value->kind == OG_JSON_STRING;
}

/* A string, or the digits of a number; else nothing. */
static og_bytes text_of(const struct og_json_value *value)
{
    const bool has_text = is_string(value) || value->kind == OG_JSON_NUMBER;
    return has_text ? value->bytes : (og_bytes){"", 0};
}

static void set_time(const struct og_json_value *value, struct og_record *out)
{
    out->doc.has_time = og_time_parse(text_of(value), &out->doc.time);
    out->bad_time = !out->doc.has_time && value->kind != OG_JSON_NULL;
}

char *og_jsonl_read(og_bytes line, const og_fields *fields, char *unescaped,
                    char *extra, struct og_record *out,
                    struct og_jsonl_problem *problem)
{
    struct og_json json;
    struct members members = {.places = {NULL}, .extra = extra};
    og_json_init(&json, line, unescaped);
    *problem = (struct og_jsonl_problem){NULL, 0};
    if (!read_members(&json, fields, &members)) {
        *problem = (struct og_jsonl_problem){json.expected, json.error_off};
        return NULL;
    }
    const struct og_json_value *const values = members.values;
    if (!is_string(&values[FIELD_TEXT])) {
        const char *const place = members.places[FIELD_TEXT];
        problem->off = place == NULL ? 0 : (size_t)(place - line.data);
        problem->message = values[FIELD_TEXT].kind == OG_JSON_NULL
                               ? "the record has no text"
                               : "the text of the record is no string";
        return NULL;
    }
    *out = (struct og_record){.doc.text = values[FIELD_TEXT].bytes};
    out->doc.id = text_of(&values[FIELD_ID]);
    out->doc.title = text_of(&values[FIELD_TITLE]);
    out->doc.url = text_of(&values[FIELD_URL]);
    out->doc.extra = (og_bytes){extra, members.extra_len};
    set_time(&values[FIELD_TIME], out);
    return json.unescaped;
}
