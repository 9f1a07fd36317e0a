#ifndef OG_STORE_TEXT_TEXTS_H
#define OG_STORE_TEXT_TEXTS_H

/*   in:  frames of packed texts    (lib/store/frames)
 *   out: texts by their place      (lib/estimate, lib/report)
 *
 * The texts of a store: numbered segments of frames, written once, never
 * changed, and the dictionaries that the frames name.
 *
 *     texts/000001.seg   0  magic "OGtS"       4    32  segment before it  8
 *                        4  format version     4    40  its end            8
 *                        8  its number         8    48  0                  8
 *                       16  uuid of the store 16    56  checksum of 0..55  8
 *                       64  frames, one after the other
 *     texts/000001.dict  0  magic "OGtD"       4    32  length             8
 *                        4  format version     4    40  checksum of 0..39 and
 *                        8  its number         8        of the dictionary  8
 *                       16  uuid of the store 16    48  the dictionary
 *
 * A session of a writer continues the last segment if it ends with a frame,
 * else it begins a new one. The head of a segment says which one was the last
 * before it and up to where records refer to frames there: so the segments are
 * a chain, and what a crash left after an end (half a frame, a whole segment)
 * is known to be nothing. It stays, harmless.
 *
 * Durability: frames are in memory after append, with the system after flush,
 * on the disk after sync. A record that names a place must become durable
 * after og_texts_sync() that followed its append.
 *
 * Frames that the owner has logged (options.log) are as safe as its log, so
 * og_texts_sync() does not wait for them: a small append costs the sync of the
 * log alone. They must be on the disk (og_texts_settle) before the log is
 * removed, and replaying the log restores what a power loss destroyed
 * (og_texts_redo). */

#include "lib/store/text/frames.h"

/* A segment ends with the frame that reaches this. */
#define OG_SEGMENT_LEN ((uint64_t)256 << 20)

/* All frames in segments of the chain that are before `off` in `segment`. {0,
 * 0}: none. */
struct og_texts_end {
    uint32_t segment;
    uint64_t off;
};

struct og_remote_catalogue;

struct og_texts_options {
    const uint8_t *uuid;     /* 16 bytes; copied */
    struct og_texts_end end; /* the last one that was durable */
    bool continues;          /* the file of that segment ends there */
    uint64_t segment_len;    /* 0: OG_SEGMENT_LEN; tests take less */
    size_t buffer_len;       /* append writes beyond it; 0: 4 MiB */
    size_t samples_len;      /* texts seen before training; 0: 3 MiB */
    /* Called by appends while they add no more than `log_most` bytes between
     * two syncs, with what they have written where, before they return; a
     * failure is that of the append. */
    og_status (*log)(void *ctx, uint32_t segment, uint64_t off,
                     const void *frames, size_t len, og_error *err);
    void *ctx;
    size_t log_most;
    uint64_t memory; /* bytes that segments in memory may have; 0: they
                        are files */
    /* Instead of both: each append is a segment there. NULL: none. */
    struct og_remote_catalogue *elsewhere;
    const og_allocator *allocator;
};

/* ---- the writer ----------------------------------------------------------
 *
 * At most one per folder (the store's lock sees to it). Every function below
 * may be called by any thread at any time between open and close. append takes
 * a short lock of the buffer; flush and sync take the buffer away under it and
 * write under a second lock, so append waits for the disk only when it fills
 * the buffer while a write or sync is under way. The order of appends is the
 * order in the file.
 *
 * After the first failed write or sync every later append, flush and sync
 * fails with the same status and message: nothing more is acknowledged. */
struct og_texts;

/* The same with options->elsewhere: an append returns once it is there.
 *
 * With options->memory, `folder` is not used and nothing is written: segments
 * are kept in memory (text_memory.h), flush and sync have nothing to do, and no
 * dictionary is trained. Its readers need it as their `live`.
 *
 * Makes the folder when it is missing; opens the newest dictionary. The first
 * append makes the segment. A damaged dictionary is OG_ERR_STORE. */
og_status og_texts_open(const char *folder,
                        const struct og_texts_options *options,
                        struct og_texts **out, og_error *err);

