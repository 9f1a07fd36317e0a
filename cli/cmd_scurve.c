/* origo scurve: the probability that a design of supershingles finds a pair.
 * Prints it, or draws figures 3.1 and 3.2 of the book: one with a linear scale,
 * the other logarithmic. */

#include "options.h"
#include "say.h"

#include <math.h>
#include <origo/origo.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COMMAND  "sketch curve"
#define MOST     8
#define N_STEPS  100
#define LOG_ENDS (-9.0) /* the lowest power of ten in the drawing */

enum { FORMAT_TSV, FORMAT_SVG };

struct scurve_settings {
    int format;
};

static void scurve_defaults(void *settings)
{
    struct scurve_settings *s = settings;
    s->format = FORMAT_TSV;
}

static const struct option scurve_options[] = {
    {.group = "Output",
     .letter = 'f',
     .name = "format",
     .type = &type_choice,
     .offset = offsetof(struct scurve_settings, format),
     .value = "FORMAT",
     .choices = "tsv|svg",
     .brief = "output format: tsv or svg",
     .more = "tsv has a line for each similarity in steps of 0.01; svg draws "
             "the curves twice, on a linear and on a logarithmic scale."},
};

struct curve {
    const char *name;
    og_bands bands;
};

/* ROWSxBANDS:NEEDED[/BITS] */
static int parse_design(const char *s, og_bands *out)
{
    unsigned rows, bands, needed, bits = 64;
    int end = 0, longer = 0;
    og_error err;
    const int n = sscanf(s, "%4ux%4u:%4u%n/%2u%n", &rows, &bands, &needed, &end,
                         &bits, &longer);
    if (n == 4) end = longer;
    if (n < 3 || s[end] != '\0')
        return say_usage(COMMAND,
                         "'%s' is not a design like 14x6:2 or 5x6:4/16", s);
    *out = (og_bands){rows, bands, needed, bits};
    if (og_bands_check(out, &err) != OG_OK)
        return say_usage(COMMAND, "design '%s': %s", s, err.message);
    return EXIT_DONE;
}

/* ---- numbers ---- */

static void print_table(const struct curve *curves, size_t n)
{
    printf("similarity");
    for (size_t c = 0; c < n; c++)
        printf("\t%s", curves[c].name);
    for (int i = 0; i <= N_STEPS; i++) {
        printf("\n%.2f", (double)i / N_STEPS);
        for (size_t c = 0; c < n; c++)
            printf("\t%.6g",
                   og_bands_probability(&curves[c].bands, (double)i / N_STEPS));
    }
    putchar('\n');
}

/* ---- drawing ---- */

enum { WIDTH = 420, HEIGHT = 300, LEFT = 60, TOP = 40, BETWEEN = 90 };

static const char *const colours[MOST] = {"#1b6ca8", "#c8553d", "#3a7d44",
                                          "#7b4b94", "#b8860b", "#444444",
                                          "#00838f", "#ad1457"};

static double height_of(double probability, bool is_log)
{
    if (!is_log) return probability;
    const double power = probability > 0 ? log10(probability) : LOG_ENDS;
    return power < LOG_ENDS ? 0 : 1 - power / LOG_ENDS;
}

static void draw_axes(double left, bool is_log)
{
    const int n_marks = is_log ? (int)-LOG_ENDS : 10;
    printf("<rect x='%g' y='%d' width='%d' height='%d' fill='none' "
           "stroke='#888'/>\n",
           left, TOP, WIDTH, HEIGHT);
    for (int i = 0; i <= n_marks; i++) {
        const double y = TOP + HEIGHT - (double)i / n_marks * HEIGHT;
        printf("<line x1='%g' y1='%.1f' x2='%g' y2='%.1f' stroke='#ddd'/>",
               left, y, left + WIDTH, y);
        printf("<text x='%g' y='%.1f' text-anchor='end'>", left - 6, y + 4);
        if (is_log)
            printf("1e%d</text>\n", i + (int)LOG_ENDS);
        else
            printf("%.1f</text>\n", (double)i / n_marks);
    }
    for (int i = 0; i <= 10; i += 2)
        printf("<text x='%.1f' y='%d' text-anchor='middle'>%.1f</text>\n",
               left + i / 10.0 * WIDTH, TOP + HEIGHT + 16, i / 10.0);
    printf("<text x='%g' y='%d' text-anchor='middle'>Jaccard similarity"
           "</text>\n<text x='%g' y='%d'>probability of being found, %s "
           "scale</text>\n",
           left + WIDTH / 2.0, TOP + HEIGHT + 34, left, TOP - 10,
           is_log ? "logarithmic" : "linear");
}

static void draw_curve(const struct curve *curve, size_t c, double left,
                       bool is_log)
{
    printf("<polyline fill='none' stroke='%s' stroke-width='2' points='",
           colours[c]);
    for (int i = 0; i <= 4 * N_STEPS; i++) {
        const double x = (double)i / (4 * N_STEPS);
        const double y =
            height_of(og_bands_probability(&curve->bands, x), is_log);
        printf("%.1f,%.1f ", left + x * WIDTH, TOP + HEIGHT - y * HEIGHT);
    }
    printf("'/>\n<text x='%g' y='%g' fill='%s'>%s</text>\n", left + 10,
           TOP + 18.0 + 16 * (double)c, colours[c], curve->name);
}

static void draw(const struct curve *curves, size_t n)
{
    printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
           "font-family='sans-serif' font-size='12'>\n"
           "<rect width='100%%' height='100%%' fill='white'/>\n",
           LEFT + 2 * WIDTH + BETWEEN + 20, TOP + HEIGHT + 50);
    for (int is_log = 0; is_log < 2; is_log++) {
        const double left = LEFT + is_log * (WIDTH + BETWEEN);
        draw_axes(left, is_log);
        for (size_t c = 0; c < n; c++)
            draw_curve(&curves[c], c, left, is_log);
    }
    printf("</svg>\n");
}

/* ---- the command ---- */

static int scurve_run(const void *settings, const char *const *designs,
                      size_t n)
{
    static const char *const altavista = "14x6:2";
    const struct scurve_settings *s = settings;
    struct curve curves[MOST];
    if (n == 0) {
        designs = &altavista;
        n = 1;
    }
    for (size_t i = 0; i < n; i++) {
        curves[i].name = designs[i];
        const int status = parse_design(designs[i], &curves[i].bands);
        if (status != EXIT_DONE) return status;
    }
    (s->format == FORMAT_SVG ? draw : print_table)(curves, n);
    return EXIT_DONE;
}

const struct command command_scurve = {
    .name = COMMAND,
    .alias = "scurve",
    .operands = "[DESIGN...]",
    .brief = "print the probability that supershingles find a pair",
    .about = "A supershingle represents ROWS samples and agrees when all of "
             "them agree; a pair of documents is found when NEEDED of BANDS "
             "supershingles agree. DESIGN is ROWSxBANDS:NEEDED, with /BITS if "
             "supershingles are truncated: 14x6:2 (the design of AltaVista, "
             "and the default), 5x6:4/16, 8x14:1. Up to eight designs are "
             "printed side by side, or drawn in one figure.",
    .examples =
        "  origo scurve\n"
        "  origo sketch curve --format svg 14x6:2 5x6:4/16 > scurve.svg\n",
    .options = scurve_options,
    .n_options = sizeof(scurve_options) / sizeof(scurve_options[0]),
    .settings_len = sizeof(struct scurve_settings),
    .max_operands = MOST,
    .defaults = scurve_defaults,
    .run = scurve_run,
};
