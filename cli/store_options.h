#ifndef CLI_STORE_OPTIONS_H
#define CLI_STORE_OPTIONS_H

/* The options of every command that opens a store, and opening it. `member` is
 * the struct store_settings in the settings that AT() points into. */

#include "options.h"

#include <origo/origo.h>

struct store_settings {
    unsigned indexes; /* of a new store; 0: passages */
    const char *path; /* NULL: $ORIGO_STORE, else ./origo.store */
    og_params params; /* of a new one */
};

void store_defaults(struct store_settings *s);
const char *store_path(const struct store_settings *s);
bool store_is_memory(const struct store_settings *s);

/* Opens it. Parameters that were asked for and that the store does not have
 * are wrong usage. EXIT_DONE, or the exit status after a word on stderr. */
int store_open(const struct store_settings *s, og_access access,
               const char *command, og_store **out);
/* Opens it for questions to one index (og_index). With `add` the store is made
 * when there is none, and the index is built when it is off. `options` are
 * those of a new index. */
int store_open_index(const char *path, unsigned index, bool add,
                     const og_store_options *options, const char *command,
                     og_store **out);
/* Closes it. `status`, or that of a failure to close when all was well. */
int store_close(og_store *store, const char *command, int status);

extern const struct option_type type_indexes; /* unsigned, og_index */
extern const struct option_type type_preset;  /* og_params, as a set */
extern const struct option_type type_same;    /* og_params.same */
extern const struct option_type type_fold;    /* og_params.fold */
extern const struct option_type type_key;     /* og_params.key */

#define STORE_OPTION(AT, member, about)                                        \
    {                                                                          \
        "Store", 's', "store", &type_string, AT(member.path), "STORE", NULL,   \
            "$ORIGO_STORE, else ./origo.store", about,                         \
            "':memory:' is a store that lives as long as the command."         \
    }

#define MAKE "A new store (also -s :memory:)"

#define INDEX_OPTION(AT, member)                                               \
    {                                                                          \
        "Store", 0, "index", &type_indexes, AT(member.indexes), "LIST",        \
            "passages|near|sentences", "passages",                             \
            "indexes that the store shall have",                               \
            "passages is for origo trace, near for origo near, sentences for " \
            "origo quote; several with commas. One that the store does not "   \
            "have yet is built from its texts. passages cannot be built "      \
            "later."                                                           \
    }