/* Flushes, but does not sync; frees also after a failure, which it returns.
 * NULL is fine. No reader may still have it as its `live`. */
og_status og_texts_close(struct og_texts *texts, og_error *err);

/* Appends whole frames (of og_framer_pack) and returns the position of the
 * first byte; all of them are in the same segment. len 0 is fine. */
og_status og_texts_append(struct og_texts *texts, const void *frames,
                          size_t len, uint32_t *out_segment, uint64_t *out_base,
                          og_error *err);

/* Reads the older version at `older` through `reader` (of the calling thread,
 * with `texts` as its live), packs `text` with it as prefix and appends: all of
 * og_text_reader_prefix, og_framer_pack_version and og_texts_append. */
struct og_text_reader;
og_status og_texts_append_version(struct og_texts *texts,
                                  struct og_framer *framer,
                                  struct og_text_reader *reader, og_bytes text,
                                  const struct og_text_place *older,
                                  uint64_t older_len, struct og_text_place *out,
                                  og_error *err);

/* What was appended before the call is given to the system. */
og_status og_texts_flush(struct og_texts *texts, og_error *err);

/* The same, and it is on the disk, with the name of the segment. out_end, when
 * not NULL, is the end up to where it is so: worth a record. */
og_status og_texts_sync(struct og_texts *texts, struct og_texts_end *out_end,
                        og_error *err);

/* The same for everything in segments, logged or not. */
og_status og_texts_settle(struct og_texts *texts, og_error *err);

/* Limits the bytes of segments in memory from now on: the oldest are
 * dropped. */
void og_texts_limit(struct og_texts *texts, uint64_t memory);

/* Those segments; NULL: they are files. */
struct og_text_memory *og_texts_memory(struct og_texts *texts);
/* Where else they are; NULL: here. */
struct og_remote_catalogue *og_texts_elsewhere(struct og_texts *texts);

/* After the last frame appended; the end given at open before the first. */
struct og_texts_end og_texts_end(struct og_texts *texts);

struct og_text_patches;

/* The end after the frame that `place` lies in, when only the last place is
 * known (of the records read at opening). Segment 0 gives {0, 0}. */
og_status og_texts_end_of(const char *folder, const uint8_t uuid[16],
                          const struct og_text_place *place,
                          const struct og_text_patches *patches,
                          struct og_texts_end *out, og_error *err);

/* From an end on, to the last frame of that segment: of a session whose last
 * document has not the last text. *out_is_whole: there the file ends. */
og_status og_texts_find_end(const char *folder, const uint8_t uuid[16],
                            const og_allocator *allocator,
                            struct og_texts_end *end, bool *out_is_whole,
                            og_error *err);

/* ---- what was logged ------------------------------------------------------
 *
 * After a power loss a segment may lack frames that the log has. A writer puts
 * them back; a reader may not, and keeps them as patches. */
struct og_text_patches {
    const og_allocator *allocator;
    struct og_text_patch {
        uint32_t segment;
        uint64_t off;
        uint8_t *data;
        size_t len;
    } * list;
    size_t n, cap;
    int fd; /* of `segment`, the last one used */
    uint32_t segment;
};

void og_text_patches_init(struct og_text_patches *patches,
                          const og_allocator *allocator);
void og_text_patches_release(struct og_text_patches *patches);

/* Takes a copy. */
og_status og_text_patches_add(struct og_text_patches *patches, uint32_t segment,
                              uint64_t off, og_bytes frames, og_error *err);

/* The bytes at this place; NULL: no patch has all of them. */
const uint8_t *og_text_patches_find(const struct og_text_patches *patches,
                                    uint32_t segment, uint64_t off, size_t len);

/* These bytes were appended: compares them with what the segment has, and puts
 * them there (`writable`) or into the patches when they differ. */
og_status og_texts_redo(struct og_text_patches *patches, const char *folder,
                        const uint8_t uuid[16], bool writable, uint32_t segment,
                        uint64_t off, og_bytes frames, og_error *err);

