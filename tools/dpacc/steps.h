/*
 * steps: what dpacc does itself between the tools that it runs, as commands of their own, so that
 * the lines that -v and -dryrun print do the whole work.
 *
 *     dpacc -step interface SOURCE BASE TARGET,... -- PARSER ARGUMENTS
 *         reads annotated functions -> BASE.dpa.device.c, BASE.dpa.host.c, BASE.dpa.entries, and
 *         BASE.dpa.overlay for static ones
 *     dpacc -step object-stub OUT TARGET=OBJECT...
 *         device objects as C for the section .dpa_obj
 *     dpacc -step extract INPUT BASE SUFFIX TARGET...
 *         out of a DPA object or a library for several targets -> BASE.TARGET SUFFIX
 *     dpacc -step program-stub OUT APP ATTRIBUTES TARGET=EXECUTABLE...
 *         device executables, room for crypto data, attributes ("" for none) as C
 *     dpacc -step meta OUT APP ENTRY...
 *         the program's variable, its constructor and destructor
 *     dpacc -step coverage IN OUT
 *         assembly of code that counts, changed for the DPA (coverage.h)
 *     dpacc -step library OUT TARGET=ARCHIVE...
 *         device archives of several targets as one library
 */
#ifndef DPK_DPACC_STEPS_H
#define DPK_DPACC_STEPS_H

#include "words.h"

/* Is this command line one of them? */
bool step_is(size_t count, char *const *words);
/* Does it; prints what went wrong; returns the exit code. `driven`: by a dpacc that reads what is
 * wrong with a source out of BASE.dpa.entries. */
int step_run(size_t count, char *const *words, bool driven);

#endif
