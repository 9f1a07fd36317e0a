/* tar, zip, bzip2 and xz through the source: what libarchive makes of them, and
 * what their members are. See source_input.h. */

#include "tests/fuzz/source_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const og_file_kind kinds[4] = {OG_FILE_AUTO, OG_FILE_TEXT,
                                          OG_FILE_HTML, OG_FILE_AUTO};
    return read_as_kinds(kinds, data, len);
}
