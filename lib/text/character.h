#ifndef OG_TEXT_CHARACTER_H
#define OG_TEXT_CHARACTER_H

/* How folding changes one character, and how it interacts with its neighbours.
 *
 * NFKC is defined on whole strings: decompose every character, sort runs of
 * marks by their combining class, compose again. But nearly all characters pass
 * through this alone. What a neighbour can do to a character depends on little:
 * whether the first piece of its decomposition may compose with something
 * before it or must be sorted among marks, and whether something after it may
 * compose with its last starter. This is written down once per character, in
 * pages that are filled on demand; fold.c then needs the real machinery
 * (og_segment_fold) only where two characters truly meet. */

#include "lib/base/memory.h"

/* The longest folding kept in the table. Longer ones exist (U+FDFA is 33
 * bytes) and are rare: they always take the machinery. */
#define OG_CHARACTER_MAX 12

enum og_character_flag {
    OG_CHARACTER_KNOWN = 1,    /* this entry is filled in */
    OG_CHARACTER_ALIGNED = 2,  /* folds to one character of the same length */
    OG_CHARACTER_FOLLOWS = 4,  /* depends on what precedes it: composes, is
                                  sorted, or is dropped */
    OG_CHARACTER_SECOND = 8,   /* may compose with a starter before it */
    OG_CHARACTER_OPEN = 16,    /* its last starter may compose with a later
                                  character */
    OG_CHARACTER_COMPLEX = 32, /* always takes the machinery */
};

struct og_character {
    char folded[OG_CHARACTER_MAX];
    uint8_t len;      /* of `folded`; 0: folding drops this character */
    uint8_t flags;    /* og_character_flag */
    uint8_t lead_ccc; /* combining class of its first piece ... */
    uint8_t tail_ccc; /* ... and of its last */
};
_Static_assert(sizeof(struct og_character) == 16, "one 16-byte copy");

#define OG_CHARACTER_PAGE    256
#define OG_CHARACTER_N_PAGES (0x110000 / OG_CHARACTER_PAGE)

/* Text that has its accents as marks of their own (as file names of macOS do)
 * meets the same few segments again and again: short ones are remembered. */
struct og_recent {
    uint64_t source;    /* its bytes, filled up with zeros */
    uint8_t source_len; /* 0: empty */
    uint8_t len;        /* of `folded` */
    char folded[6];
};
_Static_assert(sizeof(struct og_recent) == 16, "four in a cache line");

#define OG_RECENT_BITS 9

struct og_folder {
    const og_allocator *allocator;
    uint32_t fold; /* of og_text; set before the first character is learnt */
    struct og_character *pages[OG_CHARACTER_N_PAGES];
    struct og_recent recent[1 << OG_RECENT_BITS];
    int32_t *pieces; /* the code points of one segment */
    size_t n_pieces, pieces_cap;
    int32_t *sorted; /* scratch of the sort */
    size_t sorted_cap;
};

struct og_folder *og_folder_new(const og_allocator *allocator);
void og_folder_free(struct og_folder *folder);

/* The entry of a code point, filled in on the first call; NULL: no memory.
 * Valid until og_folder_free(). */
const struct og_character *og_folder_learn(struct og_folder *folder,
                                           uint32_t code_point);

static inline const struct og_character *
og_folder_find(struct og_folder *folder, uint32_t code_point)
{
    const struct og_character *page =
        folder->pages[code_point / OG_CHARACTER_PAGE];
    if (page != NULL) {
        const struct og_character *c = page + code_point % OG_CHARACTER_PAGE;
        if (c->flags & OG_CHARACTER_KNOWN) return c;
    }
    return og_folder_learn(folder, code_point);
}

/* The machinery, for one segment: a character and what may interact with it.
 * _clear, then _add for each code point, then _fold, which leaves the folded
 * code points in folder->pieces. They return false if memory runs out. Takes
 * time in proportion to the length of the segment. */
static inline void og_segment_clear(struct og_folder *folder)
{
    folder->n_pieces = 0;
}
bool og_segment_add(struct og_folder *folder, uint32_t code_point);
bool og_segment_fold(struct og_folder *folder);

#endif
