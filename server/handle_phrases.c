/* GET /v1/phrases: the passages that most documents repeat.
 *
 * It reads all texts several times, so only one such request runs at a time,
 * and its answer is kept for the same request while no document was added, or
 * for a minute. A removed document must not be shown any longer: a removal
 * ends it at once. */

#include "handlers.h"
#include "problem.h"
#include "server.h"

#include <string.h>

#define KEPT_TIME ((uint64_t)60 * 1000000000u)

static bool take_time(struct request *r, const char *name, bool *out_has,
                      int64_t *out)
{
    const char *value = request_argument(r, name);
    if (value == NULL) return true;
    const og_bytes text = {value, strlen(value)};
    *out_has = og_time_parse(text, out) || og_time_parse_seconds(text, out);
    return *out_has || problem(r, 400, "'%s' is not a valid time", name);
}

static bool take_choice(struct request *r, const char *name,
                        const char *const *choices, int n, int *out)
{
    const char *value = request_argument(r, name);
    if (value == NULL) return true;
    for (int i = 0; i < n; i++)
        if (strcmp(choices[i], value) == 0) {
            *out = i;
            return true;
        }
    return problem(r, 400, "'%s' must be one of %s, %s, %s, %s", name,
                   choices[0], choices[1], choices[2], choices[3]);
}

static bool take_phrases(struct request *r, og_phrases_options *out,
                         og_format *out_format)
{
    static const char *const periods[] = {"parts", "day", "month", "year"};
    static const char *const formats[] = {"text", "json", "tsv", "html"};
    int period = 0, format = OG_FORMAT_JSON;
    *out = og_phrases_options_default();
    double limit = out->limit, documents = out->min_documents;
    double tokens = out->min_tokens;
    if (!request_number(r, "limit", 1, 10000, &limit) ||
        !request_number(r, "min_documents", 2, 1e9, &documents) ||
        !request_number(r, "min_tokens", 3, 1000, &tokens) ||
        !take_time(r, "since", &out->has_since, &out->since) ||
        !take_time(r, "until", &out->has_until, &out->until) ||
        !take_choice(r, "period", periods, 4, &period) ||
        !take_choice(r, "format", formats, 4, &format))
        return false;
    out->limit = (uint32_t)limit;
    out->min_documents = (uint32_t)documents;
    out->min_tokens = (uint32_t)tokens;
    out->period = (og_period)period;
    *out_format = (og_format)format;
    return true;
}

static bool is_stopping(void *ctx)
{
    const struct server *s = ctx;
    return atomic_load(&s->is_draining);
}

static void find_phrases(struct request *r, struct phrases_kept *kept)
{
    struct server *s = r->server;
    og_phrases_options options;
    og_format format;
    og_phrases *phrases = NULL;
    og_error err = {0};
    const uint64_t n = og_store_n_numbers(s->store);
    const uint64_t n_removed = atomic_load(&s->metrics.n_removed);
    if (!take_phrases(r, &options, &format)) return;
    options.n_threads = 1;
    options.ctx = s;
    options.should_stop = is_stopping;
    kept->body.len = 0;
    og_status status = og_store_phrases(s->store, &options, &phrases, &err);
    if (status == OG_OK)
        status = og_phrases_write(phrases, format, (og_text_style){0},
                                  buffer_write, &kept->body, &err);
    og_phrases_free(phrases);
    buffer_release(&kept->question);
    if (status != OG_OK) {
        if (status == OG_ERR_STOPPED)
            problem(r, 503, "the server is stopping");
        else
            problem_of(r, &err);
        return;
    }
    buffer_text(&kept->question, r->uri);
    kept->format = format;
    kept->n_documents = n;
    kept->n_removed = n_removed;
    kept->at = server_now();
}

static bool is_kept(const struct request *r, const struct phrases_kept *kept)
{
    const struct server *s = r->server;
    return kept->question.len == strlen(r->uri) &&
           memcmp(kept->question.data, r->uri, kept->question.len) == 0 &&
           kept->n_removed == atomic_load(&s->metrics.n_removed) &&
           (kept->n_documents == og_store_n_numbers(s->store) ||
            server_now() - kept->at < KEPT_TIME);
}

void prepare_phrases(struct request *r)
{
    og_phrases_options options;
    og_format format;
    (void)take_phrases(r, &options, &format);
}

void handle_phrases(struct request *r)
{
    static const char *const types[] = {
        "text/plain; charset=utf-8", "application/json",
        "text/tab-separated-values; charset=utf-8", "text/html; charset=utf-8"};
    struct phrases_kept *kept = &r->server->phrases;
    if (pthread_mutex_trylock(&kept->lock) != 0) {
        problem(r, 429,
                "another request of this kind is being answered; try again");
        r->reply.retry_after = 5;
        return;
    }
    if (!is_kept(r, kept)) find_phrases(r, kept);
    if (r->reply.status == 0) {
        buffer_bytes(&r->reply.body, kept->body.data, kept->body.len);
        r->reply.status = 200;
        r->reply.type = types[kept->format];
        if (kept->format == OG_FORMAT_HTML) r->reply.csp = report_csp;
    }
    pthread_mutex_unlock(&kept->lock);
}
