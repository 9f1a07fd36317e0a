#ifndef OG_TESTS_REDIS_FAKE_H
#define OG_TESTS_REDIS_FAKE_H

/* Servers in this process that answer like Redis with the module, as far as a
 * table needs it, and misbehave on request: a rule gives the n-th command of a
 * name another reply, or ends its connection before or after its work. All keep
 * the same keys, so that any of them can be the master of any slot. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/packing.h"
#include "lib/partition/partition.h"
#include "lib/remote/resp.h"
#include "tests/unit/stage_support.h"

enum { FAKE_KEYS = 64, FAKE_FIELDS = 16, FAKE_LINKS = 32, FAKE_RULES = 16 };
enum { FAKE_VALUES = 1 << 16 }; /* more than are ever set */
enum { FAKE_CELLS = 4096, FAKE_VALUE = 1024 };

/* A string, a field of a hash, or a member of a sorted set. */
struct fake_cell {
    char *key, *field;
    struct og_pack value;
};

struct fake_rule {
    const char *command;
    unsigned nth;      /* from 1, of this server */
    const char *reply; /* instead; NULL: end the connection */
    bool works;        /* but do its work first */
};

/* A key with a string. */
struct fake_value {
    char key[64], value[24];
};

/* What all servers keep. */
struct fake_keys {
    pthread_mutex_t lock;
    char names[FAKE_KEYS][OG_PARTITION_KEY_LEN];
    og_partition *partitions[FAKE_KEYS];
    size_t n;
    char head[OG_PARTITION_KEY_LEN]; /* of the one hash */
    char fields[FAKE_FIELDS][2][FAKE_VALUE];
    size_t n_fields;
    struct fake_value *values; /* a hash table; NULL: none was set */
    unsigned n_evicted;        /* what INFO says */
    /* All other keys but partitions. */
    struct fake_cell cells[FAKE_CELLS];
    size_t n_cells;
    unsigned n_replicas; /* what WAIT says */
};

struct fake_link {
    int fd;
    struct og_pack in;
};

struct fake_server {
    struct fake_keys *keys;
    int reserved, fd, stop[2];
    unsigned port;
    bool is_running;
    pthread_t thread;
    const char *slots;    /* what it says of its cluster; NULL: it has none */
    const char *password; /* NULL: none */
    struct fake_rule rules[FAKE_RULES];
    unsigned n_seen[FAKE_RULES]; /* of the command of each rule */
    unsigned n_commands;
    struct fake_link links[FAKE_LINKS];
    size_t n_links;
};

/* ---- replies ---- */

static inline void fake_send(int fd, const void *data, size_t len)
{
    const char *at = data;
    while (len > 0) {
        const ssize_t n = send(fd, at, len, MSG_NOSIGNAL);
        if (n <= 0) return;
        at += n;
        len -= (size_t)n;
    }
}

static inline void fake_line(int fd, const char *text)
{
    fake_send(fd, text, strlen(text));
}

static inline void fake_bytes(int fd, const void *data, size_t len)
{
    char head[32];
    fake_send(fd, head, (size_t)snprintf(head, sizeof(head), "$%zu\r\n", len));
    fake_send(fd, data, len);
    fake_line(fd, "\r\n");
}

static inline bool fake_is(og_bytes word, const char *name)
{
    return word.len == strlen(name) && memcmp(word.data, name, word.len) == 0;
}

static inline void fake_copy(og_bytes word, char *out, size_t cap)
{
    const size_t len = word.len < cap ? word.len : cap - 1;
    memcpy(out, word.data, len);
    out[len] = 0;
}

/* ---- the hash ---- */

static inline char *fake_field(struct fake_keys *k, og_bytes name, bool make)
{
    for (size_t i = 0; i < k->n_fields; i++)
        if (fake_is(name, k->fields[i][0])) return k->fields[i][1];
    if (!make) return NULL;
    assert_true(k->n_fields < FAKE_FIELDS);
    fake_copy(name, k->fields[k->n_fields][0], FAKE_VALUE);
    k->fields[k->n_fields][1][0] = 0;
    return k->fields[k->n_fields++][1];
}

