/* Any bytes may be a list of times, whatever its name says, and a pattern of
 * file names. Either the list is refused with its line, or it is queried. */

#include "tests/fuzz/fuzz_support.h"

#include "lib/source/times.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const names[] = {"times.jsonl", "times.csv", "times.tsv",
                                        "times"};
    char path[128], pattern[64], file[128];
    struct og_times *times = NULL;
    og_error err = {0};
    int64_t time;
    if (len < 2) return 0;
    make_fuzz_folder();
    const char *name = names[data[0] % 4];
    const size_t pattern_len = data[1] % (sizeof(pattern) - 1) % (len - 1);
    memcpy(pattern, data + 2, pattern_len);
    pattern[pattern_len] = '\0';
    snprintf(file, sizeof(file), "letter-%s-1843-02-17.txt", pattern);
    write_fuzz_file(name, data + 2, len - 2);
    snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
    const og_reading reading = {.times = path};
    const og_status status = og_times_new(&reading, NULL, &times, &err);
    if (status == OG_OK) {
        og_document doc = {.id = {"a", 1}};
        og_times_apply(times, "folder/a.txt", &doc);
    } else if (err.message[0] == '\0') {
        abort();
    }
    og_times_free(times);
    (void)og_times_match(pattern, file, &time);
    return 0;
}
