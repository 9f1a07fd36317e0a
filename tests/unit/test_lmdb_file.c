/* A catalogue read as plain bytes: a valid one passes, and one that was
 * truncated or changed is refused or is safe to open. */

#include "tests/unit/documents_support.h"

#include <fcntl.h>

#include "lib/store/catalogue/lmdb_file.h"

#define DATA "catalogue/data.mdb"

/* Long lists of copies, ids with many versions, and values over pages. */
static void make_catalogue(void)
{
    static char title[20000];
    char id[32];
    struct og_documents *db = open_documents(true);
    write_documents(db, 0, 4000);
    struct og_entry entry = entry_of(4000, id);
    memset(title, 't', sizeof(title));
    entry.title = (og_bytes){title, sizeof(title)};
    struct og_pack bytes = {0};
    og_entry_pack(&entry, &bytes);
    const og_bytes packed = {(char *)bytes.data, bytes.len};
    const struct og_documents_batch batch = {
        .first = 4000, .entries = &packed, .n_entries = 1, .sequence = 4001};
    ASSERT_OK(og_documents_write(db, &batch, &story));
    write_documents(db, 4001, 500);
    og_pack_release(&bytes);
    close_documents(db);
}

static og_status walk(bool only_if_short)
{
    return og_documents_walk(in("catalogue"), only_if_short, NULL, &story);
}

static og_status audit(void)
{
    struct og_documents *db = NULL;
    const struct og_documents_options options = {.uuid = uuid};
    og_status status =
        og_documents_open(in("catalogue"), &options, &db, &story);
    if (status != OG_OK) return status;
    status = og_documents_audit(db, &story);
    ASSERT_OK(og_documents_close(db, NULL));
    return status;
}

static void sound_one_passes(void **state)
{
    (void)state;
    ASSERT_OK(walk(false)); /* there is none */
    make_catalogue();
    ASSERT_OK(walk(false));
    ASSERT_OK(walk(true));
    ASSERT_OK(audit());
}

static void cut_one_is_refused(void **state)
{
    size_t len;
    (void)state;
    make_catalogue();
    uint8_t *data = read_file(in(DATA), &len);
    for (size_t at = 4096; at < len - 4096; at += 4096 * 7 + 13) {
        write_file(in(DATA), data, at);
        for (int only_if_short = 0; only_if_short < 2; only_if_short++)
            assert_int_equal(walk(only_if_short), OG_ERR_STORE);
    }
    free(data);
}

/* Whatever is changed: what passes the walk can be opened and read. */
static void changed_one_ends_nothing(void **state)
{
    size_t len;
    uint64_t seed = 23;
    unsigned n_refused = 0, n_found = 0;
    (void)state;
    make_catalogue();
    uint8_t *data = read_file(in(DATA), &len);
    for (int i = 0; i < 400; i++) {
        const size_t at = 8192 + og_random_next(&seed) % (len - 8192);
        /* Heads of pages are where it hurts. */
        const size_t place = i % 2 == 0 ? at : at / 4096 * 4096 + at % 32;
        const uint8_t before = data[place];
        data[place] ^= (uint8_t)(1 + og_random_next(&seed) % 255);
        write_file(in(DATA), data, len);
        data[place] = before;
        if (walk(false) != OG_OK)
            n_refused++;
        else if (audit() != OG_OK)
            n_found++;
    }
    free(data);
    assert_true(n_refused > 50);
    assert_true(n_found > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sound_one_passes, fresh_catalogue),
        cmocka_unit_test_setup(cut_one_is_refused, fresh_catalogue),
        cmocka_unit_test_setup(changed_one_ends_nothing, fresh_catalogue),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
