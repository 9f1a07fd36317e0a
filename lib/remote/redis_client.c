#include "lib/remote/redis_client.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/os/clock.h"

#define NO_NODE    UINT16_MAX
#define MOST_NODES 4096
/* Between two attempts, seconds: from the first, doubling, up to the last. */
#define FIRST_PAUSE 0.02
#define LAST_PAUSE  0.5
/* So many rounds of nothing but MOVED and ASK need no pause. */
#define MOST_REDIRECTS 8

struct redis_node {
    struct og_redis_host host;
    struct og_redis_link *link; /* NULL: not connected */
    size_t n_waiting;           /* replies that are still to come */
};

struct og_redis_client {
    const og_allocator *allocator;
    const struct og_table_address *address;
    struct redis_node *nodes;
    size_t n_nodes, nodes_cap;
    uint16_t *slots; /* the node of each */
    bool is_known;   /* `slots` is believed */
    size_t seed;     /* selects the host of the address to ask next */
};

og_status og_redis_client_new(const struct og_table_address *address,
                              const og_allocator *allocator,
                              struct og_redis_client **out, og_error *err)
{
    struct og_redis_client *c = og_allocate_zero(allocator, sizeof(*c));
    *out = NULL;
    if (c == NULL) return og_error_memory(err, sizeof(*c), "a client");
    c->allocator = allocator;
    c->address = address;
    c->slots = og_allocate(allocator, OG_REDIS_SLOTS * sizeof(*c->slots));
    if (c->slots == NULL) {
        og_release(allocator, c, sizeof(*c));
        return og_error_memory(err, OG_REDIS_SLOTS, "slots");
    }
    *out = c;
    return OG_OK;
}

static void hang_up(struct redis_node *node)
{
    og_redis_link_close(node->link);
    node->link = NULL;
    node->n_waiting = 0;
}

void og_redis_client_free(struct og_redis_client *c)
{
    if (c == NULL) return;
    for (size_t i = 0; i < c->n_nodes; i++)
        hang_up(&c->nodes[i]);
    OG_UNGROW(c->allocator, c->nodes, c->nodes_cap);
    og_release(c->allocator, c->slots, OG_REDIS_SLOTS * sizeof(*c->slots));
    og_release(c->allocator, c, sizeof(*c));
}

/* ---- nodes ---- */

/* NO_NODE: out of memory, or too many nodes. */
static uint16_t node_of(struct og_redis_client *c, og_bytes name, unsigned port)
{
    struct og_redis_host host = {.port = port};
    if (name.len >= sizeof(host.name)) return NO_NODE;
    memcpy(host.name, name.data, name.len);
    for (size_t i = 0; i < c->n_nodes; i++)
        if (c->nodes[i].host.port == port &&
            strcmp(c->nodes[i].host.name, host.name) == 0)
            return (uint16_t)i;
    if (c->n_nodes == MOST_NODES ||
        !OG_GROW(c->allocator, c->nodes, c->nodes_cap, c->n_nodes + 1))
        return NO_NODE;
    c->nodes[c->n_nodes] = (struct redis_node){.host = host};
    return (uint16_t)c->n_nodes++;
}

static og_status connect_node(struct og_redis_client *c, size_t number,
                              double until, og_error *err)
{
    struct redis_node *node = &c->nodes[number];
    if (node->link != NULL) return OG_OK;
    return og_redis_link_open(&node->host, c->address, until, c->allocator,
                              &node->link, err);
}

/* ---- messages ---- */

