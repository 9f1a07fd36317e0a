/* Reports every member or item to a callback. */

#include <origo/json.h>

#include "lib/base/memory.h"
#include "lib/source/json/json.h"

static bool is_array(og_bytes json)
{
    size_t i = 0;
    while (i < json.len && (json.data[i] == ' ' || json.data[i] == '\t' ||
                            json.data[i] == '\r' || json.data[i] == '\n'))
        i++;
    return i < json.len && json.data[i] == '[';
}

static bool next_value(struct og_json *json, bool is_item, og_bytes *out_name,
                       struct og_json_value *out)
{
    *out_name = (og_bytes){"", 0};
    if (is_item) return og_json_next_item(json, out);
    return og_json_next_key(json, out_name) && og_json_next_value(json, out);
}

static og_status visit_all(struct og_json *json, bool is_item,
                           og_json_fn *on_value, void *ctx, og_error *err)
{
    struct og_json_value value;
    og_bytes name;
    (void)(is_item ? og_json_open_array(json) : og_json_open(json));
    while (next_value(json, is_item, &name, &value))
        if (!on_value(ctx, name, value.kind, value.bytes))
            return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
    if (is_item ? og_json_close_array(json) : og_json_close(json)) return OG_OK;
    og_error_set(err, OG_ERR_INPUT, "%s, at byte %zu", json->expected,
                 json->error_off);
    return og_error_place(err, OG_ERR_INPUT, "", 0, json->error_off);
}

og_status og_json_each(og_bytes json, og_json_fn *on_value, void *ctx,
                       og_error *err)
{
    struct og_json scanner;
    char *unescaped = NULL;
    size_t cap = 0;
    if (!OG_GROW(NULL, unescaped, cap, json.len + OG_SCAN_SLACK))
        return og_error_memory(err, json.len, "the strings of JSON");
    og_json_init(&scanner, json, unescaped);
    const og_status status =
        visit_all(&scanner, is_array(json), on_value, ctx, err);
    OG_UNGROW(NULL, unescaped, cap);
    return status;
}
