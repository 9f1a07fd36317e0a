#ifndef ORIGO_REPORT_H
#define ORIGO_REPORT_H

/* Reports of answers, for people and programs. */

#include <origo/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes to `ctx`, which is a FILE; it stays open. */
OG_API int og_write_file(void *ctx, const char *data, size_t len);

/* Writes a JSON string, with quotes; invalid UTF-8 becomes U+FFFD. */
OG_API og_status og_report_string(og_write_fn *write, void *ctx, og_bytes s,
                                  og_error *err);

/* Writes a document as a line of JSONL that og_stream_run() can read. */
OG_API og_status og_report_document(og_write_fn *write, void *ctx,
                                    const og_document *doc, og_error *err);

typedef enum og_offsets {
    OG_OFFSETS_BYTE,
    OG_OFFSETS_CHAR,
    OG_OFFSETS_UTF16
} og_offsets;

/* Writes one JSON object and a newline, as described in
 * docs/architecture.md. */
OG_API og_status og_report_json(og_write_fn *write, void *ctx,
                                const og_document *doc, const og_answer *answer,
                                og_offsets offsets, og_error *err);

typedef struct og_text_style {
    bool colour;
    unsigned width; /* columns; 0: 80 */
} og_text_style;

/* Writes a report for reading: the text with coloured, numbered spans, and its
 * sources. */
OG_API og_status og_report_text(og_write_fn *write, void *ctx,
                                const og_document *doc, const og_answer *answer,
                                og_text_style style, og_error *err);

/* Output formats. Not every output has every format: an unsupported one is
 * OG_ERR_USAGE. */
typedef enum og_format {
    OG_FORMAT_TEXT,
    OG_FORMAT_JSON,       /* one object a line */
    OG_FORMAT_TSV,        /* one line a copied span, below a header */
    OG_FORMAT_HTML,       /* one page that needs no network */
    OG_FORMAT_PAN,        /* XML of the PAN competitions; characters */
    OG_FORMAT_ANNOTATION, /* W3C Web Annotation, JSON-LD; characters */
    OG_FORMAT_TEI,        /* TEI P5 with stand-off spans; characters */
    OG_FORMAT_CSV,        /* of links: a header, then a line for every link */
    OG_FORMAT_GRAPHML,    /* of links: for programs that draw */
    OG_FORMAT_SVG,        /* of links: a time line, the strongest as arcs */
} og_format;
OG_API bool og_format_parse(og_bytes name, og_format *out);
OG_API const char *og_format_name(og_format format);

/* A report of several documents; docs/architecture.md specifies each format.
 * Missing parts of an answer (origins that were not requested, or whose texts
 * no store keeps) are left out or stated as unknown. */
typedef struct og_report_options {
    og_format format; /* of passages one of the first seven */
    bool sentences; /* it is of og_quotes, not of og_answer: text, JSON, HTML */
    bool holds;     /* what goes to stdout waits for og_report_pass() */
    og_offsets
        offsets;  /* of JSON and TSV; the others have units of their own */
    bool matches; /* JSON: also the matches of each verified span */
    bool novel;   /* only what is new, with its text: text and JSON; HTML has it
                     above the document */
    uint32_t n_snippets; /* likewise, the best so many new sentences; 0: all
                            that is new, or the whole answer */
    og_text_style style; /* of text */
    const char *title;   /* of an HTML page; NULL: that of its document */
} og_report_options;
OG_API og_report_options og_report_options_default(void);

typedef struct og_report og_report;

/* `path` is a file that appears, complete, when og_report_close() returns; if
 * anything fails before, an existing file is unchanged. NULL and "-" are
 * stdout. A page of more than 20,000 documents continues in the folder
 * PATH.parts, which may contain parts after a failure. `options` may be NULL.
 * options->title must stay valid. */
OG_API og_status og_report_open(const char *path,
                                const og_report_options *options,
                                og_report **out, og_error *err);
/* The same, passed to `write` document by document. */
OG_API og_status og_report_begin(og_write_fn *write, void *ctx,
                                 const og_report_options *options,
                                 og_report **out, og_error *err);
/* Keeps no pointer to its arguments. answer->rendered, if set, is written as
 * it is. */
OG_API og_status og_report_add(og_report *report, const og_document *doc,
                               const og_answer *answer, og_error *err);
/* Whether each document can be rendered by itself, on any thread, as those of
 * JSON can. Then og_report_render() writes what og_report_add() would add; it
 * may be called by several threads at a time, also while one adds. */
OG_API bool og_report_is_apart(const og_report *report);
OG_API og_status og_report_render(const og_report *report,
                                  const og_document *doc,
                                  const og_answer *answer, og_write_fn *write,
                                  void *ctx, og_error *err);
/* Releases the output so far: see `holds`. After OG_ERR_IO, errno says why. */
OG_API og_status og_report_pass(og_report *report, og_error *err);
/* Finishes and frees the report, also on failure. NULL is fine. */
OG_API og_status og_report_close(og_report *report, og_error *err);
/* Frees the report and discards its file. NULL is fine. */
OG_API void og_report_discard(og_report *report);

/* Who copied whom: for each document, and each other one that had some of its
 * passages first, the number of passages and words. */
typedef struct og_links og_links;
OG_API og_links *og_links_new(void);        /* NULL: no memory */
OG_API void og_links_free(og_links *links); /* NULL is fine */
OG_API og_status og_links_add(og_links *links, const og_document *doc,
                              const og_answer *answer, og_error *err);
OG_API size_t og_links_count(const og_links *links);
/* OG_FORMAT_CSV, _GRAPHML or _SVG. */
OG_API og_status og_links_write(const og_links *links, og_format format,
                                og_write_fn *write, void *ctx, og_error *err);
/* To a file that appears complete or not at all; "-" is stdout. */
OG_API og_status og_links_save(const og_links *links, og_format format,
                               const char *path, og_error *err);

/* Clusters: all documents that share a passage, earliest first, with its text.
 * Uses verified spans, whose position in the origin is known; those whose
 * positions overlap by half are one cluster. Passages are kept in a temporary
 * file, so the memory does not grow with their number. */
typedef struct og_clusters og_clusters;
OG_API og_status og_clusters_open(og_clusters **out, og_error *err);
OG_API void og_clusters_free(og_clusters *clusters); /* NULL is fine */
OG_API og_status og_clusters_add(og_clusters *clusters, const og_document *doc,
                                 const og_answer *answer, og_error *err);
/* Writes one JSON object per line. *out_n, their number, may be NULL. */
OG_API og_status og_clusters_write(og_clusters *clusters, og_write_fn *write,
                                   void *ctx, uint64_t *out_n, og_error *err);
/* To a file that appears complete or not at all; "-" is stdout. */
OG_API og_status og_clusters_save(og_clusters *clusters, const char *path,
                                  uint64_t *out_n, og_error *err);

#ifdef __cplusplus
}
#endif

#endif
