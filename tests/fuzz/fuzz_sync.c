/* An untrusted peer of the exchange, once as the sender and once as the
 * receiver. The first byte chooses; a valid greeting and, for the sender, a
 * valid offer are prepended, so that the messages after them are reached.
 * Nothing is written: the receiver makes a dry run. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sync/sync.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A tree with one small file, made once. */
static const char *small_tree(void)
{
    static char folder[64];
    char path[96];
    if (folder[0] != '\0') return folder;
    strcpy(folder, "/tmp/origo-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL) abort();
    snprintf(path, sizeof(path), "%s/a", folder);
    FILE *f = fopen(path, "w");
    if (f == NULL) abort();
    for (int i = 0; i < 2000; i++)
        fprintf(f, "line %d\n", i);
    fclose(f);
    return folder;
}

static void clean(void)
{
    char path[96];
    snprintf(path, sizeof(path), "%s/a", small_tree());
    unlink(path);
    rmdir(small_tree());
}

static void put_greeting(struct og_pack *p, char role)
{
    og_pack_bytes(p, "origoSYN\1\0\1\0", 12);
    og_pack_bytes(p, &role, 1);
    og_pack_bytes(p, "\0\0\0", 3);
}

static void put_offer(struct og_pack *p)
{
    const og_cut_options cut = og_cut_options_default(OG_CUT_GEAR, 256);
    struct og_pack m = {0};
    const uint8_t kind = OG_WIRE_OFFER, root[OG_SYNC_ROOT_LEN] = {1};
    og_pack_number(&m, cut.kind);
    og_pack_number(&m, cut.min_len);
    og_pack_number(&m, cut.average_len);
    og_pack_number(&m, cut.max_len);
    og_pack_number(&m, 64);
    og_pack_number(&m, 100);
    og_pack_number(&m, 200);
    og_pack_bytes(&m, root, sizeof(root));
    og_pack_bytes(p, &kind, 1);
    og_pack_number(p, m.len);
    og_pack_bytes(p, m.data, m.len);
    og_pack_release(&m);
}

static void run(const uint8_t *data, size_t len, bool is_sender)
{
    og_sync_options options = og_sync_options_default();
    og_sync_counts counts = {0};
    struct og_wire wire;
    og_error err = {0};
    options.dry_run = true;
    options.n_threads = 1;
    og_status status =
        og_wire_open_memory(&wire, data, len, is_sender, &options, &err);
    if (status == OG_OK)
        status = is_sender ? og_sync_send_over(&wire, small_tree(), &options,
                                               &counts, &err)
                           : og_sync_receive_over(&wire, small_tree(), &options,
                                                  &counts, &err);
    if (status != OG_OK && err.message[0] == '\0') abort();
    og_wire_close(&wire);
}

/* An untrusted list: every path that is accepted is safe. */
static void parse_list(const uint8_t *data, size_t len)
{
    struct og_sync_list list = {0};
    (void)og_sync_list_parse(&list, data, len, NULL);
    for (size_t i = 0; i < list.n; i++) {
        const char *path = list.entries[i].path;
        if (path[0] == '/' || strncmp(path, "../", 3) == 0 ||
            strstr(path, "/../") != NULL || strcmp(path, "..") == 0)
            abort();
    }
    og_sync_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static bool is_first = true;
    struct og_pack p = {0};
    if (is_first) atexit(clean);
    is_first = false;
    if (len == 0) return 0;
    parse_list(data + 1, len - 1);
    switch (data[0] % 4) {
    case 0: run(data + 1, len - 1, false); break;
    case 1: run(data + 1, len - 1, true); break;
    case 2:
        put_greeting(&p, 's');
        put_offer(&p);
        og_pack_bytes(&p, data + 1, len - 1);
        run(p.data, p.len, false);
        break;
    default:
        put_greeting(&p, 'r');
        og_pack_bytes(&p, data + 1, len - 1);
        run(p.data, p.len, true);
    }
    og_pack_release(&p);
    return 0;
}
