#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* SIGINT and SIGTERM end a command at the next good moment: what was
 * acknowledged is kept, files are closed. A second one ends it at once. */

#include <origo/origo.h>
#include <stdbool.h>

/* From now on: the input asks whether there was one. */
void stop_on_signals(og_input *input);

/* The exit status after a stop: as if the signal had ended the process. Says
 * that it was stopped, and the story behind it: what is kept, how to continue;
 * "" when there is nothing to report. */
int stop_status(const char *story);
/* The same of a command that takes documents in. */
int stop_status_added(const og_stream_counts *counts);

/* From now on a reader that goes away (| head) is a failed write, and is
 * remembered. Where the caller of the program ignores SIGPIPE it is only a
 * failed write. */
void watch_pipes(void);
bool pipe_is_broken(void);

/* Ends the program as that signal ends others: no word, and the status that a
 * shell calls 141. */
void end_of_pipe(void);

#endif
