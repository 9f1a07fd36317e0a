/* The list of live segments: manifest.h shows one. */

#define _GNU_SOURCE
#include "lib/disk/manifest.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/disk/old_sum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

enum { TEXT_MOST = 8192 };

/* ---- reading ---- */

struct line {
    char key[16];
    const char *value; /* ends at `end` */
    const char *begin, *end;
};

/* Parses "key value
 *
 * " at *at, and advances *at. */
static bool take_line(const char **at, struct line *out)
{
    const char *end = strchr(*at, '\n');
    if (end == NULL) return false;
    const char *space = memchr(*at, ' ', (size_t)(end - *at));
    if (space == NULL || space == *at || space + 1 == end ||
        (size_t)(space - *at) >= sizeof(out->key))
        return false;
    *out = (struct line){.value = space + 1, .begin = *at, .end = end};
    memcpy(out->key, *at, (size_t)(space - *at));
    *at = end + 1;
    return true;
}

static bool is_key(const struct line *l, const char *key)
{
    return strcmp(l->key, key) == 0;
}

/* The whole value must be a number without a sign. */
static bool parse_number(const char *text, const char *end, int base,
                         uint64_t *out)
{
    const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
    if (text == end || strspn(text, digits) != (size_t)(end - text))
        return false;
    errno = 0;
    *out = strtoull(text, NULL, base);
    return errno == 0;
}

static bool take_segment(struct og_manifest *m, const struct line *l)
{
    const char *space = memchr(l->value, ' ', (size_t)(l->end - l->value));
    if (space == NULL || m->n_segments == OG_SEGMENTS_MOST) return false;
    uint64_t *number = &m->segment[m->n_segments].number;
    uint64_t *sum = &m->segment[m->n_segments].sum;
    m->n_segments++;
    return parse_number(l->value, space, 10, number) && *number != 0 &&
           parse_number(space + 1, l->end, 16, sum);
}

static bool take_field(struct og_manifest *m, const struct line *l,
                       size_t number)
{
    const size_t len = (size_t)(l->end - l->value);
    if (m->n_fields == OG_MANIFEST_FIELDS_MOST ||
        len >= sizeof(m->field[0].value) || og_manifest_get(m, l->key) != NULL)
        return false;
    memcpy(m->field[m->n_fields].key, l->key, sizeof(l->key));
    memcpy(m->field[m->n_fields].value, l->value, len);
    m->field[m->n_fields].value[len] = '\0';
    m->field[m->n_fields++].line = number;
    return true;
}

/* Parses the lines after the first; *out_line: the line that is wrong. */
static bool parse_lines(struct og_manifest *m,
                        const struct og_manifest_kind *kind, const char *text,
                        const char *at, size_t *out_line)
{
    bool has_next = false;
    struct line l;
    for (*out_line = 2; take_line(&at, &l); ++*out_line) {
        uint64_t sum;
        bool good;
        if (is_key(&l, "sum")) {
            const size_t len = (size_t)(l.begin - text);
            return has_next && *at == '\0' &&
                   parse_number(l.value, l.end, 16, &sum) &&
                   sum == (m->version <= kind->old_sum_until
                               ? og_old_sum_text(text, len)
                               : og_checksum(text, len));
        }
        if (is_key(&l, "generation")) {
            good = parse_number(l.value, l.end, 10, &m->generation);
        } else if (is_key(&l, "next")) {
            good = has_next = parse_number(l.value, l.end, 10, &m->next);
        } else if (is_key(&l, "segment") || is_key(&l, "run") ||
                   is_key(&l, "image")) {
            good = take_segment(m, &l);
        } else {
            good = take_field(m, &l, *out_line);
        }
        if (!good) return false;
    }
    return false;
}

/* Parses "origo NAME VERSION
 *
 * "; returns where the next line begins, or NULL. */
static const char *parse_first_line(struct og_manifest *m,
                                    const struct og_manifest_kind *kind,
                                    const char *text)
{
    char begin[40];
    uint64_t version;
    const int n = snprintf(begin, sizeof(begin), "origo %s ", kind->name);
    const char *end = strchr(text, '\n');
    if (end == NULL || strncmp(text, begin, (size_t)n) != 0 ||
        !parse_number(text + n, end, 10, &version) || version == 0 ||
        version > kind->version)
        return NULL;
    m->version = (uint32_t)version;
    return end + 1;
}

