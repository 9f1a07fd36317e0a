#ifndef CLI_STORE_OPTIONS_H
#define CLI_STORE_OPTIONS_H

/* The options of every command that opens a store, and functions to open it.
 * `member` is the struct store_settings in the settings that AT() points
 * into. */

#include "options.h"

#include <origo/origo.h>

struct store_settings {
    unsigned indexes;      /* of a new store; 0: passages */
    const char *path;      /* NULL: $ORIGO_STORE, otherwise ./origo.store */
    const char *catalogue; /* of a table on a server; `path` is then its
                              address */
    og_params params;      /* of a new one */
};

void store_defaults(struct store_settings *s);
const char *store_path(const struct store_settings *s);
bool store_is_memory(const struct store_settings *s);

/* The folder of the store, or of the catalogue. For messages and files. */
const char *store_folder(const struct store_settings *s);

/* False: the store is in memory, or entirely on servers. */
bool store_has_folder(const struct store_settings *s);

/* For messages: an address without its password. */
const char *store_name(const char *path);

/* Opens it. Parameters that were requested and differ from the store's are
 * wrong usage. EXIT_DONE, or the exit status after a message on stderr. */
int store_open(const struct store_settings *s, og_access access,
               const char *command, og_store **out);
/* If an index could not be built because of files of a former version: says
 * which command helps. */
void store_say_upgrade(const og_store *store, const char *path);

/* EXIT_USAGE, and a message, when the store is on servers. */
int store_need_folder(const char *path, const char *command);

/* EXIT_DONE: the store has the index. Otherwise says which command builds it,
 * and closes the store. */
int store_need_index(og_store *store, const char *path, unsigned index,
                     const char *command);

/* Opens it for questions to one index (og_index); `catalogue`: the folder of
 * documents whose table is at `path`, NULL: they are at `path`, too. With `add`
 * the store is created if there is none, and the index is built if it is off.
 * `options` are those of a new index. */
int store_open_index(const char *path, const char *catalogue, unsigned index,
                     bool add, const og_store_options *options,
                     const char *command, og_store **out);
/* Reports that the index `has` another value of an option of new indexes, and
 * closes the store. */
int store_refuse_option(og_store *store, const char *path, unsigned index,
                        const char *option, const char *has,
                        const char *command);
/* Closes it. Returns `status`, or that of a failure to close if there was none
 * before. */
int store_close(og_store *store, const char *command, int status);

extern const struct option_type type_indexes; /* unsigned, og_index */
extern const struct option_type type_preset;  /* og_params, as a set */
extern const struct option_type type_same;    /* og_params.same */
extern const struct option_type type_fold;    /* og_params.fold */
extern const struct option_type type_key;     /* og_params.key */

#define STORE_OPTION(AT, member, about)                                        \
    {                                                                          \
        .group = "Store", .letter = 's', .name = "store",                      \
        .type = &type_string, .offset = AT(member.path), .value = "STORE",     \
        .unset = "$ORIGO_STORE, else ./origo.store", .brief = about,           \
        .more = "':memory:' is a store that lasts as long as the command."     \
    }

/* For the commands that can have their table on a server. */
#define CATALOGUE_OPTION(AT, member)                                           \
    {                                                                          \
        .group = "Store", .name = "catalogue", .type = &type_string,           \
        .offset = AT(member.catalogue), .value = "DIR",                        \
        .unset = "on the servers",                                             \
        .brief = "with -s redis://...: folder for documents and texts",        \
        .more =                                                                \
            "-s redis://HOST:PORT/TABLE names a table of fingerprints on "     \
            "Redis or Valkey servers with the origo module. Documents and "    \
            "texts are stored there, too, and any number of processes can "    \
            "add to them at once. With this option they are in a folder, "     \
            "and one process adds at a time. Separate several hosts by "       \
            "commas. rediss:// uses TLS. The password may be in "              \
            "$ORIGO_REDIS_AUTH."                                               \
    }

#define MAKE "A new store (also -s :memory:)"

#define INDEX_OPTION(AT, member)                                               \
    {                                                                          \
        .group = "Store", .name = "index", .type = &type_indexes,              \
        .offset = AT(member.indexes), .value = "LIST",                         \
        .choices = "passages|near|sentences", .unset = "passages",             \
        .brief = "indexes of the store",                                       \
        .more =                                                                \
            "passages is for origo trace, near for origo near, sentences "     \
            "for origo quote; separate several by commas. An index that "      \
            "the store lacks is built from its texts, also later by origo "    \
            "index."                                                           \
    }