static og_status status_of(og_bytes error)
{
    static const struct {
        const char *word;
        og_status status;
    } kinds[] = {
        {"NOAUTH", OG_ERR_USAGE},     {"WRONGPASS", OG_ERR_USAGE},
        {"NOPERM", OG_ERR_USAGE},     {"NOPARTITION", OG_ERR_STORE},
        {"UNFINISHED", OG_ERR_STORE}, {"WRONGTYPE", OG_ERR_STORE},
        {"OOM", OG_ERR_MEMORY},       {"ERR unknown command", OG_ERR_USAGE},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (og_resp_is(error, kinds[i].word)) return kinds[i].status;
    return OG_ERR_IO;
}

static og_status refused(const struct og_redis_client *c, size_t node,
                         og_bytes error, og_error *err)
{
    const struct og_redis_host *host = &c->nodes[node].host;
    return og_error_set(err, status_of(error), "%.80s:%u: %.*s", host->name,
                        host->port, (int)(error.len < 200 ? error.len : 200),
                        error.data);
}

static og_status with_table(const struct og_redis_client *c,
                            const og_error *from, og_error *err)
{
    return og_error_set(err, from->status, "table '%s' on %.360s",
                        c->address->table, from->message);
}

static og_status with_key(const struct og_redis_client *c,
                          const struct og_redis_request *request,
                          const og_error *from, og_error *err)
{
    const og_bytes key = request->words[request->n_words > 1];
    return og_error_set(err, from->status, "table '%s', key '%.*s' on %.300s",
                        c->address->table, (int)(key.len < 150 ? key.len : 150),
                        key.data, from->message);
}

/* ---- the slot map ---- */

static bool read_range(const struct og_resp *reply, size_t at,
                       og_redis_slots_fn *fn, void *ctx)
{
    const struct og_resp_item *i = &reply->items[at];
    /* first, last, [host, port, ...], ... */
    if (i[0].kind != OG_RESP_LIST || i[0].number < 3 || at + 5 >= reply->n ||
        i[1].kind != OG_RESP_NUMBER || i[2].kind != OG_RESP_NUMBER ||
        i[3].kind != OG_RESP_LIST || i[3].number < 2 ||
        (i[4].kind != OG_RESP_BYTES && i[4].kind != OG_RESP_NULL) ||
        i[5].kind != OG_RESP_NUMBER)
        return false;
    if (i[1].number < 0 || i[1].number > i[2].number ||
        i[2].number >= OG_REDIS_SLOTS || i[5].number < 1 || i[5].number > 65535)
        return false;
    return fn(ctx, (unsigned)i[1].number, (unsigned)i[2].number, i[4].bytes,
              (unsigned)i[5].number);
}

bool og_redis_read_slots(const struct og_resp *reply, og_redis_slots_fn *fn,
                         void *ctx)
{
    if (reply->n == 0 || reply->items[0].kind != OG_RESP_LIST) return false;
    for (size_t at = 1; at < reply->n; at = og_resp_after(reply, at))
        if (!read_range(reply, at, fn, ctx)) return false;
    return true;
}

struct slots_reader {
    struct og_redis_client *client;
    size_t asked; /* the node that answers */
};

/* A node that does not know its own name omits it: it is the one that
 * answered. */
static bool take_range(void *ctx, unsigned first, unsigned last, og_bytes host,
                       unsigned port)
{
    const struct slots_reader *r = ctx;
    struct og_redis_client *c = r->client;
    char own[OG_ADDRESS_HOST_MAX];
    if (host.len == 0) {
        snprintf(own, sizeof(own), "%s", c->nodes[r->asked].host.name);
        host = (og_bytes){own, strlen(own)};
    }
    const uint16_t node = node_of(c, host, port);
    for (unsigned slot = first; slot <= last && node != NO_NODE; slot++)
        c->slots[slot] = node;
    return node != NO_NODE;
}

static bool has_no_cluster(og_bytes error)
{
    static const char disabled[] = "cluster support disabled";
    const size_t len = sizeof(disabled) - 1;
    for (size_t i = 0; i + len <= error.len; i++)
        if (memcmp(error.data + i, disabled, len) == 0) return true;
    return og_resp_is(error, "ERR unknown command");
}

static og_status ask_slots(struct og_redis_client *c, size_t node, double until,
                           og_error *err)
{
    static const og_bytes words[] = {OG_LITERAL("CLUSTER"),
                                     OG_LITERAL("SLOTS")};
    const struct og_resp *reply;
    struct og_redis_link *link = c->nodes[node].link;
    TRY(og_redis_link_put(link, words, 2, err));
    TRY(og_redis_link_flush(link, until, err));
    TRY(og_redis_link_get(link, until, &reply, err));
    memset(c->slots, 0xff, OG_REDIS_SLOTS * sizeof(*c->slots));
    const struct og_resp_item *first = &reply->items[0];
    struct slots_reader reader = {c, node};
    if (first->kind == OG_RESP_ERROR) {
        if (!has_no_cluster(first->bytes))
            return refused(c, node, first->bytes, err);
        for (size_t i = 0; i < OG_REDIS_SLOTS; i++)
            c->slots[i] = (uint16_t)node;
    } else if (!og_redis_read_slots(reply, take_range, &reader)) {
        return og_error_set(err, OG_ERR_IO,
                            "%.80s:%u: what it says of its cluster makes no "
                            "sense",
                            c->nodes[node].host.name, c->nodes[node].host.port);
    }
    c->is_known = true;
    return OG_OK;
}

static og_status ask_node(struct og_redis_client *c, size_t node, double until,
                          og_error *err)
{
    TRY(connect_node(c, node, until, err));
    const og_status status = ask_slots(c, node, until, err);
    if (status != OG_OK) hang_up(&c->nodes[node]);
    return status;
}

/* One that is connected, then the hosts of the address, then all others. */
static og_status find_slots(struct og_redis_client *c, double until,
                            og_error *err)
{
    const struct og_table_address *a = c->address;
    og_status status = OG_ERR_IO;
    for (size_t i = 0; i < c->n_nodes; i++)
        if (c->nodes[i].link != NULL && ask_node(c, i, until, err) == OG_OK)
            return OG_OK;
    for (size_t i = 0; i < a->n_hosts; i++) {
        const struct og_redis_host *host =
            &a->hosts[(c->seed + i) % a->n_hosts];
        const uint16_t node =
            node_of(c, (og_bytes){host->name, strlen(host->name)}, host->port);
        if (node == NO_NODE) return og_error_memory(err, 1, "nodes");
        status = ask_node(c, node, until, err);
        if (status == OG_OK) c->seed = (c->seed + i) % a->n_hosts;
        if (status != OG_ERR_IO) return status;
    }
    for (size_t i = 0; i < c->n_nodes && status == OG_ERR_IO; i++)
        status = ask_node(c, i, until, err);
    return status;
}

/* ---- one round ---- */

struct round {
    struct og_redis_client *client;
    struct og_redis_request *requests;
    size_t n, n_done;
    og_redis_reply_fn *on_reply;
    void *ctx;
    double until;
    bool needs_pause;
    og_error last; /* why the last one was not answered */
};

/* Requests sent to it, and the following ones on its link, are repeated. */
static void lose_node(struct round *r, size_t node)
{
    hang_up(&r->client->nodes[node]);
    for (size_t i = 0; i < r->n; i++) {
        struct og_redis_request *request = &r->requests[i];
        if (request->is_done || request->node != node) continue;
        request->node = NO_NODE;
        request->is_asked = false;
    }
    r->client->is_known = false;
    r->needs_pause = true;
}

static void choose_node(const struct og_redis_client *c,
                        struct og_redis_request *request)
{
    if (!request->is_asked) request->node = c->slots[request->slot];
}

static og_status put_request(struct round *r, struct og_redis_request *request,
                             og_error *err)
{
    static const og_bytes asking = OG_LITERAL("ASKING");
    struct redis_node *node = &r->client->nodes[request->node];
    TRY(connect_node(r->client, request->node, r->until, err));
    if (request->is_asked) TRY(og_redis_link_put(node->link, &asking, 1, err));
    TRY(og_redis_link_put(node->link, request->words, request->n_words, err));
    node->n_waiting++;
    return OG_OK;
}

/* A failure that time will not mend ends it. */
static og_status note_failure(struct round *r, size_t node, const og_error *why,
                              og_error *err)
{
    lose_node(r, node);
    r->last = *why;
    return why->status == OG_ERR_IO ? OG_OK : with_table(r->client, why, err);
}

static og_status send_round(struct round *r, og_error *err)
{
    struct og_redis_client *c = r->client;
    og_error why;
    for (size_t i = 0; i < r->n; i++) {
        struct og_redis_request *request = &r->requests[i];
        if (request->is_done) continue;
        choose_node(c, request);
        if (request->node == NO_NODE) {
            c->is_known = false;
            r->needs_pause = true;
            (void)og_error_set(&r->last, OG_ERR_IO,
                               "its cluster: no server has slot %u",
                               request->slot);
        } else if (put_request(r, request, &why) != OG_OK) {
            TRY(note_failure(r, request->node, &why, err));
        }
    }
    for (size_t i = 0; i < c->n_nodes; i++)
        if (c->nodes[i].n_waiting > 0 &&
            og_redis_link_flush(c->nodes[i].link, r->until, &why) != OG_OK)
            TRY(note_failure(r, i, &why, err));
    return OG_OK;
}

/* Where it says, now or from now on. */
static void follow_redirect(struct round *r, struct og_redis_request *request,
                            const struct og_resp_redirect *to)
{
    struct og_redis_client *c = r->client;
    char own[OG_ADDRESS_HOST_MAX];
    og_bytes host = to->host;
    if (host.len == 0) {
        snprintf(own, sizeof(own), "%s", c->nodes[request->node].host.name);
        host = (og_bytes){own, strlen(own)};
    }
    const uint16_t node = node_of(c, host, to->port);
    (void)og_error_set(&r->last, OG_ERR_IO, "%.80s:%u: slot %u moves",
                       c->nodes[request->node].host.name,
                       c->nodes[request->node].host.port, to->slot);
    request->is_asked = to->is_ask && node != NO_NODE;
    if (request->is_asked) request->node = node;
    if (!to->is_ask && node != NO_NODE) c->slots[to->slot] = node;
}

static bool is_for_later(og_bytes error)
{
    static const char *const words[] = {"TRYAGAIN",   "LOADING",  "CLUSTERDOWN",
                                        "MASTERDOWN", "READONLY", "BUSY",
                                        "NOREPLICAS"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (og_resp_is(error, words[i])) return true;
    return false;
}

static og_status take_error(struct round *r, struct og_redis_request *request,
                            og_bytes error, og_error *err)
{
    struct og_redis_client *c = r->client;
    struct og_resp_redirect to;
    const size_t node = request->node;
    if (og_resp_redirect(error, &to)) {
        follow_redirect(r, request, &to);
        return OG_OK;
    }
    og_error why;
    (void)refused(c, node, error, &why);
    if (!is_for_later(error)) return with_key(c, request, &why, err);
    why.status = OG_ERR_IO;
    r->last = why;
    r->needs_pause = true;
    if (og_resp_is(error, "TRYAGAIN")) return OG_OK;
    /* Another server may have become the master, and this one not know it. */
    c->is_known = false;
    if (!og_resp_is(error, "LOADING")) c->seed++;
    if (og_resp_is(error, "READONLY")) lose_node(r, node);
    return OG_OK;
}

/* The reply to the request that is the next on its link. */
static og_status get_reply(struct round *r,
                           const struct og_redis_request *request,
                           const struct og_resp **out, og_error *err)
{
    struct redis_node *node = &r->client->nodes[request->node];
    if (request->is_asked) /* that of ASKING */
        TRY(og_redis_link_get(node->link, r->until, out, err));
    TRY(og_redis_link_get(node->link, r->until, out, err));
    node->n_waiting--;
    return OG_OK;
}

static og_status take_reply(struct round *r, size_t number, og_error *err)
{
    struct og_redis_request *request = &r->requests[number];
    const struct og_resp *reply;
    og_error why;
    if (get_reply(r, request, &reply, &why) != OG_OK)
        return note_failure(r, request->node, &why, err);
    if (reply->items[0].kind == OG_RESP_ERROR)
        return take_error(r, request, reply->items[0].bytes, err);
    TRY(r->on_reply(r->ctx, number, reply, err));
    request->is_done = true;
    r->n_done++;
    return OG_OK;
}

/* On a link that broke nothing more is waited for. */
static og_status receive_round(struct round *r, og_error *err)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct og_redis_request *request = &r->requests[i];
        if (!request->is_done && request->node != NO_NODE &&
            r->client->nodes[request->node].n_waiting > 0)
            TRY(take_reply(r, i, err));
    }
    return OG_OK;
}

