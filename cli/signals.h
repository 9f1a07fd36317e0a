#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* SIGINT and SIGTERM end a command at the next safe point: acknowledged work is
 * kept, files are closed. A second one ends it at once. */

#include <origo/origo.h>
#include <stdbool.h>

/* From now on the input checks for a signal. */
void stop_on_signals(og_input *input);

/* The exit status after a stop: as if the signal had ended the process. Reports
 * the stop with `story`: what is kept, how to continue; "" for nothing to
 * report. */
int stop_status(const char *story);
/* The same for a command that adds documents. */
int stop_status_added(const og_stream_counts *counts);

/* From now on a closed pipe (| head) is a failed write, and is remembered. If
 * the caller of the program ignores SIGPIPE it is only a failed write. */
void watch_pipes(void);
bool pipe_is_broken(void);

/* Ends the program as that signal ends others: no message, and the status that
 * a shell calls 141. */
void end_of_pipe(void);

#endif
