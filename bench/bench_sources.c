/* How fast is each reader, beside the library it is built on and beside memcpy?
 *
 *     bench_sources [--runs N] STREAM.jsonl PAGES...
 *
 * PAGES are HTML files, plain or packed. Of them, and of the first texts of
 * the stream, inputs of every kind are made: the same pages as files, in a
 * WARC and an ARC, plain, packed record by record, and packed by zstd; the
 * same texts as JSONL, text, mails and TEI. Each is read by one thread from
 * files in memory (/dev/shm), as the commands read it, and the bytes of its
 * texts are counted. Rates are of the unpacked input. */

#include <dirent.h>
#include <gumbo.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "bench/machine.h"
#include "lib/base/packing.h"
#include "lib/source/source.h"

#define TEXT_BYTES ((size_t)24 << 20) /* of the stream */

static int n_runs = 5;
static char folder[] = "/dev/shm/origo-bench-XXXXXX";

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "bench_sources: %s\n", what);
    exit(1);
}

/* ---- inputs ---- */

struct page {
    char *data;
    size_t len;
};

static struct page pages[1000];
static size_t n_pages, pages_len;

static struct og_pack html_list, warc, warc_gz, arc, mbox, mbox_qp, tei, jsonl,
    text;

static void read_page(const char *path)
{
    struct og_pack p = {0};
    char buffer[65536];
    gzFile file = gzopen(path, "rb");
    int n;
    must(file != NULL, path);
    while ((n = gzread(file, buffer, sizeof(buffer))) > 0)
        og_pack_bytes(&p, buffer, (size_t)n);
    gzclose(file);
    must(n_pages < 1000 && p.len > 0, path);
    pages[n_pages++] = (struct page){(char *)p.data, p.len};
    pages_len += p.len;
}

static void add(struct og_pack *out, const char *s)
{
    og_pack_bytes(out, s, strlen(s));
}

static void pack_member(struct og_pack *out, const void *data, size_t len)
{
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
    const size_t bound = deflateBound(&z, len);
    unsigned char *buffer = malloc(bound);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)len;
    z.next_out = buffer;
    z.avail_out = (uInt)bound;
    must(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
    og_pack_bytes(out, buffer, z.total_out);
    deflateEnd(&z);
    free(buffer);
}

static void make_archives(void)
{
    static const char http[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
    add(&arc, "filedesc://x.arc 0.0.0.0 20200102030405 text/plain 3\n1 0\n\n");
    for (size_t i = 0; i < n_pages; i++) {
        const struct page *page = &pages[i];
        const size_t len = strlen(http) + page->len;
        const size_t begin = warc.len;
        char head[400];
        snprintf(head, sizeof(head),
                 "WARC/1.0\r\nWARC-Type: response\r\n"
                 "WARC-Record-ID: <urn:x:%zu>\r\n"
                 "WARC-Target-URI: http://example.org/%zu\r\n"
                 "WARC-Date: 2020-01-02T03:04:05Z\r\n"
                 "Content-Type: application/http; msgtype=response\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 i, i, len, http);
        add(&warc, head);
        og_pack_bytes(&warc, page->data, page->len);
        add(&warc, "\r\n\r\n");
        pack_member(&warc_gz, warc.data + begin, warc.len - begin);
        snprintf(head, sizeof(head),
                 "http://example.org/%zu 1.2.3.4 20200102030405 text/html "
                 "%zu\n%s",
                 i, len, http);
        add(&arc, head);
        og_pack_bytes(&arc, page->data, page->len);
        add(&arc, "\n");
    }
}

/* All that is not plain ASCII, and every '=', in the quoted form. */
static void add_quoted(struct og_pack *out, og_bytes s)
{
    size_t column = 0;
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        char code[4];
        if (c == '\n') column = 0;
        if (c != '\n' && column > 70) {
            add(out, "=\n");
            column = 0;
        }
        if (c == '=' || c > 126) {
            snprintf(code, sizeof(code), "=%02X", c);
            add(out, code);
            column += 3;
        } else {
            og_pack_bytes(out, &s.data[i], 1);
            column += c != '\n';
        }
    }
}

static void add_escaped(struct og_pack *out, og_bytes s, bool is_xml)
{
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.data[i];
        if (is_xml && c == '<')
            add(out, "&lt;");
        else if (is_xml && c == '&')
            add(out, "&amp;");
        else if (!is_xml && c == '\n')
            add(out, "\\n");
        else if (!is_xml && (c == '"' || c == '\\'))
            og_pack_bytes(out, (char[]){'\\', c}, 2);
        else if ((unsigned char)c >= ' ' || c == '\n')
            og_pack_bytes(out, &c, 1);
    }
}

