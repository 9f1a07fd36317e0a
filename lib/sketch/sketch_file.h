#ifndef OG_SKETCH_SKETCH_FILE_H
#define OG_SKETCH_SKETCH_FILE_H

/*   in:  ids and sketches, one after the other              (lib/sketch)
 *   out: a file of them, verified when it is read           (lib/hamming)
 *
 * All numbers are little-endian.
 *
 *     head     64 bytes: magic "origosk\n", version, kind, bytes of a sketch,
 *              length of the parameters, checksum of the head so far, checksum
 *              of the parameters, 16 zeros
 *     params   the parameters in words, padded with zeros to 8 bytes
 *     block    n, bytes of ids, number of the first record, checksum
 *              n sketches | n lengths of ids | ids | padded to 8 bytes
 *     ...
 *     end      a block of n = 0; its number of the first record is the count
 *
 * So a file can be written to a pipe and read from one, with the memory of one
 * block, and a truncated one lacks its end. */

#include "lib/base/memory.h"

#define OG_SKETCH_PARAMS_MAX 480
#define OG_SKETCH_LEN_MAX    ((size_t)1 << 20)

/* The numbers are in files: never changed, never reused. */
enum og_sketch_kind {
    OG_SKETCH_SIMHASH = 1,
    OG_SKETCH_MINHASH = 2,
    OG_SKETCH_WEIGHTED = 3,
    OG_SKETCH_SUPERSHINGLE = 4,
    OG_SKETCH_KIND_END
};
const char *og_sketch_kind_name(enum og_sketch_kind kind);

struct og_sketch_head {
    enum og_sketch_kind kind;
    size_t sketch_len; /* bytes of one sketch, 1 to OG_SKETCH_LEN_MAX */
    /* Everything that determines a sketch, in words: "bits=64 tokens=words
     * ...". Two sketches can be compared if kind and words are equal. */
    char params[OG_SKETCH_PARAMS_MAX];
};

/* OG_ERR_INPUT, with both sets in the message, if sketches of `a` and `b`
 * cannot be compared. The names are those of the files. */
og_status og_sketch_heads_match(const char *name_a,
                                const struct og_sketch_head *a,
                                const char *name_b,
                                const struct og_sketch_head *b, og_error *err);

/* ---- writing ---- */

struct og_sketch_writer;

/* `path` "-" is stdout. Otherwise the file appears, whole, when it is closed;
 * until then it has another name in the same folder. */
og_status og_sketch_writer_open(const char *path,
                                const struct og_sketch_head *head,
                                const og_allocator *allocator,
                                struct og_sketch_writer **out, og_error *err);
/* Copies both; `sketch` has sketch_len bytes. */
og_status og_sketch_writer_add(struct og_sketch_writer *writer, og_bytes id,
                               const void *sketch, og_error *err);
/* Writes the end and makes the file durable and visible. Frees the writer
 * whatever the status; after a failure there is no file. */
og_status og_sketch_writer_close(struct og_sketch_writer *writer,
                                 og_error *err);
/* Abandons the file: nothing is left. NULL is fine. */
void og_sketch_writer_drop(struct og_sketch_writer *writer);

/* ---- reading ---- */

struct og_sketch_reader;

/* `path` "-" is stdin. OG_ERR_IO: it cannot be read; OG_ERR_INPUT: not a sketch
 * file, of another version or damaged; the message gives the position. */
og_status og_sketch_reader_open(const char *path, const og_allocator *allocator,
                                struct og_sketch_reader **out, og_error *err);
/* Reads from memory, which must outlive the reader. */
og_status og_sketch_reader_view(og_bytes file, const char *name,
                                const og_allocator *allocator,
                                struct og_sketch_reader **out, og_error *err);
void og_sketch_reader_close(struct og_sketch_reader *reader); /* NULL is fine */
const struct og_sketch_head *
og_sketch_reader_head(const struct og_sketch_reader *reader);

/* The next one; both are views until the next call, the sketch 8-byte aligned
 * if sketch_len is a multiple of 8. OG_END after the last, if the end was
 * present and the count is right. */
og_status og_sketch_reader_next(struct og_sketch_reader *reader, og_bytes *id,
                                const void **sketch, og_error *err);

#endif
