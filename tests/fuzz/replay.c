/* A `main` for fuzz targets where there is no libFuzzer: runs the target over
 * the given files and folders, then over generated inputs.
 *
 *     fuzz_x [--random N] [FILE|FOLDER]...
 *
 * Without arguments: 1000 generated inputs. They come from a fixed seed, so a
 * failure is repeatable, and are pieces of text, markup and broken UTF-8 rather
 * than uniform noise, which every parser rejects at the first byte. */

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static unsigned long n_run;

/* From the heap and of exact length, so that ASan sees a read past its end. */
static void run_bytes(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len == 0 ? 1 : len);
    if (copy == NULL) abort();
    if (len > 0) memcpy(copy, data, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
    n_run++;
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    static uint8_t data[1 << 20];
    const size_t len = fread(data, 1, sizeof(data), file);
    fclose(file);
    run_bytes(data, len);
    return 0;
}

static int run_path(const char *path)
{
    struct stat st;
    /* A target need not have seeds. */
    if (stat(path, &st) != 0) return 0;
    if (!S_ISDIR(st.st_mode)) return run_file(path);
    DIR *dir = opendir(path);
    if (dir == NULL) {
        perror(path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char name[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        failed |= run_file(name);
    }
    closedir(dir);
    return failed;
}

static size_t append_piece(uint8_t *out, size_t room, uint64_t *random)
{
    static const char *const pieces[] = {"the ",
                                         "origin ",
                                         "of ",
                                         "a ",
                                         "text, ",
                                         "word",
                                         "\n",
                                         "\r\n",
                                         "\t",
                                         "  ",
                                         "{\"id\":\"",
                                         "\",\"text\":\"",
                                         "\"}\n",
                                         "\\u00e9",
                                         "\\ud83d",
                                         "\\ude00",
                                         "\\n",
                                         "\"time\":",
                                         "12345.5",
                                         "null",
                                         "[1,2,{",
                                         "]}",
                                         "\xc3\xa9",
                                         "e\xcc\x81",
                                         "\xe2\x80\xa6",
                                         "\xe4\xb8\xad\xe6\x96\x87",
                                         "\xf0\x9f\x98\x80",
                                         "\xff",
                                         "\xe4\xb8",
                                         "\xed\xa0\x80",
                                         "\xef\xac\x81",
                                         "ACGT",
                                         "\xe0\xb8\x81\xe0\xb8\xb4",
                                         "\xc4\xb0",
                                         "<p>",
                                         "W8",
                                         "1999-06-01T00:00:00Z",
                                         "-1",
                                         "\xc0\x80"};
    const uint64_t r = og_random_next(random);
    if (r % 16 == 0) {
        out[0] = (uint8_t)(r >> 8);
        return 1;
    }
    const char *piece = pieces[(r >> 8) % (sizeof(pieces) / sizeof(*pieces))];
    const size_t len = strlen(piece);
    if (len > room) return 0;
    memcpy(out, piece, len);
    return len;
}

static void run_random(unsigned long n)
{
    uint64_t random = 0x0419;
    for (unsigned long i = 0; i < n; i++) {
        uint8_t data[4096];
        size_t len = 0;
        /* Many short inputs, few long ones. */
        const size_t want = (size_t)1 << (og_random_next(&random) % 13);
        while (len < want) {
            const size_t added = append_piece(data + len, want - len, &random);
            if (added == 0) break;
            len += added;
        }
        run_bytes(data, len);
    }
}

int main(int argc, char **argv)
{
    unsigned long n_random = argc == 1 ? 1000 : 0;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0 && i + 1 < argc)
            n_random = strtoul(argv[++i], NULL, 10);
        else
            failed |= run_path(argv[i]);
    }
    run_random(n_random);
    printf("%lu inputs\n", n_run);
    return failed;
}
