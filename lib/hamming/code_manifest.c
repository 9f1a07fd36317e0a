/* The list of runs: code_manifest.h shows one. */

#define _GNU_SOURCE
#include "lib/hamming/code_manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"

enum { TEXT_MOST = 8192, PATH_MOST = 4096 };

bool og_code_path(char *out, size_t out_cap, const char *folder,
                  const char *name)
{
    const int n = snprintf(out, out_cap, "%s/%s", folder, name);
    return n > 0 && (size_t)n < out_cap;
}

bool og_code_run_path(char *out, size_t out_cap, const char *folder,
                      uint64_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "run-%" PRIu64, number);
    return og_code_path(out, out_cap, folder, name);
}

/* Any length: the end is padded, the length is part of it. */
static uint64_t sum_text(const char *text, size_t len)
{
    struct og_code_sum sum;
    char line[64] = {0};
    og_code_sum_init(&sum);
    og_code_sum_add(&sum, text, len / 64 * 64);
    memcpy(line, text + len / 64 * 64, len % 64);
    og_code_sum_add(&sum, line, 64);
    return og_code_sum_end(&sum) ^ len;
}

/* ---- reading ---- */

static og_status unsound(og_error *err, const char *name, size_t line)
{
    return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: line %zu", name,
                        line);
}

/* "word number\n" at *at, which moves on. */
static bool take_number(const char **at, const char *word, const char *format,
                        void *out)
{
    int n = -1;
    const size_t len = strlen(word);
    if (strncmp(*at, word, len) != 0 || (*at)[len] != ' ') return false;
    if (sscanf(*at + len + 1, format, out, &n) != 1 || n <= 0) return false;
    *at += len + 1 + (size_t)n;
    return *(*at)++ == '\n';
}

/* "design name\n" */
static bool take_form(const char **at, enum og_code_form *out)
{
    char name[16];
    int n = -1;
    if (sscanf(*at, "design %15[a-z]%n", name, &n) != 1 || n <= 0 ||
        (*at)[n] != '\n')
        return false;
    *at += n + 1;
    for (unsigned form = 1; form < OG_CODE_FORMS; form++) {
        *out = (enum og_code_form)form;
        if (strcmp(og_code_form_name(*out), name) == 0) return true;
    }
    return false;
}

static og_status parse_lines(struct og_code_manifest *m, const char *text,
                             const char *name, og_error *err)
{
    const char *at = text;
    const bool has_form = strncmp(at, "origo hamming 2\n", 16) == 0;
    if (!has_form && strncmp(at, "origo hamming 1\n", 16) != 0)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is no list of runs: line 1 is not "
                            "'origo hamming 1' or 2",
                            name);
    at += 16;
    if (!take_number(&at, "bits", "%u%n", &m->n_bits))
        return unsound(err, name, 2);
    if (m->n_bits != OG_CODE_BITS && m->n_bits != OG_CODE_BITS_WIDE)
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' has codes of %u bits, not %d or %d", name,
                            m->n_bits, OG_CODE_BITS, OG_CODE_BITS_WIDE);
    if (!take_number(&at, "distance", "%u%n", &m->max_distance) ||
        m->max_distance > m->n_bits)
        return unsound(err, name, 3);
    if (!take_number(&at, "memory", "%" SCNu64 "%n", &m->choice.memory))
        return unsound(err, name, 4);
    if (!take_number(&at, "tables", "%d%n", &m->choice.want))
        return unsound(err, name, 5);
    if (has_form && !take_form(&at, &m->choice.form))
        return unsound(err, name, 6);
    if (!take_number(&at, "next", "%" SCNu64 "%n", &m->next))
        return unsound(err, name, 6);
    for (; strncmp(at, "run ", 4) == 0; m->n_runs++) {
        int n = -1;
        if (m->n_runs == OG_CODE_RUNS_MOST ||
            sscanf(at, "run %" SCNu64 " %" SCNx64 "%n",
                   &m->run[m->n_runs].number, &m->run[m->n_runs].sum,
                   &n) != 2 ||
            n <= 0 || at[n] != '\n')
            return unsound(err, name, 7 + m->n_runs);
        at += n + 1;
    }
    uint64_t sum;
    const size_t len = (size_t)(at - text);
    if (!take_number(&at, "sum", "%" SCNx64 "%n", &sum) || *at != '\0' ||
        sum != sum_text(text, len))
        return unsound(err, name, 7 + m->n_runs);
    return OG_OK;
}

