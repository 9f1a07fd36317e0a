/* The blocks of pages with their features, for training the trees of
 * lib/source/web/page_trees.c:
 *
 *     dump_blocks FILE...
 *
 * One line per block: the number of all bits, whether it is prose, the bits
 * that are set, a tab and the text; a line "END" after the blocks of a page. */

#include <stdio.h>
#include <string.h>

#include "lib/source/content.h"
#include "lib/source/web/page_judge.h"

static void print_text(const struct og_page_main *m, const struct og_page *page,
                       size_t i)
{
    const uint32_t node = m->blocks[i].node;
    for (uint32_t n = node; n < page->nodes[node].end; n++) {
        const og_bytes text = page->nodes[n].text;
        if (page->nodes[n].tag == GUMBO_TAG_BR ||
            og_page_is_block(page->nodes[n].tag))
            putchar(' ');
        if (m->stats[n].block != i + 1 || page->nodes[n].tag != OG_PAGE_TEXT)
            continue;
        for (size_t k = 0; k < text.len; k++) {
            const bool is_control = (unsigned char)text.data[k] < ' ';
            putchar(is_control ? ' ' : text.data[k]);
        }
    }
}

static void print_blocks(struct og_page_main *m, const struct og_page *page)
{
    struct og_page_survey survey;
    struct og_page_features features;
    const struct og_page_facts facts = {m, page, &survey};
    uint32_t prose_before = 0;
    og_page_survey(m, page, &survey);
    for (size_t i = 0; i < m->n_blocks; i++) {
        og_page_features_of(&facts, i, prose_before, &features);
        if (m->blocks[i].is_prose) prose_before += m->blocks[i].len;
        printf("%d %d", features.base, m->blocks[i].is_prose);
        for (int k = 0; k < features.n; k++)
            printf(" %d", features.bits[k]);
        putchar('\t');
        print_text(m, page, i);
        putchar('\n');
    }
    printf("END\n");
}

int main(int argc, char **argv)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    struct og_readers *const readers = og_readers_new(NULL);
    struct og_pack bytes = {0};
    char piece[65536];
    for (int i = 1; i < argc && readers != NULL; i++) {
        FILE *const file = fopen(argv[i], "rb");
        og_document doc = {0};
        og_error err;
        bytes.len = 0;
        for (size_t n;
             file != NULL && (n = fread(piece, 1, sizeof(piece), file)) > 0;)
            og_pack_bytes(&bytes, piece, n);
        if (file == NULL || fclose(file) != 0 ||
            og_content_read(readers, OG_BLOCK_HTML,
                            (og_bytes){(const char *)bytes.data, bytes.len},
                            (og_bytes){"", 0}, &options, &doc, &err) != OG_OK) {
            fprintf(stderr, "dump_blocks: cannot read '%s'\n", argv[i]);
            return 1;
        }
        print_blocks(&readers->html.main, &readers->html.page);
    }
    og_readers_free(readers);
    og_pack_release(&bytes);
    return 0;
}
