#ifndef ORIGO_FILES_H
#define ORIGO_FILES_H

/* Files of any kind: chunking, similar files, deltas and synchronisation. */

#include <origo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- chunks ---- */

/* How a file is cut into chunks at boundaries that its content determines. The
 * rules are in docs/architecture.md. As text: "gear", "winnow",
 * "winnow-fast". */
typedef enum og_cut_kind {
    OG_CUT_GEAR = 0,
    OG_CUT_WINNOW,
    OG_CUT_WINNOW_FAST,
} og_cut_kind;
OG_API bool og_cut_kind_parse(og_bytes name, og_cut_kind *out);
OG_API const char *og_cut_kind_name(og_cut_kind kind);

/* Lengths in bytes. Every chunk but the last has min_len to max_len of them.
 * Two sides that want to find equal chunks must use the same options. */
typedef struct og_cut_options {
    og_cut_kind kind;
    uint32_t min_len;     /* at least 64 */
    uint32_t average_len; /* on random data */
    uint32_t max_len;     /* at most 1 GiB */
} og_cut_options;

#define OG_CUT_AVERAGE 8192

/* The min_len and max_len that suit an average, which is clamped to 128 bytes
 * to 128 MiB; 0 means OG_CUT_AVERAGE. */
OG_API og_cut_options og_cut_options_default(og_cut_kind kind,
                                             uint32_t average_len);

/* The smallest max_len that the other options allow. */
OG_API uint32_t og_cut_least_max(const og_cut_options *options);

/* OG_ERR_USAGE with a message that names the option and its range. */
OG_API og_status og_cut_options_check(const og_cut_options *options,
                                      og_error *err);

#define OG_HASH_LEN 32

typedef struct og_chunk {
    uint64_t offset;
    uint32_t len;
    uint8_t hash[OG_HASH_LEN]; /* SHA-256 of its bytes */
} og_chunk;

/* A run of chunks, or of nodes of the level below. */
typedef struct og_chunk_node {
    uint64_t offset, len; /* bytes of the file */
    uint64_t first_child; /* index in the level below */
    uint32_t n_children;
    uint8_t hash[OG_HASH_LEN];
} og_chunk_node;

/* The chunks of a file, the tree over them and its root hash. Owned by the
 * caller; what the functions below return is valid as long as the tree. Any
 * number of threads may read it. */
typedef struct og_chunk_tree og_chunk_tree;

/* "-" is stdin. `options` NULL means og_cut_options_default(OG_CUT_GEAR, 0).
 * n_threads 0: one per core; it affects the time and nothing else. A file that
 * shrinks while it is read is OG_ERR_INPUT. */
OG_API og_status og_chunk_tree_read(const char *path,
                                    const og_cut_options *options,
                                    unsigned n_threads, og_chunk_tree **out,
                                    og_error *err);
OG_API void og_chunk_tree_free(og_chunk_tree *tree); /* NULL is fine */
OG_API uint64_t og_chunk_tree_file_len(const og_chunk_tree *tree);
OG_API const og_chunk *og_chunk_tree_chunks(const og_chunk_tree *tree,
                                            size_t *out_n);
/* The number of levels above the chunks; level 0 is just above them. A file of
 * few chunks has none. */
OG_API unsigned og_chunk_tree_n_levels(const og_chunk_tree *tree);
OG_API const og_chunk_node *og_chunk_tree_level(const og_chunk_tree *tree,
                                                unsigned level, size_t *out_n);
/* OG_HASH_LEN bytes: equal when the files and the options are. */
OG_API const uint8_t *og_chunk_tree_root(const og_chunk_tree *tree);

/* ---- similar files: docs/format-similar.md ----
 *
 * An index of files by samples of their chunks (12 of 6 bits each), to find
 * those that share content with a new one, whatever their names. */

typedef struct og_files og_files;

typedef struct og_files_options {
    og_cut_options cut;
    uint32_t n_samples;  /* 1 to 64 */
    uint32_t n_bits;     /* of a sample, 1 to 16 */
    unsigned n_threads;  /* 0: one per core */
    size_t n_candidates; /* whose chunks are compared for one query */
    size_t n_wanted;     /* the most matches of one query */
} og_files_options;
OG_API og_files_options og_files_options_default(void);

/* `path` is a file, or ":memory:" for an index that exists until it is closed
 * and is always writable. With OG_CREATE, a missing file is an empty index,
 * which is written once something was added. `options` may be NULL; those
 * stored in the file override n_samples, n_bits and cut. OG_ERR_NO_STORE: there
 * is no index. OG_ERR_BUSY: another process is writing to it. OG_ERR_STORE: it
 * is damaged. A folder is OG_ERR_USAGE: stores do not keep files yet. */
OG_API og_status og_files_open(const char *path, og_access access,
                               const og_files_options *options, og_files **out,
                               og_error *err);
/* Writes the file, all or nothing, if something was added since the last
 * time. Returns OG_OK at once for an index in memory. */
OG_API og_status og_files_commit(og_files *files, og_error *err);
/* Commits, returns the status of the commit, and closes the index in any case.
 * `files` may be NULL. */
OG_API og_status og_files_close(og_files *files, og_error *err);
OG_API size_t og_files_count(const og_files *files);

/* A known file that shares chunks with the queried file. */
typedef struct og_files_match {
    const char *name; /* valid until the next call */
    uint64_t file_len;
    uint32_t n_matches; /* samples that agree */
    uint32_t n_samples;
    double estimated;    /* Jaccard similarity of the chunks, estimated from the
                            samples */
    double jaccard;      /* the same, exact */
    uint64_t shared_len; /* bytes of the queried file that this one also has */
    const og_range *shared; /* where they are in the queried file, merged */
    size_t n_shared;
    size_t n_shared_chunks;
} og_files_match;