og_status og_code_manifest_parse(struct og_code_manifest *manifest,
                                 og_bytes text, const char *name, og_error *err)
{
    char copy[TEXT_MOST];
    *manifest = (struct og_code_manifest){0};
    if (text.len >= sizeof(copy) || memchr(text.data, 0, text.len) != NULL)
        return unsound(err, name, 1);
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return parse_lines(manifest, copy, name, err);
}

static og_status failed(og_error *err, const char *what, const char *path)
{
    char text[128];
    return og_error_set(err, OG_ERR_IO, "cannot %s '%s': %s", what, path,
                        og_file_error_text(errno, text, sizeof(text)));
}

og_status og_code_manifest_read(struct og_code_manifest *manifest,
                                const char *folder, og_error *err)
{
    char path[PATH_MOST], text[TEXT_MOST];
    size_t len = 0;
    if (!og_code_path(path, sizeof(path), folder, "manifest"))
        return og_error_set(err, OG_ERR_USAGE,
                            "the path '%.80s...' is too "
                            "long",
                            folder);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT)
        return og_error_set(err, OG_ERR_NO_STORE,
                            "there is no index of codes in '%s'", folder);
    if (fd < 0) return failed(err, "open", path);
    ssize_t n;
    while ((n = og_file_read(fd, text + len, sizeof(text) - len)) > 0)
        len += (size_t)n;
    const og_status status =
        n < 0 ? failed(err, "read", path)
              : og_code_manifest_parse(manifest, (og_bytes){text, len}, path,
                                       err);
    close(fd);
    return status;
}

/* ---- writing ---- */

static size_t format_manifest(const struct og_code_manifest *m, char *text,
                              size_t cap)
{
    const bool has_form = m->choice.form != OG_CODE_DIRECTORY;
    size_t len = (size_t)snprintf(
        text, cap,
        "origo hamming %d\nbits %u\ndistance %u\nmemory %" PRIu64
        "\ntables %d\n",
        has_form ? 2 : 1, m->n_bits, m->max_distance, m->choice.memory,
        m->choice.want);
    if (has_form)
        len += (size_t)snprintf(text + len, cap - len, "design %s\n",
                                og_code_form_name(m->choice.form));
    len +=
        (size_t)snprintf(text + len, cap - len, "next %" PRIu64 "\n", m->next);
    for (size_t i = 0; i < m->n_runs; i++)
        len += (size_t)snprintf(text + len, cap - len,
                                "run %" PRIu64 " %016" PRIx64 "\n",
                                m->run[i].number, m->run[i].sum);
    len += (size_t)snprintf(text + len, cap - len, "sum %016" PRIx64 "\n",
                            sum_text(text, len));
    return len;
}

og_status og_code_manifest_write(const struct og_code_manifest *manifest,
                                 const char *folder, og_error *err)
{
    char path[PATH_MOST], text[TEXT_MOST];
    struct og_new_file file;
    if (!og_code_path(path, sizeof(path), folder, "manifest"))
        return og_error_set(err, OG_ERR_USAGE,
                            "the path '%.80s...' is too "
                            "long",
                            folder);
    const size_t len = format_manifest(manifest, text, sizeof(text));
    /* The runs that it names are there first. */
    if (og_file_sync_folder(path) != 0) return failed(err, "write", path);
    TRY(og_new_file_open(&file, path, 0666, err));
    const og_status status = og_new_file_write(&file, text, len, err);
    if (status == OG_OK) return og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}
