/* Folding: two texts that read the same become the same bytes.
 *
 * "Ｆｉｎｅ", "ﬁne" and "FINE" are one word to a reader, and copies are made
 * through editors, browsers and converters that change one into the other. So
 * the source is repaired to valid UTF-8 and brought to the form that Unicode
 * calls NFKC_Casefold: compatibility characters replaced, case folded,
 * invisible characters dropped, accents composed. The result is the same as
 * that of utf8proc on the whole string, which is what the tests compare with.
 *
 * Three gears:
 *
 *   1. runs of ASCII, a vector at a time                          (ascii.c)
 *   2. other characters, one table entry each                 (character.h)
 *   3. segments where characters meet (a letter and its accent, Hangul
 *      letters, marks out of order): decomposed, sorted, composed
 *                                                            (character.c)
 *
 * A segment starts at a character that does not hang on the one before it. We
 * go on in gear 2 as long as the outcome cannot depend on neighbours, and
 * remember where the current segment started. When a character turns up that
 * does interact, the segment is rolled back to its start and gear 3 does it
 * over, up to the next character that can start a segment. Two facts carry
 * the decision for each character:
 *
 *   open     - the last starter (class 0) written may compose with a later one
 *   last_ccc - the combining class of the last piece written
 *
 * A mark passes in gear 2 when its class is not below last_ccc (no sorting)
 * and it cannot compose, or nothing is open. */

#include "lib/text/text.h"

#include <string.h>

#include "lib/base/bits.h"
#include "lib/text/ascii.h"
#include "lib/text/character.h"
#include "lib/text/utf8.h"

/* Room behind the output: padding, a vector of ASCII, one copied entry. */
#define ROOM (OG_TEXT_PADDING + OG_ASCII_SLACK + sizeof(struct og_character))

/* A place in both texts that can be gone back to. */
struct place {
    size_t source, folded, n_steps;
    bool copied; /* the region that is being written is a copied one */
};

struct fold {
    struct og_text *text;
    const unsigned char *source;
    size_t source_len;
    struct place now;
    struct place segment; /* where the segment that holds `now` starts */
    bool open;
    uint8_t last_ccc;
    og_error *err;
};

/* Keeps the promise that all of the rest would fit if it were ASCII, and what
 * one entry adds: so only what lengthens the text must ask. */
static og_status make_room(struct fold *f, size_t extra)
{
    struct og_text *text = f->text;
    const size_t rest = f->source_len - f->now.source;
    const size_t need = f->now.folded + extra + rest + ROOM;
    if (OG_LIKELY(need <= text->cap)) return OG_OK;
    if (need > UINT32_MAX)
        return og_error_set(f->err, OG_ERR_LIMIT,
                            "folded text is longer than 4 GiB");
    if (!OG_GROW(text->allocator, text->data, text->cap, need))
        return og_error_memory(f->err, need, "folded text");
    return OG_OK;
}

/* A step at the same folded offset as the one before replaces it: that one was
 * made for a character that was rolled back. */
static og_status add_step(struct fold *f, size_t source_end)
{
    struct og_text *text = f->text;
    size_t n = f->now.n_steps;
    if (n > 0 && text->steps[n - 1].folded == f->now.folded) n--;
    if (!OG_GROW(text->allocator, text->steps, text->steps_cap, n + 1))
        return og_error_memory(f->err, (n + 1) * sizeof(*text->steps),
                               "steps of folded text");
    text->steps[n] = (struct og_text_step){
        (uint32_t)f->now.folded, (uint32_t)f->now.source, (uint32_t)source_end};
    f->now.n_steps = n + 1;
    return OG_OK;
}

/* From here on, characters keep their lengths. */
static og_status begin_copied(struct fold *f)
{
    if (OG_LIKELY(f->now.copied)) return OG_OK;
    f->now.copied = true;
    return add_step(f, f->now.source);
}

/* The next folded bytes all come from source .. source_end. */
static og_status begin_piece(struct fold *f, size_t source_end)
{
    f->now.copied = false;
    return add_step(f, source_end);
}

/* ---- gear 1 -------------------------------------------------------------- */

static og_status fold_ascii(struct fold *f, og_ascii_fold_fn *fold_run)
{
    const size_t n = fold_run(f->text->data + f->now.folded,
                              (const char *)f->source + f->now.source,
                              f->source_len - f->now.source);
    if (n == 0) return OG_OK;
    TRY(begin_copied(f));
    f->now.source += n - 1;
    f->now.folded += n - 1;
    f->segment = f->now; /* the last one may get an accent */
    f->now.source++;
    f->now.folded++;
    f->open = true; /* true for letters; for the rest, only slower */
    f->last_ccc = 0;
    return OG_OK;
}

/* ---- gear 3 -------------------------------------------------------------- */

/* Collects the segment's code points and returns where it ends. A broken byte
 * can only be its first character: U+FFFD starts a segment. */
static og_status collect_segment(struct fold *f, size_t *out_end)
{
    struct og_folder *folder = f->text->folder;
    size_t at = f->now.source;
    og_segment_clear(folder);
    while (at < f->source_len) {
        const struct og_utf8 c =
            og_utf8_decode(f->source + at, f->source_len - at);
        const bool first = at == f->now.source;
        const bool broken = c.code_point == OG_UTF8_INVALID;
        const uint32_t code_point = broken ? OG_UTF8_REPLACEMENT : c.code_point;
        const struct og_character *known = og_folder_find(folder, code_point);
        if (known == NULL) return OG_ERR_MEMORY;
        if (!first && !(known->flags & OG_CHARACTER_FOLLOWS)) break;
        if (!og_segment_add(folder, code_point)) return OG_ERR_MEMORY;
        at += c.len;
    }
    *out_end = at;
    return og_segment_fold(folder) ? OG_OK : OG_ERR_MEMORY;
}

