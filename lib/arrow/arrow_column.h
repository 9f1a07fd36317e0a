#ifndef OG_ARROW_ARROW_COLUMN_H
#define OG_ARROW_ARROW_COLUMN_H

/*   in:  a column of a record batch                          (Arrow's C ABI)
 *   out: its values as bytes, decimal numbers and times
 *
 * Columns come from the same process, and the lengths of their buffers are
 * trusted as any pointer is. What they hold is not, because it may come from a
 * file: the type is checked once, when the schema is read, and a value whose
 * offset, index or view leads nowhere is empty or missing. */

#include <origo/arrow.h>

enum og_arrow_kind {
    OG_ARROW_ABSENT = 0,
    OG_ARROW_TEXT,       /* offsets of 32 bits */
    OG_ARROW_LARGE_TEXT, /* of 64 */
    OG_ARROW_TEXT_VIEW,
    OG_ARROW_SIGNED, /* `width` bytes each */
    OG_ARROW_UNSIGNED,
    OG_ARROW_FLOAT,
    OG_ARROW_MOMENT, /* whole numbers of `unit` microseconds, or parts of one */
};

struct og_arrow_type {
    enum og_arrow_kind kind;
    uint32_t width;       /* bytes of a number */
    int64_t unit;         /* of a moment: microseconds, ... */
    int64_t parts;        /* ... or how many of them make one */
    bool is_dictionary;   /* values are those of the dictionary, by index */
    uint32_t index_width; /* of its indexes */
    bool index_is_signed;
};

struct og_arrow_column {
    struct og_arrow_type type;
    size_t child; /* of the batch */
};

/* False: origo cannot read such a column. */
bool og_arrow_type_read(const struct ArrowSchema *schema,
                        struct og_arrow_type *out);
/* "string", "timestamp[us]", or the format itself. */
const char *og_arrow_type_name(const struct ArrowSchema *schema);

/* Row `at` of a batch, whose own offset counts. All false for a null. */

/* Bytes of a text; false also for other kinds. */
bool og_arrow_text(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, og_bytes *out);
/* A text, or a whole number in decimal, which is written to `buffer`. */
bool og_arrow_name(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, char buffer[24],
                   og_bytes *out);
/* Sets *is_bad for a value that is not a time. */
bool og_arrow_time(const struct og_arrow_column *column,
                   const struct ArrowArray *batch, int64_t at, int64_t *out,
                   bool *is_bad);

#endif