#define STORE_MAKE_OPTIONS(AT, member)                                         \
    {MAKE,                                                                     \
     0,                                                                        \
     "preset",                                                                 \
     &type_preset,                                                             \
     AT(member.params),                                                        \
     "NAME",                                                                   \
     "prose|short|code|dna",                                                   \
     NULL,                                                                     \
     "a set of the options below",                                             \
     "prose: shingles of 8 words. short: of 4, for short or reworded "         \
     "passages. code: of 12. dna: of 24 bases. Give it before the options "    \
     "that change it."},                                                       \
        {MAKE,                                                                 \
         0,                                                                    \
         "memory",                                                             \
         &type_size,                                                           \
         AT(member.params.memory),                                             \
         "SIZE",                                                               \
         NULL,                                                                 \
         NULL,                                                                 \
         "bytes of the table, a hard cap",                                     \
         "When the table is full, old fingerprints make room for new ones."},  \
        {MAKE,                                                                 \
         0,                                                                    \
         "fold",                                                               \
         &type_fold,                                                           \
         AT(member.params.fold),                                               \
         "LANG,...",                                                           \
         "none|marks|latin|arabic",                                            \
         NULL,                                                                 \
         "spellings that count as one",                                        \
         "Besides case and width. marks: with and without the vowel marks of " \
         "Arabic and Hebrew. latin: u and v, i and j. arabic: letters with "   \
         "and without hamza, those of Persian."},                              \
        {MAKE,                                                                 \
         0,                                                                    \
         "key",                                                                \
         &type_key,                                                            \
         AT(member.params.key),                                                \
         "KEY",                                                                \
         "random|default",                                                     \
         NULL,                                                                 \
         "of the fingerprints: random, default, or hex digits",                \
         "A key that nobody else knows keeps hostile texts from filling one "  \
         "bucket of the table and from being taken for others. Answers do "    \
         "not depend on it until the table is full; with a key of your own, "  \
         "or the public one (default), a full table is the same in every "     \
         "run."},                                                              \
        {MAKE,                                                                 \
         0,                                                                    \
         "no-texts",                                                           \
         &type_flag,                                                           \
         AT(member.params.no_texts),                                           \
         NULL,                                                                 \
         NULL,                                                                 \
         NULL,                                                                 \
         "do not keep the texts of the documents",                             \
         "The store is smaller then, but spans are not verified, versions "    \
         "are "                                                                \
         "not shared and nothing can be exported."},                           \
        {MAKE,                                                                 \
         0,                                                                    \
         "group-by",                                                           \
         &type_same,                                                           \
         AT(member.params.same),                                               \
         "FIELD",                                                              \
         NULL,                                                                 \
         "all documents are compared",                                         \
         "do not compare documents that have this in common",                  \
         "id: versions of one document; host: of the url; else the name of a " \
         "field of the input, such as author."},                               \
        {MAKE,                                                                 \
         0,                                                                    \
         "tokens",                                                             \
         &type_tokens,                                                         \
         AT(member.params.tokens),                                             \
         "KIND",                                                               \
         "words|chars|lines|dna",                                              \
         NULL,                                                                 \
         "what a token is: words, chars, lines, dna",                          \
         "Scripts without spaces are taken by character in words, too."},      \
        {MAKE,                                                                 \
         0,                                                                    \
         "shingle",                                                            \
         &type_count,                                                          \
         AT(member.params.shingle_len),                                        \
         "K",                                                                  \
         NULL,                                                                 \
         NULL,                                                                 \
         "tokens in a row that make a shingle, 2 to 32",                       \
         NULL},                                                                \
        {MAKE,                                                                 \
         0,                                                                    \
         "select",                                                             \
         &type_select,                                                         \
         AT(member.params.select),                                             \
         "NAME",                                                               \
         "All|4th|6th|8th|M4|NM3|W8|NW8|Hb3|Dct8|Hs|NHs|SHs|Os3",              \
         NULL,                                                                 \
         "which shingles are worth keeping",                                   \
         "All; Nth (every N-th); MN (modulo N); WN (winnow N); HbN "           \
         "(hash-break "                                                        \
         "N); DctN; Hs (hailstorm); OsN (open syncmers). N before a name "     \
         "drops "                                                              \
         "what the others cover, S keeps it where there is room."},            \
        {MAKE,                                                                 \
         0,                                                                    \
         "evict",                                                              \
         &type_evict,                                                          \
         AT(member.params.evict),                                              \
         "NAME",                                                               \
         "R|LRU|CC|LS|S3|thin|learn",                                          \
         NULL,                                                                 \
         "which fingerprints go when a bucket is full",                        \
         "R random, LRU least recently used, CC copy count, LS lucky "         \
         "shingles, "                                                          \
         "S3 (S3-FIFO), thin, learn (what the stream shows to come back "      \
         "least)."},                                                           \
        {MAKE,                                                                 \
         0,                                                                    \
         "estimate",                                                           \
         &type_estimate,                                                       \
         AT(member.params.estimate),                                           \
         "NAME",                                                               \
         "NB|E|B|BE|CX",                                                       \
         NULL,                                                                 \
         "how passages grow from hits",                                        \
         "NB not at all, E expansion, B bridging, BE both, CX by context."},   \
        {MAKE,                                                                 \
         0,                                                                    \
         "bridge-limit",                                                       \
         &type_count,                                                          \
         AT(member.params.bridge_limit),                                       \
         "T",                                                                  \
         NULL,                                                                 \
         NULL,                                                                 \
         "longest bridge, in selected shingles",                               \
         NULL},                                                                \
        {MAKE,                                                                 \
         0,                                                                    \
         "layout",                                                             \
         &type_layout,                                                         \
         AT(member.params.layout),                                             \
         "NAME",                                                               \
         "packed|paper",                                                       \
         NULL,                                                                 \
         "how the table keeps a fingerprint: packed, paper",                   \
         NULL},                                                                \
        {MAKE,                                                                 \
         0,                                                                    \
         "bucket",                                                             \
         &type_count,                                                          \
         AT(member.params.bucket_slots),                                       \
         "N",                                                                  \
         NULL,                                                                 \
         NULL,                                                                 \
         "slots in a bucket, 4 to 256, a power of two",                        \
         NULL},                                                                \
    {                                                                          \
        MAKE, 0, "min-tokens", &type_count, AT(member.params.min_tokens), "N", \
            NULL, NULL, "shorter documents are answered, not kept", NULL       \
    }

#endif
