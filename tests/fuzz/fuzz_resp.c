/* Replies of a server: taken apart, and read as all that one can be. */

#include "lib/index/near_shared.h"
#include <stdlib.h>

#include <string.h>

#include "lib/remote/plain_table.h"
#include "lib/remote/redis_client.h"
#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/entry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool check_range(void *ctx, unsigned first, unsigned last, og_bytes host,
                        unsigned port)
{
    (void)ctx;
    if (first > last || last >= OG_REDIS_SLOTS || port < 1 || port > 65535)
        abort();
    return host.len <= OG_RESP_BYTES_MAX;
}

static void check_error(og_bytes error)
{
    struct og_resp_redirect to;
    if (!og_resp_redirect(error, &to)) return;
    if (to.slot >= OG_REDIS_SLOTS || to.port < 1 || to.port > 65535 ||
        to.host.len >= error.len)
        abort();
}

/* The value of a key of a plain table, and an answer to INFO. */
static void check_string(og_bytes bytes)
{
    char text[OG_PLAIN_VALUE_LEN];
    struct og_hit hit, again;
    (void)og_plain_info_number(bytes, "evicted_keys");
    if (!og_plain_read_value(bytes, &hit)) return;
    if (hit.doc == OG_NO_DOC) abort();
    og_plain_write_value(hit, text);
    if (!og_plain_read_value((og_bytes){text, strlen(text)}, &again) ||
        memcmp(&hit, &again, sizeof(hit)) != 0)
        abort();
}

/* What it would be as an entry of a document, or as its number. */
static void check_document(const struct og_resp *reply)
{
    struct og_entry entry;
    og_bytes packed;
    unsigned state;
    uint32_t number;
    if (og_remote_read_entry(reply, &packed, &state) &&
        og_entry_unpack(packed, &entry) && entry.id.len > packed.len)
        abort();
    og_near_options options;
    for (size_t i = 0; i < reply->n; i++)
        (void)og_near_shared_parse(reply->items[i].bytes, &options);
    for (size_t i = 0; i < reply->n; i++)
        if (og_remote_read_number(&reply->items[i], &number) &&
            number == OG_NO_DOC)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct og_resp reply = {0};
    og_bytes left = {(const char *)data, len};
    size_t used;
    while (left.len > 0 &&
           og_resp_parse(left, &reply, &used) == OG_RESP_WHOLE) {
        if (used == 0 || used > left.len || reply.n == 0) abort();
        if (og_resp_after(&reply, 0) != reply.n) abort();
        for (size_t i = 0; i < reply.n; i++)
            if (reply.items[i].kind == OG_RESP_ERROR)
                check_error(reply.items[i].bytes);
            else if (reply.items[i].kind == OG_RESP_BYTES)
                check_string(reply.items[i].bytes);
        og_redis_read_slots(&reply, check_range, NULL);
        check_document(&reply);
        left = (og_bytes){left.data + used, left.len - used};
    }
    og_resp_release(&reply);
    return 0;
}
