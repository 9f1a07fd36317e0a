#include "positions.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct position {
    char *key, *value;
    bool is_changed;
    struct position *next; /* also a changed one */
};

static og_status fail(og_error *err, og_status status, const char *what,
                      const char *path)
{
    *err = (og_error){.status = status};
    snprintf(err->message, sizeof(err->message), "cannot %s '%.200s': %s", what,
             path, status == OG_ERR_MEMORY ? "out of memory" : strerror(errno));
    return status;
}

/* ---- the tree ---- */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const struct position *)a)->key,
                  ((const struct position *)b)->key);
}

static struct position *find(const struct positions *p, const char *key)
{
    const struct position wanted = {.key = (char *)(uintptr_t)key};
    void *const node = tfind(&wanted, &p->tree, compare_keys);
    return node != NULL ? *(struct position **)node : NULL;
}

static struct position *insert(struct positions *p, const char *key)
{
    struct position *const new = calloc(1, sizeof(*new));
    if (new == NULL) return NULL;
    new->key = strdup(key);
    if (new->key == NULL || tsearch(new, &p->tree, compare_keys) == NULL) {
        free(new->key);
        free(new);
        return NULL;
    }
    p->n++;
    return new;
}

static void free_position(void *node)
{
    struct position *const it = node;
    free(it->key);
    free(it->value);
    free(it);
}

const char *positions_get(const struct positions *p, const char *key)
{
    const struct position *const it = find(p, key);
    return it != NULL ? it->value : NULL;
}

og_status positions_set(struct positions *p, const char *key, const char *value,
                        og_error *err)
{
    struct position *it = find(p, key);
    if (it != NULL && it->value != NULL && strcmp(it->value, value) == 0)
        return OG_OK;
    char *const copy = strdup(value);
    if (it == NULL && copy != NULL) it = insert(p, key);
    if (it == NULL || copy == NULL) {
        free(copy);
        return fail(err, OG_ERR_MEMORY, "keep the position of", key);
    }
    free(it->value);
    it->value = copy;
    if (it->is_changed) return OG_OK;
    it->is_changed = true;
    it->next = p->changed;
    p->changed = it;
    return OG_OK;
}

/* ---- the file ---- */

struct line_parts {
    char *key, *value;
};

static bool take_member(void *ctx, og_bytes name, og_json_kind kind,
                        og_bytes value)
{
    struct line_parts *const parts = ctx;
    char **const out =
        name.len == 3 && memcmp(name.data, "key", 3) == 0     ? &parts->key
        : name.len == 5 && memcmp(name.data, "value", 5) == 0 ? &parts->value
                                                              : NULL;
    if (kind != OG_JSON_STRING || out == NULL || *out != NULL) return true;
    *out = malloc(value.len + 1);
    if (*out == NULL) return false;
    if (value.len > 0) memcpy(*out, value.data, value.len);
    (*out)[value.len] = 0;
    return true;
}

static og_status load_line(struct positions *p, og_bytes line, og_error *err)
{
    struct line_parts parts = {NULL, NULL};
    og_error wrong = {0};
    og_status status = OG_OK;
    if (og_json_each(line, take_member, &parts, &wrong) == OG_OK &&
        parts.key != NULL && parts.value != NULL) {
        status = positions_set(p, parts.key, parts.value, err);
        p->n_lines++;
    }
    free(parts.key);
    free(parts.value);
    return status;
}

static void forget_changes(struct positions *p)
{
    for (struct position *it; (it = p->changed) != NULL;) {
        p->changed = it->next;
        it->is_changed = false;
    }
}

static og_status load(struct positions *p, og_error *err)
{
    FILE *const file = fopen(p->path, "re");
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    og_status status = OG_OK;
    if (file == NULL)
        return errno == ENOENT ? OG_OK : fail(err, OG_ERR_IO, "read", p->path);
    while (status == OG_OK && (len = getline(&line, &cap, file)) > 0)
        if (line[len - 1] == '\n')
            status = load_line(p, (og_bytes){line, (size_t)len - 1}, err);
    if (ferror(file)) status = fail(err, OG_ERR_IO, "read", p->path);
    free(line);
    fclose(file);
    forget_changes(p);
    return status;
}

static void write_position(FILE *out, const struct position *it)
{
    og_error err = {0};
    fputs("{\"key\":", out);
    (void)og_report_string(og_write_file, out,
                           (og_bytes){it->key, strlen(it->key)}, &err);
    fputs(",\"value\":", out);
    (void)og_report_string(og_write_file, out,
                           (og_bytes){it->value, strlen(it->value)}, &err);
    fputs("}\n", out);
}

static void write_node(const void *node, VISIT visit, void *out)
{
    if (visit == postorder || visit == leaf)
        write_position(out, *(struct position *const *)node);
}

/* A file that appears whole, then a descriptor for appending to it. */
static og_status rewrite(struct positions *p, og_error *err)
{
    og_output *output = NULL;
    og_status status =
        og_output_new(p->path, &(og_output_options){.packing = OG_PACKING_NONE},
                      &output, err);
    if (status != OG_OK) return status;
    twalk_r(p->tree, write_node, og_output_file(output));
    status = og_output_commit(output, err);
    og_output_free(output);
    if (status != OG_OK) return status;
    if (p->fd >= 0) close(p->fd);
    p->fd = open(p->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (p->fd < 0) return fail(err, OG_ERR_IO, "open", p->path);
    p->n_lines = p->n;
    return OG_OK;
}

static bool write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        len -= (size_t)n;
    }
    return fdatasync(fd) == 0;
}

static og_status append(struct positions *p, og_error *err)
{
    char *lines = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&lines, &len);
    if (out == NULL) return fail(err, OG_ERR_MEMORY, "write", p->path);
    for (const struct position *it = p->changed; it != NULL; it = it->next) {
        write_position(out, it);
        p->n_lines++;
    }
    const bool is_whole = fclose(out) == 0;
    og_status status = OG_OK;
    if (!is_whole)
        status = fail(err, OG_ERR_MEMORY, "write", p->path);
    else if (!write_all(p->fd, lines, len))
        status = fail(err, OG_ERR_IO, "write", p->path);
    free(lines);
    return status;
}

og_status positions_save(struct positions *p, og_error *err)
{
    enum { FEW = 1024 };
    og_status status = OG_OK;
    if (p->changed == NULL) return OG_OK;
    if (p->path != NULL)
        status = p->fd < 0 || p->n_lines > 4 * p->n + FEW ? rewrite(p, err)
                                                          : append(p, err);
    if (status == OG_OK) forget_changes(p);
    return status;
}

og_status positions_open(struct positions *p, const char *path, og_error *err)
{
    *p = (struct positions){.fd = -1};
    if (path == NULL) return OG_OK;
    p->path = strdup(path);
    if (p->path == NULL) return fail(err, OG_ERR_MEMORY, "open", path);
    return load(p, err);
}

void positions_close(struct positions *p)
{
    tdestroy(p->tree, free_position);
    if (p->fd >= 0) close(p->fd);
    free(p->path);
    *p = (struct positions){.fd = -1};
}
