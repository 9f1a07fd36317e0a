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
 * A segment starts at a character that does not depend on the one before it. We
 * stay in gear 2 as long as the outcome cannot depend on neighbours, and
 * remember where the current segment started. When a character does interact,
 * the segment is rolled back to its start and gear 3 repeats it, up to the next
 * character that can start a segment. Two facts determine
 * the decision for each character:
 *
 *   open     - the last starter (class 0) written may compose with a later one
 *   last_ccc - the combining class of the last piece written
 *
 * A mark passes in gear 2 when its class is not below last_ccc (no sorting) and
 * it cannot compose, or nothing is open. */

#include "lib/text/han.h"
#include "lib/text/text.h"

#include <string.h>

#include <origo/params.h>

#include "lib/base/bits.h"
#include "lib/text/ascii.h"
#include "lib/text/character.h"
#include "lib/text/utf8.h"

/* Room after the output: padding, a vector of ASCII, one copied entry. */
#define ROOM (OG_TEXT_PADDING + OG_ASCII_SLACK + sizeof(struct og_character))

/* A position in both texts to which the fold can return. */
struct place {
    size_t source, folded, n_steps;
    bool copied; /* the region that is being written is a copied one */
};

struct fold {
    struct og_text *text;
    const unsigned char *source;
    size_t source_len;
    struct place now;
    struct place segment; /* where the segment that contains `now` starts */
    bool open;
    uint8_t last_ccc;
    og_error *err;
};

/* Maintains the guarantee that the rest would fit if it were ASCII, plus what
 * one entry adds: so only code that lengthens the text must call it. */
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

/* ---- gear 1 ---- */

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

/* ---- gear 3 ---- */

/* The character at `at`; invalid bytes count as U+FFFD. */
static struct og_utf8 character_at(const struct fold *f, size_t at)
{
    struct og_utf8 u = og_utf8_decode(f->source + at, f->source_len - at);
    if (u.code_point == OG_UTF8_INVALID) u.code_point = OG_UTF8_REPLACEMENT;
    return u;
}

/* The end of the segment that begins here; false: no memory. */
static bool find_segment_end(struct fold *f, size_t *out_end)
{
    size_t at = f->now.source + character_at(f, f->now.source).len;
    while (at < f->source_len) {
        const struct og_utf8 u = character_at(f, at);
        const struct og_character *c =
            og_folder_find(f->text->folder, u.code_point);
        if (c == NULL) return false;
        if (!(c->flags & OG_CHARACTER_FOLLOWS)) break;
        at += u.len;
    }
    *out_end = at;
    return true;
}

/* Leaves the folded code points in folder->pieces; false: no memory. */
static bool fold_pieces(struct fold *f, size_t end)
{
    struct og_folder *folder = f->text->folder;
    og_segment_clear(folder);
    for (size_t at = f->now.source; at < end;) {
        const struct og_utf8 u = character_at(f, at);
        if (!og_segment_add(folder, u.code_point)) return false;
        at += u.len;
    }
    return og_segment_fold(folder);
}

static size_t write_pieces(struct fold *f)
{
    const struct og_folder *folder = f->text->folder;
    unsigned char *out = (unsigned char *)f->text->data + f->now.folded;
    size_t len = 0;
    for (size_t i = 0; i < folder->n_pieces; i++)
        len += og_utf8_encode((uint32_t)folder->pieces[i], out + len);
    return len;
}

/* The cache slot of a segment of `len` bytes, 1 to 8. */
static struct og_recent *find_recent(const struct fold *f, size_t len,
                                     uint64_t *out_source)
{
    uint64_t source = 0;
    if (f->now.source + 8 <= f->source_len)
        source = og_load64(f->source + f->now.source) << (64 - 8 * len) >>
                 (64 - 8 * len);
    else
        for (size_t i = 0; i < len; i++)
            source |= (uint64_t)f->source[f->now.source + i] << 8 * i;
    *out_source = source;
    return &f->text->folder->recent[og_mix64(source) >> (64 - OG_RECENT_BITS)];
}

