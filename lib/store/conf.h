#ifndef OG_STORE_CONF_H
#define OG_STORE_CONF_H

/* origo.conf: the identity of a store. Lines of a name and a value, in a fixed
 * order, with a checksum in the last. Written when the store is created, and
 * again when its indexes change. */

#include "lib/base/status.h"

#include <origo/params.h>

#define OG_STORE_VERSION 1
/* Bits that a reader must know to understand the store. 1: the line `indexes`,
 * of a store that has others than passages: a process that adds or removes
 * documents must update them. */
#define OG_STORE_HAS_INDEXES 1u
/* The key is one of shingles (lib/fingerprint/shingle_key.h); without this
 * flag, one of tokens, as in earlier stores, and nearly always 0. */
#define OG_STORE_KEYED 2u
/* The line `generation`, of a store that was compacted: its files are in a
 * folder of their own, and entries of removed documents may be purged. */
#define OG_STORE_IS_COMPACTED 4u
/* The line `table`: the passages are in a table of this name on servers. */
#define OG_STORE_IS_CATALOGUE 8u
#define OG_STORE_FEATURES     15u

#define OG_UUID_LEN       16
#define OG_CONF_TABLE_LEN 129
#define OG_CONF_TEXT_MOST 4096

struct og_conf {
    uint8_t uuid[OG_UUID_LEN];
    og_params params;
    unsigned indexes;    /* og_index, added up; remote passages are not among
                            them, and it may be 0 */
    bool is_keyed;       /* params.key is one of shingles */
    uint32_t generation; /* compactions so far */
    char table[OG_CONF_TABLE_LEN]; /* on servers; "": it has its own */
};

/* The key of a new store for which `key` is requested (og_params). */
uint64_t og_conf_new_key(uint64_t key);

/* Where the files of a store are: in its folder, after a compaction in the
 * folder "g000001" in it, and so on. False: the name is too long. */
bool og_conf_data_folder(const char *folder, uint32_t generation, char *out,
                         size_t out_cap);
/* The generation if a name is exactly that of such a folder; otherwise 0. */
uint32_t og_conf_generation_of(const char *name);

/* For a new store: draws its uuid. */
og_status og_conf_init(struct og_conf *conf, const og_params *params,
                       unsigned indexes, og_error *err);

/* Writes STORE/origo.conf, all or nothing. */
og_status og_conf_write(const struct og_conf *conf, const char *folder,
                        og_error *err);

/* The text of a conf; its length. */
size_t og_conf_print(const struct og_conf *conf, char out[OG_CONF_TEXT_MOST]);

/* OG_ERR_NO_STORE: there is none. OG_ERR_STORE: it is of an unknown version, or
 * damaged; the message says which and where. */
og_status og_conf_read(const char *folder, struct og_conf *out, og_error *err);

/* Of the text of a conf; `name` is for the message. */
og_status og_conf_parse(og_bytes text, const char *name, struct og_conf *out,
                        og_error *err);

#endif
