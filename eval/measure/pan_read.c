/* Reads a PAN corpus: its pairs, and the passages that were copied in each.
 *
 * The XML files have only one form, a document element with features, of which
 * only the attributes are needed; so they are scanned for attributes, not
 * parsed:
 *
 *     <document reference="suspicious-document00005.txt">
 *     <feature name="plagiarism" this_offset="3593" this_length="698"
 *         source_reference="source-document01090.txt" source_offset="1300"
 *         source_length="698" ... />
 *     </document> */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/measure/pan.h"
#include "lib/base/bits.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"

/* ---- names ---- */

static uint64_t hash_of(const char *s, size_t len)
{
    uint64_t h = len;
    for (size_t i = 0; i < len; i++)
        h = og_mix64(h ^ (unsigned char)s[i]);
    return h;
}

static og_status names_number(struct og_pan_names *names, og_bytes name,
                              uint32_t *out, og_error *err)
{
    struct og_hash_slot *slot;
    const uint64_t hash = hash_of(name.data, name.len);
    if (!og_hash_table_reserve(&names->by_name))
        return og_error_memory(err, names->n * 8, "names");
    OG_HASH_FIND(&names->by_name, hash, slot)
    {
        *out = (uint32_t)slot->number - 1;
        const char *known = names->data[*out];
        if (strlen(known) == name.len &&
            memcmp(known, name.data, name.len) == 0)
            return OG_OK;
    }
    char *copy = malloc(name.len + 1);
    if (copy == NULL || !OG_GROW(NULL, names->data, names->cap, names->n + 1)) {
        free(copy);
        return og_error_memory(err, name.len + 1, "names");
    }
    memcpy(copy, name.data, name.len);
    copy[name.len] = '\0';
    *out = (uint32_t)names->n;
    names->data[names->n++] = copy;
    og_hash_table_put(&names->by_name, slot, hash, names->n);
    return OG_OK;
}

static void names_release(struct og_pan_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->data[i]);
    OG_UNGROW(NULL, names->data, names->cap);
    og_hash_table_release(&names->by_name);
    names->n = 0;
}

/* ---- files ---- */

static char *path_of(const char *folder, const char *name)
{
    const size_t len = strlen(folder) + strlen(name) + 2;
    char *path = malloc(len);
    if (path != NULL) snprintf(path, len, "%s/%s", folder, name);
    return path;
}

static og_status read_all(int fd, const char *path, og_bytes *out,
                          og_error *err)
{
    char *data = NULL;
    size_t len = 0, cap = 0;
    ssize_t n;
    do {
        if (!OG_GROW(NULL, data, cap, len + 65536)) {
            free(data);
            return og_error_memory(err, len + 65536, "a file");
        }
        n = og_file_read(fd, data + len, cap - len - 1);
        if (n > 0) len += (size_t)n;
    } while (n > 0);
    if (n < 0) {
        free(data);
        return og_file_failure(err, "read", path, errno);
    }
    data[len] = '\0';
    *out = (og_bytes){data, len};
    return OG_OK;
}

og_status og_pan_file_read(const char *folder, const char *name, og_bytes *out,
                           og_error *err)
{
    char *path = path_of(folder, name);
    if (path == NULL) return og_error_memory(err, strlen(name), "a name");
    const int fd = og_file_open(path);
    og_status status = fd < 0 ? og_file_failure(err, "open", path, errno)
                              : read_all(fd, path, out, err);
    if (fd >= 0) close(fd);
    free(path);
    return status;
}

/* ---- XML ---- */

/* The value of an attribute in `tag`: `name` preceded by a blank and followed
 * by =". */
static bool attribute(og_bytes tag, const char *name, og_bytes *out)
{
    const size_t len = strlen(name);
    for (size_t i = 1; i + len + 2 < tag.len; i++) {
        if (!isspace((unsigned char)tag.data[i - 1]) ||
            memcmp(tag.data + i, name, len) != 0 || tag.data[i + len] != '=' ||
            tag.data[i + len + 1] != '"')
            continue;
        const char *value = tag.data + i + len + 2;
        const char *end =
            memchr(value, '"', (size_t)(tag.data + tag.len - value));
        if (end == NULL) return false;
        *out = (og_bytes){value, (size_t)(end - value)};
        return true;
    }
    return false;
}

static bool number_attribute(og_bytes tag, const char *name, uint64_t *out)
{
    og_bytes value;
    if (!attribute(tag, name, &value) || value.len == 0 || value.len > 15)
        return false;
    *out = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (!isdigit((unsigned char)value.data[i])) return false;
        *out = *out * 10 + (uint64_t)(value.data[i] - '0');
    }
    return true;
}