static og_status write_pieces(struct fold *f, size_t source_end)
{
    const struct og_folder *folder = f->text->folder;
    const size_t n = folder->n_pieces;
    if (n == 0) {
        f->now.copied = false;
        return OG_OK;
    }
    TRY(make_room(f, 4 * n));
    TRY(begin_piece(f, source_end));
    char *data = f->text->data;
    for (size_t i = 0; i < n; i++)
        f->now.folded += og_utf8_encode((uint32_t)folder->pieces[i],
                                        (unsigned char *)data + f->now.folded);
    return OG_OK;
}

/* Does the current segment over, from its start. What follows it starts a
 * segment of its own, whatever `open` says. */
static og_status fold_segment(struct fold *f)
{
    f->now = f->segment;
    size_t end;
    if (collect_segment(f, &end) != OG_OK)
        return og_error_memory(f->err, 4 * f->text->folder->n_pieces,
                               "a segment of marks");
    TRY(write_pieces(f, end));
    f->now.source = end;
    f->segment = f->now;
    f->open = false;
    f->last_ccc = 0;
    return OG_OK;
}

/* ---- gear 2 -------------------------------------------------------------- */

static og_status write_character(struct fold *f, const struct og_character *c,
                                 size_t source_len, bool aligned)
{
    if (OG_LIKELY(aligned)) {
        TRY(begin_copied(f));
    } else if (c->len == 0) {
        f->now.copied = false;
    } else {
        TRY(begin_piece(f, f->now.source + source_len));
    }
    memcpy(f->text->data + f->now.folded, c, sizeof(*c));
    f->now.folded += c->len;
    f->now.source += source_len;
    return aligned ? OG_OK : make_room(f, sizeof(*c));
}

/* A character that may interact with what stands before it. */
static og_status fold_follower(struct fold *f, const struct og_character *c,
                               size_t source_len)
{
    const bool composes = (c->flags & OG_CHARACTER_SECOND) && f->open;
    const bool unsorted = c->lead_ccc != 0 && c->lead_ccc < f->last_ccc;
    if (composes || unsorted || (c->flags & OG_CHARACTER_COMPLEX))
        return fold_segment(f);
    const bool aligned = c->flags & OG_CHARACTER_ALIGNED;
    if (c->len == 0) return write_character(f, c, source_len, aligned);
    if (c->lead_ccc == 0) { /* met nothing to compose with: a start after all */
        f->segment = f->now;
        f->open = c->flags & OG_CHARACTER_OPEN;
    }
    f->last_ccc = c->tail_ccc;
    return write_character(f, c, source_len, aligned);
}

static og_status fold_starter(struct fold *f, const struct og_character *c,
                              size_t source_len, bool aligned)
{
    f->segment = f->now;
    if (OG_UNLIKELY(c->flags & OG_CHARACTER_COMPLEX)) return fold_segment(f);
    f->open = c->flags & OG_CHARACTER_OPEN;
    f->last_ccc = c->tail_ccc;
    return write_character(f, c, source_len, aligned);
}

static og_status fold_broken(struct fold *f, size_t source_len)
{
    const struct og_character *c =
        og_folder_find(f->text->folder, OG_UTF8_REPLACEMENT);
    if (c == NULL) return og_error_memory(f->err, 0, "a page of characters");
    f->text->n_repaired += source_len;
    return fold_starter(f, c, source_len, source_len == c->len);
}

static og_status fold_character(struct fold *f)
{
    const struct og_utf8 u = og_utf8_decode(f->source + f->now.source,
                                            f->source_len - f->now.source);
    if (OG_UNLIKELY(u.code_point == OG_UTF8_INVALID))
        return fold_broken(f, u.len);
    const struct og_character *c =
        og_folder_find(f->text->folder, u.code_point);
    if (OG_UNLIKELY(c == NULL))
        return og_error_memory(f->err, 0, "a page of characters");
    if (c->flags & OG_CHARACTER_FOLLOWS) return fold_follower(f, c, u.len);
    return fold_starter(f, c, u.len, c->flags & OG_CHARACTER_ALIGNED);
}

/* ---- all of it ----------------------------------------------------------- */

static og_status fold_all(struct fold *f)
{
    og_ascii_fold_fn *const fold_run = og_ascii_fold_choose();
    TRY(make_room(f, 0));
    while (f->now.source < f->source_len) {
        TRY(fold_ascii(f, fold_run));
        while (f->now.source < f->source_len &&
               f->source[f->now.source] >= 0x80)
            TRY(fold_character(f));
    }
    return OG_OK;
}

og_status og_text_fold(struct og_text *text, og_bytes source, og_error *err)
{
    text->len = text->n_steps = text->n_repaired = text->source_len = 0;
    if (source.len > OG_TEXT_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "text of %zu bytes is longer than %zu", source.len,
                            OG_TEXT_MAX);
    if (text->folder == NULL) text->folder = og_folder_new(text->allocator);
    if (text->folder == NULL)
        return og_error_memory(err, sizeof(*text->folder), "folder");
    struct fold f = {.text = text,
                     .source = (const unsigned char *)source.data,
                     .source_len = source.len,
                     .now.copied = true,
                     .segment.copied = true,
                     .err = err};
    TRY(fold_all(&f));
    text->len = f.now.folded;
    text->n_steps = f.now.n_steps;
    text->source_len = source.len;
    memset(text->data + text->len, 0, OG_TEXT_PADDING);
    return OG_OK;
}
