#ifndef OG_SOURCE_JSON_JSON_H
#define OG_SOURCE_JSON_JSON_H

/*   in:  the bytes of one JSON object, as on a line of JSONL
 *   out: its members, one at a time                   (lib/source/json/jsonl.h)
 *
 *     struct og_json json;
 *     struct og_json_value value;
 *     og_bytes key;
 *     og_json_init(&json, line, unescaped);
 *     og_json_open(&json);
 *     while (og_json_next_key(&json, &key))
 *         og_json_next_value(&json, &value);
 *     if (!og_json_close(&json)) ... json.expected, json.error_off
 *
 * After the first error every call fails and changes nothing, so it is enough
 * to look once, at the end. */

#include <origo/json.h>
#include <stdbool.h>

#include "lib/base/status.h"
#include "lib/source/json/scan_bytes.h"

/* Values nested deeper are refused: the stack of open brackets has this many
 * bits. */
#define OG_JSON_MAX_DEPTH 1024

struct og_json {
    const char *data, *at, *end;
    char *unescaped; /* where the next string with escapes goes */
    const char *key; /* the opening quote of the last key */
    const struct og_scan_kernels *kernels;
    bool is_first; /* no member has been read yet */
    /* The first error: "expected ':' after a key", NULL if there is none, and
     * its position. error_off == the length: the object was cut. */
    const char *expected;
    size_t error_off;
};

struct og_json_value {
    enum og_json_kind kind;
    og_bytes bytes;
};

/* Views into `data`, which must outlive `json`, or into `unescaped` for
 * strings with escapes. `unescaped` needs room for data.len + OG_SCAN_SLACK
 * bytes: no string grows, and each is written once. */
void og_json_init(struct og_json *json, og_bytes data, char *unescaped);

/* The opening brace. */
bool og_json_open(struct og_json *json);

/* False at the closing brace and after an error. */
bool og_json_next_key(struct og_json *json, og_bytes *out);

/* Must follow each og_json_next_key() that was true. */
bool og_json_next_value(struct og_json *json, struct og_json_value *out);

/* Like it, but only checks whether the value is valid. */
bool og_json_skip_value(struct og_json *json);

/* True if the object was closed, only space follows it and there was no
 * error. */
bool og_json_close(struct og_json *json);

/* The same for an array: its bracket, an item, the end. */
bool og_json_open_array(struct og_json *json);
bool og_json_next_item(struct og_json *json, struct og_json_value *out);
bool og_json_close_array(struct og_json *json);

/* Whether all of `data` is one valid object. On false, *out_is_cut says that it
 * is the beginning of one. */
bool og_json_is_object(og_bytes data, bool *out_is_cut);

/* Whether it is invalid only because of its depth, as far as it was read. */
bool og_json_is_too_deep(og_bytes data);

#endif