static inline void fake_hash(struct fake_keys *k, int fd,
                             const struct og_resp_item *words, size_t n)
{
    if (fake_is(words[0].bytes, "HGETALL")) {
        char head[32];
        snprintf(head, sizeof(head), "*%zu\r\n", 2 * k->n_fields);
        fake_line(fd, head);
        for (size_t i = 0; i < k->n_fields; i++)
            for (size_t j = 0; j < 2; j++)
                fake_bytes(fd, k->fields[i][j], strlen(k->fields[i][j]));
        return;
    }
    const bool only_new = fake_is(words[0].bytes, "HSETNX");
    fake_copy(words[1].bytes, k->head, sizeof(k->head));
    if (fake_is(words[0].bytes, "HINCRBY")) {
        char *value = fake_field(k, words[2].bytes, true);
        snprintf(value, 64, "%llu",
                 strtoull(value, NULL, 10) +
                     strtoull(words[3].bytes.data, NULL, 10));
        fake_line(fd, ":1\r\n");
        return;
    }
    for (size_t i = 2; i + 1 < n; i += 2)
        if (!only_new || fake_field(k, words[i].bytes, false) == NULL)
            fake_copy(words[i + 1].bytes, fake_field(k, words[i].bytes, true),
                      FAKE_VALUE);
    fake_line(fd, ":1\r\n");
}

/* ---- strings ---- */

static inline struct fake_value *fake_value(struct fake_keys *k, og_bytes key)
{
    uint64_t at = key.len;
    if (k->values == NULL) k->values = calloc(FAKE_VALUES, sizeof(*k->values));
    assert_non_null(k->values);
    for (size_t i = 0; i < key.len; i++)
        at = og_mix64(at ^ (uint8_t)key.data[i]);
    while (k->values[at % FAKE_VALUES].key[0] != 0 &&
           !fake_is(key, k->values[at % FAKE_VALUES].key))
        at++;
    return &k->values[at % FAKE_VALUES];
}

/* GET key; SET key value [NX] GET */
static inline void fake_string(struct fake_keys *k, int fd,
                               const struct og_resp_item *words, size_t n)
{
    struct fake_value *v = fake_value(k, words[1].bytes);
    const bool is_there = v->key[0] != 0;
    if (is_there)
        fake_bytes(fd, v->value, strlen(v->value));
    else
        fake_line(fd, "$-1\r\n");
    if (n < 4 || (is_there && fake_is(words[3].bytes, "NX"))) return;
    fake_copy(words[1].bytes, v->key, sizeof(v->key));
    fake_copy(words[2].bytes, v->value, sizeof(v->value));
}

static inline void fake_info(const struct fake_keys *k, int fd)
{
    char text[80];
    const int len =
        snprintf(text, sizeof(text),
                 "# Server\r\nrun_id:1\r\nevicted_keys:%u\r\n", k->n_evicted);
    fake_bytes(fd, text, (size_t)len);
}

/* ---- other keys ---- */

static inline struct fake_cell *fake_cell_of(struct fake_keys *k, og_bytes key,
                                             og_bytes field, bool make)
{
    for (size_t i = 0; i < k->n_cells; i++)
        if (fake_is(key, k->cells[i].key) && fake_is(field, k->cells[i].field))
            return &k->cells[i];
    if (!make) return NULL;
    assert_true(k->n_cells < FAKE_CELLS);
    struct fake_cell *c = &k->cells[k->n_cells++];
    *c = (struct fake_cell){
        .key = og_name_copy((const uint8_t *)key.data, key.len),
        .field = og_name_copy((const uint8_t *)field.data, field.len)};
    return c;
}

