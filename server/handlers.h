#ifndef SERVER_HANDLERS_H
#define SERVER_HANDLERS_H

/* The handlers that the routes of router.c call. */

#include "request.h"

handle_fn prepare_trace, handle_trace;
handle_fn prepare_add, handle_add, handle_remove;
handle_fn handle_browse, handle_document;
handle_fn prepare_near, handle_near;
handle_fn prepare_quote, handle_quote;
handle_fn prepare_compare, handle_compare;
handle_fn prepare_phrases, handle_phrases;
handle_fn handle_stats, handle_health, handle_ready, handle_metrics;
handle_fn handle_openapi, handle_page;

/* The policy of a page that is a report: it has a script and a style of its
 * own, which it names by their hashes. */
extern const char report_csp[];

/* The body is a stream of documents, which handle_add() takes line by line. */
bool is_ndjson(const struct request *r);

/* ---- shared by them: document.c ---- */

/* Reads the body as one document into r->doc: text, HTML or JSON by its media
 * type; id, title, url and time of the query fill what it lacks. False: the
 * reply says what is wrong. */
bool take_document(struct request *r);

#endif
