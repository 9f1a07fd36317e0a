/* The routes: their handlers, the role each needs, and the thread it runs
 * on. */

#include "handlers.h"
#include "server.h"

#include <string.h>

#define DOCUMENT_ARGUMENTS "id title url time"

const struct route routes[] = {
    {"POST", "/v1/trace", ROLE_READ, PLACE_READER, true,
     DOCUMENT_ARGUMENTS " add format offsets matches novel snippets min_span "
                        "boilerplate reworded verify across_groups",
     prepare_trace, handle_trace, NULL},
    {"POST", "/v1/documents", ROLE_WRITE, PLACE_WRITER, true,
     DOCUMENT_ARGUMENTS " results", prepare_add, handle_add, is_ndjson},
    {"GET", "/v1/documents", ROLE_READ, PLACE_READER, false,
     "prefix source text before limit", NULL, handle_browse, NULL},
    {"GET", "/v1/documents/*", ROLE_READ, PLACE_HERE, false, "text", NULL,
     handle_document, NULL},
    {"DELETE", "/v1/documents/*", ROLE_ADMIN, PLACE_WRITER, false, "", NULL,
     handle_remove, NULL},
    {"POST", "/v1/near", ROLE_READ, PLACE_READER, true,
     DOCUMENT_ARGUMENTS " threshold distance limit", prepare_near, handle_near,
     NULL},
    {"POST", "/v1/quote", ROLE_READ, PLACE_WORKER, true,
     DOCUMENT_ARGUMENTS " threshold min_words limit later format",
     prepare_quote, handle_quote, NULL},
    {"POST", "/v1/compare", ROLE_READ, PLACE_READER, true,
     "min_copy reworded offsets matches format", prepare_compare,
     handle_compare, NULL},
    {"GET", "/v1/phrases", ROLE_READ, PLACE_WORKER, false,
     "limit min_documents min_tokens since until period format",
     prepare_phrases, handle_phrases, NULL},
    {"GET", "/v1/stats", ROLE_READ, PLACE_HERE, false, "", NULL, handle_stats,
     NULL},
    {"GET", "/v1/events", ROLE_READ, PLACE_HERE, false, "id source min_share",
     NULL, handle_events, NULL},
    {"POST", "/v1/watches", ROLE_WRITE, PLACE_HERE, true, "", NULL,
     handle_watch_new, NULL},
    {"GET", "/v1/watches", ROLE_READ, PLACE_HERE, false, "", NULL,
     handle_watch_list, NULL},
    {"GET", "/v1/watches/*", ROLE_READ, PLACE_HERE, false, "", NULL,
     handle_watch_get, NULL},
    {"DELETE", "/v1/watches/*", ROLE_WRITE, PLACE_HERE, false, "", NULL,
     handle_watch_remove, NULL},
    {"GET", "/healthz", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_health,
     NULL},
    {"GET", "/readyz", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_ready,
     NULL},
    {"GET", "/metrics", ROLE_READ, PLACE_HERE, false, "", NULL, handle_metrics,
     NULL},
    {"GET", "/openapi.json", ROLE_NONE, PLACE_HERE, false, "", NULL,
     handle_openapi, NULL},
    {"GET", "/", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_page, NULL},
    {"GET", "/page.js", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_page,
     NULL},
    {"GET", "/page.css", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_page,
     NULL},
    {"GET", "/report.css", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_page,
     NULL},
    {"GET", "/icon.svg", ROLE_NONE, PLACE_HERE, false, "", NULL, handle_page,
     NULL},
};
const size_t n_routes = sizeof(routes) / sizeof(routes[0]);
_Static_assert(sizeof(routes) / sizeof(routes[0]) < METRICS_ROUTES,
               "the last place of the counts is for what has no route");

static bool is_path(const char *pattern, og_bytes path, og_bytes *out_rest)
{
    const size_t len = strlen(pattern);
    if (pattern[len - 1] != '*')
        return path.len == len && memcmp(path.data, pattern, len) == 0;
    if (path.len < len || memcmp(path.data, pattern, len - 1) != 0)
        return false;
    *out_rest = (og_bytes){path.data + len - 1, path.len - len + 1};
    return true;
}

/* HEAD is answered as GET is, without the body. */
static bool is_method(const struct route *r, const char *method)
{
    return strcmp(r->method, method) == 0 ||
           (strcmp(method, "HEAD") == 0 && strcmp(r->method, "GET") == 0);
}

static const char *allowed(bool get, bool post, bool remove)
{
    if (get && post) return "GET, HEAD, POST, OPTIONS";
    if (get && remove) return "GET, HEAD, DELETE, OPTIONS";
    if (get) return "GET, HEAD, OPTIONS";
    return post ? "POST, OPTIONS" : "DELETE, OPTIONS";
}

const struct route *route_find(const char *method, og_bytes path,
                               og_bytes *out_rest, const char **out_allow)
{
    bool get = false, post = false, remove = false;
    *out_allow = NULL;
    for (size_t i = 0; i < n_routes; i++) {
        const struct route *r = &routes[i];
        if (!is_path(r->path, path, out_rest)) continue;
        if (is_method(r, method)) return r;
        get |= r->method[0] == 'G';
        post |= r->method[0] == 'P';
        remove |= r->method[0] == 'D';
    }
    if (get || post || remove) *out_allow = allowed(get, post, remove);
    return NULL;
}
