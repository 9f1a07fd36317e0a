#include "lib/source/xml/xml_parse.h"

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "lib/source/xml/xml_limits.h"

void og_xml_refuse(struct og_xml_parsing *p, const char *why, const char *name)
{
    if (p->refusal[0] == 0)
        snprintf(p->refusal, sizeof(p->refusal), "%s '%.60s'", why, name);
    xmlStopParser(p->context);
}

/* ---- entities ---- */

/* Older TEI declares parameter entities that switch its DTD ("% TEI.prose
 * 'INCLUDE'"), files of characters and pictures by name, and abbreviations of
 * its own. A declaration that is never used does no harm; an entity that is
 * used must be a few characters without a reference to another entity. So
 * nothing is fetched, and nothing grows. */
enum { MAX_ENTITIES = 4096, MAX_ENTITY_LEN = 256 };

static bool is_plain_word(const char *content)
{
    return strlen(content) <= MAX_ENTITY_LEN && strchr(content, '<') == NULL &&
           strchr(content, '&') == NULL && strchr(content, '%') == NULL;
}

static void on_entity(void *ctx, const xmlChar *name, int type,
                      const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content)
{
    struct og_xml_parsing *const p = ctx;
    if (++p->n_entities > MAX_ENTITIES)
        og_xml_refuse(p, "the document declares too many entities, at",
                      (const char *)name);
    if (p->refusal[0] != 0 || type != XML_INTERNAL_GENERAL_ENTITY ||
        content == NULL || !is_plain_word((const char *)content))
        return;
    xmlSAX2EntityDecl(p->context, name, type, public_id, system_id, content);
}

/* The document in which libxml2 keeps entities; it has no elements. */
static void on_document(void *ctx)
{
    xmlSAX2StartDocument(((struct og_xml_parsing *)ctx)->context);
}

static void on_subset(void *ctx, const xmlChar *name, const xmlChar *public_id,
                      const xmlChar *system_id)
{
    xmlSAX2InternalSubset(((struct og_xml_parsing *)ctx)->context, name,
                          public_id, system_id);
}

/* Characters named by HTML and the ISO entity sets. */
static xmlEntityPtr character_entity(struct og_xml_parsing *p,
                                     const xmlChar *name)
{
    const htmlEntityDesc *const known = htmlEntityLookup(name);
    xmlChar text[8];
    if (known == NULL || p->context->myDoc == NULL) return NULL;
    text[xmlCopyCharMultiByte(text, (int)known->value)] = 0;
    return xmlAddDocEntity(p->context->myDoc, name, XML_INTERNAL_GENERAL_ENTITY,
                           NULL, NULL, text);
}

static xmlEntityPtr get_entity(void *ctx, const xmlChar *name)
{
    struct og_xml_parsing *const p = ctx;
    xmlEntityPtr known = xmlGetPredefinedEntity(name);
    if (known == NULL && p->context->myDoc != NULL)
        known = xmlGetDocEntity(p->context->myDoc, name);
    /* Entities are also looked up when they are declared, before any use. */
    if (known == NULL && p->depth == 0) return NULL;
    if (known == NULL) known = character_entity(p, name);
    if (known == NULL)
        og_xml_refuse(p, "the document uses an entity,", (const char *)name);
    return known;
}

/* External declarations are not read: those that matter are standard, and a
 * missing one is named when it is used. */
static xmlEntityPtr get_parameter_entity(void *ctx, const xmlChar *name)
{
    (void)ctx, (void)name;
    return NULL;
}

/* ---- the whole ---- */

static void start_library(void)
{
    xmlInitParser();
}

static og_status story_of(const struct og_xml_parsing *p, int result,
                          og_error *err)
{
    const xmlError *const last = xmlCtxtGetLastError(p->context);
    if (p->refusal[0] != 0)
        return og_error_set(err, OG_ERR_INPUT, "%s", p->refusal);
    if (result == 0) return OG_OK;
    if (last != NULL && last->code == XML_ERR_NO_MEMORY)
        return og_error_memory(err, 0, "XML");
    const char *const message =
        last != NULL && last->message != NULL ? last->message : "not XML";
    return og_error_set(err, OG_ERR_INPUT, "XML, line %d: %.*s",
                        last != NULL ? last->line : 0,
                        (int)strcspn(message, "\n"), message);
}

/* In pieces, so that no length is too large for an int. */
static int push_all(xmlParserCtxtPtr context, og_bytes data)
{
    enum { PIECE = 1 << 20 };
    int result = 0;
    for (size_t at = 0; at < data.len && result == 0; at += PIECE) {
        const size_t left = data.len - at;
        result = xmlParseChunk(context, data.data + at,
                               left < PIECE ? (int)left : PIECE, 0);
    }
    return result == 0 ? xmlParseChunk(context, "", 0, 1) : result;
}

og_status og_xml_parse(struct og_xml_parsing *p, xmlSAXHandler *handler,
                       og_bytes data, og_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    TRY(og_xml_check_limits(data, err));
    pthread_once(&once, start_library);
    handler->initialized = XML_SAX2_MAGIC;
    handler->startDocument = on_document;
    handler->internalSubset = on_subset;
    handler->entityDecl = on_entity;
    handler->getEntity = get_entity;
    handler->getParameterEntity = get_parameter_entity;
    p->context = xmlCreatePushParserCtxt(handler, p, NULL, 0, NULL);
    if (p->context == NULL) return og_error_memory(err, 0, "XML");
    xmlCtxtUseOptions(p->context, XML_PARSE_NONET | XML_PARSE_NOERROR |
                                      XML_PARSE_NOWARNING |
                                      XML_PARSE_IGNORE_ENC);
    const int result = push_all(p->context, data);
    const og_status status = story_of(p, result, err);
    xmlFreeDoc(p->context->myDoc);
    xmlFreeParserCtxt(p->context);
    p->context = NULL;
    return status;
}
