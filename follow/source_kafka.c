/* Topics of Kafka: kafka://HOST:PORT[,HOST:PORT]/TOPIC[,TOPIC], a document in
 * each message, as JSON.
 *
 * Kafka assigns partitions to the members of the group. A partition is read
 * from the target's own position, otherwise from the group's committed offset,
 * otherwise from its first message. Offsets are committed after the documents
 * are durable: they show others how far this group is. */

#include "following.h"

#include <errno.h>
#include <inttypes.h>
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With --once a group must form and a broker respond, which takes seconds. */
enum { ONCE_WAIT_MS = 120000 };

struct partition {
    char topic[256]; /* Kafka allows 249 */
    int32_t number;
    int64_t next; /* the offset after the last message that was taken */
    bool is_assigned, is_at_end, is_changed;
};

struct kafka {
    struct follow_source base;
    rd_kafka_t *client;
    struct partition *partitions;
    size_t n, cap;
    uint64_t began; /* ms */
    bool has_assignment;
    bool is_failing; /* and it was reported */
};

/* ---- partitions ---- */

static struct partition *partition_of(struct kafka *k, const char *topic,
                                      int32_t number)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->partitions[i].number == number &&
            strcmp(k->partitions[i].topic, topic) == 0)
            return &k->partitions[i];
    if (k->n == k->cap) {
        const size_t cap = k->cap == 0 ? 16 : 2 * k->cap;
        struct partition *const more =
            realloc(k->partitions, cap * sizeof(*more));
        if (more == NULL) return NULL;
        k->partitions = more;
        k->cap = cap;
    }
    struct partition *const p = &k->partitions[k->n++];
    *p = (struct partition){.number = number};
    snprintf(p->topic, sizeof(p->topic), "%s", topic);
    return p;
}

/* "kafka:" and the brokers, the topic, the partition. */
static void name_key(const struct kafka *k, const char *topic, int32_t number,
                     char *out, size_t cap)
{
    const char *const brokers = k->base.name + strlen("kafka://");
    snprintf(out, cap, "kafka:%.*s/%s/%" PRId32, (int)strcspn(brokers, "/"),
             brokers, topic, number);
}

static void begin_partition(struct kafka *k, rd_kafka_topic_partition_t *at)
{
    char key[1024];
    struct partition *const p = partition_of(k, at->topic, at->partition);
    name_key(k, at->topic, at->partition, key, sizeof(key));
    const char *const kept = positions_get(&k->base.following->positions, key);
    if (kept != NULL) at->offset = strtoll(kept, NULL, 10);
    if (p == NULL) return;
    p->is_assigned = true;
    p->is_at_end = false;
}

static void on_rebalance(rd_kafka_t *client, rd_kafka_resp_err_t what,
                         rd_kafka_topic_partition_list_t *list, void *ctx)
{
    struct kafka *const k = ctx;
    if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        for (int i = 0; i < list->cnt; i++)
            begin_partition(k, &list->elems[i]);
        k->has_assignment = true;
        rd_kafka_assign(client, list);
        return;
    }
    for (size_t i = 0; i < k->n; i++)
        k->partitions[i].is_assigned = false;
    k->has_assignment = false;
    rd_kafka_assign(client, NULL);
}

static bool is_at_end(const struct kafka *k)
{
    if (!k->has_assignment) return false;
    for (size_t i = 0; i < k->n; i++)
        if (k->partitions[i].is_assigned && !k->partitions[i].is_at_end)
            return false;
    return true;
}

/* ---- messages ---- */

static og_status take_document(struct kafka *k, const rd_kafka_message_t *m,
                               const char *topic, og_error *err)
{
    char place[700], key[1024], value[32];
    struct partition *const p = partition_of(k, topic, m->partition);
    og_status status = OG_OK;
    if (p == NULL)
        return follow_fail(err, OG_ERR_MEMORY, "cannot record a partition");
    snprintf(place, sizeof(place),
             "%.300s, topic %s, partition %" PRId32 ", offset %" PRId64,
             k->base.name, topic, m->partition, m->offset);
    k->base.following->counts.n_input_bytes += m->len;
    /* A message without a payload says that its key was deleted. */
    if (m->payload != NULL)
        status = follow_take_json(k->base.following, place, 0,
                                  (og_bytes){m->payload, m->len}, err);
    p->next = m->offset + 1;
    p->is_changed = true;
    p->is_at_end = false;
    if (status != OG_OK) return status;
    name_key(k, topic, m->partition, key, sizeof(key));
    snprintf(value, sizeof(value), "%" PRId64, p->next);
    return follow_mark(k->base.following, key, value, err);
}

