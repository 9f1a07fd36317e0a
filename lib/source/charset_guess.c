#include "lib/source/charset_guess.h"

#include <stdio.h>
#include <uchardet/uchardet.h>

bool og_charset_guess(og_bytes bytes, char label[40])
{
    uchardet_t detector = uchardet_new();
    if (detector == NULL) return false;
    const bool is_fine =
        uchardet_handle_data(detector, bytes.data, bytes.len) == 0;
    uchardet_data_end(detector);
    const char *const name = uchardet_get_charset(detector);
    const int len = is_fine ? snprintf(label, 40, "%s", name) : 0;
    uchardet_delete(detector);
    return len > 0 && len < 40;
}
