#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* SIGINT and SIGTERM end a command at the next good moment: what was
 * acknowledged is kept, files are closed. A second one ends it at once. */

#include <origo/origo.h>

/* From now on: the input asks whether there was one. */
void stop_on_signals(og_input *input);

/* The exit status after a stop: as if the signal had ended the process. */
int stop_status(void);

#endif
