/* origo chunks: how a file is cut, and the hashes of its chunks.
 *
 * Shows what similar, delta and send work with, also for scripts that store
 * chunks themselves: the offset and length give the bytes, sha256sum verifies
 * the hash. */

#include "options.h"
#include "print_string.h"
#include "say.h"

#include <inttypes.h>
#include <origo/origo.h>
#include <stdint.h>
#include <string.h>

enum format { FORMAT_TSV, FORMAT_JSON };

struct chunks_settings {
    int kind; /* og_cut_kind */
    uint64_t average_len;
    uint64_t min_len, max_len; /* 0: those that suit the average */
    bool levels;
    int format;
    uint32_t n_threads;
};

static void chunks_defaults(void *settings)
{
    struct chunks_settings *s = settings;
    s->kind = OG_CUT_GEAR;
    s->average_len = OG_CUT_AVERAGE;
}

#define AT(member) offsetof(struct chunks_settings, member)
#define CUT        "Cutting"
#define OUT        "Output"

static const struct option chunks_options[] = {
    {.group = CUT,
     .name = "kind",
     .type = &type_choice,
     .offset = AT(kind),
     .value = "KIND",
     .choices = "gear|winnow|winnow-fast",
     .brief = "how to cut: gear, winnow or winnow-fast",
     .more = "gear ends a chunk at the first position with a low hash; winnow "
             "at the position with the lowest hash within reach; winnow-fast "
             "does the same with a faster hash."},
    {.group = CUT,
     .name = "average",
     .type = &type_size,
     .offset = AT(average_len),
     .value = "SIZE",
     .brief = "average length of a chunk, in bytes",
     .more = "128 bytes to 128Mi."},
    {.group = CUT,
     .name = "min",
     .type = &type_size,
     .offset = AT(min_len),
     .value = "SIZE",
     .brief = "minimum chunk length; 0: a quarter of the average",
     .more = "64 bytes or more."},
    {.group = CUT,
     .name = "max",
     .type = &type_size,
     .offset = AT(max_len),
     .value = "SIZE",
     .brief = "maximum chunk length; 0: depends on the kind",
     .more = "gear uses 4 times the average, winnow the reach that gives this "
             "average, 1.6 times it."},

    {.group = OUT,
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = AT(format),
     .value = "FORMAT",
     .choices = "tsv|json",
     .brief = "output format: tsv or json",
     .more = "json writes one object per file, each on a line."},
    {.group = OUT,
     .name = "levels",
     .type = &type_flag,
     .offset = AT(levels),
     .brief = "also print the upper levels of the chunk tree"},
    THREADS_OPTION(AT, n_threads, OUT, "The output does not depend on it."),
};

/* ---- printing ---- */

