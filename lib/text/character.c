/* The table of single characters, and the machinery of NFKC for the rest.
 *
 * utf8proc knows Unicode's data: how a character decomposes (with case folded
 * and ignorable characters dropped, the mapping called NFKC_Casefold), its
 * combining class, and how two characters compose. Its own sort of marks is a
 * bubble sort, so a hostile text (a million accents on one letter) would take
 * quadratic time; we sort by counting the classes instead, which is linear,
 * and call utf8proc for the two other steps. */

#include "lib/text/character.h"

#include <assert.h>
#include <string.h>
#include <utf8proc.h>

#include <origo/params.h>

#include "lib/text/utf8.h"

#define FOLD_OPTIONS                                                           \
    (UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |                    \
     UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)

/* The longest decomposition of one character is 18 (U+FDFA). */
#define MAX_PIECES 32

/* Below this, the sort by insertion is the faster one. */
#define SHORT_RUN 16

static unsigned combining_class(int32_t c)
{
    return (unsigned)utf8proc_get_property(c)->combining_class;
}

/* Does any character compose with a starter before it (_second), or with a
 * character after it (_first)? Hangul composes by arithmetic, the rest by
 * utf8proc's table, whose form changed with version 2.10. */
static bool composes_as_second(int32_t c)
{
    if (c >= 0x1161 && c <= 0x1175) return true; /* vowel */
    if (c >= 0x11a7 && c <= 0x11c2) return true; /* final consonant */
    const utf8proc_property_t *p = utf8proc_get_property(c);
#if UTF8PROC_VERSION_MAJOR > 2 || UTF8PROC_VERSION_MINOR >= 10
    return p->comb_issecond;
#else
    return p->comb_index >= 0x8000 && p->comb_index != UINT16_MAX;
#endif
}

static bool composes_as_first(int32_t c)
{
    if (c >= 0x1100 && c <= 0x1112) return true; /* initial consonant */
    if (c >= 0xac00 && c <= 0xd7a3) return (c - 0xac00) % 28 == 0;
    const utf8proc_property_t *p = utf8proc_get_property(c);
#if UTF8PROC_VERSION_MAJOR > 2 || UTF8PROC_VERSION_MINOR >= 10
    return p->comb_length != 0;
#else
    return p->comb_index < 0x8000;
#endif
}

struct og_folder *og_folder_new(const og_allocator *allocator)
{
    struct og_folder *folder = og_allocate_zero(allocator, sizeof(*folder));
    if (folder != NULL) folder->allocator = allocator;
    return folder;
}

void og_folder_free(struct og_folder *folder)
{
    if (folder == NULL) return;
    const og_allocator *a = folder->allocator;
    for (size_t i = 0; i < OG_CHARACTER_N_PAGES; i++)
        og_release(a, folder->pages[i],
                   OG_CHARACTER_PAGE * sizeof(struct og_character));
    OG_UNGROW(a, folder->pieces, folder->pieces_cap);
    OG_UNGROW(a, folder->sorted, folder->sorted_cap);
    og_release(a, folder, sizeof(*folder));
}

/* Vowel marks and signs of recitation, and the line that only stretches. Those
 * that make another letter (madda, hamza) stay: 0653 to 0655. */
static bool is_vowel_mark(int32_t c)
{
    return (c >= 0x0591 && c <= 0x05c7 && c != 0x05be && c != 0x05c0 &&
            c != 0x05c3 && c != 0x05c6) ||
           (c >= 0x0610 && c <= 0x061a) || c == 0x0640 ||
           (c >= 0x064b && c <= 0x0652) || (c >= 0x0656 && c <= 0x065f) ||
           c == 0x0670 || (c >= 0x06d6 && c <= 0x06dc) ||
           (c >= 0x06df && c <= 0x06e8) || (c >= 0x06ea && c <= 0x06ed) ||
           (c >= 0x08d3 && c <= 0x08ff && c != 0x08e2);
}

/* Letters that are written for one another; 0: dropped. */
static int32_t arabic_letter(int32_t c)
{
    switch (c) {
    case 0x0653: /* madda, hamza above and below: on whatever letter */
    case 0x0654:
    case 0x0655: return 0;
    case 0x0671: return 0x0627; /* alef wasla */
    case 0x0649:
    case 0x06cc: return 0x064a; /* alef maksura, Persian yeh */
    case 0x06a9: return 0x0643; /* Persian kaf */
    case 0x0629:
    case 0x06c1:
    case 0x06be:
    case 0x06d5: return 0x0647; /* teh marbuta and forms of heh */
    default: return c;
    }
}

static size_t decompose(const struct og_folder *folder, uint32_t code_point,
                        int32_t out[MAX_PIECES])
{
    int boundary = UTF8PROC_BOUNDCLASS_START;
    const utf8proc_ssize_t n = utf8proc_decompose_char(
        (utf8proc_int32_t)code_point, out, MAX_PIECES, FOLD_OPTIONS, &boundary);
    assert(n >= 0 && n <= MAX_PIECES);
    if (folder->fold == 0) return n < 0 ? 0 : (size_t)n;
    size_t kept = 0;
    for (utf8proc_ssize_t i = 0; i < n; i++) {
        int32_t c = out[i];
        if ((folder->fold & OG_FOLD_MARKS) && is_vowel_mark(c)) continue;
        if (folder->fold & OG_FOLD_ARABIC) c = arabic_letter(c);
        if (c != 0 || out[i] == 0) out[kept++] = c;
    }
    return kept;
}

