/* Documents as every command reads them, as JSONL on stdout:
 *
 *     dump_documents FILE... */

#include <stdio.h>
#include <string.h>

#include "lib/source/source.h"

static void print_string(const char *name, og_bytes s)
{
    printf("\"%s\":\"", name);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_document(const og_document *doc)
{
    char time[40];
    printf("{");
    print_string("id", doc->id);
    printf(",");
    print_string("title", doc->title);
    printf(",");
    print_string("url", doc->url);
    printf(",");
    if (doc->has_time) {
        og_time_format_in(doc->time, doc->time_zone, time);
        printf("\"time\":\"%s\",\"time_source\":\"%s\",", time,
               og_time_source_name(doc->time_source));
    }
    print_string("text", doc->text);
    printf("}\n");
}

int main(int argc, char **argv)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    og_error err = {0};
    og_block_init(&block, NULL);
    if (og_source_new((const char *const *)argv + 1, (size_t)argc - 1, &options,
                      NULL, &source, &err) != OG_OK)
        return 1;
    while (og_source_next(source, &block, &err) == OG_OK) {
        while (og_block_next(&block, &options, &record, &err) == OG_OK)
            print_document(&record.doc);
        for (size_t i = 0; i < block.n_problems; i++)
            fprintf(stderr, "%s: %s\n", block.file, block.problems[i].message);
    }
    og_source_free(source);
    og_block_release(&block);
    return 0;
}