/* ---- the dictionary ------------------------------------------------------
 *
 * Trained once in the life of a store, from the first texts. Until then frames
 * have none. */

/* The current one or NULL: an atomic load. Valid until og_texts_close(). */
const struct og_dict *og_texts_dict(struct og_texts *texts);

/* Shows texts that could be samples: the first 16 KiB of each are copied until
 * there are enough. An atomic load when nothing is wanted any more. Without
 * memory the texts are left out: that costs nothing but length. */
void og_texts_offer(struct og_texts *texts, const og_bytes *list, size_t n);

/* Trains when there are enough samples, else returns at once. Takes about
 * 0.1 to 0.3 s of a processor: for a thread that may wait, such as the one that
 * syncs. Writes the file (whole or not at all, synced) before og_texts_dict()
 * gives it. Samples that yield no dictionary are not a failure: there is none
 * then. A failure to write is one (OG_ERR_IO) but leaves `texts` valid, without
 * a dictionary. */
og_status og_texts_train(struct og_texts *texts, og_error *err);

/* ---- readers -------------------------------------------------------------
 *
 * One per thread, in the writer's process or in another. Opens segments and
 * dictionaries when they are first needed, so it sees what was added after it
 * was opened. */

/* `live`: the writer of this folder in this process, or NULL; a text that it
 * still has in memory is flushed first. It must outlive the reader. */
og_status og_text_reader_open(const char *folder, const uint8_t uuid[16],
                              struct og_texts *live,
                              const og_allocator *allocator,
                              struct og_text_reader **out, og_error *err);
/* For a damaged store: headers of segments and checksums of dictionaries are
 * not verified. The caller identifies a text by its hash. */
void og_text_reader_trust(struct og_text_reader *reader);
/* Bytes that count instead of those in the files; must outlive the reader. */
void og_text_reader_patch(struct og_text_reader *reader,
                          const struct og_text_patches *patches);
void og_text_reader_close(struct og_text_reader *reader); /* NULL is fine */

/* The text of `len` bytes at `place`. Points into the reader, valid until the
 * next call with it. out_depth (may be NULL): for struct og_text_prefix.
 * OG_ERR_STORE names file and offset of what is damaged: the frame, one that it
 * is based on, its dictionary, or a place where there is no text.
 * place->segment 0 (a store without texts) gives len 0. OG_END: it was in
 * memory, and was dropped. Caches up to 1 MiB of unpacked frames; dropped texts
 * are not among them. */
og_status og_text_reader_get(struct og_text_reader *reader,
                             const struct og_text_place *place, uint64_t len,
                             og_bytes *out, uint32_t *out_depth, og_error *err);
/* The oldest segment that the text given last rests on, and whether what rests
 * on one is still there. */
uint32_t og_text_reader_oldest(const struct og_text_reader *reader);
bool og_text_reader_has(const struct og_text_reader *reader, uint32_t oldest);

/* What a new version of the text at `place` should be packed with: that text,
 * or the first of its chain when the chain is as long as it may be. So a series
 * of any length has one text that needs no other, as long as sharing with it
 * saves anything. out->text is valid until the next call. */
og_status og_text_reader_prefix(struct og_text_reader *reader,
                                const struct og_text_place *place, uint64_t len,
                                struct og_text_prefix *out, og_error *err);

/* ---- verify ------------------------------------------------------------- */

struct og_texts_sums {
    uint64_t n_segments, n_frames;
    uint64_t raw_len;    /* of all texts */
    uint64_t packed_len; /* with the headers */
};

/* Reads every byte of every segment up to `end`, and of every dictionary that
 * a frame names, and compares the checksums. OG_ERR_STORE with file and offset
 * of the first that is wrong. Unpacks nothing: og_text_reader_get() does, and
 * og_entry.text_hash shows whether it is the text. Also while a writer works.
 * `patches` may be NULL. */
og_status og_texts_check(const char *folder, const uint8_t uuid[16],
                         struct og_texts_end end,
                         const struct og_text_patches *patches,
                         const og_allocator *allocator,
                         struct og_texts_sums *out, og_error *err);

#endif
