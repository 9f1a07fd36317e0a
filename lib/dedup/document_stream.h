#ifndef OG_DEDUP_DOCUMENT_STREAM_H
#define OG_DEDUP_DOCUMENT_STREAM_H

/*   in:  documents                                            (lib/stream)
 *   out: each with its shingles and sketch, in order  (lib/dedup/level_*.c)
 *
 * They are folded and sketched on all cores; the caller receives one after the
 * other, and may have phases of its own for the documents of a block. */

#include "lib/base/packing.h"
#include "lib/fingerprint/shingler.h"
#include "lib/sketch/band_sketch.h"
#include "lib/sketch/set_parity.h"
#include "lib/store/text/stored_texts.h"
#include "lib/stream/engine.h"

#include <origo/dedup.h>

struct og_dedup_output;

/* A document of the stream; all views are into its batch, valid until that is
 * written. */
struct og_dedup_doc {
    const struct og_block *block;
    og_bytes record; /* its line of JSONL without the newline; len 0: none */
    og_document doc; /* text and title only if it was not a line */
    uint64_t line, offset;
    size_t text_len, n_tokens, n_repaired;
    bool is_stored; /* offset is its number in the current store */
    uint64_t rank;  /* of --keep: the smallest is kept */
    /* Its tokens under the secret key of the run, followed by OG_TOKENS_TAIL
     * zeros; without tokens, one word of all its bytes
     * (lib/fingerprint/shingler.h). Sketches are public: they choose what is
     * compared, this decides. */
    const uint64_t *words;
    const uint8_t *sketch;
    struct og_set_parity parity;
    const void *made; /* the result of another level's make() */
    size_t made_len;
};

struct og_dedup_worker { /* of one thread */
    struct og_shingler shingler;
    char *scratch;
    size_t scratch_cap;
    struct og_pack made;
    void *mine; /* for make() */
};

/* worker->mine gets `len` bytes, zeroed; stop_worker() frees them. */
og_status og_dedup_worker_own(struct og_dedup_worker *worker, size_t len,
                              og_error *err);

struct og_dedup_source {
    og_input input;
    struct og_stored_texts *stored; /* its documents instead of the input's */
    og_token_kind tokens;
    const struct og_shingle_factors *key;
    const struct og_band_sketcher *sketcher; /* NULL: records only */
    og_keep_kind keep;
    const char *keep_field;
    /* For another level: what to make of a text, appended to worker->made. */
    og_status (*make)(void *ctx, struct og_dedup_worker *worker, og_bytes text,
                      og_error *err);
    uint64_t n_skip_blocks;  /* at the front: read, but not prepared */
    uint64_t n_known_blocks; /* at the front: their rejects are not reported */
    void *ctx;
    og_status (*take)(void *ctx, struct og_dedup_doc *doc, og_error *err);
    /* Phases of a block (lib/stream/engine.h), each of which may be NULL: on
     * any thread, after its documents were made; before the first is taken;
     * after the last was. `own` is zeroed at first, of own_len bytes, and each
     * thread has worker->mine for them. */
    size_t own_len;
    og_status (*make_block)(void *ctx, struct og_dedup_worker *worker,
                            struct og_batch *batch, og_error *err);
    og_status (*begin_block)(void *ctx, struct og_batch *batch, og_error *err);
    og_status (*settle_block)(void *ctx, struct og_batch *batch, og_error *err);
    void (*stop_worker)(void *ctx, struct og_dedup_worker *worker);
    /* After the last block, with all threads for phases; may be NULL. */
    og_status (*finish)(void *ctx, struct og_batch *last, og_error *err);
    /* After the documents of each block; may be NULL. */
    og_status (*end_block)(void *ctx, uint64_t sequence, og_error *err);
    /* A record that could not be read, without its newline; `more` says that
     * its next bytes follow. */
    og_status (*reject)(void *ctx, og_bytes record, bool more, og_error *err);
    /* Written block by block, by a thread of its own; NULL: none. */
    struct og_dedup_output *output;
    const char *folder; /* of a temporary file for rejects; NULL: those longer
                           than a document may be are not reported */
    const char *step;   /* of progress */
    bool uses_time;     /* times of documents: report those that cannot be
                           read */
};

/* A file that cannot be read is a problem, and reading continues with the
 * others; the status is then that of the first such file, after everything was
 * taken. */
og_status og_dedup_stream(const struct og_dedup_source *source,
                          og_stream_counts *counts, og_error *err);

#endif
