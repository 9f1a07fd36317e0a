/* Documents that are removed. A server compares before it changes what another
 * process may have changed meanwhile, in a script of one line. */

#include "lib/remote/catalogue_caller.h"

/* The id still names the document. */
#define FORGET_ID                                                              \
    "if redis.call('get',KEYS[1])==ARGV[1] then redis.call('del',KEYS[1]) "    \
    "end return 1"
/* The bytes are still those that were read. */
#define CHANGE_TEXT                                                            \
    "if redis.call('getrange',KEYS[1],ARGV[1],ARGV[2])==ARGV[3] then "         \
    "redis.call('setrange',KEYS[1],ARGV[1],ARGV[4]) return 1 end return 0"

/* EVAL key -> EVAL script 1 key */
static void make_script(struct og_redis_request *request, const char *script)
{
    const og_bytes key = request->words[1];
    request->n_words = 1;
    og_redis_add_word(request, og_redis_word(script));
    og_redis_add_word(request, og_redis_word("1"));
    og_redis_add_word(request, key);
}

og_status og_remote_catalogue_remove(struct og_remote_catalogue *r,
                                     uint32_t number, og_error *err)
{
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(r, 1, OG_CATALOGUE_KEY, &c, err));
    struct og_redis_request *request =
        og_catalogue_ask_number(r, c, "HSET", 'd', number);
    og_redis_add_word(request, og_redis_word("r"));
    og_redis_add_word(request, og_redis_word("1"));
    return og_catalogue_write(r, c, og_catalogue_take_nothing, NULL, err);
}

og_status og_remote_catalogue_purge(struct og_remote_catalogue *r,
                                    uint32_t number, og_bytes id,
                                    og_bytes entry, og_error *err)
{
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(
        r, 3, 3 * OG_CATALOGUE_KEY + OG_CATALOGUE_NUMBER + id.len, &c, err));
    struct og_redis_request *request = og_catalogue_ask_id(r, c, "EVAL", id);
    make_script(request, FORGET_ID);
    og_catalogue_add_number(c, request, number);
    request = og_catalogue_ask_number(r, c, "HSET", 'd', number);
    og_redis_add_word(request, og_redis_word("e"));
    og_redis_add_word(request, entry);
    (void)og_catalogue_ask_number(r, c, "UNLINK", 'c', number);
    return og_catalogue_write(r, c, og_catalogue_take_nothing, NULL, err);
}

struct change {
    const struct og_remote_catalogue *catalogue;
    bool is_done;
};

static og_status take_change(void *ctx, size_t number,
                             const struct og_resp *reply, og_error *err)
{
    struct change *change = ctx;
    const struct og_resp_item *item = &reply->items[0];
    (void)number;
    if (item->kind != OG_RESP_NUMBER)
        return og_catalogue_no_answer(change->catalogue, "EVAL", err);
    change->is_done = item->number == 1;
    return OG_OK;
}

og_status og_remote_catalogue_change_text(struct og_remote_catalogue *r,
                                          uint32_t number, uint64_t off,
                                          og_bytes before, og_bytes after,
                                          bool *out_is_done, og_error *err)
{
    struct change change = {r, false};
    struct og_catalogue_caller *c;
    TRY(og_catalogue_caller_take(
        r, 1, OG_CATALOGUE_KEY + 2 * OG_CATALOGUE_NUMBER, &c, err));
    struct og_redis_request *request =
        og_catalogue_ask_number(r, c, "EVAL", 't', number);
    make_script(request, CHANGE_TEXT);
    og_catalogue_add_number(c, request, (int64_t)off);
    og_catalogue_add_number(c, request, (int64_t)(off + before.len - 1));
    og_redis_add_word(request, before);
    og_redis_add_word(request, after);
    TRY(og_catalogue_write(r, c, take_change, &change, err));
    *out_is_done = change.is_done;
    return OG_OK;
}
