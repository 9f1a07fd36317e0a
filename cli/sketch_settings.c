/* What the commands over features share, from the settings to the exit
 * status. */

#include "sketch_settings.h"

#include "say.h"

void sketch_defaults(struct sketch_settings *s)
{
    s->features = og_feature_options_default();
    reading_defaults(&s->reading);
}

int sketch_start(struct sketch_run *run, const char *command,
                 const struct sketch_settings *s, const char *const *paths,
                 size_t n_paths, og_input *out,
                 og_feature_options *out_features, og_idf **out_idf)
{
    og_error err = {0};
    *out_features = s->features;
    *out_idf = NULL;
    if (s->idf != NULL && og_idf_open(s->idf, out_idf, &err) != OG_OK)
        return say_error(command, &err);
    out_features->idf = *out_idf;
    if (og_feature_options_check(out_features, &err) != OG_OK) {
        og_idf_close(*out_idf);
        return say_error(command, &err);
    }
    *out = reading_input(&s->reading, &run->progress, paths, n_paths);
    return EXIT_DONE;
}

/* Short documents are sketched like any other; only documents without any
 * features are mentioned. */
static void summarise(const struct sketch_run *run,
                      const og_stream_counts *counts)
{
    og_stream_counts shown = *counts;
    shown.n_short = 0;
    progress_summary(&run->progress, &shown, NULL);
    if (counts->n_short != 0)
        say("%llu document%s without features",
            (unsigned long long)counts->n_short,
            counts->n_short == 1 ? "" : "s");
}

/* Does not repeat what was already said, as a problem or by finish_stdout(). */
int sketch_end(struct sketch_run *run, const char *command,
               const struct sketch_settings *s, og_status status,
               const og_stream_counts *counts, const og_error *err)
{
    progress_end(&run->progress);
    if (!s->reading.quiet && status != OG_ERR_STOPPED) summarise(run, counts);
    if (status == OG_OK) return EXIT_DONE;
    if (run->failed) return EXIT_IO;
    return reading_status(command, status, counts, err);
}