static og_status take_message(struct kafka *k, const rd_kafka_message_t *m,
                              bool *out_any, og_error *err)
{
    const char *const topic = m->rkt != NULL ? rd_kafka_topic_name(m->rkt) : "";
    if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        *out_any = true;
        k->is_failing = false;
        return take_document(k, m, topic, err);
    }
    if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        struct partition *const p = partition_of(k, topic, m->partition);
        if (p != NULL) p->is_at_end = true;
        return OG_OK;
    }
    /* Brokers come back; the client retries by itself. */
    if (!k->is_failing)
        follow_problem(k->base.following, k->base.name, 0, false, "%s",
                       rd_kafka_message_errstr(m));
    k->is_failing = true;
    return OG_OK;
}

static og_status poll_kafka(struct follow_source *source, unsigned wait_ms,
                            bool *out_any, og_error *err)
{
    struct kafka *const k = (struct kafka *)source;
    struct following *const f = source->following;
    const uint64_t n_writes = f->n_writes;
    rd_kafka_message_t *m;
    og_status status = OG_OK;
    while (status == OG_OK && f->n_writes == n_writes &&
           !follow_should_stop(f) &&
           (m = rd_kafka_consumer_poll(k->client, (int)wait_ms)) != NULL) {
        status = take_message(k, m, out_any, err);
        rd_kafka_message_destroy(m);
    }
    if (status != OG_OK || !f->options->once || is_at_end(k)) return status;
    if (k->has_assignment || follow_now_ms() - k->began < ONCE_WAIT_MS) {
        *out_any = true;
        (void)follow_wait(f, 10);
        return OG_OK;
    }
    return follow_fail(err, OG_ERR_IO, "no broker of '%s' responds",
                       source->name);
}

static void commit_offsets(struct kafka *k, bool waits)
{
    rd_kafka_topic_partition_list_t *const list =
        rd_kafka_topic_partition_list_new((int)k->n + 1);
    for (size_t i = 0; i < k->n; i++) {
        struct partition *const p = &k->partitions[i];
        if (!p->is_changed || !p->is_assigned) continue;
        rd_kafka_topic_partition_list_add(list, p->topic, p->number)->offset =
            p->next;
        p->is_changed = false;
    }
    /* It is for others; we use our own positions. */
    if (list->cnt > 0) (void)rd_kafka_commit(k->client, list, !waits);
    rd_kafka_topic_partition_list_destroy(list);
}

static og_status acknowledge_kafka(struct follow_source *source, og_error *err)
{
    struct kafka *const k = (struct kafka *)source;
    (void)err;
    /* With --once the program ends soon, and an unawaited commit may never be
     * sent. */
    commit_offsets(k, source->following->options->once);
    return OG_OK;
}

/* ---- opening ---- */

static og_status set_value(rd_kafka_conf_t *conf, const char *name,
                           const char *value, og_error *err)
{
    char story[300];
    if (rd_kafka_conf_set(conf, name, value, story, sizeof(story)) ==
        RD_KAFKA_CONF_OK)
        return OG_OK;
    return follow_fail(err, OG_ERR_USAGE, "Kafka: %s", story);
}

/* Lines of name=value; # begins a comment. */
static og_status read_config(rd_kafka_conf_t *conf, const char *path,
                             og_error *err)
{
    char line[4096];
    FILE *const file = fopen(path, "re");
    og_status status = OG_OK;
    if (file == NULL)
        return follow_fail(err, OG_ERR_IO, "cannot open '%s': %s", path,
                           strerror(errno));
    while (status == OG_OK && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        char *const equals = strchr(line, '=');
        if (line[0] == '#' || line[0] == 0) continue;
        if (equals == NULL) {
            status = follow_fail(err, OG_ERR_USAGE,
                                 "'%s': a line is NAME=VALUE, not '%.60s'",
                                 path, line);
            break;
        }
        *equals = 0;
        status = set_value(conf, line, equals + 1, err);
    }
    fclose(file);
    return status;
}

