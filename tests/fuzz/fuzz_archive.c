/* Archives of the Web and mailboxes through the source: see source_input.h. */

#include "tests/fuzz/source_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const og_file_kind kinds[4] = {OG_FILE_WARC, OG_FILE_ARC,
                                          OG_FILE_MBOX, OG_FILE_AUTO};
    return read_as_kinds(kinds, data, len);
}
