#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* SIGINT and SIGTERM end a command at the next good moment: what was
 * acknowledged is kept, files are closed. A second one ends it at once. */

/* From now on. Points to what og_stream_options.stop wants. */
const volatile int *stop_on_signals(void);

/* The exit status after a stop: as if the signal had ended the process. */
int stop_status(void);

#endif
