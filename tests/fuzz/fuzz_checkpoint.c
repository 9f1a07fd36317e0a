/* Any bytes may be a checkpoint. The first one says whether to correct the head
 * and the checksums, so that the parts after them are reached. Everything
 * returned is within the file. */

#include "tests/fuzz/fuzz_support.h"

#include "lib/base/checksum.h"
#include "lib/store/table/checkpoint.h"

enum { PAGE = OG_CHECKPOINT_PAGE, TABLE_LEN = 5000, MAX_LEN = 1 << 16 };

static const uint8_t uuid[16] = {1};

/* Two pages of table, one of marks, one of state, one of sums. */
static void mend(uint8_t *data, size_t len)
{
    if (len < (size_t)6 * PAGE) return;
    memset(data, 0, PAGE);
    memcpy(data, "origotab", 8);
    data[8] = 1;
    memcpy(data + 16, uuid, 16);
    og_store64(data + 40, 100);
    og_store64(data + 48, TABLE_LEN);
    og_store64(data + 56, 2400);
    og_store64(data + 64, 77);
    og_store64(data + 72, 32);
    uint8_t *sums = data + (size_t)5 * PAGE;
    memset(sums, 0, PAGE);
    for (size_t i = 0; i < 4; i++)
        og_store64(sums + 8 * i, og_checksum(data + (i + 1) * PAGE, PAGE));
    og_store64(data + 80, og_checksum(sums, 32));
    og_store64(data + 88, og_checksum(data, 88));
}

static void look(void)
{
    struct og_checkpoint c;
    og_error err = {0};
    const og_status status =
        og_checkpoint_open(&c, fuzz_folder, uuid, TABLE_LEN, NULL, &err);
    if (status != OG_OK && err.message[0] == '\0') abort();
    if (status != OG_OK) return;
    volatile uint64_t sink = 0;
    for (uint32_t i = 0; i < c.n_documents; i++)
        sink ^= (uint64_t)c.marks[i].time;
    for (size_t i = 0; i < c.state.len; i++)
        sink ^= (uint8_t)c.state.data[i];
    if (og_checkpoint_know(&c, 0, TABLE_LEN, &err) == OG_OK)
        for (size_t i = 0; i < c.table_len; i++)
            sink ^= c.table[i];
    (void)sink;
    og_checkpoint_close(&c);
}

/* An input is spread over six pages; where it ends, zeros follow. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    if (len < 3 || len > MAX_LEN) return 0;
    make_fuzz_folder();
    const bool as_it_is = (data[0] & 1) == 0;
    const size_t size = as_it_is ? len - 1 : (size_t)6 * PAGE;
    uint8_t *copy = calloc(1, size);
    if (copy == NULL) return 0;
    for (size_t i = 0; i < len - 1; i++)
        copy[as_it_is ? i : (i * 977 + data[1]) % size] = data[i + 1];
    if (!as_it_is) mend(copy, size);
    /* One byte that was not summed. */
    if (data[0] & 2) copy[(data[1] * 97u + data[2]) % size] ^= 1;
    write_fuzz_file("passages.tab", copy, size);
    look();
    free(copy);
    return 0;
}
