/* Batches to a table on servers against batches to one of this process: the
 * same hits, the same counts. */

#include "lib/remote/remote_batch.h"
#include "lib/table/table_batch.h"
#include "tests/unit/redis_fake.h"

enum { N_DOCS = 120, MOST_FPS = 200, RUN = 30 };

struct doc {
    struct og_selection sel;
    uint64_t fp[MOST_FPS];
    uint16_t offset[MOST_FPS], near[MOST_FPS];
};

static struct doc docs[N_DOCS];

static void make_docs(void)
{
    uint64_t random = 5;
    for (size_t d = 0; d < N_DOCS; d++) {
        struct doc *doc = &docs[d];
        const size_t n = og_random_next(&random) % MOST_FPS;
        for (size_t i = 0; i < n; i++) {
            doc->fp[i] = og_mix64(og_random_next(&random) % 8000);
            doc->offset[i] = (uint16_t)i;
            doc->near[i] = (uint16_t)d;
        }
        doc->sel = (struct og_selection){
            .fp = doc->fp, .offset = doc->offset, .near = doc->near, .n = n};
    }
}

static og_status label(void *ctx, void *worker, struct og_table_part *part,
                       og_error *err)
{
    (void)ctx, (void)worker, (void)err;
    part->additions = (struct og_additions){.doc = part->doc,
                                            .fp = part->sel->fp,
                                            .offset = part->sel->offset,
                                            .near = part->sel->near,
                                            .n = part->sel->n};
    return OG_OK;
}

static void run_batch(const struct og_table_protocol *p,
                      struct og_table_part *parts, uint32_t first)
{
    const struct og_phases alone = og_phases_alone(NULL);
    const struct og_table_part_steps steps = {.settled = label};
    og_error err = {0};
    for (uint32_t i = 0; i < RUN; i++)
        parts[i] = (struct og_table_part){.sel = &docs[first + i].sel,
                                          .doc = first + i,
                                          .is_asked = i % 6 != 5,
                                          .is_added = i % 8 != 7};
    if (p->look_up(p->ctx, &alone, parts, RUN, &steps, &err) != OG_OK ||
        p->settle(p->ctx, &alone, parts, RUN, &steps, &err) != OG_OK ||
        p->observe(p->ctx, &alone, parts, RUN, &err) != OG_OK)
        fail_msg("%s", err.message);
}

static void compare(const struct og_table_part *a,
                    const struct og_table_part *b)
{
    for (size_t i = 0; i < RUN; i++) {
        assert_int_equal(a[i].n_new, b[i].n_new);
        if (!a[i].is_asked) continue;
        for (size_t j = 0; j < a[i].sel->n; j++) {
            assert_int_equal(a[i].hits[j].doc, b[i].hits[j].doc);
            if (a[i].hits[j].doc == OG_NO_DOC) continue;
            assert_int_equal(a[i].hits[j].offset, b[i].hits[j].offset);
            assert_int_equal(a[i].hits[j].near, b[i].hits[j].near);
        }
    }
}

static void test_same(void **state)
{
    static struct fake_keys keys;
    static struct fake_server server;
    const og_partition_options o = og_partition_options_default();
    char address[80];
    struct og_remote_table *remote;
    struct og_remote_batch far;
    struct og_table_batch here;
    struct og_table local;
    struct og_table_part near_parts[RUN], far_parts[RUN];
    og_error err = {0};
    (void)state;
    fake_keys_init(&keys);
    fake_init(&server, &keys);
    fake_start(&server);
    make_docs();
    snprintf(address, sizeof(address), "redis://127.0.0.1:%u/t", server.port);
    struct og_remote_options options = {.address = address,
                                        .is_made = true,
                                        .table =
                                            og_partition_table_options(&o)};
    options.table.memory = 32 << 20;
    if (og_remote_table_open(&options, NULL, &remote, &err) != OG_OK)
        fail_msg("%s", err.message);
    struct og_table_options same = options.table;
    same.memory =
        og_remote_table_shape(remote)->n_full * og_table_bucket_len(&same) + 8;
    assert_int_equal(og_table_init(&local, &same, NULL, NULL), OG_OK);
    og_table_batch_init(&here, &local, NULL);
    og_remote_batch_init(&far, remote, NULL);
    const struct og_table_protocol a = og_table_batch_protocol(&here);
    const struct og_table_protocol b = og_remote_batch_protocol(&far);
    for (uint32_t first = 0; first < N_DOCS; first += RUN) {
        far.n_documents = first;
        run_batch(&a, near_parts, first);
        run_batch(&b, far_parts, first);
        compare(near_parts, far_parts);
    }
    og_table_batch_release(&here);
    og_remote_batch_release(&far);
    og_table_release(&local);
    og_remote_table_close(remote);
    fake_stop(&server);
    fake_keys_release(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