static inline void fake_put(struct fake_keys *k, og_bytes key, og_bytes field,
                            og_bytes value)
{
    struct fake_cell *c = fake_cell_of(k, key, field, true);
    c->value.len = 0;
    og_pack_bytes(&c->value, value.data, value.len);
}

static inline void fake_give(int fd, const struct fake_cell *c)
{
    if (c == NULL)
        fake_line(fd, "$-1\r\n");
    else
        fake_bytes(fd, c->value.data, c->value.len);
}

static inline void fake_number_reply(int fd, long long number)
{
    char text[32];
    snprintf(text, sizeof(text), ":%lld\r\n", number);
    fake_line(fd, text);
}

static inline long long fake_long(og_bytes word)
{
    char text[32];
    fake_copy(word, text, sizeof(text));
    return strtoll(text, NULL, 10);
}

/* Of the head. */
static inline void fake_head(struct fake_keys *k, int fd,
                             const struct og_resp_item *words)
{
    if (fake_is(words[0].bytes, "HGET")) {
        const char *value = fake_field(k, words[2].bytes, false);
        if (value == NULL)
            fake_line(fd, "$-1\r\n");
        else
            fake_bytes(fd, value, strlen(value));
        return;
    }
    if (fake_is(words[0].bytes, "HMGET")) {
        fake_line(fd, "*2\r\n");
        for (size_t i = 2; i < 4; i++) {
            const char *one = fake_field(k, words[i].bytes, false);
            if (one == NULL)
                fake_line(fd, "$-1\r\n");
            else
                fake_bytes(fd, one, strlen(one));
        }
        return;
    }
    char *value = fake_field(k, words[2].bytes, true); /* HINCRBY */
    const long long sum = strtoll(value, NULL, 10) + fake_long(words[3].bytes);
    snprintf(value, FAKE_VALUE, "%lld", sum);
    fake_number_reply(fd, sum);
}

static inline void fake_cell_string(struct fake_keys *k, int fd,
                                    const struct og_resp_item *words, size_t n)
{
    const og_bytes none = {"", 0}, key = words[1].bytes;
    struct fake_cell *c = fake_cell_of(k, key, none, false);
    if (fake_is(words[0].bytes, "GETRANGE")) {
        const long long first = fake_long(words[2].bytes);
        const long long last = fake_long(words[3].bytes);
        const long long len = c != NULL ? (long long)c->value.len : 0;
        const long long end = last + 1 < len ? last + 1 : len;
        fake_bytes(fd, first < end ? c->value.data + first : (uint8_t *)"",
                   first < end ? (size_t)(end - first) : 0);
    } else if (fake_is(words[0].bytes, "STRLEN")) {
        fake_number_reply(fd, c != NULL ? (long long)c->value.len : 0);
    } else if (fake_is(words[0].bytes, "APPEND")) {
        c = fake_cell_of(k, key, none, true);
        og_pack_bytes(&c->value, words[2].bytes.data, words[2].bytes.len);
        fake_number_reply(fd, (long long)c->value.len);
    } else if (fake_is(words[0].bytes, "GET")) {
        fake_give(fd, c);
    } else if (n > 3) { /* NX GET */
        if (fd >= 0) fake_give(fd, c);
        if (c == NULL) fake_put(k, key, none, words[2].bytes);
    } else {
        fake_put(k, key, none, words[2].bytes);
        fake_line(fd, "+OK\r\n");
    }
}

static inline void fake_unlink(struct fake_keys *k, og_bytes key)
{
    const og_bytes none = {"", 0};
    struct fake_cell *c = fake_cell_of(k, key, none, false);
    if (c != NULL) {
        free(c->key);
        free(c->field);
        og_pack_release(&c->value);
        *c = k->cells[--k->n_cells];
    }
    if (fake_is(key, k->head)) k->n_fields = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (!fake_is(key, k->names[i])) continue;
        og_partition_free(k->partitions[i]);
        k->partitions[i] = k->partitions[--k->n];
        memcpy(k->names[i], k->names[k->n], OG_PARTITION_KEY_LEN);
        return;
    }
}

