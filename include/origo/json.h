#ifndef ORIGO_JSON_H
#define ORIGO_JSON_H

/* A parser for untrusted JSON: the members of an object or the items of an
 * array. Invalid JSON is rejected, with the position of the error. */

#include <origo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum og_json_kind {
    OG_JSON_NULL,
    OG_JSON_FALSE,
    OG_JSON_TRUE,
    OG_JSON_NUMBER, /* bytes: its text */
    OG_JSON_STRING, /* bytes: unescaped, without the quotes */
    OG_JSON_ARRAY,  /* bytes: its text with the brackets, validated */
    OG_JSON_OBJECT, /* likewise */
} og_json_kind;

/* Called for one member or item; views, valid until it returns. The name of
 * an item is empty. Return false to stop (OG_ERR_STOPPED). */
typedef bool og_json_fn(void *ctx, og_bytes name, og_json_kind kind,
                        og_bytes value);

/* `json` must be one object or one array, with optional white space around it.
 * Nested values are validated but not reported; call this function with the
 * bytes of a value to see them. OG_ERR_INPUT: it is neither; err->byte is the
 * position, and some values may have been reported already. */
OG_API og_status og_json_each(og_bytes json, og_json_fn *on_value, void *ctx,
                              og_error *err);

#ifdef __cplusplus
}
#endif

#endif