typedef struct og_files_answer {
    uint64_t file_len;
    size_t n_chunks;
    const og_files_match *matches; /* most shared bytes first */
    size_t n_matches;
} og_files_answer;

/* Reads the file once, looks for similar ones and, if `add` is set, adds it
 * afterwards (OG_ERR_USAGE if the index was opened with OG_READ). Not
 * thread-safe. The matches are valid until the next call; a known file of the
 * same name is not reported. */
OG_API og_status og_files_ask(og_files *files, const char *path, bool add,
                              const og_files_answer **out, og_error *err);

/* Calls `on_file` for every regular file below the paths, in a fixed order, and
 * `on_failed` for a folder that cannot be read. Stops when one of them returns
 * false (OG_ERR_STOPPED). */
OG_API og_status og_files_walk(const char *const *paths, size_t n_paths,
                               void *ctx,
                               bool (*on_file)(void *ctx, const char *path),
                               bool (*on_failed)(void *ctx, const char *path,
                                                 const char *why),
                               og_error *err);

/* ---- deltas: docs/format-delta.md ---- */

typedef struct og_delta_options {
    /* Smaller chunks find more and need more memory. average_len 0: 1 KiB, or
     * so much more that the files have at most a million chunks together. */
    og_cut_options cut;
    int level;          /* of zstd, 1 to 19; 0: chosen by size, the highest for
                           small files, then 12, 7, 3 and 1 */
    size_t n_similar;   /* files chosen from each folder */
    unsigned n_threads; /* 0: one per core */
} og_delta_options;
OG_API og_delta_options og_delta_options_default(void);

typedef struct og_delta_info {
    size_t n_old; /* old files that the delta refers to */
    uint64_t new_len, delta_len;
    /* Set by og_delta_make() only: */
    uint64_t copied_len, literal_len;
    size_t n_copies;
} og_delta_info;

/* Writes to out_path how to make new_path from the old files. An old path that
 * is a folder contributes those of its files that are similar to the new one.
 * out_path appears whole or not at all. `options` and out_info may be NULL. */
OG_API og_status og_delta_make(const char *const *old_paths, size_t n_old,
                               const char *new_path, const char *out_path,
                               const og_delta_options *options,
                               og_delta_info *out_info, og_error *err);

/* Makes the new file. The old files are looked up among old_paths (and inside
 * folders) by checksum, all of them before anything is written; a file that
 * differs from the one the delta was made from is OG_ERR_INPUT and named.
 * out_path appears only if its own checksum is right. Memory is bounded
 * whatever the delta contains (24 MiB and the chunks of the largest file). Only
 * n_threads is used of the options; NULL is fine. */
OG_API og_status og_delta_apply(const char *const *old_paths, size_t n_old,
                                const char *delta_path, const char *out_path,
                                const og_delta_options *options,
                                og_delta_info *out_info, og_error *err);

/* ---- the exchange: two trees of files become equal over a pipe ----
 *
 * docs/format-exchange.md describes the messages. Both sides cut files into the
 * same chunks; the sender gives hashes from the root down, the receiver asks
 * for what no file of its own has, under whatever name. */

typedef struct og_sync_counts {
    uint64_t n_files, n_files_changed, n_files_renamed; /* ... built from other
                                                           files */
    uint64_t new_len;     /* bytes of the files that changed */
    uint64_t literal_len; /* how many of those bytes were sent */
    uint64_t n_round_trips;
    uint64_t n_sent, n_received; /* bytes on the wire, of this side */
    uint64_t n_redone;           /* files that were sent again, whole */
} og_sync_counts;

typedef struct og_sync_message {
    bool to_receiver;
    const char *name; /* "list", "want", ... */
    uint64_t n_items; /* the hashes, chunks or files that it lists */
    uint64_t len;     /* bytes of the message before compression */
} og_sync_message;

typedef struct og_sync_options {
    og_cut_options cut; /* the sender's options are used by both sides */
    uint32_t fine_len;  /* average length of the pieces into which an unknown
                           chunk is cut; 0: the chunk is sent whole */
    bool no_compress;
    bool delete_extra;  /* receiver: remove files that the sender lacks */
    bool dry_run;       /* receiver: write nothing */
    unsigned n_threads; /* 0: one per core */
    void *ctx;
    void (*on_message)(void *ctx, const og_sync_message *message);
    void (*on_file)(void *ctx, const char *path); /* receiver: a file has been
                                                     written */
} og_sync_options;
OG_API og_sync_options og_sync_options_default(void);

/* Both communicate over two descriptors (a pair of pipes, or one socket twice)
 * until both sides are done; the descriptors stay open. A broken connection is
 * OG_ERR_IO; what arrived is kept in hidden part files, from which the next
 * receive resumes. */
OG_API og_status og_sync_send(const char *tree, int in_fd, int out_fd,
                              const og_sync_options *options,
                              og_sync_counts *out, og_error *err);
/* A file gets its name once all of it has arrived and its checksum is right;
 * paths that would leave `tree` are refused. */
OG_API og_status og_sync_receive(const char *tree, int in_fd, int out_fd,
                                 const og_sync_options *options,
                                 og_sync_counts *out, og_error *err);

/* Runs both sides in this process and writes nothing: what an exchange would
 * send. The counts are the receiver's; n_sent is what it would answer. */
OG_API og_status og_sync_plan(const char *old_tree, const char *new_tree,
                              const og_sync_options *options,
                              og_sync_counts *out, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