og_status og_manifest_parse(struct og_manifest *m,
                            const struct og_manifest_kind *kind, og_bytes text,
                            const char *name, og_error *err)
{
    char copy[TEXT_MOST];
    size_t line;
    const bool fits = text.len < sizeof(copy);
    *m = (struct og_manifest){0};
    if (fits && text.len != 0) memcpy(copy, text.data, text.len);
    copy[fits ? text.len : 0] = '\0';
    const char *at = fits && strlen(copy) == text.len
                         ? parse_first_line(m, kind, copy)
                         : NULL;
    if (at == NULL)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is not of a version that this origo knows: "
                            "line 1 is not 'origo %s' and a number up to %u",
                            name, kind->name, kind->version);
    if (parse_lines(m, kind, copy, at, &line)) return OG_OK;
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: line %zu", name,
                        line);
}

og_status og_manifest_read(struct og_manifest *m,
                           const struct og_manifest_kind *kind,
                           const char *folder, og_error *err)
{
    char path[OG_MANIFEST_PATH_MOST], text[TEXT_MOST];
    size_t len = 0;
    ssize_t n = 0;
    TRY(og_manifest_path(folder, "manifest", path, err));
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0) {
        const int error = errno;
        og_file_failure(err, "open", path, error);
        if (error != ENOENT) return OG_ERR_IO;
        if (err != NULL) err->status = OG_ERR_NO_STORE;
        return OG_ERR_NO_STORE;
    }
    while (len < sizeof(text) &&
           (n = og_file_read(fd, text + len, sizeof(text) - len)) > 0)
        len += (size_t)n;
    const int error = errno;
    close(fd);
    if (n < 0) return og_file_failure(err, "read", path, error);
    return og_manifest_parse(m, kind, (og_bytes){text, len}, path, err);
}

/* ---- writing ---- */

static size_t format_manifest(const struct og_manifest *m,
                              const struct og_manifest_kind *kind,
                              char text[TEXT_MOST])
{
    size_t len = (size_t)snprintf(
        text, TEXT_MOST, "origo %s %" PRIu32 "\ngeneration %" PRIu64 "\n",
        kind->name, kind->version, m->generation);
    for (size_t i = 0; i < m->n_fields; i++)
        len += (size_t)snprintf(text + len, TEXT_MOST - len, "%s %s\n",
                                m->field[i].key, m->field[i].value);
    len += (size_t)snprintf(text + len, TEXT_MOST - len, "next %" PRIu64 "\n",
                            m->next);
    for (size_t i = 0; i < m->n_segments; i++)
        len += (size_t)snprintf(text + len, TEXT_MOST - len,
                                "segment %" PRIu64 " %016" PRIx64 "\n",
                                m->segment[i].number, m->segment[i].sum);
    len += (size_t)snprintf(text + len, TEXT_MOST - len, "sum %016" PRIx64 "\n",
                            og_checksum(text, len));
    return len;
}

og_status og_manifest_write(struct og_manifest *m,
                            const struct og_manifest_kind *kind,
                            const char *folder, og_error *err)
{
    char path[OG_MANIFEST_PATH_MOST], text[TEXT_MOST];
    struct og_new_file file;
    TRY(og_manifest_path(folder, "manifest", path, err));
    m->generation++;
    const size_t len = format_manifest(m, kind, text);
    /* The names of the listed files become durable first. */
    if (og_file_sync_folder(path) != 0)
        return og_file_failure(err, "write", path, errno);
    TRY(og_new_file_open(&file, path, 0666, err));
    og_status status = og_new_file_write(&file, text, len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    if (status == OG_OK) m->version = kind->version;
    return status;
}

/* ---- fields ---- */

void og_manifest_set(struct og_manifest *m, const char *key, const char *value)
{
    size_t i = 0;
    while (i < m->n_fields && strcmp(m->field[i].key, key) != 0)
        i++;
    assert(i < OG_MANIFEST_FIELDS_MOST);
    assert(strlen(key) < sizeof(m->field[i].key) && value[0] != '\0');
    assert(strlen(value) < sizeof(m->field[i].value));
    if (i == m->n_fields) m->n_fields++;
    snprintf(m->field[i].key, sizeof(m->field[i].key), "%s", key);
    snprintf(m->field[i].value, sizeof(m->field[i].value), "%s", value);
}

void og_manifest_set_number(struct og_manifest *m, const char *key,
                            uint64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRIu64, value);
    og_manifest_set(m, key, text);
}