/* Writes the folding of source .. end, but does not advance. */
static og_status fold_anew(struct fold *f, size_t end, size_t *out_len)
{
    if (!fold_pieces(f, end))
        return og_error_memory(f->err, 4 * (end - f->now.source),
                               "a segment of marks");
    TRY(make_room(f, 4 * f->text->folder->n_pieces));
    *out_len = write_pieces(f);
    return OG_OK;
}

/* The same for at most 8 bytes, from the cache if possible. */
static og_status fold_recent(struct fold *f, size_t end, size_t *out_len)
{
    const size_t source_len = end - f->now.source;
    uint64_t source;
    struct og_recent *recent = find_recent(f, source_len, &source);
    if (recent->source_len == source_len && recent->source == source) {
        memcpy(f->text->data + f->now.folded, recent->folded,
               sizeof(recent->folded));
        *out_len = recent->len;
        return OG_OK;
    }
    TRY(fold_anew(f, end, out_len));
    if (*out_len > sizeof(recent->folded)) return OG_OK;
    recent->source = source;
    recent->source_len = (uint8_t)source_len;
    recent->len = (uint8_t)*out_len;
    memcpy(recent->folded, f->text->data + f->now.folded, *out_len);
    return OG_OK;
}

/* Repeats the current segment from its start. What follows it starts a segment
 * of its own, whatever `open` says. */
static og_status fold_segment(struct fold *f)
{
    f->now = f->segment;
    size_t end, len;
    if (!find_segment_end(f, &end))
        return og_error_memory(f->err, 0, "a page of characters");
    if (end - f->now.source <= 8)
        TRY(fold_recent(f, end, &len));
    else
        TRY(fold_anew(f, end, &len));
    if (len == 0)
        f->now.copied = false;
    else
        TRY(begin_piece(f, end));
    f->now.folded += len;
    f->now.source = end;
    f->segment = f->now;
    f->open = false;
    f->last_ccc = 0;
    return make_room(f, 0);
}

/* ---- gear 2 ---- */

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

/* A character that may interact with what precedes it. */
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

/* ---- gear 2, the short way ---- */

/* A stretch of characters that keep their lengths, which is nearly all of any
 * text: the same rules as above, in registers. Both texts move on together,
 * so one offset is enough. */
struct stretch {
    size_t at, segment; /* source offsets */
    bool open;
    uint8_t last_ccc;
};

/* Whether `c` may be written unchanged, whatever precedes it. */
static inline bool enter_character(struct stretch *s,
                                   const struct og_character *c)
{
    const unsigned flags = c->flags;
    const unsigned usual = OG_CHARACTER_KNOWN | OG_CHARACTER_ALIGNED;
    if (OG_UNLIKELY((flags & (usual | OG_CHARACTER_COMPLEX)) != usual))
        return false;
    if (!(flags & OG_CHARACTER_FOLLOWS)) {
        s->segment = s->at;
        s->open = flags & OG_CHARACTER_OPEN;
        s->last_ccc = c->tail_ccc;
        return true;
    }
    if ((flags & OG_CHARACTER_SECOND) && s->open) return false;
    if (c->lead_ccc == 0 || c->lead_ccc < s->last_ccc) return false;
    s->last_ccc = c->tail_ccc;
    return true;
}

/* Up to seven bytes of ASCII between other characters; more is gear 1's.
 * Returns their number. */
static inline size_t enter_ascii(struct stretch *s, const unsigned char *source,
                                 char *folded)
{
    const uint64_t word = og_load64(source + s->at);
    const uint64_t high = word & OG_ASCII_TOP_BITS;
    if (high == 0) return 0;
    const uint64_t lower = og_ascii_fold_word(word);
    const size_t n = (size_t)__builtin_ctzll(high) / 8;
    for (size_t i = 0; i < 8; i++) /* one store, in either byte order */
        folded[i] = (char)(lower >> 8 * i);
    s->segment = s->at + n - 1;
    s->open = true;
    s->last_ccc = 0;
    return n;
}

