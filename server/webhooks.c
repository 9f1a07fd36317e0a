/* A delivery is
 *
 *     POST /path HTTP/1.1
 *     Origo-Signature: t=1700000000,v1=HEX
 *
 * with HEX = HMAC-SHA256(secret, "1700000000." body), so that the receiver can
 * verify its sender and its age. Any status of 200 to 299 is a success; after
 * anything else it is retried 1, 4, 16, 64 and 256 seconds later. */

#include "webhooks.h"

#include "http_client.h"
#include "server.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MOST_WAITING = 1024, MOST_TRIES = 6 };

struct hook {
    char *url, *secret;
    struct buffer body;
    unsigned n_tries;
    uint64_t at; /* nanoseconds: not sent before */
    struct hook *next;
};

const char *webhook_check(const struct serve_list *hosts, const char *url)
{
    struct http_address a;
    if (!http_address_parse(url, &a))
        return "the URL of a webhook must be http://HOST/PATH or https";
    for (size_t i = 0; i < hosts->n; i++)
        if (strcasecmp(hosts->items[i], a.host) == 0 ||
            strcasecmp(hosts->items[i], a.host_and_port) == 0)
            return NULL;
    return "webhooks to that host are not allowed";
}

static void free_hook(struct hook *h)
{
    free(h->url);
    free(h->secret);
    buffer_release(&h->body);
    free(h);
}

static void free_all(struct hook *h)
{
    while (h != NULL) {
        struct hook *next = h->next;
        free_hook(h);
        h = next;
    }
}

/* ---- sending ---- */

static void sign(const struct hook *h, char *out, size_t out_cap)
{
    unsigned char digest[32] = {0};
    struct buffer signed_text = {0};
    const long long now = (long long)time(NULL);
    buffer_format(&signed_text, "%lld.", now);
    buffer_bytes(&signed_text, h->body.data, h->body.len);
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, h->secret, strlen(h->secret),
                     signed_text.data, signed_text.len, digest);
    buffer_release(&signed_text);
    size_t len =
        (size_t)snprintf(out, out_cap, "Origo-Signature: t=%lld,v1=", now);
    for (size_t i = 0; i < sizeof(digest) && len + 3 < out_cap; i++)
        len += (size_t)snprintf(out + len, out_cap - len, "%02x", digest[i]);
    snprintf(out + len, out_cap - len, "\r\n");
}

static bool deliver(struct webhooks *w, const struct hook *h)
{
    struct http_address a;
    char header[160] = "", why[160] = "";
    if (!http_address_parse(h->url, &a)) return false;
    if (h->secret[0] != 0) sign(h, header, sizeof(header));
    const int status = http_post(&a, w->server->options->webhook_ca, header,
                                 buffer_view(&h->body), why, sizeof(why));
    if (status >= 200 && status <= 299) return true;
    log_say(&w->server->log, "webhook to %s: %s", a.host_and_port,
            status > 0 ? "the response was not 2xx" : why);
    return false;
}

/* ---- the queue ---- */

static void insert(struct webhooks *w, struct hook *h)
{
    struct hook **at = &w->first;
    while (*at != NULL && (*at)->at <= h->at)
        at = &(*at)->next;
    h->next = *at;
    *at = h;
    w->n++;
}

static struct hook *take_due(struct webhooks *w)
{
    pthread_mutex_lock(&w->lock);
    struct hook *h = NULL;
    for (;;) {
        const uint64_t now = server_now();
        h = w->first;
        if (h != NULL && (h->at <= now || w->is_stopping)) break;
        if (w->is_stopping) break;
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&w->work, &w->lock, &until);
    }
    if (h != NULL) {
        w->first = h->next;
        w->n--;
    }
    pthread_mutex_unlock(&w->lock);
    return h;
}

/* True: it stays in the queue. */
static bool put_back(struct webhooks *w, struct hook *h)
{
    const uint64_t wait = (uint64_t)1000000000 << (2 * h->n_tries);
    if (++h->n_tries >= MOST_TRIES) return false;
    h->at = server_now() + wait;
    pthread_mutex_lock(&w->lock);
    const bool stays = !w->is_stopping;
    if (stays) insert(w, h);
    pthread_mutex_unlock(&w->lock);
    return stays;
}

static void *run_webhooks(void *ctx)
{
    struct webhooks *w = ctx;
    struct hook *h;
    while ((h = take_due(w)) != NULL) {
        struct metrics *m = &w->server->metrics;
        const bool is_done = deliver(w, h);
        if (is_done) atomic_fetch_add(&m->n_hooks, 1);
        if (!is_done && put_back(w, h)) continue;
        if (!is_done) atomic_fetch_add(&m->n_hooks_failed, 1);
        free_hook(h);
    }
    return NULL;
}

bool webhooks_start(struct webhooks *w, struct server *s)
{
    *w = (struct webhooks){.server = s};
    w->last_held = &w->held;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    w->is_running = pthread_create(&w->thread, NULL, run_webhooks, w) == 0;
    return w->is_running;
}

void webhooks_stop(struct webhooks *w)
{
    if (!w->is_running) return;
    pthread_mutex_lock(&w->lock);
    w->is_stopping = true;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->is_running = false;
    free_all(w->first);
    free_all(w->held);
}

void webhooks_hold(struct webhooks *w, const char *url, const char *secret,
                   og_bytes body)
{
    struct hook *h = calloc(1, sizeof(*h));
    if (h == NULL) return;
    h->url = strdup(url);
    h->secret = strdup(secret != NULL ? secret : "");
    buffer_bytes(&h->body, body.data, body.len);
    if (h->url == NULL || h->secret == NULL || h->body.failed) {
        free_hook(h);
        return;
    }
    *w->last_held = h;
    w->last_held = &h->next;
}

void webhooks_release(struct webhooks *w)
{
    struct hook *h = w->held;
    w->held = NULL;
    w->last_held = &w->held;
    if (h == NULL) return;
    pthread_mutex_lock(&w->lock);
    while (h != NULL) {
        struct hook *next = h->next;
        if (w->n < MOST_WAITING) {
            h->at = server_now();
            insert(w, h);
        } else {
            atomic_fetch_add(&w->server->metrics.n_hooks_failed, 1);
            free_hook(h);
        }
        h = next;
    }
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
}

void webhooks_forget(struct webhooks *w)
{
    free_all(w->held);
    w->held = NULL;
    w->last_held = &w->held;
}
