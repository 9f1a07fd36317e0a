#include "lib/index/near_shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/remote/remote_catalogue.h"
#include "lib/store/catalogue/shared_documents.h"

#define TEXT_MOST 160

/* ---- options ---- */

#define FORMAT "method=%u tokens=%u shingle=%u bands=%u rows=%u memory=%" PRIu64
#define SCAN   "method=%u tokens=%u shingle=%u bands=%u rows=%u memory=%" SCNu64

static size_t print_options(const og_near_options *o, char text[TEXT_MOST])
{
    return (size_t)snprintf(text, TEXT_MOST, FORMAT, (unsigned)o->method,
                            (unsigned)o->tokens, (unsigned)o->shingle_len,
                            (unsigned)o->n_bands, (unsigned)o->n_rows,
                            o->memory);
}

/* Exactly what was printed: og_near_open() checks what it means. */
bool og_near_shared_parse(og_bytes text, og_near_options *out)
{
    char line[TEXT_MOST], again[TEXT_MOST];
    unsigned method, tokens, shingle, bands, rows;
    uint64_t memory;
    if (text.len >= sizeof(line)) return false;
    memcpy(line, text.data, text.len);
    line[text.len] = 0;
    if (sscanf(line, SCAN, &method, &tokens, &shingle, &bands, &rows,
               &memory) != 6 ||
        method > OG_NEAR_BOTH || tokens > OG_TOKEN_DNA)
        return false;
    *out = (og_near_options){.method = (og_near_method)method,
                             .tokens = (og_token_kind)tokens,
                             .shingle_len = shingle,
                             .n_bands = bands,
                             .n_rows = rows,
                             .memory = memory};
    return print_options(out, again) == text.len && strcmp(line, again) == 0;
}

og_status og_near_shared_options(og_store *store, og_near_options *options,
                                 og_error *err)
{
    char text[TEXT_MOST];
    struct og_remote_catalogue *remote = store->shared->remote;
    struct og_pack found = {.allocator = store->allocator};
    og_bytes offered = {"", 0};
    if (!store->is_read_only)
        offered = (og_bytes){text, print_options(options, text)};
    og_status status =
        og_remote_catalogue_field(remote, "sketches", offered, &found, err);
    const og_bytes bytes = {(const char *)found.data, found.len};
    if (status == OG_OK && found.len > 0 &&
        !og_near_shared_parse(bytes, options))
        status = og_error_set(err, OG_ERR_STORE,
                              "table '%s' is damaged: options of its index of "
                              "near-duplicates",
                              og_remote_catalogue_name(remote));
    og_pack_release(&found);
    return status;
}

/* ---- the log ---- */

static og_status append(void *ctx, og_bytes records, struct og_pack *before,
                        og_error *err)
{
    struct og_near_shared *shared = ctx;
    if (!shared->is_open) {
        TRY(og_remote_log_open(&shared->log, false, err));
        TRY(og_remote_log_read(&shared->log, before, err));
        shared->is_open = true;
    }
    return og_remote_log_append(&shared->log, records, before, err);
}

void og_near_shared_connect(struct og_near_shared *shared, og_store *store,
                            og_near *near)
{
    const uint64_t len = og_near_record_len(near);
    const uint64_t room = og_near_index_room(near->index) * len;
    *shared = (struct og_near_shared){
        .log = {.catalogue = store->shared->remote,
                .kind = 'n',
                .record_len = (uint32_t)len,
                /* The newest is only begun. */
                .n_kept = (uint32_t)(room / OG_REMOTE_LOG_SEGMENT) + 2}};
    near->log = (struct og_near_log){shared, append};
}
