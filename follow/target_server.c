/* To a server: a batch is one request, a line for each document, and the answer
 * has a line for each when it is durable.
 *
 * A request to a server that is busy, starting or unreachable is retried with
 * growing pauses until the command is stopped: sources wait meanwhile. An
 * answer that refuses the whole request for good (401, 403, 404, 413) ends the
 * command. */

#include "fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAIT_MS = 60000, ONCE_TRIES = 5, MOST_ANSWER = 64 << 20 };

struct server_target {
    struct follow_target base;
    char *url, *token;
    const char *unix_path;
};

/* ---- the request ---- */

static og_status write_lines(const struct follow_batch *batch, char **out,
                             size_t *out_len, og_error *err)
{
    FILE *const file = open_memstream(out, out_len);
    og_status status = file != NULL ? OG_OK : OG_ERR_MEMORY;
    for (size_t i = 0; i < batch->n && status == OG_OK; i++)
        status = og_report_document(og_write_file, file, &batch->docs[i], err);
    if (file != NULL && fclose(file) != 0) status = OG_ERR_MEMORY;
    if (status == OG_OK) return OG_OK;
    return follow_fail(err, OG_ERR_MEMORY,
                       "out of memory for a request of %zu documents",
                       batch->n);
}

/* ---- the answer ---- */

struct result_line {
    bool is_added, is_known, is_error;
    char message[200];
};

static bool is_word(og_bytes s, const char *word)
{
    return s.len == strlen(word) && memcmp(s.data, word, s.len) == 0;
}

static bool take_result(void *ctx, og_bytes name, og_json_kind kind,
                        og_bytes value)
{
    struct result_line *const line = ctx;
    if (kind != OG_JSON_STRING) return true;
    if (is_word(name, "result")) {
        line->is_added = is_word(value, "added");
        line->is_known = is_word(value, "known");
    } else if (is_word(name, "error")) {
        line->is_error = true;
        snprintf(line->message, sizeof(line->message), "%.*s",
                 (int)(value.len < 199 ? value.len : 199), value.data);
    }
    return true;
}

/* Adds the results of all lines to the counts. False: some are missing, so
 * their documents may not be durable. */
static bool count_results(struct following *f, const char *source,
                          const struct follow_batch *batch,
                          const struct fetch_answer *answer,
                          og_stream_counts *counts)
{
    og_stream_counts seen = {0};
    const char *at = answer->body != NULL ? answer->body : "";
    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        struct result_line line = {0};
        og_error wrong = {0};
        if (og_json_each((og_bytes){at, (size_t)(end - at)}, take_result, &line,
                         &wrong) != OG_OK)
            return false;
        seen.n_documents++;
        seen.n_added += line.is_added;
        seen.n_known += line.is_known;
        if (line.is_error)
            follow_problem(f, source, 0, true, "%s", line.message);
    }
    if (seen.n_documents != batch->n) return false;
    counts->n_documents += seen.n_documents;
    counts->n_added += seen.n_added;
    counts->n_known += seen.n_known;
    for (size_t i = 0; i < batch->n; i++)
        counts->n_text_bytes += batch->docs[i].text.len;
    return true;
}

static bool may_pass(long status)
{
    return status == 408 || status == 429 || status >= 500;
}

/* *out_is_done: the whole batch is durable. Otherwise it is to be retried, if
 * the status is OG_OK. */
static og_status post_once(struct server_target *t,
                           const struct follow_batch *batch, og_bytes body,
                           og_stream_counts *counts, unsigned *out_wait_s,
                           bool *out_is_done, og_error *err)
{
    struct following *const f = t->base.following;
    struct fetch_answer answer = {0};
    const struct fetch_request request = {.url = t->url,
                                          .unix_path = t->unix_path,
                                          .token = t->token,
                                          .body = body,
                                          .max_bytes = MOST_ANSWER,
                                          .following = f};
    og_status status = fetch_post(&request, &answer, err);
    *out_wait_s = answer.retry_after;
    if (status == OG_OK && answer.status == 200)
        *out_is_done =
            count_results(f, f->options->server, batch, &answer, counts);
    if (status == OG_OK && answer.status != 200)
        status = follow_fail(
            err, may_pass(answer.status) ? OG_ERR_IO : OG_ERR_INPUT,
            "server '%.100s' answered %ld: %.200s", f->options->server,
            answer.status, answer.body != NULL ? answer.body : "");
    else if (status == OG_OK && !*out_is_done)
        status = follow_fail(err, OG_ERR_IO,
                             "server '%.100s' sent an incomplete answer",
                             f->options->server);
    fetch_answer_release(&answer);
    return status;
}

