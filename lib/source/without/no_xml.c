/* A library that was built without an XML parser (-Dxml=disabled). */

#include <origo/reading.h>
#include <string.h>

#include "lib/source/xml/xml_text.h"

void og_xml_text_init(struct og_xml_text *xml, const og_allocator *allocator)
{
    (void)allocator;
    memset(xml, 0, sizeof(*xml));
}

void og_xml_text_release(struct og_xml_text *xml)
{
    (void)xml;
}

og_status og_xml_text_read(struct og_xml_text *xml, og_bytes data,
                           struct og_citations *citations, og_error *err)
{
    (void)xml, (void)data, (void)citations;
    return og_error_set(err, OG_ERR_INPUT, "this build reads no XML");
}

og_status og_feed_read(og_bytes bytes, og_document_fn *on_entry, void *ctx,
                       uint64_t *out_n_skipped, og_error *err)
{
    (void)bytes, (void)on_entry, (void)ctx;
    if (out_n_skipped != NULL) *out_n_skipped = 0;
    return og_error_set(err, OG_ERR_INPUT, "this build reads no XML");
}