/* ---- all rounds ---- */

static void pause_for(double seconds, double until)
{
    const double left = until - og_clock_seconds();
    if (seconds > left) seconds = left;
    if (seconds <= 0) return;
    const struct timespec time = {(time_t)seconds,
                                  (long)((seconds - (time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static og_status run_round(struct round *r, og_error *err)
{
    og_error why;
    r->needs_pause = false;
    if (!r->client->is_known &&
        find_slots(r->client, r->until, &why) != OG_OK) {
        r->last = why;
        r->needs_pause = true;
        return why.status == OG_ERR_IO ? OG_OK
                                       : with_table(r->client, &why, err);
    }
    TRY(send_round(r, err));
    return receive_round(r, err);
}

static og_status run_rounds(struct round *r, og_error *err)
{
    double pause = FIRST_PAUSE;
    unsigned n_rounds = 0;
    while (r->n_done < r->n) {
        TRY(run_round(r, err));
        if (r->n_done == r->n) break;
        if (r->needs_pause || ++n_rounds >= MOST_REDIRECTS) {
            pause_for(pause, r->until);
            if (pause < LAST_PAUSE) pause *= 2;
        }
        if (og_clock_seconds() >= r->until)
            return with_table(r->client, &r->last, err);
    }
    return OG_OK;
}

static void begin_requests(struct round *r)
{
    r->n_done = 0;
    for (size_t i = 0; i < r->n; i++) {
        r->requests[i].is_done = r->requests[i].is_asked = false;
        r->requests[i].node = NO_NODE;
    }
}

/* After a failure replies without a recipient may still arrive. */
static void forget_replies(struct og_redis_client *c)
{
    for (size_t i = 0; i < c->n_nodes; i++)
        if (c->nodes[i].n_waiting > 0) hang_up(&c->nodes[i]);
}

static struct round round_of(struct og_redis_client *c,
                             struct og_redis_request *requests, size_t n,
                             og_redis_reply_fn *on_reply, void *ctx)
{
    return (struct round){.client = c,
                          .requests = requests,
                          .n = n,
                          .on_reply = on_reply,
                          .ctx = ctx,
                          .until = og_clock_seconds() + c->address->timeout,
                          .last = {.status = OG_ERR_IO}};
}

og_status og_redis_client_run(struct og_redis_client *c,
                              struct og_redis_request *requests, size_t n,
                              og_redis_reply_fn *on_reply, void *ctx,
                              og_error *err)
{
    struct round r = round_of(c, requests, n, on_reply, ctx);
    begin_requests(&r);
    const og_status status = run_rounds(&r, err);
    forget_replies(c);
    return status;
}

/* ---- writes that replicas have ---- */

static og_status put_wait(struct round *r, size_t node, og_error *err)
{
    char count[16], patience[24];
    const double left = r->until - og_clock_seconds();
    snprintf(count, sizeof(count), "%u", r->client->address->n_replicas);
    snprintf(patience, sizeof(patience), "%lld",
             left > 0.001 ? (long long)(left * 1000) : 1LL);
    const og_bytes words[] = {OG_LITERAL("WAIT"),
                              {count, strlen(count)},
                              {patience, strlen(patience)}};
    struct redis_node *to = &r->client->nodes[node];
    TRY(og_redis_link_put(to->link, words, 3, err));
    TRY(og_redis_link_flush(to->link, r->until, err));
    to->n_waiting++;
    return OG_OK;
}

static og_status take_wait(struct round *r, size_t node, og_error *err)
{
    const unsigned wanted = r->client->address->n_replicas;
    struct redis_node *from = &r->client->nodes[node];
    const struct og_resp *reply;
    /* It answers when its time is over, which is ours. */
    TRY(og_redis_link_get(from->link, r->until + 1, &reply, err));
    from->n_waiting--;
    const struct og_resp_item *item = &reply->items[0];
    if (item->kind == OG_RESP_NUMBER && item->number >= (int64_t)wanted)
        return OG_OK;
    return og_error_set(
        err, OG_ERR_IO, "%.80s:%u: %lld of %u replicas have what was written",
        from->host.name, from->host.port,
        item->kind == OG_RESP_NUMBER ? (long long)item->number : 0LL, wanted);
}

/* A link that broke meanwhile may have led to a master that is gone, and with
 * it what it had acknowledged. */
static og_status wait_for_replicas(struct round *r, og_error *err)
{
    struct og_redis_client *c = r->client;
    bool *is_used = og_allocate_zero(c->allocator, c->n_nodes);
    og_status status = OG_OK;
    if (is_used == NULL) return og_error_memory(err, c->n_nodes, "nodes");
    for (size_t i = 0; i < r->n; i++)
        is_used[r->requests[i].node] = true;
    for (size_t i = 0; i < c->n_nodes && status == OG_OK; i++) {
        if (!is_used[i]) continue;
        status =
            c->nodes[i].link != NULL
                ? put_wait(r, i, err)
                : og_error_set(err, OG_ERR_IO, "%.80s:%u: it went away",
                               c->nodes[i].host.name, c->nodes[i].host.port);
    }
    for (size_t i = 0; i < c->n_nodes && status == OG_OK; i++)
        if (is_used[i]) status = take_wait(r, i, err);
    og_release(c->allocator, is_used, c->n_nodes);
    return status;
}

og_status og_redis_client_write(struct og_redis_client *c,
                                struct og_redis_request *requests, size_t n,
                                og_redis_reply_fn *on_reply, void *ctx,
                                og_error *err)
{
    struct round r = round_of(c, requests, n, on_reply, ctx);
    double pause = FIRST_PAUSE;
    for (;;) {
        og_error why = {0};
        begin_requests(&r);
        og_status status = run_rounds(&r, err);
        const bool waits = status == OG_OK && c->address->n_replicas > 0;
        if (waits) status = wait_for_replicas(&r, &why);
        forget_replies(c);
        if (!waits || status == OG_OK) return status;
        c->is_known = false;
        if (status != OG_ERR_IO || og_clock_seconds() + pause >= r.until)
            return with_table(c, &why, err);
        pause_for(pause, r.until);
        if (pause < LAST_PAUSE) pause *= 2;
    }
}
