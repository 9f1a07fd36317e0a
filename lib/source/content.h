#ifndef OG_SOURCE_CONTENT_H
#define OG_SOURCE_CONTENT_H

/*   in:  the bytes of one item: a page, a mail, a text, XML
 *   out: a document                                    (lib/source/block.c)
 *
 * One set of readers per block, so that each thread has its own and reuses its
 * memory. */

#include "lib/source/mail/mail.h"
#include "lib/source/openiti.h"
#include "lib/source/source.h"
#include "lib/source/web/http.h"
#include "lib/source/xml/xml_text.h"

#include <origo/document.h>

struct og_readers {
    struct og_charset charset;
    struct og_html html;
    struct og_mail mail;
    struct og_xml_text xml;
    struct og_http http;
    struct og_pack title;
    struct og_openiti openiti;
    struct og_citations citations;
};

/* NULL: out of memory. */
struct og_readers *og_readers_new(const og_allocator *allocator);
void og_readers_free(struct og_readers *readers); /* NULL is fine */

/* Roughly how much memory they hold. */
size_t og_readers_size(const struct og_readers *readers);

/* Fills text, title, url and time of `out`, and the id if the content has one;
 * fields that it lacks are left alone. `kind` is one of those that are one
 * document, or OG_BLOCK_MBOX for a message of an mbox. Views, valid until the
 * next call. OG_ERR_INPUT and OG_ERR_LIMIT: this item cannot be read; other
 * statuses end the reading. */
og_status og_content_read(struct og_readers *readers, enum og_block_kind kind,
                          og_bytes bytes, og_bytes charset,
                          const struct og_source_options *options,
                          og_document *out, og_error *err);

/* The kind for a Content-Type; OG_BLOCK_EMPTY: not for readers. */
enum og_block_kind og_content_kind(og_bytes type);

#endif
