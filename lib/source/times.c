#define _GNU_SOURCE /* qsort_r */
#include "lib/source/times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/packing.h"
#include "lib/source/block.h"
#include "lib/source/json/json_edit.h"
#include "lib/source/mail/date.h"

/* Offsets in og_times.bytes. */
struct entry {
    size_t key, key_len, title, title_len, url, url_len;
    int64_t time;
    bool has_time;
};

struct og_times {
    const og_allocator *allocator;
    const char *pattern;   /* NULL: none */
    struct entry *entries; /* by key */
    size_t n, cap;
    struct og_pack bytes;
};

/* ---- patterns ---- */

struct parts {
    int year, month, day, hour, minute, second;
};

static bool take_digits(const char **name, int n, int *out)
{
    int value = 0;
    for (int i = 0; i < n; i++) {
        const char c = (*name)[i];
        if (c < '0' || c > '9') return false;
        value = value * 10 + (c - '0');
    }
    *out = value;
    *name += n;
    return true;
}

static bool take_part(char what, const char **name, struct parts *p)
{
    switch (what) {
    case 'Y': return take_digits(name, 4, &p->year);
    case 'm': return take_digits(name, 2, &p->month);
    case 'd': return take_digits(name, 2, &p->day);
    case 'H': return take_digits(name, 2, &p->hour);
    case 'M': return take_digits(name, 2, &p->minute);
    case 'S': return take_digits(name, 2, &p->second);
    case '%': return *(*name)++ == '%';
    default: return false;
    }
}

/* Matches the pattern against a prefix of the name. A star takes as little as
 * possible. Only the last star need be backtracked to: after a later one, all
 * earlier choices are equally good. */
static bool begins_so(const char *pattern, const char *name, struct parts *out)
{
    const char *star = NULL, *star_name = NULL;
    struct parts p = *out, at_star = p;
    while (*pattern != 0) {
        if (*pattern == '*') {
            star = ++pattern;
            star_name = name;
            at_star = p;
            continue;
        }
        const char *next = name;
        bool is_fine;
        if (*pattern == '%' && pattern[1] != 0)
            is_fine = *name != 0 && take_part(pattern[1], &next, &p);
        else
            is_fine = *next != 0 && (*pattern == '?' || *pattern == *next++);
        if (*pattern == '?' && is_fine) next++;
        if (is_fine) {
            pattern += *pattern == '%' && pattern[1] != 0 ? 2 : 1;
            name = next;
            continue;
        }
        if (star == NULL || *star_name == 0) return false;
        name = ++star_name;
        pattern = star;
        p = at_star;
    }
    *out = p;
    return true;
}

bool og_times_match(const char *pattern, const char *name, int64_t *out)
{
    for (; *name != 0; name++) {
        struct parts p = {.year = -1, .month = 1, .day = 1};
        char text[64];
        if (!begins_so(pattern, name, &p)) continue;
        const int len =
            snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ",
                     p.year, p.month, p.day, p.hour, p.minute, p.second);
        if (og_time_parse((og_bytes){text, (size_t)len}, out)) return true;
    }
    return false;
}

/* ---- the list ---- */

static size_t put(struct og_times *t, og_bytes s)
{
    const size_t at = t->bytes.len;
    og_pack_bytes(&t->bytes, s.data, s.len);
    return at;
}

/* "path" also identifies a document. */
static og_bytes key_of(const og_document *doc, struct og_pack *scratch)
{
    og_bytes raw;
    scratch->len = 0;
    og_pack_text(scratch, "{");
    og_pack_bytes(scratch, doc->extra.data, doc->extra.len);
    og_pack_text(scratch, "}");
    const og_bytes object = {(const char *)scratch->data, scratch->len};
    const size_t need = 2 * scratch->len + OG_BLOCK_PADDING;
    if (scratch->failed ||
        !OG_GROW(scratch->allocator, scratch->data, scratch->cap, need))
        return doc->id;
    const og_bytes line = {(const char *)scratch->data, object.len};
    if (!og_json_member(line, "path", (char *)scratch->data + object.len,
                        &raw) ||
        raw.len < 2 || raw.data[0] != '"')
        return doc->id;
    return (og_bytes){raw.data + 1, raw.len - 2};
}

static og_status add_entry(struct og_times *t, const struct og_record *r,
                           struct og_pack *scratch, og_error *err)
{
    const og_document *const doc = &r->doc;
    const og_bytes key = key_of(doc, scratch);
    if (!OG_GROW(t->allocator, t->entries, t->cap, t->n + 1))
        return og_error_memory(err, sizeof(*t->entries), "a list of times");
    struct entry e = {.key_len = key.len,
                      .title_len = doc->title.len,
                      .url_len = doc->url.len};
    e.has_time = og_date_of_field(doc->text, false, &e.time);
    if (!e.has_time && doc->text.len > 0)
        return og_error_set(
            err, OG_ERR_INPUT,
            "the list of times, line %llu: '%.*s' is not a known date",
            (unsigned long long)r->line,
            doc->text.len < 60 ? (int)doc->text.len : 60, doc->text.data);
    e.key = put(t, key);
    e.title = put(t, doc->title);
    e.url = put(t, doc->url);
    if (t->bytes.failed)
        return og_error_memory(err, t->bytes.len, "a list of times");
    t->entries[t->n++] = e;
    return OG_OK;
}

