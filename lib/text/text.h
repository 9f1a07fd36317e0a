#ifndef OG_TEXT_TEXT_H
#define OG_TEXT_TEXT_H

/*   in:  the bytes of a document, meant to be UTF-8            (lib/source)
 *   out: folded text: valid UTF-8, NFKC, case folded           (lib/token)  */

#include "lib/base/memory.h"

/* The folded text is another string than the source, so each of its bytes must
 * be traced back. ASCII folds byte for byte, and most other characters keep
 * their lengths, so only places where the distance between the two strings
 * changes are written down: a text of pure ASCII has no step at all. */
struct og_text_step {
    uint32_t folded; /* from this offset of the folded text on ... */
    uint32_t source; /* ... the source continues here; up to the next step */
    uint32_t source_end; /* all bytes come from source .. source_end, or, if
                            the two are equal, characters keep their lengths */
};

/* After every folded text are this many zero bytes that may be read (not
 * counted in len), so that vector loads need no tail case. */
#define OG_TEXT_PADDING 64

struct og_folder; /* tables of single characters, filled on demand */

struct og_text {
    const og_allocator *allocator;
    char *data; /* folded */
    size_t len, cap;
    struct og_text_step *steps; /* ascending in both offsets */
    size_t n_steps, steps_cap;
    size_t source_len;
    size_t n_repaired; /* source bytes that were not UTF-8 (see utf8.h) */
    struct og_folder *folder;
    uint32_t fold; /* OG_FOLD_MARKS and so on; 0 by default */
};

void og_text_init(struct og_text *text, const og_allocator *allocator);
void og_text_release(struct og_text *text);

/* A thread that held a longer folded text than this frees its buffers. They are
 * 10 to 20 times as long in all, each index has its own, and long documents
 * come to all threads in time. Hardly any document is longer. */
#define OG_TEXT_KEEP ((size_t)512 << 10)

/* The longest source text: offsets are 32 bits, and folding may lengthen. */
#define OG_TEXT_MAX ((size_t)1 << 30)

/* Replaces the content of `text` by `source`, repaired and folded to what
 * Unicode calls NFKC_Casefold. `source` need not outlive the call. Allocates
 * nothing once the buffers are large enough and the characters were met before.
 * OG_ERR_LIMIT over OG_TEXT_MAX or when the folded text would pass 4 GiB,
 * OG_ERR_MEMORY; `text` is then empty. */
og_status og_text_fold(struct og_text *text, og_bytes source, og_error *err);

/* A character and the marks that folding composed or sorted with it are one
 * piece here.
 *
 * The source offset of the first byte of the character that the folded byte at
 * `folded` came from; source_len for `folded` == len. */
size_t og_text_source_begin(const struct og_text *text, size_t folded);

/* The source offset just after the character that the folded byte *before*
 * `folded` came from: the end of a half-open range that ends at `folded`. */
size_t og_text_source_end(const struct og_text *text, size_t folded);

/* What a code point of folded text is to the tokenisers. */
enum og_char_class {
    OG_CHAR_OTHER = 0, /* between tokens */
    OG_CHAR_WORD,      /* letter or digit */
    OG_CHAR_ALONE,     /* of a script without spaces: a token by itself */
    OG_CHAR_MARK,      /* a mark: belongs to the token before it, whatever that
                          is; after a gap it starts a word */
};
enum og_char_class og_char_class_of(uint32_t code_point);

#endif
