#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

/* A folder for targets that read files, removed at the end. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static char fuzz_folder[64];

static inline void remove_fuzz_folder(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", fuzz_folder);
    if (system(command) != 0) abort();
}

static inline void make_fuzz_folder(void)
{
    if (fuzz_folder[0] != '\0') return;
    strcpy(fuzz_folder, "/dev/shm/origo-fuzz-XXXXXX");
    if (mkdtemp(fuzz_folder) == NULL) {
        strcpy(fuzz_folder, "/tmp/origo-fuzz-XXXXXX");
        if (mkdtemp(fuzz_folder) == NULL) abort();
    }
    atexit(remove_fuzz_folder);
}

static inline void write_fuzz_file(const char *name, const uint8_t *data,
                                   size_t len)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0) abort();
}

#endif
