/* From bytes to characters; units.h states the rules.
 *
 * The spans of a document are in ascending order, so one pass is enough for
 * them. Their positions in an origin are in any order (a copy may have moved
 * its paragraphs), so they are sorted first and the origin's text is walked
 * once for all. */

#include "lib/report/units.h"
#include "lib/report/glyph.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time while they are ASCII, as most text is. */
static void skip_ascii(struct og_units *at, uint64_t byte)
{
    const uint64_t end = byte < at->text.len ? byte : at->text.len;
    while (end - at->byte >= 8) {
        uint64_t eight;
        memcpy(&eight, at->text.data + at->byte, 8);
        if ((eight & UINT64_C(0x8080808080808080)) != 0) return;
        at->byte += 8;
        at->unit += 8;
    }
}

uint64_t og_units_at(struct og_units *at, uint64_t byte)
{
    if (at->offsets == OG_OFFSETS_BYTE) return byte;
    while (at->byte < byte && at->byte < at->text.len) {
        skip_ascii(at, byte);
        if (at->byte >= byte || at->byte >= at->text.len) break;
        const struct og_glyph g =
            og_glyph_at(at->text.data + at->byte, at->text.len - at->byte);
        const bool pair = at->offsets == OG_OFFSETS_UTF16;
        at->unit += pair && g.code_point > 0xffff ? 2 : 1;
        at->byte += g.len;
    }
    return at->unit;
}

og_status og_places_add(struct og_places *places, uint64_t byte, og_error *err)
{
    if (!OG_GROW(NULL, places->bytes, places->bytes_cap, places->n + 1))
        return og_error_memory(err, sizeof(uint64_t), "offsets");
    places->bytes[places->n++] = byte;
    return OG_OK;
}

static int by_value(const void *pa, const void *pb)
{
    const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;
    return (a > b) - (a < b);
}

og_status og_places_settle(struct og_places *places, og_bytes text,
                           og_offsets offsets, og_error *err)
{
    if (places->n == 0) return OG_OK;
    if (!OG_GROW(NULL, places->units, places->units_cap, places->n))
        return og_error_memory(err, places->n * sizeof(uint64_t), "offsets");
    qsort(places->bytes, places->n, sizeof(uint64_t), by_value);
    struct og_units at = {text, offsets, 0, 0};
    for (size_t i = 0; i < places->n; i++)
        places->units[i] = og_units_at(&at, places->bytes[i]);
    return OG_OK;
}

uint64_t og_places_get(const struct og_places *places, uint64_t byte)
{
    if (places->n == 0) return OG_UNKNOWN;
    const uint64_t *found =
        bsearch(&byte, places->bytes, places->n, sizeof(uint64_t), by_value);
    return found == NULL ? OG_UNKNOWN : places->units[found - places->bytes];
}

void og_places_release(struct og_places *places)
{
    OG_UNGROW(NULL, places->bytes, places->bytes_cap);
    OG_UNGROW(NULL, places->units, places->units_cap);
    places->n = 0;
}