static bool is_called(og_bytes value, const char *name)
{
    return name != NULL && value.len == strlen(name) &&
           memcmp(value.data, name, value.len) == 0;
}

struct xml {
    const char *folder, *file;
    struct og_pan_names *names;
    struct og_pan_cases *cases;
    const char *name, *other_name;
    og_error *err;
};

static og_status broken(const struct xml *x, const char *what)
{
    return og_error_set(x->err, OG_ERR_INPUT, "'%s/%s': %s", x->folder, x->file,
                        what);
}

static og_status read_feature(const struct xml *x, og_bytes tag,
                              uint32_t document)
{
    struct og_pan_case c = {.document = document};
    struct og_pan_cases *cases = x->cases;
    og_bytes name, source;
    if (!attribute(tag, "name", &name) ||
        (!is_called(name, x->name) && !is_called(name, x->other_name)))
        return OG_OK;
    if (!attribute(tag, "source_reference", &source))
        return broken(x, "a feature has no source_reference");
    if (!number_attribute(tag, "this_offset", &c.begin) ||
        !number_attribute(tag, "this_length", &c.len) ||
        !number_attribute(tag, "source_offset", &c.source_begin) ||
        !number_attribute(tag, "source_length", &c.source_len))
        return broken(x, "a feature lacks an offset or a length");
    TRY(names_number(x->names, source, &c.source, x->err));
    if (!OG_GROW(NULL, cases->data, cases->cap, cases->n + 1))
        return og_error_memory(x->err, sizeof(c), "passages");
    cases->data[cases->n++] = c;
    return OG_OK;
}

static og_status read_xml(const struct xml *x, og_bytes text)
{
    uint32_t document = 0;
    bool has_document = false;
    const char *end = text.data + text.len;
    const char *close = text.data;
    /* Each byte is in one tag at most: a file that consists of '<' takes no
     * longer than another. */
    for (const char *p; (p = memchr(close, '<', (size_t)(end - close))) != NULL;
         close++) {
        close = memchr(p, '>', (size_t)(end - p));
        if (close == NULL) return broken(x, "a tag does not end");
        const og_bytes tag = {p, (size_t)(close - p)};
        og_bytes reference;
        if (!has_document && attribute(tag, "reference", &reference)) {
            TRY(names_number(x->names, reference, &document, x->err));
            has_document = true;
        } else if (tag.len > 9 && memcmp(p, "<feature", 8) == 0) {
            if (!has_document) return broken(x, "no document is named");
            TRY(read_feature(x, tag, document));
        }
    }
    return OG_OK;
}

static og_status read_xml_file(struct xml *x)
{
    og_bytes text = {NULL, 0};
    TRY(og_pan_file_read(x->folder, x->file, &text, x->err));
    const og_status status = read_xml(x, text);
    free((void *)text.data);
    return status;
}

static int is_xml(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);
    return len > 4 && strcmp(entry->d_name + len - 4, ".xml") == 0;
}

og_status og_pan_cases_read(struct og_pan_cases *cases,
                            struct og_pan_names *names, const char *folder,
                            const char *name, const char *other_name,
                            og_error *err)
{
    struct dirent **entries;
    struct xml x = {.folder = folder,
                    .names = names,
                    .cases = cases,
                    .name = name,
                    .other_name = other_name,
                    .err = err};
    og_status status = OG_OK;
    const int n = scandir(folder, &entries, is_xml, alphasort);
    if (n < 0) return og_file_failure(err, "read", folder, errno);
    for (int i = 0; i < n; i++) {
        x.file = entries[i]->d_name;
        if (status == OG_OK) status = read_xml_file(&x);
        free(entries[i]);
    }
    free(entries);
    return status;
}

void og_pan_cases_release(struct og_pan_cases *cases)
{
    OG_UNGROW(NULL, cases->data, cases->cap);
    cases->n = 0;
}

/* ---- subsets ---- */

static og_status add_pair(struct og_pan_subset *subset,
                          struct og_pan_names *names, og_bytes line,
                          og_error *err)
{
    struct og_pan_pair pair;
    const char *blank = memchr(line.data, ' ', line.len);
    if (blank == NULL || blank == line.data ||
        blank + 1 == line.data + line.len)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s/pairs': a line is not two names",
                            subset->name);
    const og_bytes document = {line.data, (size_t)(blank - line.data)};
    const og_bytes source = {blank + 1, line.len - document.len - 1};
    TRY(names_number(names, document, &pair.document, err));
    TRY(names_number(names, source, &pair.source, err));
    if (!OG_GROW(NULL, subset->pairs, subset->pairs_cap, subset->n_pairs + 1))
        return og_error_memory(err, sizeof(pair), "pairs");
    subset->pairs[subset->n_pairs++] = pair;
    return OG_OK;
}

