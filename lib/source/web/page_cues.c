/* Word beginnings that concern the page rather than its subject, in the most
 * frequent languages of the web. They say little about a paragraph and much
 * about a short line. */

#include <string.h>
#include <strings.h>

#include "lib/source/web/page_blocks.h"

enum { CUE_POINTER, CUE_SITE, CUE_LEGAL, CUE_PICTURE, CUE_TALK };

struct cue {
    const char *text;
    int kind;
};

/* In lower case, alphabetical. */
static const struct cue cues[] = {
    {"abb.", CUE_PICTURE},
    {"abbildung", CUE_PICTURE},
    {"abonn", CUE_SITE},
    {"advert", CUE_LEGAL},
    {"affiliate", CUE_LEGAL},
    {"agb", CUE_LEGAL},
    {"aktualisiert", CUE_TALK},
    {"also read", CUE_POINTER},
    {"anmeld", CUE_SITE},
    {"antwort", CUE_TALK},
    {"anzeige", CUE_LEGAL},
    {"auch interessant", CUE_POINTER},
    {"auch interessieren", CUE_POINTER},
    {"auch lesen", CUE_POINTER},
    {"author", CUE_TALK},
    {"autor", CUE_TALK},
    {"beitragsbild", CUE_PICTURE},
    {"bild ", CUE_PICTURE},
    {"bild:", CUE_PICTURE},
    {"categor", CUE_TALK},
    {"comment", CUE_TALK},
    {"compart", CUE_SITE},
    {"contact", CUE_TALK},
    {"cookie", CUE_LEGAL},
    {"copyright", CUE_LEGAL},
    {"credit", CUE_PICTURE},
    {"czytaj", CUE_POINTER},
    {"datenschutz", CUE_LEGAL},
    {"download", CUE_SITE},
    {"dpa", CUE_PICTURE},
    {"drucken", CUE_SITE},
    {"eingeloggt", CUE_SITE},
    {"einloggen", CUE_SITE},
    {"facebook", CUE_SITE},
    {"filed under", CUE_TALK},
    {"foto", CUE_PICTURE},
    {"fuente", CUE_PICTURE},
    {"getty", CUE_PICTURE},
    {"image", CUE_PICTURE},
    {"imago", CUE_PICTURE},
    {"impressum", CUE_LEGAL},
    {"instagram", CUE_SITE},
    {"kategorie", CUE_TALK},
    {"kommentar", CUE_TALK},
    {"kommentieren", CUE_TALK},
    {"kontakt", CUE_TALK},
    {"lea tambi", CUE_POINTER},
    {"lee tambi", CUE_POINTER},
    {"lees ook", CUE_POINTER},
    {"leggi anche", CUE_POINTER},
    {"leia tamb", CUE_POINTER},
    {"lesen sie", CUE_POINTER},
    {"lies auch", CUE_POINTER},
    {"lire aussi", CUE_POINTER},
    {"lire la suite", CUE_POINTER},
    {"log in", CUE_SITE},
    {"login", CUE_SITE},
    {"mehr lesen", CUE_POINTER},
    {"mehr zu", CUE_POINTER},
    {"mehr zum thema", CUE_POINTER},
    {"mire:", CUE_POINTER},
    {"more on", CUE_POINTER},
    {"newsletter", CUE_SITE},
    {"ohne gew", CUE_LEGAL},
    {"partager", CUE_SITE},
    {"permission", CUE_LEGAL},
    {"photo", CUE_PICTURE},
    {"picture alliance", CUE_PICTURE},
    {"pinterest", CUE_SITE},
    {"posted", CUE_TALK},
    {"print", CUE_SITE},
    {"privacy", CUE_LEGAL},
    {"published", CUE_TALK},
    {"puede interesar", CUE_POINTER},
    {"quelle", CUE_PICTURE},
    {"read also", CUE_POINTER},
    {"read more", CUE_POINTER},
    {"rechte vorbehalten", CUE_LEGAL},
    {"registr", CUE_SITE},
    {"related", CUE_POINTER},
    {"reply", CUE_TALK},
    {"reuters", CUE_PICTURE},
    {"rights reserved", CUE_LEGAL},
    {"schlagw", CUE_TALK},
    {"see also", CUE_POINTER},
    {"share this", CUE_SITE},
    {"shutterstock", CUE_PICTURE},
    {"sign up", CUE_SITE},
    {"signing up", CUE_SITE},
    {"source:", CUE_PICTURE},
    {"sponsor", CUE_LEGAL},
    {"subscri", CUE_SITE},
    {"subskry", CUE_SITE},
    {"suscr", CUE_SITE},
    {"tags", CUE_TALK},
    {"te puede", CUE_POINTER},
    {"teilen", CUE_SITE},
    {"telegram", CUE_SITE},
    {"twitter", CUE_SITE},
    {"updated", CUE_TALK},
    {"vea tambi", CUE_POINTER},
    {"ver\xc3\xb6"
     "ffentlicht",
     CUE_TALK},
    {"voir aussi", CUE_POINTER},
    {"weitere ", CUE_POINTER},
    {"weiterlesen", CUE_POINTER},
    {"werbung", CUE_LEGAL},
    {"whatsapp", CUE_SITE},
    {"written by", CUE_TALK},
    {"you may also", CUE_POINTER},
    {"you might also", CUE_POINTER},
    {"youtube", CUE_SITE},
};

enum { N_CUES = sizeof(cues) / sizeof(cues[0]) };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

static size_t first_of(char letter)
{
    size_t from = 0, to = N_CUES;
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (cues[middle].text[0] < letter)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint32_t cues_at(const char *s, size_t len)
{
    uint32_t mask = 0;
    const char first = (char)(s[0] >= 'A' && s[0] <= 'Z' ? s[0] + 32 : s[0]);
    for (size_t i = first_of(first); i < N_CUES && cues[i].text[0] == first;
         i++) {
        const size_t n = strlen(cues[i].text);
        if (n <= len && strncasecmp(s, cues[i].text, n) == 0)
            mask |= 1u << cues[i].kind;
    }
    return mask;
}

uint32_t og_page_cues(og_bytes text)
{
    uint32_t mask = 0;
    bool in_word = false;
    for (size_t i = 0; i < text.len; i++) {
        const bool letter = is_letter(text.data[i]);
        if (letter && !in_word) mask |= cues_at(text.data + i, text.len - i);
        in_word = letter;
    }
    return mask;
}