#define STORE_MAKE_OPTIONS(AT, member)                                         \
    {.group = MAKE,                                                            \
     .name = "preset",                                                         \
     .type = &type_preset,                                                     \
     .offset = AT(member.params),                                              \
     .value = "NAME",                                                          \
     .choices = "prose|short|code|dna",                                        \
     .brief = "preset for the options below",                                  \
     .more = "prose: shingles of 8 words. short: 4 words, for short or "       \
             "paraphrased passages. code: 12 words. dna: 24 bases. Put it "    \
             "before the options that override it."},                          \
        {.group = MAKE,                                                        \
         .letter = 'm',                                                        \
         .name = "memory",                                                     \
         .type = &type_size,                                                   \
         .offset = AT(member.params.memory),                                   \
         .value = "SIZE",                                                      \
         .brief = "maximum size of the table, in bytes",                       \
         .more = "When the table is full, old fingerprints make room for new " \
                 "ones."},                                                     \
        {.group = MAKE,                                                        \
         .name = "fold",                                                       \
         .type = &type_fold,                                                   \
         .offset = AT(member.params.fold),                                     \
         .value = "LANG,...",                                                  \
         .choices = "none|marks|latin|arabic|han",                             \
         .brief = "spelling variants to treat as equal",                       \
         .more = "Besides case and width. marks: with and without the vowel "  \
                 "marks of Arabic and Hebrew. latin: u and v, i and j. "       \
                 "arabic: letters with and without hamza, those of Persian. "  \
                 "han: traditional and simplified Chinese, of some 800 "       \
                 "frequent characters."},                                      \
        {.group = MAKE,                                                        \
         .name = "key",                                                        \
         .type = &type_key,                                                    \
         .offset = AT(member.params.key),                                      \
         .value = "KEY",                                                       \
         .choices = "random|default",                                          \
         .brief = "fingerprint key: random, default, or hex digits",           \
         .more = "A secret key keeps hostile texts from filling one bucket "   \
                 "of the table and from colliding with other texts. Answers "  \
                 "do not depend on it until the table is full; with your own " \
                 "key, or the public one (default), a full table is the same " \
                 "in every run."},                                             \
        {.group = MAKE,                                                        \
         .name = "no-texts",                                                   \
         .type = &type_flag,                                                   \
         .offset = AT(member.params.no_texts),                                 \
         .brief = "do not keep the texts of the documents",                    \
         .more = "The store is smaller, but spans are not verified, versions " \
                 "are not shared and nothing can be exported."},               \
        {.group = MAKE,                                                        \
         .name = "group-by",                                                   \
         .type = &type_same,                                                   \
         .offset = AT(member.params.same),                                     \
         .value = "FIELD",                                                     \
         .unset = "all documents are compared",                                \
         .brief = "do not compare documents that share this field",            \
         .more = "id: versions of one document; host: the host of the url; "   \
                 "otherwise the name of an input field, such as author."},     \
        {.group = MAKE,                                                        \
         .name = "tokens",                                                     \
         .type = &type_tokens,                                                 \
         .offset = AT(member.params.tokens),                                   \
         .value = "KIND",                                                      \
         .choices = "words|chars|lines|dna",                                   \
         .brief = "kind of token: words, chars, lines, dna",                   \
         .more = "With words, scripts without spaces are still split into "    \
                 "characters."},                                               \
        {.group = MAKE,                                                        \
         .letter = 'k',                                                        \
         .name = "shingle",                                                    \
         .type = &type_count,                                                  \
         .offset = AT(member.params.shingle_len),                              \
         .value = "K",                                                         \
         .brief = "tokens in a shingle, 2 to 32"},                             \
        {.group = MAKE,                                                        \
         .name = "select",                                                     \
         .type = &type_select,                                                 \
         .offset = AT(member.params.select),                                   \
         .value = "NAME",                                                      \
         .choices = "All|4th|6th|8th|M4|NM3|W8|NW8|Hb3|Dct8|Hs|NHs|SHs|Os3",   \
         .brief = "which shingles to keep",                                    \
         .more = "All; Nth (every N-th); MN (modulo N); WN (winnow N); HbN "   \
                 "(hash-break N); DctN; Hs (hailstorm); OsN (open syncmers). " \
                 "N before a name drops shingles that others cover; S keeps "  \
                 "them where there is room."},                                 \
        {.group = MAKE,                                                        \
         .name = "evict",                                                      \
         .type = &type_evict,                                                  \
         .offset = AT(member.params.evict),                                    \
         .value = "NAME",                                                      \
         .choices = "R|LRU|CC|LS|S3|thin|learn",                               \
         .brief = "which fingerprints to evict from a full bucket",            \
         .more = "R random, LRU least recently used, CC copy count, LS lucky " \
                 "shingles, S3 (S3-FIFO), thin, learn (what the stream shows " \
                 "to come back least)."},                                      \
        {.group = MAKE,                                                        \
         .name = "estimate",                                                   \
         .type = &type_estimate,                                               \
         .offset = AT(member.params.estimate),                                 \
         .value = "NAME",                                                      \
         .choices = "NB|E|B|BE|CX",                                            \
         .brief = "how passages grow from hits",                               \
         .more = "NB not at all, E expansion, B bridging, BE both, CX by "     \
                 "context."},                                                  \
        {.group = MAKE,                                                        \
         .name = "bridge-limit",                                               \
         .type = &type_count,                                                  \
         .offset = AT(member.params.bridge_limit),                             \
         .value = "T",                                                         \
         .brief = "longest bridge, in selected shingles"},                     \
        {.group = MAKE,                                                        \
         .name = "layout",                                                     \
         .type = &type_layout,                                                 \
         .offset = AT(member.params.layout),                                   \
         .value = "NAME",                                                      \
         .choices = "packed|paper",                                            \
         .brief = "layout of the table: packed or paper"},                     \
        {.group = MAKE,                                                        \
         .name = "bucket",                                                     \
         .type = &type_count,                                                  \
         .offset = AT(member.params.bucket_slots),                             \
         .value = "N",                                                         \
         .brief = "slots in a bucket, 4 to 256, a power of two"},              \
    {                                                                          \
        .group = MAKE, .name = "min-tokens", .type = &type_count,              \
        .offset = AT(member.params.min_tokens), .value = "N",                  \
        .brief = "minimum tokens of a document to keep"                        \
    }

#endif