static og_status read_pairs(struct og_pan_subset *subset,
                            struct og_pan_names *names, const char *folder,
                            unsigned half, og_error *err)
{
    og_bytes text = {NULL, 0};
    og_status status = OG_OK;
    TRY(og_pan_file_read(folder, "pairs", &text, err));
    const char *end = text.data + text.len;
    unsigned number = 0;
    for (const char *p = text.data; p < end && status == OG_OK; number++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = newline != NULL ? newline : end;
        og_bytes line = {p, (size_t)(line_end - p)};
        while (line.len > 0 && isspace((unsigned char)line.data[line.len - 1]))
            line.len--;
        if (line.len > 0 && (half == 0 || number % 2 == half - 1))
            status = add_pair(subset, names, line, err);
        p = line_end + 1;
    }
    free((void *)text.data);
    return status;
}

static int by_pair(const void *a, const void *b)
{
    const struct og_pan_pair *x = a, *y = b;
    if (x->document != y->document) return x->document < y->document ? -1 : 1;
    return (x->source > y->source) - (x->source < y->source);
}

/* Only passages of the pairs that are compared count. */
static void drop_others(struct og_pan_subset *subset)
{
    struct og_pan_cases *cases = &subset->cases;
    size_t n = 0;
    if (subset->n_pairs == 0) cases->n = 0;
    for (size_t i = 0; i < cases->n; i++) {
        const struct og_pan_pair pair = {cases->data[i].document,
                                         cases->data[i].source};
        if (bsearch(&pair, subset->pairs, subset->n_pairs, sizeof(pair),
                    by_pair) != NULL)
            cases->data[n++] = cases->data[i];
    }
    cases->n = n;
}

static og_status read_subset(struct og_pan_corpus *corpus, const char *name,
                             unsigned half, og_error *err)
{
    if (!OG_GROW(NULL, corpus->subsets, corpus->subsets_cap,
                 corpus->n_subsets + 1))
        return og_error_memory(err, sizeof(*corpus->subsets), "subsets");
    struct og_pan_subset *subset = &corpus->subsets[corpus->n_subsets++];
    *subset = (struct og_pan_subset){.name = strdup(name)};
    char *folder = path_of(corpus->folder, name);
    og_status status =
        folder == NULL || subset->name == NULL
            ? og_error_memory(err, strlen(name), "a name")
            : read_pairs(subset, &corpus->names, folder, half, err);
    if (status == OG_OK)
        status = og_pan_cases_read(&subset->cases, &corpus->names, folder,
                                   "plagiarism", NULL, err);
    if (subset->n_pairs > 0)
        qsort(subset->pairs, subset->n_pairs, sizeof(*subset->pairs), by_pair);
    drop_others(subset);
    free(folder);
    return status;
}

static int is_subset(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) &&
           name[2] == '-';
}

og_status og_pan_corpus_read(struct og_pan_corpus *corpus, const char *folder,
                             unsigned half, og_error *err)
{
    struct dirent **entries;
    og_status status = OG_OK;
    *corpus = (struct og_pan_corpus){.folder = strdup(folder)};
    if (corpus->folder == NULL)
        return og_error_memory(err, strlen(folder), "a name");
    const int n = scandir(folder, &entries, is_subset, alphasort);
    if (n < 0) return og_file_failure(err, "read", folder, errno);
    for (int i = 0; i < n; i++) {
        if (status == OG_OK)
            status = read_subset(corpus, entries[i]->d_name, half, err);
        free(entries[i]);
    }
    free(entries);
    if (status == OG_OK && n == 0)
        return og_error_set(err, OG_ERR_INPUT,
                            "'%s' holds no folder like 01-no-plagiarism",
                            folder);
    return status;
}

void og_pan_corpus_release(struct og_pan_corpus *corpus)
{
    for (size_t i = 0; i < corpus->n_subsets; i++) {
        struct og_pan_subset *subset = &corpus->subsets[i];
        free(subset->name);
        OG_UNGROW(NULL, subset->pairs, subset->pairs_cap);
        og_pan_cases_release(&subset->cases);
    }
    OG_UNGROW(NULL, corpus->subsets, corpus->subsets_cap);
    names_release(&corpus->names);
    free(corpus->folder);
    corpus->folder = NULL;
}
