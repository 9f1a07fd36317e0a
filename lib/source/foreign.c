#define _GNU_SOURCE /* memmem */
#include "lib/source/foreign.h"

#include <string.h>

#define AS_TEXT "; take its text out first"

struct mark {
    size_t at, len;
    const char *bytes, *name;
};

static const struct mark marks[] = {
    {0, 4, "PAR1",
     "a Parquet file is not read; write it as JSONL first, with Python: "
     "pandas.read_parquet(A).to_json(B, orient='records', lines=True)"},
    {0, 6, "ARROW1",
     "an Arrow or Feather file is not read; write it as JSONL first, with "
     "Python: pandas.read_feather(A).to_json(B, orient='records', lines=True)"},
    {0, 4, "Obj\1", "an Avro file is not read; write it as JSONL first"},
    {0, 3, "ORC", "an ORC file is not read; write it as JSONL first"},
    {0, 15, "SQLite format 3",
     "an SQLite database is not read; write its table as JSONL or CSV first"},
    {0, 8, "\x89HDF\r\n\x1a\n", "an HDF5 file is not read"},
    {0, 5, "%PDF-",
     "a PDF file is not read" AS_TEXT ", for example with pdftotext"},
    {0, 2, "%!", "a PostScript file is not read" AS_TEXT},
    {0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
     "an old Office file (doc, xls, ppt) is not read" AS_TEXT
     ", for example with libreoffice --convert-to txt"},
    {0, 5, "{\\rtf", "an RTF file is not read" AS_TEXT},
    {0, 8, "AT&TFORM", "a DjVu file is not read" AS_TEXT},
    {60, 8, "BOOKMOBI", "a Kindle book is not read" AS_TEXT},
    {0, 8, "\x89PNG\r\n\x1a\n", "an image (PNG) is not read"},
    {0, 3, "\xff\xd8\xff", "an image (JPEG) is not read"},
    {0, 6, "GIF87a", "an image (GIF) is not read"},
    {0, 6, "GIF89a", "an image (GIF) is not read"},
    {8, 4, "WEBP", "an image (WebP) is not read"},
    {0, 4, "II*\0", "an image (TIFF) is not read"},
    {0, 4, "MM\0*", "an image (TIFF) is not read"},
    {4, 4, "ftyp", "a video, a sound or an image (MP4, HEIC) is not read"},
    {0, 4, "OggS", "a sound (Ogg) is not read"},
    {0, 4, "fLaC", "a sound (FLAC) is not read"},
    {0, 3, "ID3", "a sound (MP3) is not read"},
    {8, 4, "WAVE", "a sound (WAV) is not read"},
    {0, 4, "\x1a\x45\xdf\xa3", "a video (Matroska, WebM) is not read"},
    {0, 6, "7z\xbc\xaf\x27\x1c",
     "a 7z archive is not read; unpack it, or pack it as tar or zip"},
    {0, 6, "Rar!\x1a\x07",
     "a RAR archive is not read; unpack it, or pack it as tar or zip"},
    {0, 4,
     "\x7f"
     "ELF",
     "a program is not read"},
    {0, 4, "wOFF", "a font is not read"},
    {0, 4, "wOF2", "a font is not read"},
};

/* Packed XML, recognised by a fixed name at the front. */
static const char *packed_name(og_bytes head)
{
    static const char *const names[] = {"[Content_Types].xml", "_rels/",
                                        "mimetype", "META-INF/container.xml"};
    enum { NAME_AT = 30 };
    if (head.len < NAME_AT || memcmp(head.data, "PK\3\4", 4) != 0) return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t len = strlen(names[i]);
        if (head.len < NAME_AT + len ||
            memcmp(head.data + NAME_AT, names[i], len) != 0)
            continue;
        if (memmem(head.data, head.len, "epub", 4) != NULL)
            return "an EPUB book is not read" AS_TEXT
                   ", for example with pandoc -t plain";
        return "an Office file (docx, xlsx, pptx, odt) is not read" AS_TEXT
               ", for example with libreoffice --convert-to txt";
    }
    return NULL;
}

const char *og_foreign_name(og_bytes head)
{
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (head.len >= marks[i].at + marks[i].len &&
            memcmp(head.data + marks[i].at, marks[i].bytes, marks[i].len) == 0)
            return marks[i].name;
    return packed_name(head);
}