static og_status add_block(struct og_times *t, struct og_block *block,
                           const struct og_source_options *options,
                           struct og_pack *scratch, og_error *err)
{
    struct og_record record;
    og_status status;
    while ((status = og_block_next(block, options, &record, err)) == OG_OK)
        TRY(add_entry(t, &record, scratch, err));
    if (status != OG_END) return status;
    if (block->n_problems == 0) return OG_OK;
    const struct og_source_problem *const p = &block->problems[0];
    return og_error_set(err, p->status == OG_OK ? OG_ERR_INPUT : p->status,
                        "the list of times '%s', line %llu: %s",
                        og_shown_path(block->file, 80),
                        (unsigned long long)p->line, p->message);
}

/* Read like documents, with the time as text. */
static og_status read_list(struct og_times *t, const char *path, og_error *err)
{
    const struct og_source_options options = {
        .fields = {.id = "id", .title = "title", .url = "url", .text = "time"},
        .reading = {.extra = true}};
    struct og_pack scratch = {.allocator = t->allocator};
    struct og_source *source = NULL;
    struct og_block block;
    og_block_init(&block, t->allocator);
    og_status status =
        og_source_new(&path, 1, &options, t->allocator, &source, err);
    while (status == OG_OK &&
           (status = og_source_next(source, &block, err)) == OG_OK)
        status = add_block(t, &block, &options, &scratch, err);
    og_source_free(source);
    og_block_release(&block);
    og_pack_release(&scratch);
    return status == OG_END ? OG_OK : status;
}

static int compare_keys(const char *a, size_t a_len, const char *b,
                        size_t b_len)
{
    const int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

/* Of equal keys the last line counts. */
static int by_key(const void *a, const void *b, void *ctx)
{
    const struct entry *const x = a, *const y = b;
    const char *const bytes = ctx;
    const int order =
        compare_keys(bytes + x->key, x->key_len, bytes + y->key, y->key_len);
    return order != 0 ? order : (x->key < y->key) - (x->key > y->key);
}

static const struct entry *find(const struct og_times *t, og_bytes key)
{
    const char *const bytes = (const char *)t->bytes.data;
    size_t low = 0, high = t->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct entry *const e = &t->entries[mid];
        if (compare_keys(bytes + e->key, e->key_len, key.data, key.len) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == t->n) return NULL;
    const struct entry *const e = &t->entries[low];
    return compare_keys(bytes + e->key, e->key_len, key.data, key.len) == 0
               ? e
               : NULL;
}

/* ---- both ---- */

og_status og_times_new(const og_reading *reading, const og_allocator *allocator,
                       struct og_times **out, og_error *err)
{
    *out = NULL;
    if (reading->times == NULL && reading->time_from_name == NULL) return OG_OK;
    if (reading->time_from_name != NULL &&
        strstr(reading->time_from_name, "%Y") == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "the pattern '%.100s' has no year, %%Y",
                            reading->time_from_name);
    struct og_times *const t = og_allocate_zero(allocator, sizeof(*t));
    if (t == NULL) return og_error_memory(err, sizeof(*t), "times");
    t->allocator = t->bytes.allocator = allocator;
    t->pattern = reading->time_from_name;
    const og_status status =
        reading->times == NULL ? OG_OK : read_list(t, reading->times, err);
    if (status != OG_OK) {
        og_times_free(t);
        return status;
    }
    if (t->n > 0)
        qsort_r(t->entries, t->n, sizeof(*t->entries), by_key, t->bytes.data);
    *out = t;
    return OG_OK;
}

void og_times_free(struct og_times *t)
{
    if (t == NULL) return;
    OG_UNGROW(t->allocator, t->entries, t->cap);
    og_pack_release(&t->bytes);
    og_release(t->allocator, t, sizeof(*t));
}

static const struct entry *find_any(const struct og_times *t, const char *file,
                                    og_bytes id)
{
    const char *const slash = strrchr(file, '/');
    const struct entry *e = find(t, id);
    if (e == NULL) e = find(t, (og_bytes){file, strlen(file)});
    if (e == NULL && slash != NULL)
        e = find(t, (og_bytes){slash + 1, strlen(slash + 1)});
    return e;
}

void og_times_apply(const struct og_times *t, const char *file,
                    og_document *doc)
{
    if (t == NULL) return;
    const char *const bytes = (const char *)t->bytes.data;
    const struct entry *const e = find_any(t, file, doc->id);
    if (e != NULL && e->title_len > 0)
        doc->title = (og_bytes){bytes + e->title, e->title_len};
    if (e != NULL && e->url_len > 0)
        doc->url = (og_bytes){bytes + e->url, e->url_len};
    if (e != NULL && e->has_time) {
        doc->time = e->time;
        doc->has_time = true;
        doc->time_source = OG_TIME_RECORD;
        doc->time_zone = 0;
        return;
    }
    const bool is_open = !doc->has_time || doc->time_source == OG_TIME_FILE;
    if (t->pattern == NULL || !is_open ||
        !og_times_match(t->pattern, file, &doc->time))
        return;
    doc->has_time = true;
    doc->time_source = OG_TIME_ADDRESS;
}
