/* Recovers what can be read of a damaged store.
 *
 *     entries that were found ──> their texts, each with its hash ──> documents
 *     frames that no entry refers to ──────────────────────────────> pieces
 *
 * The second only if entries may be missing: an undamaged store also has such
 * frames, from writes that a crash interrupted. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "lib/os/new_file.h"
#include "lib/store/repair/salvage.h"
#include "lib/store/store_disk.h"
#include "lib/store/text/text_files.h"

struct repair {
    struct og_salvage *salvage;
    char texts_folder[4200];
    struct og_text_reader *reader;
    og_document_fn *on_document;
    void *ctx;
    og_repair *out;
};

static og_status give(const struct repair *r, const og_document *doc,
                      og_error *err)
{
    if (r->on_document(r->ctx, doc)) return OG_OK;
    return og_error_set(err, OG_ERR_STOPPED, "stopped by the caller");
}

static void lose(const struct repair *r, og_bytes id, uint32_t number,
                 uint32_t n, const char *reason)
{
    const og_loss loss = {.id = id, .number = number, .n = n, .reason = reason};
    r->out->n_lost += n;
    if (r->salvage->on_loss != NULL) r->salvage->on_loss(r->ctx, &loss);
}

/* ---- documents ---- */

/* The text of an entry; false: `err` is the fault. */
static bool read_text(const struct repair *r, const struct og_entry *entry,
                      og_bytes *out, og_error *err)
{
    if (entry->place.segment == 0 && entry->text_len > 0) {
        (void)og_error_set(err, OG_ERR_STORE, "its text was not kept");
        return false;
    }
    if (og_text_reader_get(r->reader, &entry->place, entry->text_len, out, NULL,
                           err) != OG_OK)
        return false;
    if (og_text_hash(*out) == entry->text_hash) return true;
    (void)og_error_set(err, OG_ERR_STORE,
                       "its text is not as it was written: segment %" PRIu32
                       ", frame at byte %" PRIu64,
                       entry->place.segment, entry->place.frame_off);
    return false;
}

/* Entries `first` to `end` are of the same document: the first with its text
 * counts. */
static og_status save_document(const struct repair *r, size_t first, size_t end,
                               og_error *err)
{
    const struct og_salvage *s = r->salvage;
    const uint32_t number = s->entries[first].number;
    struct og_entry entry = {0};
    og_error reason = {0};
    og_bytes text;
    if (og_salvage_is_removed(s, number)) return OG_OK;
    for (size_t i = first; i < end; i++) {
        if (!og_entry_unpack(og_salvage_entry(s, i), &entry) ||
            !read_text(r, &entry, &text, &reason))
            continue;
        const og_document doc = og_entry_document(&entry, text);
        r->out->n_saved++;
        return give(r, &doc, err);
    }
    lose(r, entry.id, number, 1, reason.message);
    return OG_OK;
}

/* Numbers `from` to `end` have no entry. */
static void lose_numbers(const struct repair *r, uint32_t from, uint32_t end)
{
    static const og_bytes none = {"", 0};
    while (from < end) {
        uint32_t to = from;
        while (to < end && !og_salvage_is_removed(r->salvage, to))
            to++;
        if (to > from)
            lose(r, none, from, to - from,
                 "neither the journal nor the catalogue has their entries");
        from = to + 1;
    }
}

static og_status save_documents(const struct repair *r, og_error *err)
{
    const struct og_salvage *s = r->salvage;
    uint32_t next = 0;
    for (size_t first = 0, end; first < s->n; first = end) {
        const uint32_t number = s->entries[first].number;
        for (end = first + 1; end < s->n && s->entries[end].number == number;)
            end++;
        lose_numbers(r, next, number);
        TRY(save_document(r, first, end, err));
        next = number + 1;
    }
    lose_numbers(r, next, s->n_documents);
    return OG_OK;
}

/* ---- pieces ---- */

/* What an entry says about a frame. */
struct covered {
    uint32_t segment;
    uint64_t frame_off;
    uint64_t begin, end; /* of the text in it */
};

struct covered_list {
    const og_allocator *allocator;
    struct covered *list;
    size_t n, cap;
};