/* The script of plain_table.c. */
static inline void fake_take_over(struct fake_keys *k, int fd,
                                  const struct og_resp_item *words)
{
    struct fake_value *v = fake_value(k, words[3].bytes);
    const bool is_there = v->key[0] != 0;
    const bool is_set = !is_there || fake_is(words[4].bytes, v->value);
    if (is_there)
        fake_bytes(fd, v->value, strlen(v->value));
    else
        fake_line(fd, "$-1\r\n");
    if (!is_set) return;
    fake_copy(words[3].bytes, v->key, sizeof(v->key));
    fake_copy(words[5].bytes, v->value, sizeof(v->value));
}

/* That one, with a ttl or without, and the two of remote_removal.c. */
static inline void fake_script(struct fake_keys *k, int fd,
                               const struct og_resp_item *words, size_t n)
{
    const og_bytes none = {"", 0}, key = words[3].bytes;
    if (n == 6 || n == 7) {
        fake_take_over(k, fd, words);
        return;
    }
    struct fake_cell *c = fake_cell_of(k, key, none, false);
    if (n == 5) {
        char number[32];
        fake_copy(words[4].bytes, number, sizeof(number));
        if (c != NULL &&
            fake_is((og_bytes){(char *)c->value.data, c->value.len}, number))
            fake_unlink(k, key);
        fake_line(fd, ":1\r\n");
        return;
    }
    const size_t off = (size_t)fake_long(words[4].bytes);
    const og_bytes before = words[6].bytes, after = words[7].bytes;
    const bool is_same =
        c != NULL && off + before.len <= c->value.len &&
        memcmp(c->value.data + off, before.data, before.len) == 0;
    if (is_same) memcpy(c->value.data + off, after.data, after.len);
    fake_number_reply(fd, is_same);
}

static inline int fake_compare(const void *a, const void *b)
{
    const long long x = strtoll(*(char *const *)a, NULL, 10);
    const long long y = strtoll(*(char *const *)b, NULL, 10);
    return (x > y) - (x < y);
}

static inline void fake_range(struct fake_keys *k, int fd,
                              const struct og_resp_item *words)
{
    static char *members[FAKE_CELLS];
    char head[32];
    size_t n = 0;
    for (size_t i = 0; i < k->n_cells; i++)
        if (fake_is(words[1].bytes, k->cells[i].key))
            members[n++] = k->cells[i].field;
    qsort(members, n, sizeof(*members), fake_compare);
    const size_t most = (size_t)fake_long(words[3].bytes) + 1;
    if (n > most) n = most;
    snprintf(head, sizeof(head), "*%zu\r\n", n);
    fake_line(fd, head);
    for (size_t i = 0; i < n; i++)
        fake_bytes(fd, members[i], strlen(members[i]));
}

static inline void fake_set(struct fake_keys *k, int fd,
                            const struct og_resp_item *words, size_t n)
{
    if (fake_is(words[0].bytes, "ZRANGE")) {
        fake_range(k, fd, words);
    } else if (fake_is(words[0].bytes, "ZSCORE")) {
        fake_give(fd, fake_cell_of(k, words[1].bytes, words[2].bytes, false));
    } else {
        const og_bytes score = words[n - 2].bytes, member = words[n - 1].bytes;
        struct fake_cell *c = fake_cell_of(k, words[1].bytes, member, false);
        const og_bytes had = {c != NULL ? (char *)c->value.data : "",
                              c != NULL ? c->value.len : 0};
        if (c == NULL || n < 5 || fake_long(score) > fake_long(had))
            fake_put(k, words[1].bytes, member, score);
        fake_number_reply(fd, c == NULL);
    }
}

