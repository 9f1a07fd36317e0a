# From the README's C section to a program of one's own, with what is installed.

pc=$(find "$ORIGO_TREE" -name origo.pc)
want "there is a .pc file" test -n "$pc"
export PKG_CONFIG_PATH=${pc%/*}
lib=${PKG_CONFIG_PATH%/pkgconfig}
include=$(dirname "$(find "$ORIGO_TREE" -path '*origo/origo.h')")
cat > mine.c <<'END'
#include <origo/origo.h>
#include <string.h>

int main(void)
{
    og_store *store;
    og_error err;
    og_document a = {.id = OG_LITERAL("a"),
                     .text = OG_LITERAL("the committee resolved that the timbers of the west "
                                        "pier be examined by a diver before the end of April")};
    og_document b = a;
    b.id = (og_bytes)OG_LITERAL("b");
    if (og_store_open(":memory:", OG_CREATE, NULL, &store, &err) != OG_OK) return 1;
    og_trace *trace = og_trace_new(store);
    if (og_store_add(store, &a, NULL, &err) != OG_OK) return 2;
    if (og_store_trace(store, &b, trace, &err) != OG_OK) return 3;
    const og_answer *answer = og_trace_answer(trace);
    if (answer->n_spans != 1 || answer->spans[0].origin_id.data[0] != 'a') return 4;
    og_trace_free(trace);
    /* What goes wrong is a status and a story, never an exit. */
    if (og_store_open("/no/such/store", OG_READ, NULL, &store, &err) != OG_ERR_NO_STORE)
        return 5;
    if (strstr(err.message, "/no/such/store") == NULL) return 6;
    /* An output that is packed as its name tells. */
    og_output *output;
    if (og_output_new("lines.gz", NULL, &output, &err) != OG_OK) return 7;
    fprintf(og_output_file(output), "one\ntwo\n");
    if (og_output_commit(output, &err) != OG_OK) return 8;
    og_output_free(output);
    return 0;
}
END
cc -std=c11 -Wall -Wextra -Werror -I"${include%/origo}" -o mine mine.c -L"$lib" -lorigo
want "the program does what it says" env LD_LIBRARY_PATH="$lib" ./mine
want "and has packed its lines" test "$(zcat lines.gz | wc -l)" = 2
for example in examples/*.c; do
    cc -std=c11 -I"${include%/origo}" -o example "$example" -L"$lib" -lorigo
    want "$example runs" env LD_LIBRARY_PATH="$lib" ./example
done
