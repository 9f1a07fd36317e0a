/* One line of JSONL: the scanner, the door that only looks, the fields. All
 * levels of the processor must agree. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/source/json/json.h"
#include "lib/source/json/jsonl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct outcome {
    bool is_object, is_document;
    const char *expected;
    size_t error_off, n_members, n_value_bytes;
};

/* Reads every value, or skips every second one. */
static void read_members(og_bytes line, char *unescaped, bool skips,
                         struct outcome *out)
{
    struct og_json json;
    struct og_json_value value;
    og_bytes key;
    og_json_init(&json, line, unescaped);
    og_json_open(&json);
    while (og_json_next_key(&json, &key)) {
        if (skips && out->n_members % 2 == 1)
            og_json_skip_value(&json);
        else if (og_json_next_value(&json, &value))
            out->n_value_bytes += value.bytes.len;
        out->n_members++;
    }
    out->is_object = og_json_close(&json);
    out->expected = json.expected;
    out->error_off = json.error_off;
    if (out->error_off > line.len) abort();
    if (json.unescaped > unescaped + line.len) abort();
}

static void read_at_level(og_cpu level, og_bytes line, char *unescaped,
                          struct outcome *out)
{
    static const og_fields fields = OG_FIELDS_DEFAULT;
    struct outcome skipping = {0};
    struct og_record record;
    struct og_jsonl_problem problem;
    bool is_cut, is_extra_object;
    *out = (struct outcome){0};
    og_cpu_force(level);
    read_members(line, unescaped, false, out);
    read_members(line, unescaped, true, &skipping);
    if (skipping.is_object != out->is_object ||
        skipping.error_off != out->error_off)
        abort();
    if (og_json_is_object(line, &is_cut) != out->is_object) abort();
    char *const extra = malloc(line.len + 2);
    if (extra == NULL) return;
    out->is_document = og_jsonl_read(line, &fields, unescaped, extra + 1,
                                     &record, &problem) != NULL;
    if (out->is_document) { /* in braces it is an object again */
        extra[0] = '{';
        extra[1 + record.doc.extra.len] = '}';
        is_extra_object = og_json_is_object(
            (og_bytes){extra, record.doc.extra.len + 2}, &is_cut);
        if (!is_extra_object) abort();
    }
    free(extra);
    if (out->is_document && !out->is_object) abort();
    if (!out->is_document && problem.off > line.len) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *const unescaped = malloc(len + OG_SCAN_SLACK);
    const og_bytes line = {(const char *)data, len};
    struct outcome plain, fast;
    if (unescaped == NULL) return 0;
    read_at_level(OG_CPU_PLAIN, line, unescaped, &plain);
    for (int level = OG_CPU_NEON; level <= OG_CPU_AVX512; level++) {
        read_at_level((og_cpu)level, line, unescaped, &fast);
        if (plain.expected != fast.expected ||
            plain.error_off != fast.error_off ||
            plain.n_members != fast.n_members ||
            plain.n_value_bytes != fast.n_value_bytes ||
            plain.is_document != fast.is_document)
            abort();
    }
    free(unescaped);
    return 0;
}