static struct stretch run_stretch(const struct fold *f, struct stretch s)
{
    struct og_character *const *pages = f->text->folder->pages;
    const unsigned char *const source = f->source;
    char *const folded = f->text->data + f->now.folded - f->now.source;
    while (s.at + 8 <= f->source_len) {
        if (source[s.at] < 0x80) {
            const size_t n = enter_ascii(&s, source, folded + s.at);
            if (n == 0) break;
            s.at += n;
            continue;
        }
        const struct og_utf8 u = og_utf8_decode(source + s.at, 4);
        if (OG_UNLIKELY(u.code_point == OG_UTF8_INVALID)) break;
        const struct og_character *c = pages[u.code_point / OG_CHARACTER_PAGE];
        if (OG_UNLIKELY(c == NULL)) break;
        c += u.code_point % OG_CHARACTER_PAGE;
        if (!enter_character(&s, c)) break;
        memcpy(folded + s.at, c->folded, 4);
        s.at += u.len;
    }
    return s;
}

static void fold_stretch(struct fold *f)
{
    if (!f->now.copied) return;
    const size_t begin = f->now.source;
    const struct stretch s =
        run_stretch(f, (struct stretch){begin, SIZE_MAX, f->open, f->last_ccc});
    f->now.folded += s.at - begin;
    f->now.source = s.at;
    f->open = s.open;
    f->last_ccc = s.last_ccc;
    if (s.segment == SIZE_MAX) return; /* the segment before continues */
    f->segment = f->now;
    f->segment.source = s.segment;
    f->segment.folded -= s.at - s.segment;
}

/* ---- all of it ---- */

static og_status fold_all(struct fold *f)
{
    og_ascii_fold_fn *const fold_run = og_ascii_fold_choose();
    TRY(make_room(f, 0));
    while (f->now.source < f->source_len) {
        TRY(fold_ascii(f, fold_run));
        fold_stretch(f);
        while (f->now.source < f->source_len &&
               f->source[f->now.source] >= 0x80) {
            TRY(fold_character(f));
            fold_stretch(f);
        }
    }
    return OG_OK;
}

/* Letters that printers used interchangeably. ASCII is folded by vectors, which
 * ignore this, so it is a separate pass, on request. */
static void fold_latin(char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        data[i] = data[i] == 'v' ? 'u' : data[i] == 'j' ? 'i' : data[i];
}

og_status og_text_fold(struct og_text *text, og_bytes source, og_error *err)
{
    text->len = text->n_steps = text->n_repaired = text->source_len = 0;
    if (source.len > OG_TEXT_MAX)
        return og_error_set(err, OG_ERR_LIMIT,
                            "text of %zu bytes is longer than %zu", source.len,
                            OG_TEXT_MAX);
    if (text->folder != NULL && text->folder->fold != text->fold) {
        og_folder_free(text->folder);
        text->folder = NULL;
    }
    if (text->folder == NULL) text->folder = og_folder_new(text->allocator);
    if (text->folder == NULL)
        return og_error_memory(err, sizeof(*text->folder), "folder");
    text->folder->fold = text->fold;
    struct fold f = {.text = text,
                     .source = (const unsigned char *)source.data,
                     .source_len = source.len,
                     .now.copied = true,
                     .segment.copied = true,
                     .err = err};
    TRY(fold_all(&f));
    if (text->fold & OG_FOLD_LATIN) fold_latin(text->data, f.now.folded);
    if (text->fold & OG_FOLD_HAN) og_fold_han(text->data, f.now.folded);
    text->len = f.now.folded;
    text->n_steps = f.now.n_steps;
    text->source_len = source.len;
    memset(text->data + text->len, 0, OG_TEXT_PADDING);
    return OG_OK;
}