bool og_segment_add(struct og_folder *folder, uint32_t code_point)
{
    const size_t need = folder->n_pieces + MAX_PIECES;
    if (!OG_GROW(folder->allocator, folder->pieces, folder->pieces_cap, need))
        return false;
    folder->n_pieces +=
        decompose(folder, code_point, folder->pieces + folder->n_pieces);
    return true;
}

/* ---- canonical ordering: stable, by class, within runs of marks ---- */

/* Starters (class 0) stay where they are, and nothing passes them. */
static void sort_by_insertion(int32_t *run, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const int32_t c = run[i];
        const unsigned class = combining_class(c);
        size_t k = class == 0 ? 0 : i;
        for (; k > 0 && combining_class(run[k - 1]) > class; k--)
            run[k] = run[k - 1];
        if (class != 0) run[k] = c;
    }
}

static void sort_by_counting(int32_t *run, size_t n, int32_t *scratch)
{
    size_t place[257] = {0};
    for (size_t i = 0; i < n; i++)
        place[combining_class(run[i]) + 1]++;
    for (size_t class = 1; class < 257; class ++)
        place[class] += place[class - 1];
    for (size_t i = 0; i < n; i++)
        scratch[place[combining_class(run[i])]++] = run[i];
    memcpy(run, scratch, n * sizeof(*run));
}

static bool sort_marks(struct og_folder *f)
{
    for (size_t begin = 0, end; begin < f->n_pieces; begin = end + 1) {
        end = begin;
        while (end < f->n_pieces && combining_class(f->pieces[end]) != 0)
            end++;
        const size_t n = end - begin;
        if (n <= SHORT_RUN) {
            sort_by_insertion(f->pieces + begin, n);
            continue;
        }
        if (!OG_GROW(f->allocator, f->sorted, f->sorted_cap, n)) return false;
        sort_by_counting(f->pieces + begin, n, f->sorted);
    }
    return true;
}

static size_t compose(int32_t *pieces, size_t n)
{
    const utf8proc_ssize_t left =
        utf8proc_normalize_utf32(pieces, (utf8proc_ssize_t)n, FOLD_OPTIONS);
    assert(left >= 0 && (size_t)left <= n);
    return left < 0 ? 0 : (size_t)left;
}

bool og_segment_fold(struct og_folder *folder)
{
    if (folder->n_pieces == 0) return true;
    if (!sort_marks(folder)) return false;
    folder->n_pieces = compose(folder->pieces, folder->n_pieces);
    return true;
}

/* ---- the table ---- */

/* Flags of the decomposed character. A run of several marks at its start
 * (U+0344) would have to be sorted with its neighbours one by one. */
static uint8_t flags_of_pieces(const int32_t *pieces, size_t n)
{
    uint8_t flags = 0;
    if (composes_as_second(pieces[0]))
        flags |= OG_CHARACTER_SECOND | OG_CHARACTER_FOLLOWS;
    if (combining_class(pieces[0]) != 0) {
        flags |= OG_CHARACTER_FOLLOWS;
        if (n > 1) flags |= OG_CHARACTER_COMPLEX;
    }
    return flags;
}

static bool last_starter_is_open(const int32_t *composed, size_t n)
{
    while (n > 0 && combining_class(composed[n - 1]) != 0)
        n--;
    return n > 0 && composes_as_first(composed[n - 1]);
}

static void set_folded(struct og_character *c, const int32_t *composed,
                       size_t n, uint32_t source_len)
{
    unsigned char bytes[4 * MAX_PIECES];
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += og_utf8_encode((uint32_t)composed[i], bytes + len);
    if (len > OG_CHARACTER_MAX) {
        c->flags |= OG_CHARACTER_COMPLEX;
        return;
    }
    memcpy(c->folded, bytes, len);
    c->len = (uint8_t)len;
    if (n == 1 && len == source_len) c->flags |= OG_CHARACTER_ALIGNED;
}

static void learn(const struct og_folder *folder, struct og_character *c,
                  uint32_t code_point)
{
    int32_t pieces[MAX_PIECES];
    unsigned char source[4];
    const size_t n = decompose(folder, code_point, pieces);
    if (n == 0) { /* ignorable: nothing, between whatever is around it */
        c->flags = OG_CHARACTER_KNOWN | OG_CHARACTER_FOLLOWS;
        /* A vowel mark is dropped, but part of its letter: one piece. */
        if (is_vowel_mark((int32_t)code_point))
            c->flags |= OG_CHARACTER_COMPLEX;
        return;
    }
    c->flags = OG_CHARACTER_KNOWN | flags_of_pieces(pieces, n);
    sort_by_insertion(pieces, n);
    c->lead_ccc = (uint8_t)combining_class(pieces[0]);
    c->tail_ccc = (uint8_t)combining_class(pieces[n - 1]);
    const size_t n_composed = compose(pieces, n);
    if (last_starter_is_open(pieces, n_composed)) c->flags |= OG_CHARACTER_OPEN;
    set_folded(c, pieces, n_composed, og_utf8_encode(code_point, source));
}

const struct og_character *og_folder_learn(struct og_folder *folder,
                                           uint32_t code_point)
{
    struct og_character **page = &folder->pages[code_point / OG_CHARACTER_PAGE];
    if (*page == NULL)
        *page = og_allocate_zero(folder->allocator,
                                 OG_CHARACTER_PAGE * sizeof(**page));
    if (*page == NULL) return NULL;
    struct og_character *c = *page + code_point % OG_CHARACTER_PAGE;
    if (!(c->flags & OG_CHARACTER_KNOWN)) learn(folder, c, code_point);
    return c;
}
