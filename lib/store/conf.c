#define _GNU_SOURCE
#include "lib/store/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <origo/store.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/checksum.h"
#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/os/secret.h"

/* ---- writing ---- */

static void print_uuid(const uint8_t *uuid, char out[2 * OG_UUID_LEN + 1])
{
    for (size_t i = 0; i < OG_UUID_LEN; i++)
        snprintf(out + 2 * i, 3, "%02x", uuid[i]);
}

size_t og_conf_print(const struct og_conf *conf, char out[OG_CONF_TEXT_MOST])
{
    const size_t out_cap = OG_CONF_TEXT_MOST;
    const og_params *p = &conf->params;
    char uuid[2 * OG_UUID_LEN + 1];
    char select[16];
    char indexes[64 + 9] = "";
    char generation[32] = "";
    char table[OG_CONF_TABLE_LEN + 8] = "";
    const bool is_catalogue = conf->table[0] != 0;
    const bool has_indexes =
        conf->indexes != (is_catalogue ? 0 : OG_INDEX_PASSAGES);
    const unsigned features =
        (has_indexes ? OG_STORE_HAS_INDEXES : 0) |
        (conf->is_keyed ? OG_STORE_KEYED : 0) |
        (conf->generation > 0 ? OG_STORE_IS_COMPACTED : 0) |
        (is_catalogue ? OG_STORE_IS_CATALOGUE : 0);
    print_uuid(conf->uuid, uuid);
    if (has_indexes) {
        char names[64];
        og_indexes_name(conf->indexes, names);
        snprintf(indexes, sizeof(indexes), "indexes %s\n", names);
    }
    if (conf->generation > 0)
        snprintf(generation, sizeof(generation), "generation %" PRIu32 "\n",
                 conf->generation);
    if (is_catalogue) snprintf(table, sizeof(table), "table %s\n", conf->table);
    og_select_name(&p->select, select);
    const int n = snprintf(
        out, out_cap,
        "origo store\nversion %d\nfeatures %u\nuuid %s\ntokens %s\n"
        "shingle %u\nselect %s\nevict %s\nestimate %s\nbridge-limit %u\n"
        "layout %s\nbucket %u\nmemory %" PRIu64 "\nmin-tokens %u\n"
        "key %" PRIu64 "\ntexts %s\nsame %s\nfold %u\n%s%s%s",
        OG_STORE_VERSION, features, uuid, og_token_name(p->tokens),
        p->shingle_len, select, og_evict_name(p->evict),
        og_estimate_name(p->estimate), p->bridge_limit,
        og_layout_name(p->layout), p->bucket_slots, p->memory, p->min_tokens,
        p->key, p->no_texts ? "no" : "yes", p->same, p->fold, indexes,
        generation, table);
    const int m =
        snprintf(out + n, out_cap - (size_t)n, "checksum %016" PRIx64 "\n",
                 og_checksum(out, (size_t)n));
    return (size_t)n + (size_t)m;
}

uint64_t og_conf_new_key(uint64_t key)
{
    if (key == OG_KEY_PUBLIC) return 0;
    return key != 0 ? key : og_secret_draw();
}

og_status og_conf_init(struct og_conf *conf, const og_params *params,
                       unsigned indexes, og_error *err)
{
    conf->params = *params;
    conf->params.key = og_conf_new_key(params->key);
    conf->is_keyed = conf->params.key != 0;
    conf->indexes = indexes;
    conf->generation = 0;
    conf->table[0] = 0;
    if (getrandom(conf->uuid, OG_UUID_LEN, 0) != OG_UUID_LEN)
        return og_error_set(err, OG_ERR_IO, "the system gives no random bytes");
    return OG_OK;
}

bool og_conf_data_folder(const char *folder, uint32_t generation, char *out,
                         size_t out_cap)
{
    const int n = generation == 0 ? snprintf(out, out_cap, "%s", folder)
                                  : snprintf(out, out_cap, "%s/g%06" PRIu32,
                                             folder, generation);
    return n > 0 && (size_t)n < out_cap;
}

