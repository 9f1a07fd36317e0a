/* Tables and arrays of JSON through the source: see source_input.h. */

#include "tests/fuzz/source_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const og_file_kind kinds[4] = {OG_FILE_CSV, OG_FILE_TSV,
                                          OG_FILE_JSON, OG_FILE_AUTO};
    return read_as_kinds(kinds, data, len);
}
