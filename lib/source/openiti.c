/* OpenITI mARkdown; see openiti.h. */

#define _GNU_SOURCE /* memmem */

#include "lib/source/openiti.h"

#include "lib/source/source.h"

#include <string.h>

#define MAGIC      "######OpenITI#"
#define HEADER_END "#META#Header#End#"

static bool begins(og_bytes s, const char *with)
{
    const size_t len = strlen(with);
    return s.len >= len && memcmp(s.data, with, len) == 0;
}

bool og_is_openiti(og_bytes text)
{
    if (begins(text, "\xef\xbb\xbf")) text.data += 3, text.len -= 3;
    return begins(text, MAGIC);
}

static og_bytes take_line(og_bytes *rest)
{
    const char *end =
        rest->len > 0 ? memchr(rest->data, '\n', rest->len) : NULL;
    const size_t len = end != NULL ? (size_t)(end - rest->data) : rest->len;
    const og_bytes line = {rest->data, len};
    const size_t used = len + (end != NULL);
    *rest = (og_bytes){rest->data + used, rest->len - used};
    return line;
}

static og_bytes take_word(og_bytes *line)
{
    size_t at = 0;
    while (at < line->len && (line->data[at] == ' ' || line->data[at] == '\t' ||
                              line->data[at] == '\r'))
        at++;
    size_t end = at;
    while (end < line->len && line->data[end] != ' ' &&
           line->data[end] != '\t' && line->data[end] != '\r')
        end++;
    const og_bytes word = {line->data + at, end - at};
    *line = (og_bytes){line->data + end, line->len - end};
    return word;
}

/* ---- marks ---- */

static size_t digits_at(og_bytes s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && s.data[at + n] >= '0' && s.data[at + n] <= '9')
        n++;
    return n;
}

/* "PageV01P012", alone or after a word: where it begins; SIZE_MAX: nowhere. */
static size_t find_page(og_bytes word, og_bytes *out_name, size_t *out_end)
{
    const char *at =
        word.len > 0 ? memmem(word.data, word.len, "PageV", 5) : NULL;
    if (at == NULL) return SIZE_MAX;
    const size_t begin = (size_t)(at - word.data);
    const size_t volume = digits_at(word, begin + 5);
    const size_t p = begin + 5 + volume;
    if (volume == 0 || p >= word.len || word.data[p] != 'P') return SIZE_MAX;
    const size_t page = digits_at(word, p + 1);
    if (page == 0) return SIZE_MAX;
    *out_end = p + 1 + page;
    *out_name = (og_bytes){at + 4, *out_end - begin - 4};
    return begin;
}

/* ms017, @P02, %~%, |, #, ~~: not words of the text. */
static bool is_mark(og_bytes word)
{
    if (begins(word, "@") || begins(word, "%") || begins(word, "#") ||
        begins(word, "~~") || begins(word, "|") || begins(word, "$"))
        return true;
    return begins(word, "ms") && word.len > 2 &&
           digits_at(word, 2) == word.len - 2;
}

struct mark_reader {
    struct og_openiti *o;
    struct og_citations *pages;
    uint64_t page_begin; /* in the text */
    bool has_page;       /* some text of this page has been written */
    int n_breaks;
};

static void put_word(struct mark_reader *r, og_bytes word)
{
    struct og_pack *text = &r->o->text;
    if (word.len == 0) return;
    if (text->len > 0)
        og_pack_bytes(text, r->n_breaks > 0 ? "\n\n" : " ",
                      r->n_breaks > 0 ? (size_t)r->n_breaks : 1);
    if (!r->has_page) r->page_begin = text->len;
    r->has_page = true;
    r->n_breaks = 0;
    og_pack_bytes(text, word.data, word.len);
}

/* The mark is at the end of its page. */
static void end_page(struct mark_reader *r, og_bytes name)
{
    const og_bytes none = {NULL, 0};
    if (r->has_page) og_citations_add(r->pages, r->page_begin, name, none);
    r->has_page = false;
}

static void take_marked_word(struct mark_reader *r, og_bytes word)
{
    og_bytes name;
    size_t end = 0;
    const size_t begin = find_page(word, &name, &end);
    if (begin == SIZE_MAX) {
        if (!is_mark(word)) put_word(r, word);
        return;
    }
    put_word(r, (og_bytes){word.data, begin});
    end_page(r, name);
    put_word(r, (og_bytes){word.data + end, word.len - end});
}

static void take_text_line(struct mark_reader *r, og_bytes line)
{
    if (begins(line, "~~"))
        line = (og_bytes){line.data + 2, line.len - 2};
    else
        r->n_breaks = begins(line, "###") ? 2 : 1;
    for (og_bytes word = take_word(&line); word.len > 0;
         word = take_word(&line))
        take_marked_word(r, word);
}

/* "#META# 010.BookTITLE	:: ..." */
static void take_meta(struct og_openiti *o, og_bytes line)
{
    const char *at =
        line.len > 0 ? memmem(line.data, line.len, "BookTITLE", 9) : NULL;
    const char *value =
        at != NULL ? memmem(at, line.len - (size_t)(at - line.data), "::", 2)
                   : NULL;
    if (value == NULL || o->title.len > 0) return;
    og_pack_bytes(&o->title, value + 2,
                  line.len - (size_t)(value + 2 - line.data));
}

og_status og_openiti_read(struct og_openiti *o, og_bytes text,
                          struct og_citations *pages, og_error *err)
{
    struct mark_reader r = {.o = o, .pages = pages};
    bool in_header = true;
    o->text.len = o->title.len = 0;
    o->text.failed = o->title.failed = false;
    og_citations_clear(pages);
    while (text.len > 0) {
        const og_bytes line = take_line(&text);
        if (!in_header)
            take_text_line(&r, line);
        else if (begins(line, HEADER_END))
            in_header = false;
        else
            take_meta(o, line);
    }
    const size_t len = o->text.len;
    og_pack_bytes(&o->text, (char[OG_BLOCK_PADDING]){0}, OG_BLOCK_PADDING);
    if (o->text.failed || o->title.failed)
        return og_error_memory(err, len, "a text");
    o->text.len = len;
    return OG_OK;
}

void og_openiti_release(struct og_openiti *o)
{
    og_pack_release(&o->text);
    og_pack_release(&o->title);
}
