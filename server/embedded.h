#ifndef SERVER_EMBEDDED_H
#define SERVER_EMBEDDED_H

/* Files embedded in the program by tools/embed_files.py. */

#include <stddef.h>

extern const char embedded_openapi[];
extern const size_t embedded_openapi_len;

/* The page at /. */
extern const char embedded_page[];
extern const size_t embedded_page_len;
extern const char embedded_page_script[];
extern const size_t embedded_page_script_len;
extern const char embedded_page_style[];
extern const size_t embedded_page_style_len;
extern const char embedded_report_style[];
extern const size_t embedded_report_style_len;
extern const char embedded_page_icon[];
extern const size_t embedded_page_icon_len;

#endif
