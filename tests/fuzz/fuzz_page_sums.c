/* Any bytes may be the sums of the catalogue's pages and its data file. The
 * first two bytes say how long the first is (the rest is the second), the third
 * whether the checksum of the sums is made right. Never more than a message,
 * and equal only when every page has its sum. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/checksum.h"
#include "lib/store/catalogue/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HEAD = 32, PAGE = 4096, MAX_LEN = 1 << 17 };

static char folder[64], catalogue[80], data_path[96], sums_path[96];

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (system(command) != 0) abort();
}

static void make_folder(void)
{
    if (folder[0] != '\0') return;
    strcpy(folder, "/dev/shm/origo-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "/tmp/origo-fuzz-XXXXXX");
        if (mkdtemp(folder) == NULL) abort();
    }
    snprintf(catalogue, sizeof(catalogue), "%s/catalogue", folder);
    snprintf(data_path, sizeof(data_path), "%s/data.mdb", catalogue);
    snprintf(sums_path, sizeof(sums_path), "%s.sum", catalogue);
    if (mkdir(catalogue, 0777) != 0) abort();
    atexit(remove_folder);
}

static void write_file(const char *path, const uint8_t *data, size_t len)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0) abort();
}

/* The definition: what a page is not given counts as zeros. */
static bool is_equal(const uint8_t *sums, size_t sums_len, const uint8_t *data,
                     size_t len)
{
    for (size_t i = 0; i < (sums_len - HEAD) / 8; i++) {
        uint8_t page[PAGE] = {0};
        const size_t at = i * PAGE;
        if (at < len)
            memcpy(page, data + at, len - at < PAGE ? len - at : PAGE);
        if (og_load64(sums + HEAD + 8 * i) != og_checksum(page, PAGE))
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 3 || len > MAX_LEN) return 0;
    size_t sums_len = data[0] | (size_t)data[1] << 8;
    const bool mend = (data[2] & 1) != 0;
    const bool closed = (data[2] & 2) != 0;
    data += 3;
    len -= 3;
    if (sums_len > len) sums_len = len;
    uint8_t *sums = malloc(sums_len + 1);
    if (sums == NULL) return 0;
    memcpy(sums, data, sums_len);
    if (mend && sums_len >= HEAD)
        og_store64(sums + 24, og_checksum_after(og_checksum(sums, 24),
                                                sums + HEAD, sums_len - HEAD));
    make_folder();
    write_file(sums_path, sums, sums_len);
    write_file(data_path, data + sums_len, len - sums_len);
    enum og_sums out;
    og_error err;
    const og_status status =
        og_documents_check(catalogue, closed, 0, NULL, &out, &err);
    if (status != OG_OK &&
        (status != OG_ERR_STORE || strchr(err.message, '\'') == NULL))
        abort();
    if (status == OG_OK && out == OG_SUMS_EQUAL &&
        !is_equal(sums, sums_len, data + sums_len, len - sums_len))
        abort();
    free(sums);
    return 0;
}
