/* The types that an option can have: text to value, and back for the help.
 *
 * Numbers take k M G T (powers of 1000) and Ki Mi Gi Ti (powers of 1024),
 * optionally with a fraction: 1.5G. They are shown in the largest unit that
 * divides them, so that the values in the help can be typed in again. */

#include "number.h"
#include "options.h"

#include <origo/origo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static og_bytes view(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

/* ---- flags, strings, numbers ---- */

static bool parse_flag(const struct option *o, const char *s, void *out)
{
    (void)o, (void)s;
    *(bool *)out = true;
    return true;
}

static void show_flag(const struct option *o, const void *value, char *out,
                      size_t out_cap)
{
    (void)o, (void)value;
    snprintf(out, out_cap, "%s", "");
}

static bool parse_string(const struct option *o, const char *s, void *out)
{
    (void)o;
    *(const char **)out = s;
    return s[0] != '\0';
}

static void show_string(const struct option *o, const void *value, char *out,
                        size_t out_cap)
{
    const char *s = *(const char *const *)value;
    snprintf(out, out_cap, "%s", s != NULL ? s : o->unset ? o->unset : "");
}

static bool parse_strings(const struct option *o, const char *s, void *out)
{
    struct string_list *list = out;
    (void)o;
    if (s[0] == '\0' || list->n == MOST_STRINGS) return false;
    list->items[list->n++] = s;
    return true;
}

static void show_strings(const struct option *o, const void *value, char *out,
                         size_t out_cap)
{
    (void)value;
    snprintf(out, out_cap, "%s", o->unset != NULL ? o->unset : "");
}

static bool parse_count(const struct option *o, const char *s, void *out)
{
    (void)o;
    uint64_t n;
    if (!number_parse(s, &n) || n > UINT32_MAX) return false;
    *(uint32_t *)out = (uint32_t)n;
    return true;
}

static void show_count(const struct option *o, const void *value, char *out,
                       size_t out_cap)
{
    const uint32_t n = *(const uint32_t *)value;
    if (n == 0 && o->unset != NULL)
        snprintf(out, out_cap, "%s", o->unset);
    else
        snprintf(out, out_cap, "%u", (unsigned)n);
}

static bool parse_size(const struct option *o, const char *s, void *out)
{
    (void)o;
    return number_parse(s, out);
}

static void show_size(const struct option *o, const void *value, char *out,
                      size_t out_cap)
{
    (void)o;
    number_show(*(const uint64_t *)value, out, out_cap);
}

static bool parse_weight(const struct option *o, const char *s, void *out)
{
    (void)o;
    char *end;
    /* Digits first: strtod would accept blanks, signs, "nan" and "inf". */
    if (s[0] < '0' || s[0] > '9') return false;
    const double weight = strtod(s, &end);
    if (*end != '\0' || !(weight <= 1e9)) return false;
    *(double *)out = weight;
    return true;
}

static void show_weight(const struct option *o, const void *value, char *out,
                        size_t out_cap)
{
    (void)o;
    snprintf(out, out_cap, "%g", *(const double *)value);
}

/* ---- choices ---- */

static bool parse_choice(const struct option *o, const char *s, void *out)
{
    const size_t len = strlen(s);
    int index = 0;
    for (const char *name = o->choices; name != NULL; index++) {
        const char *bar = strchr(name, '|');
        const size_t name_len = bar ? (size_t)(bar - name) : strlen(name);
        if (name_len == len && memcmp(name, s, len) == 0) {
            *(int *)out = index;
            return true;
        }
        name = bar ? bar + 1 : NULL;
    }
    return false;
}

static void show_choice(const struct option *o, const void *value, char *out,
                        size_t out_cap)
{
    const char *name = o->choices;
    int index = *(const int *)value;
    if (index < 0) {
        snprintf(out, out_cap, "%s", o->unset ? o->unset : "");
        return;
    }
    for (; index > 0; index--)
        name = strchr(name, '|') + 1;
    snprintf(out, out_cap, "%.*s", (int)strcspn(name, "|"), name);
}

/* ---- names of the library ---- */

static bool parse_select(const struct option *o, const char *s, void *out)
{
    (void)o;
    return og_select_parse(view(s), out);
}

static void show_select(const struct option *o, const void *value, char *out,
                        size_t out_cap)
{
    (void)o;
    char name[16];
    og_select_name(value, name);
    snprintf(out, out_cap, "%s", name);
}

/* The others differ in their enum only. */
#define NAMED_TYPE(what, kind)                                                 \
    static bool parse_##what(const struct option *o, const char *s, void *out) \
    {                                                                          \
        (void)o;                                                               \
        return og_##what##_parse(view(s), (kind *)out);                        \
    }                                                                          \
    static void show_##what(const struct option *o, const void *value,         \
                            char *out, size_t out_cap)                         \
    {                                                                          \
        (void)o;                                                               \
        snprintf(out, out_cap, "%s", og_##what##_name(*(const kind *)value));  \
    }

NAMED_TYPE(evict, og_evict_kind)
NAMED_TYPE(estimate, og_estimate_kind)
NAMED_TYPE(layout, og_layout_kind)
NAMED_TYPE(token, og_token_kind)
NAMED_TYPE(feature, og_feature_kind)
NAMED_TYPE(tf, og_tf_kind)
NAMED_TYPE(file_kind, og_file_kind)

/* ---- the table ---- */

const struct option_type type_flag = {false, "nothing", parse_flag, show_flag};
const struct option_type type_string = {true, "a name", parse_string,
                                        show_string};
const struct option_type type_strings = {true, "a name", parse_strings,
                                         show_strings};
const struct option_type type_count = {true, "a whole number", parse_count,
                                       show_count};
const struct option_type type_size = {true, "a size in bytes like 64M or 1Gi",
                                      parse_size, show_size};
const struct option_type type_choice = {true, "one of its values", parse_choice,
                                        show_choice};
const struct option_type type_select = {
    true, "a selection like All, 4th, M4, W8 or Hs", parse_select, show_select};
const struct option_type type_evict = {true, "R, LRU, CC, LS, S3 or thin",
                                       parse_evict, show_evict};
const struct option_type type_estimate = {true, "NB, E, B, BE or CX",
                                          parse_estimate, show_estimate};
const struct option_type type_layout = {true, "packed or paper", parse_layout,
                                        show_layout};
const struct option_type type_tokens = {true, "words, chars, lines or dna",
                                        parse_token, show_token};
const struct option_type type_features = {true, "tokens, phrases, wrap or spot",
                                          parse_feature, show_feature};
const struct option_type type_tf = {true, "count, log or one", parse_tf,
                                    show_tf};
const struct option_type type_file_kind = {
    true,
    "auto, text, jsonl, json, csv, tsv, html, warc, arc, mbox, mail or xml",
    parse_file_kind, show_file_kind};
const struct option_type type_weight = {true, "a number like 2 or 0.5",
                                        parse_weight, show_weight};
