#ifndef ORIGO_PARAMS_H
#define ORIGO_PARAMS_H

/* The parameters of a store, and their names. */

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_token_kind {
    OG_TOKEN_WORDS = 0, /* runs of letters, marks, digits; CJK and other
                           scripts without spaces by character */
    OG_TOKEN_CHARS,     /* each letter, mark and digit */
    OG_TOKEN_LINES,     /* each line that is not blank, its spaces folded */
    OG_TOKEN_DNA,       /* A C G T U; all else ends a run and is skipped */
} og_token_kind;

/* The names of the paper and ours; docs/architecture.md explains each. Text
 * form: "All", "4th", "M4", "NM3", "W8", "NW8", "Hb3", "Dct8", "Hs", "NHs",
 * "SHs", "Os3". */
typedef enum og_select_kind {
    OG_SELECT_ALL = 0,
    OG_SELECT_EVERY,
    OG_SELECT_MODULO,
    OG_SELECT_WINNOW,
    OG_SELECT_HASH_BREAK,
    OG_SELECT_DCT,
    OG_SELECT_HAILSTORM,
    OG_SELECT_SYNCMER, /* open: the smallest token is at `param` of 0.. */
} og_select_kind;

typedef struct og_select_options {
    og_select_kind kind;
    uint32_t param;  /* l, w, p or the position; 0 where there is none */
    bool no_overlap; /* the N forms: drop what the others cover whole */
    bool sparse;     /* the S forms: ask for all, keep only those of the N form
                        unless there is room to spare */
} og_select_options;

typedef enum og_evict_kind {
    OG_EVICT_RANDOM = 0, /* R */
    OG_EVICT_LRU,        /* LRU */
    OG_EVICT_COPY_COUNT, /* CC */
    OG_EVICT_LUCKY,      /* LS */
    OG_EVICT_S3FIFO,     /* S3 */
    OG_EVICT_THIN,       /* thin */
    OG_EVICT_LEARN,      /* learn: origo's own, in docs/architecture.md */
} og_evict_kind;

typedef enum og_estimate_kind {
    OG_ESTIMATE_NONE = 0, /* NB */
    OG_ESTIMATE_EXPAND,   /* E */
    OG_ESTIMATE_BRIDGE,   /* B */
    OG_ESTIMATE_BOTH,     /* BE */
    OG_ESTIMATE_CONTEXT,  /* CX: origo's own, in docs/architecture.md */
} og_estimate_kind;

typedef enum og_layout_kind {
    OG_LAYOUT_PACKED = 0,
    OG_LAYOUT_PAPER,
} og_layout_kind;

/* What folding does beyond case, width and compatibility (NFKC_Casefold). Text
 * form: names with commas between them, or "none". */
enum {
    OG_FOLD_MARKS = 1,  /* "marks": drops the vowel marks of Arabic and Hebrew,
                           and tatweel */
    OG_FOLD_LATIN = 2,  /* "latin": v is u, j is i */
    OG_FOLD_ARABIC = 4, /* "arabic": alef and yeh with and without hamza, teh
                           marbuta and heh, the letters of Persian */
    OG_FOLD_HAN = 8,    /* "han": traditional Chinese characters are their
                           simplified forms */
    OG_FOLD_ALL = 15,
};
OG_API bool og_fold_parse(og_bytes names, uint32_t *out);
OG_API void og_fold_name(uint32_t fold, char out[32]);

/* og_params.key of a new store: public fingerprints, for tables that must be
 * the same, byte for byte, in every run. */
#define OG_KEY_PUBLIC UINT64_MAX

/* All parameters that answers depend on. Fixed when a store is created. */
typedef struct og_params {
    og_token_kind tokens;
    uint32_t shingle_len; /* tokens in a shingle, 2 to 32 */
    og_select_options select;
    og_evict_kind evict;
    og_estimate_kind estimate;
    uint32_t bridge_limit; /* T: the longest bridge, in selected shingles */
    og_layout_kind layout;
    uint32_t bucket_slots; /* 4 to 256, a power of two */
    uint64_t memory;       /* bytes of the table, a hard cap; of a store in
                              memory also of its texts and its catalogue */
    uint32_t min_tokens;   /* 0; shorter ones are answered, not kept */
    /* Mixed into the stored form of shingles, so that nobody can craft texts
     * that fill one bucket or collide with others. No answer depends on it as
     * long as the table has room. 0: drawn at random when the store is
     * created; OG_KEY_PUBLIC: none. og_store_params() returns 0 for a public
     * key. */
    uint64_t key;
    bool no_texts; /* a store on disk does not keep the texts */
    /* Documents with the same value of this field are not compared: "id"
     * (versions of one document), "host" (of the url), or the name of another
     * field. "": all are compared. */
    char same[32];
    uint32_t fold; /* OG_FOLD_MARKS and so on */
} og_params;

/* The best combination measured; see docs/evaluation.md. */
OG_API og_params og_params_default(void);

/* Presets for a kind of text: "prose" (the default), "short" (short or
 * paraphrased passages), "code", "dna". Returns false for an unknown name and
 * leaves *out unchanged. */
OG_API bool og_params_preset(og_bytes name, og_params *out);

/* The guaranteed length: every copy of at least this many tokens shares a
 * fingerprint with its origin, as long as nothing was evicted (All and W). 0:
 * the selection gives no such guarantee. */
OG_API uint32_t og_params_guarantee(const og_params *params);

/* OG_ERR_USAGE with a message that names the parameter and its range. */
OG_API og_status og_params_check(const og_params *params, og_error *err);

/* Convert names to values and back. On failure, parse returns false and leaves
 * *out unchanged. A name fits into 16 bytes and is zero-terminated. */
OG_API bool og_select_parse(og_bytes name, og_select_options *out);
OG_API void og_select_name(const og_select_options *select, char out[16]);
OG_API bool og_evict_parse(og_bytes name, og_evict_kind *out);
OG_API const char *og_evict_name(og_evict_kind evict);
OG_API bool og_estimate_parse(og_bytes name, og_estimate_kind *out);
OG_API const char *og_estimate_name(og_estimate_kind estimate);
OG_API bool og_layout_parse(og_bytes name, og_layout_kind *out);
OG_API const char *og_layout_name(og_layout_kind layout);
OG_API bool og_token_parse(og_bytes name, og_token_kind *out);
OG_API const char *og_token_name(og_token_kind kind);

#ifdef __cplusplus
}
#endif

#endif