static void add_document(og_bytes s, size_t i)
{
    char head[200];
    snprintf(head, sizeof(head),
             "From a@example.org Tue Nov 19 13:03:00 2019\n"
             "Message-ID: <%zu>\nSubject: number %zu\n",
             i, i);
    add(&mbox, head);
    add(&mbox, "\n");
    og_pack_bytes(&mbox, s.data, s.len);
    add(&mbox, "\n\n");
    add(&mbox_qp, head);
    add(&mbox_qp, "Content-Transfer-Encoding: quoted-printable\n\n");
    add_quoted(&mbox_qp, s);
    add(&mbox_qp, "\n\n");
    add(&jsonl, "{\"text\":\"");
    add_escaped(&jsonl, s, false);
    add(&jsonl, "\"}\n");
    add(&tei, "<p>");
    add_escaped(&tei, s, true);
    add(&tei, "</p>\n");
    og_pack_bytes(&text, s.data, s.len);
}

static void make_texts(const char *stream)
{
    const struct og_source_options options = {.fields = OG_FIELDS_DEFAULT};
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    size_t len = 0, n = 0;
    og_block_init(&block, NULL);
    must(og_source_new(&stream, 1, &options, NULL, &source, NULL) == OG_OK,
         stream);
    add(&tei, "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body>");
    while (len < TEXT_BYTES && og_source_next(source, &block, NULL) == OG_OK)
        while (og_block_next(&block, &options, &record, NULL) == OG_OK) {
            add_document(record.doc.text, n++);
            len += record.doc.text.len;
        }
    add(&tei, "</body></text></TEI>");
    must(n > 0, stream);
    og_source_free(source);
    og_block_release(&block);
}

static const char *write_file(const char *name, const void *data, size_t len)
{
    static char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    must(f != NULL && fwrite(data, 1, len, f) == len && fclose(f) == 0, path);
    return path;
}

/* ---- readers ---- */

static size_t read_all(const char *path, const char *list, og_file_kind kind)
{
    const struct og_source_options options = {
        .fields = OG_FIELDS_DEFAULT,
        .max_document = (uint64_t)1 << 30,
        .reading = {.files_from = list, .kind = kind}};
    struct og_source *source;
    struct og_block block;
    struct og_record record;
    size_t len = 0;
    og_block_init(&block, NULL);
    must(og_source_new(&path, path != NULL, &options, NULL, &source, NULL) ==
             OG_OK,
         "source");
    while (og_source_next(source, &block, NULL) == OG_OK) {
        while (og_block_next(&block, &options, &record, NULL) == OG_OK)
            len += record.doc.text.len;
        must(block.n_problems == 0, "a problem in the input");
    }
    og_source_free(source);
    og_block_release(&block);
    return len;
}

/* ---- what they are built on ---- */

static void parse_gumbo(const void *data, size_t len)
{
    (void)data, (void)len;
    for (size_t i = 0; i < n_pages; i++)
        gumbo_destroy_output(&kGumboDefaultOptions,
                             gumbo_parse_with_options(&kGumboDefaultOptions,
                                                      pages[i].data,
                                                      pages[i].len));
}

static void inflate_all(const void *data, size_t len)
{
    static unsigned char out[1 << 18];
    z_stream z = {0};
    inflateInit2(&z, 16 + MAX_WBITS);
    z.next_in = (Bytef *)data;
    z.avail_in = (uInt)len;
    while (z.avail_in > 0) {
        z.next_out = out;
        z.avail_out = sizeof(out);
        const int result = inflate(&z, Z_NO_FLUSH);
        must(result == Z_OK || result == Z_STREAM_END, "inflate");
        if (result == Z_STREAM_END) inflateReset(&z);
    }
    inflateEnd(&z);
}

static void unpack_zstd(const void *data, size_t len)
{
    static char out[1 << 18];
    ZSTD_DCtx *d = ZSTD_createDCtx();
    ZSTD_inBuffer from = {data, len, 0};
    while (from.pos < from.size) {
        ZSTD_outBuffer to = {out, sizeof(out), 0};
        must(!ZSTD_isError(ZSTD_decompressStream(d, &to, &from)), "zstd");
    }
    ZSTD_freeDCtx(d);
}

static void parse_xml(const void *data, size_t len)
{
    xmlSAXHandler handler = {.initialized = XML_SAX2_MAGIC};
    must(xmlSAXUserParseMemory(&handler, NULL, data, (int)len) == 0, "xml");
}

