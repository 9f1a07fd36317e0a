/* origo delta, origo patch: a new file as pieces of old ones, and its
 * reconstruction. */

#include "options.h"
#include "say.h"

#include <inttypes.h>
#include <origo/origo.h>
#include <stdint.h>

struct delta_settings {
    const char *output;
    uint64_t chunk;
    uint32_t level, n_similar, n_threads;
    bool quiet;
};

static void delta_defaults(void *settings)
{
    const og_delta_options options = og_delta_options_default();
    struct delta_settings *s = settings;
    s->level = (uint32_t)options.level;
    s->n_similar = (uint32_t)options.n_similar;
}

#define AT(member) offsetof(struct delta_settings, member)

static const struct option delta_options[] = {
    OUTPUT_FILE_OPTION(AT, output,
                       .brief = "where to write the delta; required"),
    QUIET_AS_OPTION(AT, quiet, "no summary"),
    {.group = "Work",
     .name = "chunk",
     .type = &type_size,
     .offset = AT(chunk),
     .value = "SIZE",
     .brief = "average length of a chunk",
     .more =
         "Shorter chunks find shorter matches and take more memory. 0 means "
         "1Ki, or for files of more than 1Gi together, as long as it takes "
         "to have at most 2^20 chunks."},
    {.group = "Work",
     .name = "level",
     .type = &type_count,
     .offset = AT(level),
     .value = "N",
     .brief = "compression level, 1 to 19",
     .more =
         "0 means 19 for files up to about 128 KiB and 12 for larger ones."},
    {.group = "Work",
     .name = "similar",
     .type = &type_count,
     .offset = AT(n_similar),
     .value = "N",
     .brief = "maximum number of files used from folders"},
    THREADS_OPTION(AT, n_threads, "Work", NULL),
};

static int delta_run(const void *settings, const char *const *paths, size_t n)
{
    const struct delta_settings *s = settings;
    og_delta_options options = og_delta_options_default();
    og_delta_info info;
    og_error err = {0};
    if (s->output == NULL)
        return say_usage("files delta", "no output file given: -o FILE");
    if (s->chunk > UINT32_MAX)
        return say_usage("files delta", "--chunk: a chunk has less than 4 GiB");
    if (s->level > 19)
        return say_usage("files delta", "--level must be 0 to 19, not %u",
                         s->level);
    if (s->chunk != 0)
        options.cut = og_cut_options_default(OG_CUT_GEAR, (uint32_t)s->chunk);
    options.level = (int)s->level;
    options.n_similar = s->n_similar;
    options.n_threads = s->n_threads;
    if (og_delta_make(paths, n - 1, paths[n - 1], s->output, &options, &info,
                      &err) != OG_OK)
        return say_error("files delta", &err);
    if (!s->quiet)
        say("%" PRIu64 " bytes from %" PRIu64 ": %" PRIu64
            " copied in %zu pieces of %zu old files, %" PRIu64 " new",
            info.delta_len, info.new_len, info.copied_len, info.n_copies,
            info.n_old, info.literal_len);
    return EXIT_DONE;
}

const struct command command_delta = {
    .name = "files delta",
    .alias = "delta",
    .operands = "OLD... NEW",
    .brief = "write a delta from old files to a new one",
    .about = "Writes a delta: references to the parts of NEW that occur in any "
             "of the OLD files, and the rest, compressed. 'origo files patch' "
             "restores NEW from the same OLD files and the delta.\n\n"
             "If OLD is a folder, those of its files that are similar to NEW "
             "are used, whatever their names.",
    .examples = "  origo files delta v1.tar v2.tar -o v2.delta\n"
                "  origo files delta archive/ report.odt -o report.delta\n",
    .options = delta_options,
    .n_options = sizeof(delta_options) / sizeof(delta_options[0]),
    .settings_len = sizeof(struct delta_settings),
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .missing = "two files are needed: OLD... NEW",
    .defaults = delta_defaults,
    .run = delta_run,
};

/* ---- patch ---- */

static const struct option patch_options[] = {
    OUTPUT_FILE_OPTION(AT, output,
                       .brief = "where to write the new file; required"),
    THREADS_OPTION(AT, n_threads, "Work", NULL),
};

static int patch_run(const void *settings, const char *const *paths, size_t n)
{
    const struct delta_settings *s = settings;
    og_delta_options options = og_delta_options_default();
    og_error err = {0};
    if (s->output == NULL)
        return say_usage("files patch", "no output file given: -o FILE");
    options.n_threads = s->n_threads;
    if (og_delta_apply(paths, n - 1, paths[n - 1], s->output, &options, NULL,
                       &err) != OG_OK)
        return say_error("files patch", &err);
    return EXIT_DONE;
}

const struct command command_patch = {
    .name = "files patch",
    .alias = "patch",
    .operands = "OLD... DELTA",
    .brief = "restore a new file from old ones and a delta",
    .about = "Restores the file that 'origo files delta' was given as NEW. The "
             "OLD files, or folders that contain them, are recognised by their "
             "checksums, not by their names. If one is missing or different, "
             "it is reported and nothing is written. The new file appears when "
             "its checksum has been verified.",
    .examples = "  origo files patch v1.tar v2.delta -o v2.tar\n"
                "  origo files patch archive/ report.delta -o report.odt\n",
    .options = patch_options,
    .n_options = sizeof(patch_options) / sizeof(patch_options[0]),
    .settings_len = sizeof(struct delta_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no DELTA given",
    .defaults = delta_defaults,
    .run = patch_run,
};