static og_status configure(struct kafka *k, rd_kafka_conf_t *conf,
                           const char *brokers, og_error *err)
{
    const struct follow_options *const o = k->base.following->options;
    const char *const settings[][2] = {
        {"bootstrap.servers", brokers},
        {"group.id", o->group},
        {"client.id", "origo"},
        {"enable.auto.commit", "false"},
        {"enable.partition.eof", "true"},
        {"auto.offset.reset", "earliest"},
        /* Buffered messages, KiB; without it 64 MiB per partition. */
        {"queued.max.messages.kbytes", "16384"},
    };
    og_status status = OG_OK;
    for (size_t i = 0;
         i < sizeof(settings) / sizeof(settings[0]) && status == OG_OK; i++)
        status = set_value(conf, settings[i][0], settings[i][1], err);
    if (status == OG_OK && o->kafka_config != NULL)
        status = read_config(conf, o->kafka_config, err);
    rd_kafka_conf_set_opaque(conf, k);
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    return status;
}

static og_status subscribe(struct kafka *k, char *topics, og_error *err)
{
    rd_kafka_topic_partition_list_t *const list =
        rd_kafka_topic_partition_list_new(4);
    char *rest = NULL;
    for (char *topic = strtok_r(topics, ",", &rest); topic != NULL;
         topic = strtok_r(NULL, ",", &rest))
        rd_kafka_topic_partition_list_add(list, topic, RD_KAFKA_PARTITION_UA);
    const rd_kafka_resp_err_t wrong = rd_kafka_subscribe(k->client, list);
    rd_kafka_topic_partition_list_destroy(list);
    if (wrong == RD_KAFKA_RESP_ERR_NO_ERROR) return OG_OK;
    return follow_fail(err, OG_ERR_IO, "cannot subscribe to '%s': %s",
                       k->base.name, rd_kafka_err2str(wrong));
}

static og_status connect_client(struct kafka *k, char *place, og_error *err)
{
    char story[300];
    char *const slash = strchr(place, '/');
    if (slash == NULL || slash == place || slash[1] == 0)
        return follow_fail(err, OG_ERR_USAGE,
                           "'%s' is not kafka://HOST:PORT/TOPIC", k->base.name);
    *slash = 0;
    rd_kafka_conf_t *const conf = rd_kafka_conf_new();
    og_status status = configure(k, conf, place, err);
    if (status == OG_OK) {
        k->client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, story, sizeof(story));
        if (k->client == NULL)
            status = follow_fail(err, OG_ERR_USAGE, "Kafka: %s", story);
    }
    if (k->client == NULL) rd_kafka_conf_destroy(conf);
    if (status != OG_OK) return status;
    rd_kafka_poll_set_consumer(k->client);
    return subscribe(k, slash + 1, err);
}

static void close_kafka(struct follow_source *source)
{
    struct kafka *const k = (struct kafka *)source;
    if (k->client != NULL) {
        rd_kafka_consumer_close(k->client);
        rd_kafka_destroy(k->client);
    }
    free(k->partitions);
    free(k);
}

og_status source_kafka_open(struct following *f, const char *name,
                            struct follow_source **out, og_error *err)
{
    static const struct follow_source_kind kind = {.poll = poll_kafka,
                                                   .acknowledge =
                                                       acknowledge_kafka,
                                                   .close = close_kafka};
    struct kafka *k;
    og_status status = follow_allocate(sizeof(*k), &k, err);
    if (status != OG_OK) return status;
    k->base = (struct follow_source){&kind, f, name};
    k->began = follow_now_ms();
    *out = &k->base;
    char *const place = strdup(name + strlen("kafka://"));
    status = place != NULL ? connect_client(k, place, err)
                           : follow_fail(err, OG_ERR_MEMORY, "out of memory");
    free(place);
    return status;
}