static void count_lines(const void *data, size_t len)
{
    size_t n = 0;
    const char *p = data, *end = p + len;
    for (; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
        n++;
    must(n > 0, "no lines");
}

static char *copy_target;
static void copy(const void *data, size_t len)
{
    memcpy(copy_target, data, len);
}

static double rate(void (*f)(const void *, size_t), const void *data,
                   size_t len, size_t counted)
{
    double best = 1e9;
    for (int i = 0; i <= n_runs; i++) {
        const double begin = machine_seconds();
        f(data, len);
        const double seconds = machine_seconds() - begin;
        if (i > 0 && seconds < best) best = seconds;
    }
    return (double)counted / best / 1e6;
}

/* ---- the table ---- */

struct row {
    const char *name;
    const struct og_pack *input; /* NULL: the pages */
    size_t unpacked_len;         /* 0: not packed */
    const char *library_name;
    void (*library)(const void *, size_t);
    const struct og_pack *library_input;
};

static double reader_rate(const struct row *row, size_t len, size_t *out_text)
{
    const char *list = NULL, *path = NULL;
    const bool is_pages = row->input == NULL;
    if (is_pages)
        list = write_file("list", html_list.data, html_list.len);
    else
        path = write_file("input", row->input->data, row->input->len);
    double best = 1e9;
    for (int i = 0; i <= n_runs; i++) {
        const double begin = machine_seconds();
        *out_text = read_all(path, list, OG_FILE_AUTO);
        const double seconds = machine_seconds() - begin;
        if (i > 0 && seconds < best) best = seconds;
    }
    return (double)len / best / 1e6;
}

static void print_row(const struct row *row)
{
    const size_t len = row->unpacked_len != 0 ? row->unpacked_len
                       : row->input != NULL   ? row->input->len
                                              : pages_len;
    size_t text_len = 0;
    const double reader = reader_rate(row, len, &text_len);
    const struct og_pack *in = row->library_input;
    const double library =
        rate(row->library, in ? in->data : NULL, in ? in->len : 0, len);
    const struct og_pack *plain = row->input != NULL ? row->input : &warc;
    const double memory = rate(copy, plain->data, plain->len, plain->len);
    printf("%-22s %7.1f %7.1f %9.1f   %-16s %9.1f %8.2f %9.0f\n", row->name,
           (double)len / 1e6, (double)text_len / 1e6, reader, row->library_name,
           library, reader / library, memory);
    fflush(stdout);
}

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (system(command) != 0) perror(folder);
}

int main(int argc, char **argv)
{
    int arg = 1;
    if (argc > 2 && strcmp(argv[1], "--runs") == 0) {
        n_runs = atoi(argv[2]);
        arg = 3;
    }
    must(argc - arg >= 2, "usage: bench_sources [--runs N] STREAM PAGES...");
    must(mkdtemp(folder) != NULL, "cannot make a folder in /dev/shm");
    atexit(remove_folder);
    make_texts(argv[arg++]);
    for (; arg < argc; arg++) {
        char name[40];
        read_page(argv[arg]);
        snprintf(name, sizeof(name), "%zu.html", n_pages);
        add(&html_list,
            write_file(name, pages[n_pages - 1].data, pages[n_pages - 1].len));
        add(&html_list, "\n");
    }
    make_archives();
    struct og_pack zst = {0}, jsonl_gz = {0};
    const size_t bound = ZSTD_compressBound(warc.len);
    zst.data = malloc(bound);
    zst.cap = bound;
    zst.len = ZSTD_compress(zst.data, bound, warc.data, warc.len, 3);
    pack_member(&jsonl_gz, jsonl.data, jsonl.len);
    copy_target = malloc(warc.len + jsonl.len + mbox_qp.len + tei.len);
    must(copy_target != NULL, "memory");
    const struct row rows[] = {
        {"html", NULL, 0, "gumbo parse", parse_gumbo, NULL},
        {"warc of html", &warc, 0, "gumbo parse", parse_gumbo, NULL},
        {"warc of html, .gz", &warc_gz, warc.len, "zlib inflate", inflate_all,
         &warc_gz},
        {"warc of html, .zst", &zst, warc.len, "zstd", unpack_zstd, &zst},
        {"arc of html", &arc, 0, "gumbo parse", parse_gumbo, NULL},
        {"mbox", &mbox, 0, "memchr lines", count_lines, &mbox},
        {"mbox, quoted", &mbox_qp, 0, "memchr lines", count_lines, &mbox_qp},
        {"tei", &tei, 0, "libxml2 events", parse_xml, &tei},
        {"text", &text, 0, "memchr lines", count_lines, &text},
        {"jsonl", &jsonl, 0, "memchr lines", count_lines, &jsonl},
        {"jsonl, .gz", &jsonl_gz, jsonl.len, "zlib inflate", inflate_all,
         &jsonl_gz},
    };
    machine_pin();
    machine_print(OG_BENCH_FLAGS);
    printf("question: how fast is each reader, beside its library and memcpy?\n"
           "input: %zu pages, %.1f MB; texts of %.1f MB; one thread, fastest "
           "of %d\n"
           "%-22s %7s %7s %9s   %-16s %9s %8s %9s\n",
           n_pages, (double)pages_len / 1e6, (double)text.len / 1e6, n_runs,
           "reader", "MB", "text MB", "MB/s", "library alone", "MB/s", "ratio",
           "memcpy");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        print_row(&rows[i]);
    return 0;
}