static inline void fake_document(struct fake_keys *k, int fd,
                                 const struct og_resp_item *words)
{
    if (fake_is(words[0].bytes, "HSET")) {
        fake_put(k, words[1].bytes, words[2].bytes, words[3].bytes);
        fake_line(fd, ":1\r\n");
        return;
    }
    fake_line(fd, "*3\r\n"); /* HMGET */
    for (size_t i = 2; i < 5; i++)
        fake_give(fd, fake_cell_of(k, words[1].bytes, words[i].bytes, false));
}

/* A key beside the table, not its head. */
static inline bool fake_is_beside(og_bytes key)
{
    for (size_t i = 0; i + 1 < key.len; i++)
        if (key.data[i] == ':' && key.data[i + 1] == '{' && i > 5) return true;
    return false;
}

/* ---- partitions ---- */

static inline og_partition *fake_partition(struct fake_keys *k, og_bytes key)
{
    for (size_t i = 0; i < k->n; i++)
        if (fake_is(key, k->names[i])) return k->partitions[i];
    return NULL;
}

static inline uint64_t fake_number(og_bytes word)
{
    char text[32];
    fake_copy(word, text, sizeof(text));
    return strtoull(text, NULL, 10);
}

static inline void fake_reserve(struct fake_keys *k, int fd,
                                const struct og_resp_item *words, size_t n)
{
    og_partition_options o = og_partition_options_default();
    o.memory = fake_number(words[2].bytes);
    for (size_t i = 3; i + 1 < n; i += 2) {
        const og_bytes name = words[i].bytes, value = words[i + 1].bytes;
        if (fake_is(name, "LAYOUT")) og_layout_parse(value, &o.layout);
        if (fake_is(name, "EVICT")) og_evict_parse(value, &o.evict);
        if (fake_is(name, "SLOTS")) o.bucket_slots = fake_number(value);
        if (fake_is(name, "OFFSET")) o.offset_len = fake_number(value);
        if (fake_is(name, "NEAR")) o.near_len = fake_number(value);
        if (fake_is(name, "BITS")) o.n_bits = fake_number(value);
    }
    if (fake_partition(k, words[1].bytes) == NULL) {
        assert_true(k->n < FAKE_KEYS);
        fake_copy(words[1].bytes, k->names[k->n], OG_PARTITION_KEY_LEN);
        assert_int_equal(og_partition_new(&o, &k->partitions[k->n], NULL),
                         OG_OK);
        k->n++;
    }
    fake_line(fd, "+OK\r\n");
}

static inline void fake_ask(og_partition *partition, int fd,
                            const struct og_resp_item *words, size_t n)
{
    og_partition_bytes answer = {0};
    og_error err = {0};
    og_status status;
    if (fake_is(words[0].bytes, "ORIGO.INFO")) {
        char text[160];
        const og_partition_info i = og_partition_get_info(partition);
        snprintf(text, sizeof(text),
                 "*4\r\n+slots\r\n:%llu\r\n+used\r\n:%llu\r\n",
                 (unsigned long long)i.n_slots, (unsigned long long)i.n_used);
        fake_line(fd, text);
        return;
    }
    if (fake_is(words[0].bytes, "ORIGO.LOOKUP"))
        status = og_partition_look_up(partition, words[2].bytes, &answer, NULL,
                                      &err);
    else
        status = og_partition_observe(partition, words[2].bytes, n > 3, &answer,
                                      NULL, &err);
    if (status == OG_OK)
        fake_bytes(fd, answer.data, answer.len);
    else
        fake_line(fd, "-ERR the batch is wrong\r\n");
    og_partition_bytes_release(&answer);
}

/* ---- commands ---- */

