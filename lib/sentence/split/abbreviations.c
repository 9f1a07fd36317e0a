/* Three kinds: those that never end a sentence (titles, "e.g."), those that do
 * not if a number follows ("No. 5", "Jan. 3"), and single letters ("J. K.
 * Rowling", "U.S. Army"). Abbreviations that end sentences as often as not
 * ("etc.", "Inc.") are left to Unicode's rule: a sentence does not begin with a
 * lower-case letter.
 *
 * Words of several languages are in one list: an abbreviation of one language
 * is hardly ever the last word of a sentence in another. They are compared
 * without regard to ASCII case. */

#include "lib/sentence/split/abbreviations.h"

#include <string.h>

#include "lib/sentence/split/sentence_class.h"
#include "lib/text/utf8.h"

/* Each between two spaces. */
static const char always[] =
    " mr mrs ms dr prof st rev hon gen col capt cpt lt sgt maj cmdr adm gov "
    "sen "
    "rep messrs mme mlle mgr vs cf viz resp approx fr br sr mt ft dept "
    "hr hrn frl bzw evtl ggf inkl exkl vgl sog zzgl abzgl bspw dipl ing mag "
    "sra srta dra dn do\xc3\xb1"
    "a ud uds vd vds lic ing arq "
    "sig dott avv geom on egr spett "
    "dhr mevr mw drs ir jhr ds "
    "hra fru frk kand "
    "exmo exma ilmo ilma eng "
    "\xd0\xb3 \xd0\xb3\xd0\xb3 \xd1\x83\xd0\xbb \xd0\xbf\xd1\x80\xd0\xbe\xd1"
    "\x84 \xd0\xb8\xd0\xbc \xd1\x82\xd0\xbe\xd0\xb2 \xd1\x81\xd1\x82 \xd1\x81"
    "\xd0\xbc \xd0\xbe\xd0\xb1\xd0\xbb ";

static const char before_number[] =
    " no nos nr nrs num n\xc2\xba vol vols fig figs eq eqs sec sect ch chap "
    "art "
    "para par p pp pg pag p\xc3\xa1g s seite bd abs abb kap anm anh aufl jg "
    "tab "
    "jan feb mar apr jun jul aug sep sept oct nov dec okt dez m\xc3\xa4r "
    "janv f\xc3\xa9vr avr juil d\xc3\xa9"
    "c ca c circa rfc ver v op cap lib "
    "\xd1\x80\xd0\xb8\xd1\x81 \xd1\x81\xd1\x82\xd1\x80 \xd0\xb3\xd0\xbb ";

/* "am 3. Oktober": in German the full stop makes an ordinal of a number. */
static const char months[] =
    " januar februar m\xc3\xa4rz april mai juni juli august september oktober "
    "november dezember jahrhundert ";

enum { LONGEST_WORD = 24 };

static bool is_in(const char *list, const char *word, size_t len)
{
    char wanted[LONGEST_WORD + 3];
    if (len == 0 || len > LONGEST_WORD) return false;
    wanted[0] = ' ';
    for (size_t i = 0; i < len; i++) {
        const char c = word[i];
        if (c == ' ') return false;
        wanted[i + 1] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    memcpy(wanted + len + 1, " ", 2);
    return strstr(list, wanted) != NULL;
}

static enum og_sentence_class class_at(const char *text, size_t len, size_t at)
{
    return og_sentence_class_of(
        og_utf8_decode((const unsigned char *)text + at, len - at).code_point);
}

static size_t before(const char *text, size_t begin, size_t at)
{
    do
        at--;
    while (at > begin && og_utf8_is_tail((unsigned char)text[at]));
    return at;
}

static bool is_word_part(enum og_sentence_class class)
{
    return class == OG_SB_LOWER || class == OG_SB_UPPER ||
           class == OG_SB_OLETTER || class == OG_SB_NUMERIC ||
           class == OG_SB_EXTEND;
}

/* The beginning of the word that ends at `end`; not before `begin`, and not so
 * far back that a text without spaces would be read again and again. */
static size_t word_begin(const char *text, size_t begin, size_t end)
{
    size_t at = end;
    while (at > begin && end - at < (size_t)4 * LONGEST_WORD) {
        const size_t previous = before(text, begin, at);
        if (!is_word_part(class_at(text, end, previous))) break;
        at = previous;
    }
    return at;
}

static bool is_one_letter(const char *text, size_t begin, size_t end)
{
    return begin < end &&
           og_utf8_decode((const unsigned char *)text + begin, end - begin)
                   .len == end - begin &&
           class_at(text, end, begin) != OG_SB_NUMERIC;
}

static bool is_number(const char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return begin < end;
}

/* "1." or "iv." or "b)": only a list marker so far. */
static bool is_list_mark(const char *text, size_t begin, size_t word,
                         size_t stop)
{
    while (begin < word && (text[begin] == '(' || text[begin] == ' ' ||
                            text[begin] == '>' || text[begin] == '\t'))
        begin++;
    if (begin != word || stop - word > 4) return false;
    if (is_number(text, word, stop)) return true;
    for (size_t i = word; i < stop; i++)
        if (strchr("ivxIVX", text[i]) == NULL) return stop - word == 1;
    return true;
}

bool og_stop_is_abbreviation(const char *text, size_t len, size_t begin,
                             size_t stop, size_t next)
{
    const size_t word = word_begin(text, begin, stop);
    const size_t word_len = stop - word;
    if (word_len == 0 || next >= len) return false;
    const enum og_sentence_class follows = class_at(text, len, next);
    if (is_list_mark(text, begin, word, stop)) return true;
    /* "a.m." and "p.m." may well end a sentence, "e.g." and "U.S." hardly. */
    const bool has_letters_before = word > begin + 1 && text[word - 1] == '.';
    if (is_one_letter(text, word, stop) &&
        (has_letters_before || class_at(text, stop, word) == OG_SB_UPPER))
        return !(has_letters_before && text[word] == 'm');
    if (is_in(always, text + word, word_len)) return true;
    if (follows == OG_SB_NUMERIC)
        return is_in(before_number, text + word, word_len);
    if (word_len > 2 || !is_number(text, word, stop)) return false;
    size_t end = next;
    while (end < len && end - next < LONGEST_WORD &&
           is_word_part(class_at(text, len, end)))
        end += og_utf8_len((unsigned char)text[end]);
    return end <= len && is_in(months, text + next, end - next);
}
