/* A library that was built without a detector (-Dcharset=disabled). Text that
 * declares no charset and is not UTF-8 is read as windows-1252. */

#include "lib/source/charset_guess.h"

bool og_charset_guess(og_bytes bytes, char label[40])
{
    (void)bytes;
    label[0] = 0;
    return false;
}
