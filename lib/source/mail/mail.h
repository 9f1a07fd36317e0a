#ifndef OG_SOURCE_MAIL_MAIL_H
#define OG_SOURCE_MAIL_MAIL_H

/*   in:  a mail: headers, an empty line, a body with MIME parts
 *   out: its text, subject, date and id                (lib/source/content.h)
 *
 * The text is that of the parts a reader sees: text/plain, of alternatives the
 * plain one, text/html if there is no other; attachments are ignored. */

#include "lib/source/mail/mime.h"
#include "lib/source/web/html.h"

struct og_mail {
    struct og_pack text, title, part, line;
    og_bytes id; /* Message-ID without its angle brackets: a view of the mail */
    int64_t time;
    bool has_time;
};

struct og_mail_options {
    bool strip_quotes; /* "> " in front of lines */
    bool is_mbox;      /* ">From " is "From " */
};

void og_mail_init(struct og_mail *mail, const og_allocator *allocator);
void og_mail_release(struct og_mail *mail);

/* OG_ERR_INPUT: no headers; OG_ERR_MEMORY. mail->text has OG_BLOCK_PADDING
 * readable bytes after it. */
og_status og_mail_read(struct og_mail *mail, og_bytes message,
                       const struct og_mail_options *options,
                       struct og_charset *charset, struct og_html *html,
                       og_error *err);

#endif