static og_status send_until_done(struct server_target *t,
                                 const struct follow_batch *batch,
                                 og_bytes body, og_stream_counts *counts,
                                 og_error *err)
{
    struct following *const f = t->base.following;
    unsigned wait_ms = 200;
    for (int n = 1;; n++) {
        bool is_done = false;
        unsigned wait_s = 0;
        const og_status status =
            post_once(t, batch, body, counts, &wait_s, &is_done, err);
        if (is_done) return OG_OK;
        if (status != OG_ERR_IO ||
            (f->options->once && n >= ONCE_TRIES && wait_s == 0))
            return status;
        if (n == 1)
            follow_problem(f, f->options->server, 0, false, "%s; trying again",
                           err->message);
        if (!follow_wait(f, wait_s > 0 ? wait_s * 1000 : wait_ms))
            return follow_fail(err, OG_ERR_STOPPED, "stopped");
        if (wait_ms < MOST_WAIT_MS) wait_ms *= 2;
    }
}

static og_status write_to_server(struct follow_target *target,
                                 const struct follow_batch *batch,
                                 og_stream_counts *counts, og_error *err)
{
    char *lines = NULL;
    size_t len = 0;
    og_status status = write_lines(batch, &lines, &len, err);
    if (status == OG_OK)
        status = send_until_done((struct server_target *)target, batch,
                                 (og_bytes){lines, len}, counts, err);
    free(lines);
    return status;
}

/* ---- its address ---- */

static og_status read_token(struct server_target *t, const char *path,
                            og_error *err)
{
    char line[FETCH_TAG] = "";
    FILE *const file = fopen(path, "re");
    const bool is_read =
        file != NULL && fgets(line, sizeof(line), file) != NULL;
    if (file != NULL) fclose(file);
    /* The file of a server has the role after the token. */
    line[strcspn(line, " \t\r\n")] = 0;
    if (!is_read || line[0] == 0)
        return follow_fail(err, OG_ERR_IO, "cannot read a token from '%s'",
                           path);
    t->token = strdup(line);
    return t->token != NULL ? OG_OK
                            : follow_fail(err, OG_ERR_MEMORY, "out of memory");
}

static void close_server_target(struct follow_target *target)
{
    struct server_target *const t = (struct server_target *)target;
    free(t->url);
    free(t->token);
    free(t);
}

og_status target_server_open(struct following *f, struct follow_target **out,
                             og_error *err)
{
    static const char path[] = "/v1/documents";
    const char *const server = f->options->server;
    struct server_target *t;
    og_status status = follow_allocate(sizeof(*t), &t, err);
    if (status != OG_OK) return status;
    t->base = (struct follow_target){write_to_server, close_server_target, f};
    *out = &t->base;
    const bool is_local = strncmp(server, "unix:", 5) == 0;
    if (is_local) t->unix_path = server + 5;
    size_t len = strlen(server);
    while (len > 0 && server[len - 1] == '/')
        len--;
    const int made = is_local
                         ? asprintf(&t->url, "http://localhost%s", path)
                         : asprintf(&t->url, "%.*s%s", (int)len, server, path);
    if (made < 0) {
        t->url = NULL;
        return follow_fail(err, OG_ERR_MEMORY, "out of memory");
    }
    status = fetch_check(t->url, NULL, err);
    if (status == OG_OK && f->options->token_file != NULL)
        status = read_token(t, f->options->token_file, err);
    return status;
}
