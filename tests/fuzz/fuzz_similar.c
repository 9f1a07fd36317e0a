/* An untrusted index of similar files: refused with a message, or an index that
 * can be queried. The checksum is corrected, otherwise nothing after it would
 * be reached. */

#include <stdlib.h>
#include <string.h>

#include "lib/base/checksum.h"
#include "lib/similar/similar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { HEADER_LEN = 64, SUM_OFF = 48, SUM_LEN = 16, BODY_LEN_OFF = 40 };

static void ask(struct og_similar *index)
{
    const struct og_similar_options options = OG_SIMILAR_OPTIONS_DEFAULT;
    struct og_similar_answer answer;
    og_similar_answer_init(&answer, NULL);
    for (size_t i = 0; i < og_similar_n_files(index) && i < 8; i++) {
        const struct og_similar_file f = og_similar_file_at(index, i);
        const struct og_file_chunks chunks = {.keys = (uint64_t *)f.keys,
                                              .lens = (uint32_t *)f.lens,
                                              .n = f.n_chunks,
                                              .file_len = f.len};
        if (og_similar_ask(index, &chunks, &options, &answer, NULL) != OG_OK)
            abort();
        if (f.n_chunks > 0 && (answer.n == 0 || answer.matches[0].jaccard <= 0))
            abort(); /* a file is similar to itself */
    }
    og_similar_answer_release(&answer);
}

static void decode(const uint8_t *data, size_t len)
{
    struct og_similar *index = NULL;
    og_error err = {0};
    if (og_similar_decode(data, len, "fuzz", NULL, &index, &err) == OG_OK) {
        ask(index);
        og_similar_free(index);
    } else if (err.message[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    decode(data, len);
    if (len < HEADER_LEN) return 0;
    uint8_t *copy = malloc(len);
    uint8_t hash[OG_HASH_LEN];
    const uint64_t body_len = len - HEADER_LEN;
    if (copy == NULL) return 0;
    memcpy(copy, data, len);
    memcpy(copy, "origoSIM\1\0\0\0", 12);
    copy[12] %= 3;
    memcpy(copy + BODY_LEN_OFF, &body_len, sizeof(body_len));
    memset(copy + SUM_OFF, 0, SUM_LEN);
    og_bytes_hash(copy, len, hash);
    memcpy(copy + SUM_OFF, hash, SUM_LEN);
    decode(copy, len);
    copy[8] = 2; /* the version with the other checksum */
    memset(copy + SUM_OFF, 0, SUM_LEN);
    const uint64_t sum = og_checksum(copy, len);
    memcpy(copy + SUM_OFF, &sum, sizeof(sum));
    decode(copy, len);
    free(copy);
    return 0;
}