static int compare_covered(const void *a, const void *b)
{
    const struct covered *x = a, *y = b;
    if (x->segment != y->segment) return x->segment < y->segment ? -1 : 1;
    if (x->frame_off != y->frame_off)
        return x->frame_off < y->frame_off ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static og_status find_covered(const struct repair *r, struct covered_list *out,
                              og_error *err)
{
    const struct og_salvage *s = r->salvage;
    if (!OG_GROW(out->allocator, out->list, out->cap, s->n + 1))
        return og_error_memory(err, s->n * sizeof(struct covered), "places");
    for (size_t i = 0; i < s->n; i++) {
        struct og_entry e;
        if (!og_entry_unpack(og_salvage_entry(s, i), &e)) continue;
        out->list[out->n++] =
            (struct covered){e.place.segment, e.place.frame_off,
                             e.place.text_off, e.place.text_off + e.text_len};
    }
    if (out->n > 0)
        qsort(out->list, out->n, sizeof(out->list[0]), compare_covered);
    return OG_OK;
}

static og_status give_piece(const struct repair *r, uint32_t segment,
                            uint64_t frame_off, uint64_t begin, uint64_t end,
                            og_error *err)
{
    char id[80];
    og_bytes text;
    const struct og_text_place place = {segment, frame_off, (uint32_t)begin};
    if (begin >= end || og_text_reader_get(r->reader, &place, end - begin,
                                           &text, NULL, NULL) != OG_OK)
        return OG_OK;
    const int len =
        snprintf(id, sizeof(id), "repair-%" PRIu32 "-%" PRIu64 "-%" PRIu64,
                 segment, frame_off, begin);
    const og_document doc = {.id = {id, (size_t)len}, .text = text};
    r->out->n_pieces++;
    return give(r, &doc, err);
}

/* What no entry covers of the frame at `off`. */
static og_status give_rest(const struct repair *r,
                           const struct covered_list *known, uint32_t segment,
                           uint64_t off, uint64_t raw_len, og_error *err)
{
    uint64_t at = 0;
    size_t low = 0, high = known->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct covered *c = &known->list[middle];
        if (c->segment < segment ||
            (c->segment == segment && c->frame_off < off))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < known->n && known->list[i].segment == segment &&
                         known->list[i].frame_off == off;
         i++) {
        const struct covered *c = &known->list[i];
        TRY(give_piece(r, segment, off, at, c->begin, err));
        if (c->end > at) at = c->end;
    }
    return give_piece(r, segment, off, at, raw_len, err);
}

/* Every valid frame of a segment, wherever it is. */
static og_status search_frames(const struct repair *r,
                               const struct covered_list *known,
                               uint32_t segment, const uint8_t *data,
                               size_t len, og_error *err)
{
    size_t at = OG_SEGMENT_HEAD;
    while (at + OG_FRAME_HEADER <= len) {
        struct og_frame f;
        const uint8_t *head = data + at;
        if (og_frame_unpack(head, &f) != NULL ||
            f.packed_len > len - at - OG_FRAME_HEADER ||
            !og_frame_is_sound(head, head + OG_FRAME_HEADER, f.packed_len)) {
            at++;
            continue;
        }
        TRY(give_rest(r, known, segment, at, f.raw_len, err));
        at += OG_FRAME_HEADER + f.packed_len;
    }
    return OG_OK;
}

static og_status search_segment(const struct repair *r,
                                const struct covered_list *known,
                                uint32_t segment, og_error *err)
{
    struct og_text_path path;
    struct stat st;
    og_status status = OG_OK;
    og_segment_path(&path, r->texts_folder, segment);
    const int fd = og_file_open_own(path.name, O_RDONLY, 0);
    if (fd < 0) return OG_OK;
    const size_t len = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
    uint8_t *data = og_allocate(r->salvage->allocator, len + 1);
    const int64_t got = data != NULL ? og_file_read_at(fd, data, len, 0) : 0;
    close(fd);
    if (data == NULL) return og_error_memory(err, len, "a segment of texts");
    if (got > 0)
        status = search_frames(r, known, segment, data, (size_t)got, err);
    og_release(r->salvage->allocator, data, len + 1);
    return status;
}

static og_status save_pieces(const struct repair *r, og_error *err)
{
    struct covered_list known = {.allocator = r->salvage->allocator};
    uint32_t last = 0, last_dict;
    if (og_text_files_last(r->texts_folder, &last, &last_dict, NULL) != OG_OK)
        return OG_OK;
    og_status status = find_covered(r, &known, err);
    for (uint32_t i = 1; i <= last && status == OG_OK; i++)
        status = search_segment(r, &known, i, err);
    OG_UNGROW(known.allocator, known.list, known.cap);
    return status;
}

/* ---- the whole ---- */

static og_status save_all(struct repair *r, og_error *err)
{
    const struct og_salvage *s = r->salvage;
    r->out->n_removed = 0;
    for (uint32_t i = 0; i < s->n_documents; i++)
        r->out->n_removed += og_salvage_is_removed(s, i);
    TRY(og_text_reader_open(r->texts_folder, s->conf.uuid, NULL, s->allocator,
                            &r->reader, err));
    og_text_reader_trust(r->reader);
    og_text_reader_patch(r->reader, &s->patches);
    const uint64_t n_lost_before = r->out->n_lost;
    og_status status = save_documents(r, err);
    const bool is_missing = r->out->n_lost > n_lost_before;
    if (status == OG_OK && (is_missing || !r->out->is_certain))
        status = save_pieces(r, err);
    og_text_reader_close(r->reader);
    return status;
}

og_status og_store_repair(const char *path, og_document_fn *on_document,
                          void (*on_loss)(void *ctx, const og_loss *loss),
                          void *ctx, og_repair *out, og_error *err)
{
    og_error reason = {0};
    struct stat st;
    struct og_salvage salvage = {
        .folder = path, .report = out, .on_loss = on_loss, .ctx = ctx};
    *out = (og_repair){0};
    if (err == NULL) err = &reason;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || strlen(path) > 3900)
        return og_error_set(err, OG_ERR_NO_STORE, "there is no store '%s'",
                            path);
    og_text_patches_init(&salvage.patches, NULL);
    struct repair r = {.salvage = &salvage,
                       .on_document = on_document,
                       .ctx = ctx,
                       .out = out};
    og_status status = og_salvage_find(&salvage, err);
    snprintf(r.texts_folder, sizeof(r.texts_folder), "%s/texts", salvage.data);
    if (status == OG_OK) status = save_all(&r, err);
    og_salvage_release(&salvage);
    return status;
}