uint32_t og_conf_generation_of(const char *name)
{
    char same[32];
    uint32_t generation = 0;
    if (sscanf(name, "g%9" SCNu32, &generation) != 1) return 0;
    snprintf(same, sizeof(same), "g%06" PRIu32, generation);
    return strcmp(name, same) == 0 ? generation : 0;
}

og_status og_conf_write(const struct og_conf *conf, const char *folder,
                        og_error *err)
{
    char path[4096];
    char text[OG_CONF_TEXT_MOST];
    struct og_new_file file;
    const size_t len = og_conf_print(conf, text);
    snprintf(path, sizeof(path), "%s/origo.conf", folder);
    /* Readers of the texts may also read the key: it is secret only from the
     * authors of the texts. */
    TRY(og_new_file_open(&file, path, 0666, err));
    og_status status = og_new_file_write(&file, text, len, err);
    if (status == OG_OK) status = og_new_file_commit(&file, err);
    og_new_file_discard(&file);
    return status;
}

/* ---- reading ---- */

/* A place in the text; `bad` once something was not as it should be. */
struct lines {
    const char *at, *end;
    unsigned line;
    bool bad;
};

/* The value of the next line, which must have this name. */
static og_bytes take_line(struct lines *l, const char *name)
{
    const size_t name_len = strlen(name);
    if (l->bad) return (og_bytes){"", 0};
    l->line++;
    const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
    if (newline == NULL || (size_t)(newline - l->at) < name_len + 1 ||
        memcmp(l->at, name, name_len) != 0 || l->at[name_len] != ' ') {
        l->bad = true;
        return (og_bytes){"", 0};
    }
    const char *value = l->at + name_len + 1;
    l->at = newline + 1;
    return (og_bytes){value, (size_t)(newline - value)};
}

