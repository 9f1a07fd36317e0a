/* origo compact, and the end of origo rm --purge. */

#include "compaction.h"
#include "progress.h"
#include "say.h"
#include "store_options.h"

#include <inttypes.h>
#include <stdint.h>

static void on_step(void *ctx, const char *what, uint64_t done, uint64_t total)
{
    progress_step(ctx, what, done, total);
}

int compact_store(const char *path, bool quiet, const char *command)
{
    struct progress progress;
    og_compaction done;
    og_error err = {0};
    progress_start(&progress, &path, 1, quiet, false);
    const og_status status =
        og_store_compact(path, &done, on_step, &progress, &err);
    progress_end(&progress);
    if (status != OG_OK) return say_error(command, &err);
    if (!quiet)
        printf("%" PRIu64 " documents, nothing left of %" PRIu64
               " that were removed; %" PRIu64 " bytes became %" PRIu64 "\n",
               done.n_documents, done.n_removed, done.bytes_before,
               done.bytes_after);
    return EXIT_DONE;
}

struct compact_settings {
    struct store_settings store;
    bool quiet;
};

static void compact_defaults(void *settings)
{
    struct compact_settings *s = settings;
    store_defaults(&s->store);
}

static int compact_run(const void *settings, const char *const *operands,
                       size_t n)
{
    const struct compact_settings *s = settings;
    (void)operands, (void)n;
    const int refused = store_need_folder(store_path(&s->store), "compact");
    if (refused != EXIT_DONE) return refused;
    return compact_store(store_path(&s->store), s->quiet, "compact");
}

#define AT(member) offsetof(struct compact_settings, member)

static const struct option compact_options[] = {
    STORE_OPTION(AT, store, "the store"),
    QUIET_AS_OPTION(AT, quiet, "do not print a summary"),
};

const struct command command_compact = {
    .name = "compact",
    .group = GROUP_STORE,
    .operands = "",
    .brief = "rewrite a store without the removed documents",
    .about =
        "Frees the space of removed documents. Afterwards, no file of the "
        "store contains any part of their texts, ids, titles, addresses or "
        "other fields; only their times remain, and fingerprints that refer to "
        "no document. The new files are written next to the old ones and "
        "replace them in one step, so the disk must have room for both, and a "
        "crash leaves either the old store or the new one. No other process "
        "may write at the same time. Processes that read continue, or get an "
        "error that asks them to open the store again.",
    .examples = "  origo rm -s news.store article-4711\n"
                "  origo compact -s news.store\n",
    .options = compact_options,
    .n_options = sizeof(compact_options) / sizeof(compact_options[0]),
    .settings_len = sizeof(struct compact_settings),
    .defaults = compact_defaults,
    .run = compact_run,
};