static inline void fake_work(struct fake_server *s, int fd,
                             const struct og_resp_item *words, size_t n)
{
    const og_bytes name = words[0].bytes;
    if (fake_is(name, "AUTH")) {
        fake_line(fd, s->password != NULL &&
                              fake_is(words[n - 1].bytes, s->password)
                          ? "+OK\r\n"
                          : "-WRONGPASS invalid password\r\n");
    } else if (fake_is(name, "CLUSTER")) {
        fake_line(fd, s->slots != NULL
                          ? s->slots
                          : "-ERR This instance has cluster support "
                            "disabled\r\n");
    } else if (fake_is(name, "ASKING")) {
        fake_line(fd, "+OK\r\n");
    } else if (fake_is(name, "UNLINK")) {
        fake_unlink(s->keys, words[1].bytes);
        fake_line(fd, ":1\r\n");
    } else if (fake_is(name, "WAIT")) {
        fake_number_reply(fd, s->keys->n_replicas);
    } else if (fake_is(name, "INFO")) {
        fake_info(s->keys, fd);
    } else if (fake_is(name, "EVAL")) {
        fake_script(s->keys, fd, words, n);
    } else if (fake_is(name, "GETRANGE") || fake_is(name, "APPEND") ||
               fake_is(name, "STRLEN") ||
               ((fake_is(name, "SET") || fake_is(name, "GET")) &&
                fake_is_beside(words[1].bytes))) {
        fake_cell_string(s->keys, fd, words, n);
    } else if (fake_is(name, "SET") || fake_is(name, "GET")) {
        fake_string(s->keys, fd, words, n);
    } else if (name.data[0] == 'Z') {
        fake_set(s->keys, fd, words, n);
    } else if (name.data[0] == 'H' && fake_is_beside(words[1].bytes)) {
        fake_document(s->keys, fd, words);
    } else if (fake_is(name, "HGET") || fake_is(name, "HMGET") ||
               fake_is(name, "HINCRBY")) {
        fake_head(s->keys, fd, words);
    } else if (name.data[0] == 'H') {
        fake_hash(s->keys, fd, words, n);
    } else if (fake_is(name, "ORIGO.RESERVE")) {
        fake_reserve(s->keys, fd, words, n);
    } else {
        og_partition *p = fake_partition(s->keys, words[1].bytes);
        if (p != NULL)
            fake_ask(p, fd, words, n);
        else
            fake_line(fd, "-NOPARTITION there is none\r\n");
    }
}

/* False: the connection ends. */
static inline bool fake_obey(struct fake_server *s, int fd,
                             const struct og_resp *command)
{
    const struct og_resp_item *words = command->items + 1;
    const size_t n = command->n - 1;
    bool goes_on = true, is_done = false;
    pthread_mutex_lock(&s->keys->lock);
    s->n_commands++;
    for (size_t i = 0; i < FAKE_RULES; i++) {
        const struct fake_rule *rule = &s->rules[i];
        if (rule->command == NULL || !fake_is(words[0].bytes, rule->command) ||
            ++s->n_seen[i] != rule->nth)
            continue;
        is_done = true;
        goes_on = rule->reply != NULL;
        if (rule->works) fake_work(s, -1, words, n); /* nobody hears of it */
        if (goes_on) fake_line(fd, rule->reply);
    }
    if (!is_done) fake_work(s, fd, words, n);
    pthread_mutex_unlock(&s->keys->lock);
    return goes_on;
}

/* All commands that are there whole. */
static inline bool fake_serve(struct fake_server *s, struct fake_link *link)
{
    char bytes[65536];
    struct og_resp command = {0};
    size_t len, at = 0;
    bool goes_on = true;
    const ssize_t n = recv(link->fd, bytes, sizeof(bytes), 0);
    if (n <= 0) return false;
    og_pack_bytes(&link->in, bytes, (size_t)n);
    while (
        goes_on && at < link->in.len &&
        og_resp_parse((og_bytes){(char *)link->in.data + at, link->in.len - at},
                      &command, &len) == OG_RESP_WHOLE) {
        goes_on = fake_obey(s, link->fd, &command);
        at += len;
    }
    if (at > 0) memmove(link->in.data, link->in.data + at, link->in.len - at);
    link->in.len -= at;
    og_resp_release(&command);
    return goes_on;
}