static uint64_t take_number(struct lines *l, const char *name, uint64_t most)
{
    const og_bytes s = take_line(l, name);
    uint64_t value = 0;
    if (s.len == 0 || s.len > 20) l->bad = true;
    for (size_t i = 0; i < s.len && !l->bad; i++) {
        const unsigned digit = (unsigned)(s.data[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) l->bad = true;
        if (!l->bad) value = value * 10 + digit;
    }
    if (value > most) l->bad = true;
    return value;
}

static bool equals(og_bytes s, const char *word)
{
    return s.len == strlen(word) && memcmp(s.data, word, s.len) == 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_uuid(struct lines *l, uint8_t *out)
{
    const og_bytes s = take_line(l, "uuid");
    if (s.len != 2 * OG_UUID_LEN) l->bad = true;
    for (size_t i = 0; i < OG_UUID_LEN && !l->bad; i++) {
        const int high = hex_digit(s.data[2 * i]);
        const int low = hex_digit(s.data[2 * i + 1]);
        if (high < 0 || low < 0)
            l->bad = true;
        else
            out[i] = (uint8_t)(high * 16 + low);
    }
}

static void take_same(struct lines *l, og_params *p)
{
    const og_bytes same = take_line(l, "same");
    if (same.len >= sizeof(p->same)) l->bad = true;
    if (l->bad) return;
    memcpy(p->same, same.data, same.len);
    p->same[same.len] = 0;
}

static void take_params(struct lines *l, og_params *p)
{
    l->bad |= !og_token_parse(take_line(l, "tokens"), &p->tokens);
    p->shingle_len = (uint32_t)take_number(l, "shingle", UINT32_MAX);
    l->bad |= !og_select_parse(take_line(l, "select"), &p->select);
    l->bad |= !og_evict_parse(take_line(l, "evict"), &p->evict);
    l->bad |= !og_estimate_parse(take_line(l, "estimate"), &p->estimate);
    p->bridge_limit = (uint32_t)take_number(l, "bridge-limit", UINT32_MAX);
    l->bad |= !og_layout_parse(take_line(l, "layout"), &p->layout);
    p->bucket_slots = (uint32_t)take_number(l, "bucket", UINT32_MAX);
    p->memory = take_number(l, "memory", UINT64_MAX);
    p->min_tokens = (uint32_t)take_number(l, "min-tokens", UINT32_MAX);
    p->key = take_number(l, "key", UINT64_MAX);
    const og_bytes texts = take_line(l, "texts");
    p->no_texts = equals(texts, "no");
    if (!p->no_texts && !equals(texts, "yes")) l->bad = true;
    take_same(l, p);
    /* Older stores keep their way of folding. */
    const size_t left = (size_t)(l->end - l->at);
    const bool has_fold = left > 5 && memcmp(l->at, "fold ", 5) == 0;
    p->fold = has_fold ? (uint32_t)take_number(l, "fold", OG_FOLD_ALL) : 0;
}

static void take_table(struct lines *l, char out[OG_CONF_TABLE_LEN])
{
    const og_bytes table = take_line(l, "table");
    if (table.len == 0 || table.len >= OG_CONF_TABLE_LEN) l->bad = true;
    if (l->bad) return;
    memcpy(out, table.data, table.len);
    out[table.len] = 0;
}

static og_status unknown_version(const char *name, uint64_t version,
                                 uint64_t features, og_error *err)
{
    return og_error_set(err, OG_ERR_STORE,
                        "'%s' is of version %" PRIu64 ", features %" PRIu64
                        "; this origo knows version %d, features %u",
                        name, version, features, OG_STORE_VERSION,
                        OG_STORE_FEATURES);
}

static bool check_sum(struct lines *l, og_bytes text)
{
    char expected[17];
    const size_t len = (size_t)(l->at - text.data);
    const og_bytes sum = take_line(l, "checksum");
    snprintf(expected, sizeof(expected), "%016" PRIx64,
             og_checksum(text.data, len));
    return !l->bad && l->at == l->end && equals(sum, expected);
}

og_status og_conf_parse(og_bytes text, const char *name, struct og_conf *out,
                        og_error *err)
{
    struct lines l = {.at = text.data, .end = text.data + text.len};
    *out = (struct og_conf){.params = og_params_default()};
    if (!equals(take_line(&l, "origo"), "store"))
        return og_error_set(err, OG_ERR_STORE, "'%s' is not a conf of a store",
                            name);
    const uint64_t version = take_number(&l, "version", UINT64_MAX);
    const uint64_t features = take_number(&l, "features", UINT64_MAX);
    if (!l.bad && (version != OG_STORE_VERSION ||
                   (features & ~(uint64_t)OG_STORE_FEATURES) != 0))
        return unknown_version(name, version, features, err);
    take_uuid(&l, out->uuid);
    take_params(&l, &out->params);
    out->is_keyed = (features & OG_STORE_KEYED) != 0;
    const bool is_catalogue = (features & OG_STORE_IS_CATALOGUE) != 0;
    out->indexes = is_catalogue ? 0 : OG_INDEX_PASSAGES;
    if ((features & OG_STORE_HAS_INDEXES) != 0 && !l.bad)
        l.bad = !og_indexes_parse(take_line(&l, "indexes"), &out->indexes);
    if ((features & OG_STORE_IS_COMPACTED) != 0)
        out->generation = (uint32_t)take_number(&l, "generation", 999999999);
    if ((features & OG_STORE_IS_COMPACTED) != 0 && out->generation == 0)
        l.bad = true;
    if (is_catalogue) take_table(&l, out->table);
    if (is_catalogue && (out->indexes & OG_INDEX_PASSAGES) != 0) l.bad = true;
    if (l.bad)
        return og_error_set(err, OG_ERR_STORE, "'%s' is damaged: line %u", name,
                            l.line);
    if (!check_sum(&l, text))
        return og_error_set(err, OG_ERR_STORE,
                            "'%s' is damaged: its checksum is wrong", name);
    return og_params_check(&out->params, err);
}

og_status og_conf_read(const char *folder, struct og_conf *out, og_error *err)
{
    char path[4096];
    char text[OG_CONF_TEXT_MOST];
    snprintf(path, sizeof(path), "%s/origo.conf", folder);
    const int fd = og_file_open_own(path, O_RDONLY, 0);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return og_error_set(err, OG_ERR_NO_STORE, "there is no store '%s'",
                            folder);
    if (fd < 0) return og_file_failure(err, "open", path, errno);
    const int64_t n = og_file_read_at(fd, text, sizeof(text), 0);
    const int error = errno;
    close(fd);
    if (n < 0) return og_file_failure(err, "read", path, error);
    return og_conf_parse((og_bytes){text, (size_t)n}, path, out, err);
}