void og_manifest_set_uuid(struct og_manifest *m, const char *key,
                          const uint8_t uuid[OG_MANIFEST_UUID_LEN])
{
    char text[2 * OG_MANIFEST_UUID_LEN + 1];
    for (size_t i = 0; i < OG_MANIFEST_UUID_LEN; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
    og_manifest_set(m, key, text);
}

const char *og_manifest_get(const struct og_manifest *m, const char *key)
{
    for (size_t i = 0; i < m->n_fields; i++)
        if (strcmp(m->field[i].key, key) == 0) return m->field[i].value;
    return NULL;
}

bool og_manifest_get_number(const struct og_manifest *m, const char *key,
                            uint64_t most, uint64_t *out)
{
    const char *value = og_manifest_get(m, key);
    return value != NULL &&
           parse_number(value, value + strlen(value), 10, out) && *out <= most;
}

bool og_manifest_get_uuid(const struct og_manifest *m, const char *key,
                          uint8_t out[OG_MANIFEST_UUID_LEN])
{
    const char *text = og_manifest_get(m, key);
    if (text == NULL || strlen(text) != 2 * OG_MANIFEST_UUID_LEN ||
        strspn(text, "0123456789abcdef") != strlen(text))
        return false;
    for (size_t i = 0; i < OG_MANIFEST_UUID_LEN; i++)
        if (sscanf(text + 2 * i, "%2hhx", &out[i]) != 1) return false;
    return true;
}

og_status og_manifest_bad_field(const struct og_manifest *m, const char *folder,
                                const char *key, og_error *err)
{
    for (size_t i = 0; i < m->n_fields; i++)
        if (strcmp(m->field[i].key, key) == 0)
            return og_error_set(err, OG_ERR_STORE,
                                "'%s/manifest' is damaged: line %zu", folder,
                                m->field[i].line);
    return og_error_set(err, OG_ERR_STORE,
                        "'%s/manifest' is damaged: there is no line '%s'",
                        folder, key);
}

/* ---- the files it names ---- */

og_status og_manifest_path(const char *folder, const char *name,
                           char out[OG_MANIFEST_PATH_MOST], og_error *err)
{
    const int n = snprintf(out, OG_MANIFEST_PATH_MOST, "%s/%s", folder, name);
    if (n > 0 && n < OG_MANIFEST_PATH_MOST) return OG_OK;
    return og_error_set(err, OG_ERR_USAGE, "the path '%.80s...' is too long",
                        folder);
}

og_status og_segment_number_path(const char *folder, const char *prefix,
                                 uint64_t number,
                                 char out[OG_MANIFEST_PATH_MOST], og_error *err)
{
    char name[48];
    snprintf(name, sizeof(name), "%s-%" PRIu64, prefix, number);
    return og_manifest_path(folder, name, out, err);
}

og_status og_manifest_check_segment(const struct og_manifest *m, size_t i,
                                    const char *path, uint64_t sum,
                                    og_error *err)
{
    if (sum == m->segment[i].sum) return OG_OK;
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' is not the segment that its manifest names",
                        path);
}

og_status og_manifest_open_segment(const struct og_manifest *m, size_t i,
                                   const char *folder, const char *prefix,
                                   const struct og_segment_kind *kind,
                                   struct og_segment_file *out,
                                   char out_path[OG_MANIFEST_PATH_MOST],
                                   og_error *err)
{
    TRY(og_segment_number_path(folder, prefix, m->segment[i].number, out_path,
                               err));
    TRY(og_segment_file_open(out, out_path, kind, err));
    const og_status status =
        og_manifest_check_segment(m, i, out_path, out->sum, err);
    if (status != OG_OK) og_segment_file_release(out);
    return status;
}

/* Whether a file is a segment that is not listed, or the beginning of one. */
static bool is_unnamed(const char *name, const char *prefix,
                       const uint64_t *numbers, size_t n)
{
    const size_t len = strlen(prefix);
    char *end;
    if (og_new_file_is_leftover(name)) return true;
    if (strncmp(name, prefix, len) != 0 || name[len] != '-' ||
        name[len + 1] < '0' || name[len + 1] > '9')
        return false;
    const uint64_t number = strtoull(name + len + 1, &end, 10);
    if (strcmp(end, ".new") == 0) return true;
    if (*end != '\0') return false;
    for (size_t i = 0; i < n; i++)
        if (numbers[i] == number) return false;
    return true;
}

void og_segments_delete_unnamed(const char *folder, const char *prefix,
                                const uint64_t *numbers, size_t n)
{
    char path[OG_MANIFEST_PATH_MOST];
    DIR *files = opendir(folder);
    if (files == NULL) return;
    for (struct dirent *file; (file = readdir(files)) != NULL;)
        if (is_unnamed(file->d_name, prefix, numbers, n) &&
            og_manifest_path(folder, file->d_name, path, NULL) == OG_OK)
            unlink(path);
    closedir(files);
}
