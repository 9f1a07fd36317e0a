/* What the commands over features have in common, from the settings to the
 * exit status. */

#include "sketch_settings.h"

#include "say.h"

void sketch_defaults(struct sketch_settings *s)
{
    s->sketch = og_sketch_options_default();
}

static void on_problem(void *ctx, const og_problem *problem)
{
    struct sketch_run *run = ctx;
    progress_problem(&run->progress, problem);
}

static void on_progress(void *ctx, const og_stream_counts *counts)
{
    struct sketch_run *run = ctx;
    progress_show(&run->progress, counts);
}

int sketch_start(struct sketch_run *run, const char *command,
                 const struct sketch_settings *s, const char *const *paths,
                 size_t n_paths, og_sketch_options *out, og_idf **out_idf)
{
    og_error err = {0};
    *out = s->sketch;
    out->ctx = run;
    out->on_problem = on_problem;
    out->on_progress = on_progress;
    *out_idf = NULL;
    if (s->idf != NULL && og_idf_open(s->idf, out_idf, &err) != OG_OK)
        return say_error(command, &err);
    out->features.idf = *out_idf;
    if (og_feature_options_check(&out->features, &err) != OG_OK) {
        og_idf_close(*out_idf);
        return say_error(command, &err);
    }
    progress_start(&run->progress, paths, n_paths, s->quiet, s->verbose);
    return EXIT_DONE;
}

/* Short documents are sketched like any other; what is worth a word is one
 * without any feature. */
static void summarise(const struct sketch_run *run,
                      const og_stream_counts *counts)
{
    og_stream_counts shown = *counts;
    shown.n_short = 0;
    progress_summary(&run->progress, &shown, NULL);
    if (counts->n_short != 0)
        say("%llu document%s without any feature",
            (unsigned long long)counts->n_short,
            counts->n_short == 1 ? "" : "s");
}

/* What was said already, as a problem or by finish_stdout(), is not repeated.
 */
int sketch_end(struct sketch_run *run, const char *command,
               const struct sketch_settings *s, og_status status,
               const og_stream_counts *counts, const og_error *err)
{
    progress_end(&run->progress);
    if (!s->quiet && status != OG_ERR_STOPPED) summarise(run, counts);
    if (status == OG_OK) return EXIT_DONE;
    if (run->failed) return EXIT_IO;
    if (counts->n_files_failed > 0 && run->progress.n_problems != 0)
        return EXIT_IO;
    return say_error(command, err);
}
