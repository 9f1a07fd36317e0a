/* What can be found in the folder of a damaged store. */

#include "tests/unit/texts_of_store.h"

#include <dirent.h>

#include "lib/store/repair/salvage.h"

enum { N = 6 };

struct losses {
    size_t n;
    char last[300];
};

static void on_loss(void *ctx, const og_loss *loss)
{
    struct losses *l = ctx;
    l->n++;
    snprintf(l->last, sizeof(l->last), "%s", loss->reason);
}

static void make_store(const char *path)
{
    char id[8];
    uint64_t n_removed;
    og_store *store = open_texts(path, false);
    for (int i = 0; i < N; i++) {
        snprintf(id, sizeof(id), "d%d", i);
        add_text(store, id, text_number(i));
    }
    ASSERT_OK(og_store_remove(store, bytes_of("d2"), &n_removed, &story));
    ASSERT_OK(og_store_close(store, &story));
}

struct found {
    struct og_salvage salvage;
    og_repair report;
    struct losses losses;
    uint32_t n_documents; /* that have an entry */
};

static void find(const char *path, struct found *f)
{
    *f = (struct found){.n_documents = 0};
    f->salvage = (struct og_salvage){.folder = path,
                                     .report = &f->report,
                                     .on_loss = on_loss,
                                     .ctx = &f->losses};
    og_text_patches_init(&f->salvage.patches, NULL);
    ASSERT_OK(og_salvage_find(&f->salvage, &story));
    for (size_t i = 0; i < f->salvage.n; i++) {
        struct og_entry entry;
        char id[8];
        const uint32_t number = f->salvage.entries[i].number;
        f->n_documents += i == 0 || f->salvage.entries[i - 1].number != number;
        assert_true(og_entry_unpack(og_salvage_entry(&f->salvage, i), &entry));
        snprintf(id, sizeof(id), "d%u", number);
        assert_same_bytes(entry.id, bytes_of(id));
    }
}

static void all_of_a_sound_store(void **state)
{
    struct found f;
    (void)state;
    make_store(in("sound"));
    find(in("sound"), &f);
    assert_int_equal(f.n_documents, N);
    assert_int_equal(f.losses.n, 0);
    assert_true(f.report.has_params && f.report.is_certain);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(og_salvage_is_removed(&f.salvage, i), i == 2);
    og_salvage_release(&f.salvage);
}

/* Without its conf a store still has its documents. */
static void without_a_conf(void **state)
{
    struct found f;
    (void)state;
    make_store(in("bare"));
    assert_int_equal(unlink(in("bare/origo.conf")), 0);
    find(in("bare"), &f);
    assert_int_equal(f.n_documents, N);
    assert_false(f.report.has_params);
    assert_true(f.losses.n > 0);
    og_salvage_release(&f.salvage);
}

/* The file whose name has `part`. */
static void find_file(const char *where, const char *part, char *out,
                      size_t room)
{
    DIR *dir = opendir(where);
    const struct dirent *item;
    out[0] = 0;
    while (dir != NULL && (item = readdir(dir)) != NULL)
        if (strstr(item->d_name, part) != NULL)
            snprintf(out, room, "%s/%s", where, item->d_name);
    if (dir != NULL) closedir(dir);
}

/* One copy of an entry is enough: a catalogue that is all zeros loses none
 * that the journal has, and it is reported. */
static void a_wiped_catalogue(void **state)
{
    struct found f;
    char path[4200], name[5000];
    size_t len;
    (void)state;
    make_store(in("wiped"));
    find(in("wiped"), &f);
    snprintf(path, sizeof(path), "%s/catalogue", f.salvage.data);
    const uint64_t n_records = f.salvage.n_records;
    og_salvage_release(&f.salvage);
    find_file(path, "data.mdb", name, sizeof(name));
    uint8_t *data = load(name, &len);
    memset(data, 0, len);
    save(name, data, len);
    free(data);
    find(in("wiped"), &f);
    assert_true(f.losses.n > 0);
    assert_false(f.report.is_certain);
    assert_int_equal(f.salvage.n_records, n_records);
    og_salvage_release(&f.salvage);
}

static void damage_is_reported_in_words(void **state)
{
    og_repair report = {0};
    struct losses losses = {0};
    struct og_salvage s = {
        .report = &report, .on_loss = on_loss, .ctx = &losses};
    (void)state;
    og_salvage_damage(&s, "bytes %d to %s", 7, "the end");
    assert_int_equal(losses.n, 1);
    assert_string_equal(losses.last, "bytes 7 to the end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_sound_store),
        cmocka_unit_test(without_a_conf),
        cmocka_unit_test(a_wiped_catalogue),
        cmocka_unit_test(damage_is_reported_in_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