static void print_hash(const uint8_t *hash)
{
    char text[2 * OG_HASH_LEN + 1];
    for (size_t i = 0; i < OG_HASH_LEN; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    fputs(text, stdout);
}

static og_bytes view(const char *s)
{
    return (og_bytes){s, strlen(s)};
}

static void print_row(const char *part, uint64_t offset, uint64_t len,
                      const uint8_t *hash, const char *path)
{
    printf("%s\t%" PRIu64 "\t%" PRIu64 "\t", part, offset, len);
    print_hash(hash);
    putchar('\t');
    print_name(path);
    putchar('\n');
}

static void print_tsv(const og_chunk_tree *tree, const char *path, bool levels)
{
    size_t n;
    const og_chunk *chunks = og_chunk_tree_chunks(tree, &n);
    for (size_t i = 0; i < n; i++)
        print_row("chunk", chunks[i].offset, chunks[i].len, chunks[i].hash,
                  path);
    for (unsigned l = 0; levels && l < og_chunk_tree_n_levels(tree); l++) {
        const og_chunk_node *nodes = og_chunk_tree_level(tree, l, &n);
        char part[32];
        snprintf(part, sizeof(part), "level%u", l + 1);
        for (size_t i = 0; i < n; i++)
            print_row(part, nodes[i].offset, nodes[i].len, nodes[i].hash, path);
    }
    print_row("root", 0, og_chunk_tree_file_len(tree), og_chunk_tree_root(tree),
              path);
}

static void print_json_part(bool is_first, uint64_t offset, uint64_t len,
                            const uint8_t *hash)
{
    printf("%s{\"offset\":%" PRIu64 ",\"length\":%" PRIu64 ",\"hash\":\"",
           is_first ? "" : ",", offset, len);
    print_hash(hash);
    fputs("\"}", stdout);
}

static void print_json_levels(const og_chunk_tree *tree)
{
    fputs(",\"levels\":[", stdout);
    for (unsigned l = 0; l < og_chunk_tree_n_levels(tree); l++) {
        size_t n;
        const og_chunk_node *nodes = og_chunk_tree_level(tree, l, &n);
        fputs(l == 0 ? "[" : ",[", stdout);
        for (size_t i = 0; i < n; i++)
            print_json_part(i == 0, nodes[i].offset, nodes[i].len,
                            nodes[i].hash);
        putchar(']');
    }
    putchar(']');
}

static void print_json(const og_chunk_tree *tree, const char *path,
                       const og_cut_options *options, bool levels)
{
    size_t n;
    const og_chunk *chunks = og_chunk_tree_chunks(tree, &n);
    fputs("{\"origo\":1,\"file\":", stdout);
    print_json_string(stdout, view(path));
    printf(",\"length\":%" PRIu64 ",\"kind\":\"%s\",\"min\":%" PRIu32
           ",\"average\":%" PRIu32 ",\"max\":%" PRIu32 ",\"root\":\"",
           og_chunk_tree_file_len(tree), og_cut_kind_name(options->kind),
           options->min_len, options->average_len, options->max_len);
    print_hash(og_chunk_tree_root(tree));
    fputs("\",\"chunks\":[", stdout);
    for (size_t i = 0; i < n; i++)
        print_json_part(i == 0, chunks[i].offset, chunks[i].len,
                        chunks[i].hash);
    putchar(']');
    if (levels) print_json_levels(tree);
    fputs("}\n", stdout);
}

/* ---- the command ---- */

/* A size that exceeds uint32_t is out of every range: the check says which. */
static uint32_t clamp(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static og_cut_options cut_options(const struct chunks_settings *s)
{
    const uint32_t average = clamp(s->average_len);
    og_cut_options options =
        og_cut_options_default((og_cut_kind)s->kind, average);
    /* Values as typed are checked, not corrected. */
    options.average_len = average;
    if (s->min_len != 0) options.min_len = clamp(s->min_len);
    if (s->max_len != 0)
        options.max_len = clamp(s->max_len);
    else if (s->min_len != 0 && options.kind != OG_CUT_GEAR)
        options.max_len = og_cut_least_max(&options);
    return options;
}

static int chunks_run(const void *settings, const char *const *paths, size_t n)
{
    const struct chunks_settings *s = settings;
    const og_cut_options options = cut_options(s);
    int status = EXIT_DONE;
    og_error err = {0};
    if (og_cut_options_check(&options, &err) != OG_OK)
        return say_usage("files chunks", "%s", err.message);
    if (s->format == FORMAT_TSV) puts("part\toffset\tlength\thash\tfile");
    for (size_t i = 0; i < n; i++) {
        og_chunk_tree *tree;
        if (og_chunk_tree_read(paths[i], &options, s->n_threads, &tree, &err) !=
            OG_OK) {
            status = say_error("files chunks", &err);
            continue;
        }
        if (s->format == FORMAT_TSV)
            print_tsv(tree, paths[i], s->levels);
        else
            print_json(tree, paths[i], &options, s->levels);
        og_chunk_tree_free(tree);
    }
    return status;
}

const struct command command_chunks = {
    .name = "files chunks",
    .alias = "chunks",
    .operands = "FILE...",
    .brief = "cut files into content-defined chunks, with hashes",
    .about =
        "Cuts each FILE, whatever its contents, into chunks. The bytes around "
        "a position decide whether a chunk ends there, so an edit changes the "
        "chunks that it touches and hardly any others. '-' is stdin.\n\n"
        "Prints a header line and, for each chunk, a TSV line: part offset "
        "length hash file; and a line for the whole file, whose part is root. "
        "The hash of a chunk is the SHA-256 of its bytes; the hash of the root "
        "identifies the whole file and its chunks.",
    .examples =
        "  origo files chunks disk.img\n"
        "  origo files chunks --kind winnow --average 2Ki old.tar new.tar\n"
        "  origo files chunks --format json - < disk.img\n",
    .options = chunks_options,
    .n_options = sizeof(chunks_options) / sizeof(chunks_options[0]),
    .settings_len = sizeof(struct chunks_settings),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no FILE given; '-' reads stdin",
    .defaults = chunks_defaults,
    .run = chunks_run,
};