static inline void fake_end(struct fake_server *s, size_t i)
{
    close(s->links[i].fd);
    og_pack_release(&s->links[i].in);
    s->links[i] = s->links[--s->n_links];
}

static inline void *fake_run(void *ctx)
{
    struct fake_server *s = ctx;
    for (;;) {
        struct pollfd all[FAKE_LINKS + 2] = {{s->stop[0], POLLIN, 0},
                                             {s->fd, POLLIN, 0}};
        const size_t n = s->n_links;
        for (size_t i = 0; i < n; i++)
            all[2 + i] = (struct pollfd){s->links[i].fd, POLLIN, 0};
        if (poll(all, 2 + n, -1) < 0) continue;
        if (all[0].revents != 0) break;
        for (size_t i = n; i-- > 0;)
            if (all[2 + i].revents != 0 && !fake_serve(s, &s->links[i]))
                fake_end(s, i);
        if (all[1].revents != 0) {
            assert_true(s->n_links < FAKE_LINKS);
            const int fd = accept(s->fd, NULL, NULL);
            const int on = 1; /* replies are sent in small pieces */
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
            s->links[s->n_links++] = (struct fake_link){.fd = fd};
        }
    }
    while (s->n_links > 0)
        fake_end(s, s->n_links - 1);
    return NULL;
}

/* ---- starting and stopping ---- */

static inline void fake_keys_init(struct fake_keys *k)
{
    memset(k, 0, sizeof(*k));
    pthread_mutex_init(&k->lock, NULL);
}

static inline void fake_keys_clear(struct fake_keys *k)
{
    for (size_t i = 0; i < k->n; i++)
        og_partition_free(k->partitions[i]);
    for (size_t i = 0; i < k->n_cells; i++) {
        free(k->cells[i].key);
        free(k->cells[i].field);
        og_pack_release(&k->cells[i].value);
    }
    k->n = k->n_fields = k->n_cells = 0;
    free(k->values);
    k->values = NULL;
}

static inline void fake_keys_release(struct fake_keys *k)
{
    fake_keys_clear(k);
    pthread_mutex_destroy(&k->lock);
}

static inline int fake_bind(unsigned port)
{
    const int on = 1;
    const struct sockaddr_in where = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)port),
                                      .sin_addr.s_addr =
                                          htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)),
                     0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&where, sizeof(where)),
                     0);
    return fd;
}

/* A port that is reserved until fake_stop(); requests are served only after
 * fake_start(). One socket keeps the port, so that no other process gets it
 * while the server is away. */
static inline void fake_init(struct fake_server *s, struct fake_keys *keys)
{
    struct sockaddr_in where;
    socklen_t len = sizeof(where);
    memset(s, 0, sizeof(*s));
    s->keys = keys;
    s->reserved = fake_bind(0);
    assert_int_equal(getsockname(s->reserved, (struct sockaddr *)&where, &len),
                     0);
    s->port = ntohs(where.sin_port);
}

static inline void fake_start(struct fake_server *s)
{
    s->fd = fake_bind(s->port);
    assert_int_equal(listen(s->fd, 16), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s->stop), 0);
    assert_int_equal(pthread_create(&s->thread, NULL, fake_run, s), 0);
    s->is_running = true;
}

/* Connections are refused from now on. */
static inline void fake_leave(struct fake_server *s)
{
    if (!s->is_running) return;
    s->is_running = false;
    fake_line(s->stop[1], "x");
    pthread_join(s->thread, NULL);
    close(s->fd);
    close(s->stop[0]);
    close(s->stop[1]);
}

static inline void fake_stop(struct fake_server *s)
{
    fake_leave(s);
    close(s->reserved);
}

static inline unsigned fake_count(struct fake_server *s)
{
    pthread_mutex_lock(&s->keys->lock);
    const unsigned n = s->n_commands;
    pthread_mutex_unlock(&s->keys->lock);
    return n;
}

#endif
