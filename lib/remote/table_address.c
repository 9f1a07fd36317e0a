#include "lib/remote/table_address.h"

#include <stdlib.h>
#include <string.h>

/* Longer than a cluster takes to replace a failed master: its default node
 * timeout is 15 s. */
#define TIMEOUT     30
#define TIMEOUT_MAX 3600
#define TTL_MAX     999999999
#define WAIT_MAX    16

static const char plain[] = "redis://", secure[] = "rediss://";

bool og_table_address_is(const char *text)
{
    return strncmp(text, plain, sizeof(plain) - 1) == 0 ||
           strncmp(text, secure, sizeof(secure) - 1) == 0;
}

static og_status is_none(const char *why, og_error *err)
{
    return og_error_set(err, OG_ERR_USAGE,
                        "the address of a table is redis://HOST:PORT/TABLE: %s",
                        why);
}

static bool copy_word(og_bytes from, char *to, size_t cap)
{
    if (from.len >= cap || memchr(from.data, 0, from.len) != NULL) return false;
    memcpy(to, from.data, from.len);
    to[from.len] = 0;
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* %40 is a '@', as in every address. */
static bool copy_decoded(og_bytes from, char *to, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < from.len; i++) {
        char c = from.data[i];
        if (c == '%') {
            const int high =
                i + 2 < from.len ? hex_value(from.data[i + 1]) : -1;
            const int low = high >= 0 ? hex_value(from.data[i + 2]) : -1;
            if (low < 0) return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == 0 || n + 1 >= cap) return false;
        to[n++] = c;
    }
    to[n] = 0;
    return true;
}

static bool read_small(og_bytes text, unsigned most, unsigned *out)
{
    unsigned value = 0;
    if (text.len == 0 || text.len > 9) return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
        value = value * 10 + (unsigned)(text.data[i] - '0');
    }
    *out = value;
    return value > 0 && value <= most;
}

/* ---- the parts ---- */

/* "host", "host:7000", "[::1]:7000" */
static bool take_host(og_bytes text, struct og_redis_host *out)
{
    const bool has_brackets = text.len > 0 && text.data[0] == '[';
    const char *close = memchr(text.data, has_brackets ? ']' : ':', text.len);
    size_t name_len = close != NULL ? (size_t)(close - text.data) : text.len;
    og_bytes name = {text.data, name_len};
    if (has_brackets) {
        if (close == NULL) return false;
        name = (og_bytes){text.data + 1, name_len - 1};
        name_len++;
    }
    out->port = OG_ADDRESS_PORT;
    if (name.len == 0 || !copy_word(name, out->name, sizeof(out->name)))
        return false;
    if (name_len == text.len) return true;
    return text.data[name_len] == ':' &&
           read_small(
               (og_bytes){text.data + name_len + 1, text.len - name_len - 1},
               65535, &out->port);
}

static og_status take_hosts(og_bytes text, struct og_table_address *out,
                            og_error *err)
{
    for (;;) {
        const char *comma = memchr(text.data, ',', text.len);
        const size_t len =
            comma != NULL ? (size_t)(comma - text.data) : text.len;
        if (out->n_hosts == OG_ADDRESS_HOSTS_MAX)
            return is_none("there are too many hosts", err);
        if (!take_host((og_bytes){text.data, len}, &out->hosts[out->n_hosts++]))
            return is_none("a host or a port is missing or wrong", err);
        if (comma == NULL) return OG_OK;
        text = (og_bytes){comma + 1, text.len - len - 1};
    }
}

/* "password", "user:password", ":password" */
static bool take_secret(og_bytes text, bool is_decoded, bool needs_colon,
                        struct og_table_address *out)
{
    bool (*copy)(og_bytes, char *, size_t) =
        is_decoded ? copy_decoded : copy_word;
    const char *colon = memchr(text.data, ':', text.len);
    const size_t user_len = colon != NULL ? (size_t)(colon - text.data) : 0;
    const size_t past = colon != NULL ? user_len + 1 : 0;
    if (colon == NULL && needs_colon) return false;
    return copy((og_bytes){text.data, user_len}, out->user,
                sizeof(out->user)) &&
           copy((og_bytes){text.data + past, text.len - past}, out->password,
                sizeof(out->password));
}

