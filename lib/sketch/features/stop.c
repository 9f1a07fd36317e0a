/* Stop words of some languages, in folded form: lower case, and split where
 * words are split ("l" of "l'eau", "don" and "t" of "don't"). A token is looked
 * up by its hash, so a list costs one probe of a small table per token. */

#include "lib/sketch/features/stop.h"

#include <origo/sketch.h>
#include <string.h>

#include "lib/base/bits.h"
#include "lib/base/hash_table.h"
#include "lib/token/tokens.h"

static const struct {
    const char *language, *words;
} lists[] = {
    {"de", "aber als am an auch auf aus bei bin bis da das dass dem den der "
           "des die dies diese dieser doch du durch ein eine einem einen einer "
           "eines er es für gegen hat hatte ich ihr im in ist ja kann man mehr "
           "mit nach nicht noch nur oder sein sich sie sind so über um und uns "
           "unter vom von vor war was wenn wer werden wie wir wird zu zum zur"},
    {"en", "a about after all also an and any are as at be been but by can "
           "could did do does for from had has have he her him his how i if in "
           "into is it its may more most no not of on one only or other our "
           "out over said she should so some such t than that the their them "
           "then there these they this those to up was we were what when which "
           "who will with would you your"},
    {"es",
     "a al como con cuando de del desde donde el ella en entre era es "
     "esa ese esta este ha había hasta la las le les lo los más me mi muy "
     "no nos o para pero por porque que qué se según ser si sin sobre su "
     "sus también te todo un una uno y ya yo"},
    {"fr", "à au aux avec c ce ces cette comme d dans de des du elle en est et "
           "été être il ils je l la le les leur lui m mais me n ne nous on ont "
           "ou où par pas plus pour qu que qui s sa se ses si son sont sur un "
           "une vous y"},
    {"it", "a ai al alla anche c che chi ci come con d da dal dalla dei del "
           "della delle di e è ed era gli ha ho i il in io l la le lo ma mi "
           "nel nella non o per più quando quello questa questo se si sono su "
           "sua suo tra un una uno"},
    {"nl", "aan al als bij daar dan dat de der die dit doch door een en er had "
           "heb heeft het hij hoe ik in is ja je kan maar me meer met mijn "
           "naar niet nog nu of om onder ook op over te toen tot uit van veel "
           "voor want was wat we wel werd wie wij wordt ze zei zich zijn zo "
           "zonder zou"},
    {"pt", "a ao aos as até com como da das de do dos e é ela ele em entre era "
           "essa esse esta este eu foi há isso já lhe mais mas me mesmo na nas "
           "não no nos o os ou para pela pelo por quando que quem se sem ser "
           "seu sua também te tem um uma você"},
    {"ru", "а без более бы был была были было быть в вам вас весь во вот все "
           "всего вы где да даже для до его ее если есть еще же за и из или им "
           "их к как ко когда кто ли меня мне может мы на надо нас не него нет "
           "ни но о об он она они оно от по под при с со так также там то "
           "того тоже только том ты у уже что чтобы эта эти это я"},
    {"sv",
     "alla att av blev bli de dem den denna det detta dig din du där då "
     "efter ej eller en er ett från för ha hade han har hon honom hur "
     "här i icke inte jag ju kan man med men mig min mot mycket ni nu när "
     "och om oss på sig sin sitt ska skulle som så till under upp ut utan "
     "vad var vara vi vid vilka än är över"},
};
enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };

const char *og_stop_languages(void)
{
    return "de en es fr it nl pt ru sv";
}

static const char *find_list(const char *language)
{
    for (size_t i = 0; i < N_LISTS; i++)
        if (strcmp(lists[i].language, language) == 0) return lists[i].words;
    return NULL;
}

bool og_stop_language_is(const char *language)
{
    return find_list(language) != NULL;
}

/* Four slots for each word of the longest list. 0 marks a free one: no stop
 * word has that hash (a test checks it). */
enum { N_SLOTS = 512 };

struct og_stop_set {
    const og_allocator *allocator;
    uint64_t slot[N_SLOTS];
};

static size_t slot_of(const struct og_stop_set *set, uint64_t hash)
{
    size_t at;
    OG_PROBE(at, hash, N_SLOTS, set->slot[at] == 0 || set->slot[at] == hash)
    return at;
}

bool og_stop_set_has(const struct og_stop_set *set, uint64_t token_hash)
{
    return token_hash != 0 && set->slot[slot_of(set, token_hash)] == token_hash;
}

/* The words are processed like any text, so that they match its tokens however
 * folding changes them. */
static og_status fill(struct og_stop_set *set, const char *words, uint64_t key,
                      og_error *err)
{
    struct og_text text;
    struct og_tokens tokens;
    og_text_init(&text, set->allocator);
    og_tokens_init(&tokens, set->allocator);
    og_status status =
        og_text_fold(&text, (og_bytes){words, strlen(words)}, err);
    if (status == OG_OK)
        status = og_text_tokenise(&text, OG_TOKEN_WORDS, key, &tokens, err);
    for (size_t i = 0; status == OG_OK && i < tokens.n; i++)
        set->slot[slot_of(set, tokens.hash[i])] = tokens.hash[i];
    og_tokens_release(&tokens);
    og_text_release(&text);
    return status;
}

og_status og_stop_set_new(const char *language, uint64_t key,
                          const og_allocator *allocator,
                          struct og_stop_set **out, og_error *err)
{
    const char *words = find_list(language);
    if (words == NULL)
        return og_error_set(err, OG_ERR_USAGE,
                            "no stop words of '%s', only of: %s", language,
                            og_stop_languages());
    struct og_stop_set *set = og_allocate_zero(allocator, sizeof(*set));
    if (set == NULL) return og_error_memory(err, sizeof(*set), "stop words");
    set->allocator = allocator;
    const og_status status = fill(set, words, key, err);
    if (status == OG_OK)
        *out = set;
    else
        og_stop_set_free(set);
    return status;
}

void og_stop_set_free(struct og_stop_set *set)
{
    if (set != NULL) og_release(set->allocator, set, sizeof(*set));
}
