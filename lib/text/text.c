/* The folded text as an object, and the way back to the source.
 *
 * The steps cut the folded text into regions. A region whose step has
 * source == source_end is copied: its characters have the lengths they had in
 * the source, so an offset in it is found by addition. In any other region all
 * bytes came from the one piece source .. source_end (a ligature that became
 * two letters, a letter and its accent that became one character), and each of
 * its bytes maps to the whole piece. Before the first step the two texts are
 * aligned. */

#include "lib/text/text.h"

#include <assert.h>

#include "lib/text/character.h"
#include "lib/text/utf8.h"

void og_text_init(struct og_text *text, const og_allocator *allocator)
{
    *text = (struct og_text){.allocator = allocator};
}

void og_text_release(struct og_text *text)
{
    if (text == NULL) return;
    OG_UNGROW(text->allocator, text->data, text->cap);
    OG_UNGROW(text->allocator, text->steps, text->steps_cap);
    og_folder_free(text->folder);
    og_text_init(text, text->allocator);
}

/* The region of the folded byte at `offset`. */
static struct og_text_step region_of(const struct og_text *text, size_t offset)
{
    size_t low = 0, high = text->n_steps; /* the answer is step low - 1 */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (text->steps[middle].folded <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? (struct og_text_step){0} : text->steps[low - 1];
}

static bool is_copied(struct og_text_step region)
{
    return region.source == region.source_end;
}

static size_t character_begin(const struct og_text *text, size_t offset)
{
    while (offset > 0 && og_utf8_is_tail((unsigned char)text->data[offset]))
        offset--;
    return offset;
}

size_t og_text_source_begin(const struct og_text *text, size_t folded)
{
    assert(folded <= text->len);
    if (folded == text->len) return text->source_len;
    const struct og_text_step region = region_of(text, folded);
    if (!is_copied(region)) return region.source;
    return region.source + (character_begin(text, folded) - region.folded);
}

size_t og_text_source_end(const struct og_text *text, size_t folded)
{
    assert(folded <= text->len);
    if (folded == 0) return 0;
    const struct og_text_step region = region_of(text, folded - 1);
    if (!is_copied(region)) return region.source_end;
    const size_t begin = character_begin(text, folded - 1);
    const size_t len = og_utf8_len((unsigned char)text->data[begin]);
    return region.source + (begin - region.folded) + len;
}