static og_status take_authority(og_bytes text, struct og_table_address *out,
                                og_error *err)
{
    const char *secret = getenv("ORIGO_REDIS_AUTH");
    size_t at = text.len;
    while (at > 0 && text.data[at - 1] != '@')
        at--;
    if (at > 0 && !take_secret((og_bytes){text.data, at - 1}, true, true, out))
        return is_none("before the '@' is no USER:PASSWORD", err);
    if (at == 0 && secret != NULL && secret[0] != 0 &&
        !take_secret((og_bytes){secret, strlen(secret)}, false, false, out))
        return is_none("ORIGO_REDIS_AUTH is too long", err);
    return take_hosts((og_bytes){text.data + at, text.len - at}, out, err);
}

static bool is_text(og_bytes text, const char *wanted)
{
    return text.len == strlen(wanted) &&
           memcmp(text.data, wanted, text.len) == 0;
}

static og_status take_timeout(og_bytes value, struct og_table_address *out,
                              og_error *err)
{
    unsigned seconds;
    if (!read_small(value, TIMEOUT_MAX, &seconds))
        return is_none("a timeout is 1 to 3600 seconds", err);
    out->timeout = seconds;
    return OG_OK;
}

static og_status take_wait(og_bytes value, struct og_table_address *out,
                           og_error *err)
{
    return read_small(value, WAIT_MAX, &out->n_replicas)
               ? OG_OK
               : is_none("wait is for 1 to 16 replicas", err);
}

static og_status take_mode(og_bytes value, struct og_table_address *out,
                           og_error *err)
{
    if (!is_text(value, "plain") && !is_text(value, "module"))
        return is_none("a mode is module or plain", err);
    out->mode = is_text(value, "plain") ? OG_TABLE_PLAIN : OG_TABLE_MODULE;
    return OG_OK;
}

static og_status take_ttl(og_bytes value, struct og_table_address *out,
                          og_error *err)
{
    return read_small(value, TTL_MAX, &out->ttl)
               ? OG_OK
               : is_none("a ttl is 1 to 999999999 seconds", err);
}

/* "name=value" */
static og_status take_option(og_bytes text, struct og_table_address *out,
                             og_error *err)
{
    static const struct {
        const char *name;
        og_status (*take)(og_bytes value, struct og_table_address *out,
                          og_error *err);
    } options[] = {{"timeout", take_timeout},
                   {"mode", take_mode},
                   {"ttl", take_ttl},
                   {"wait", take_wait}};
    const char *equals = memchr(text.data, '=', text.len);
    const size_t name_len =
        equals != NULL ? (size_t)(equals - text.data) : text.len;
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (equals != NULL &&
            is_text((og_bytes){text.data, name_len}, options[i].name))
            return options[i].take(
                (og_bytes){equals + 1, text.len - name_len - 1}, out, err);
    return is_none("after the '?' there can be timeout=SECONDS, mode=plain, "
                   "ttl=SECONDS and wait=REPLICAS, with a '&' between them",
                   err);
}

static og_status take_query(const char *text, struct og_table_address *out,
                            og_error *err)
{
    for (;;) {
        const size_t len = strcspn(text, "&");
        TRY(take_option((og_bytes){text, len}, out, err));
        if (text[len] == 0) return OG_OK;
        text += len + 1;
    }
}

og_status og_table_address_parse(const char *text, struct og_table_address *out,
                                 og_error *err)
{
    char key[OG_PARTITION_KEY_LEN];
    *out = (struct og_table_address){.timeout = TIMEOUT};
    if (!og_table_address_is(text))
        return is_none("it does not begin with redis:// or rediss://", err);
    out->is_tls = text[5] == 's';
    text += out->is_tls ? sizeof(secure) - 1 : sizeof(plain) - 1;
    const char *slash = strchr(text, '/');
    if (slash == NULL || slash[1] == 0)
        return is_none("the name of the table is missing", err);
    const char *name = slash + 1;
    const size_t name_len = strcspn(name, "?");
    TRY(og_partition_key((og_bytes){name, name_len}, 0, 0, key, err));
    memcpy(out->table, name, name_len);
    if (name[name_len] == '?') TRY(take_query(name + name_len + 1, out, err));
    return take_authority((og_bytes){text, (size_t)(slash - text)}, out, err);
}
