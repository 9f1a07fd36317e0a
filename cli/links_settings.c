/* Writes who copies from whom to files; see links_settings.h. */

#include "links_settings.h"

#include "say.h"

bool links_are_wanted(const struct links_settings *s)
{
    return s->csv != NULL || s->graphml != NULL || s->svg != NULL;
}

int links_write(const og_links *links, const struct links_settings *s,
                const char *command)
{
    const char *const paths[] = {s->csv, s->graphml, s->svg};
    const og_format formats[] = {OG_FORMAT_CSV, OG_FORMAT_GRAPHML,
                                 OG_FORMAT_SVG};
    for (unsigned i = 0; i < 3; i++) {
        og_error err = {0};
        if (paths[i] == NULL) continue;
        if (og_links_save(links, formats[i], paths[i], &err) != OG_OK)
            return say_error(command, &err);
    }
    return EXIT_DONE;
}
