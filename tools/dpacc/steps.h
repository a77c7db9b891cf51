/*
 * steps: dpacc's own work between the tools, as separate commands, so that the commands of -v and
 * -dryrun do the complete work.
 *
 *     dpacc -step interface SOURCE BASE TARGET,... -- PARSER ARGUMENTS
 *         reads annotated functions -> BASE.dpa.device.c, BASE.dpa.host.c, BASE.dpa.entries, and
 *         BASE.dpa.overlay for static ones
 *     dpacc -step object-stub BASE TARGET=OBJECT...
 *         device objects as C for the section .dpa_obj
 *     dpacc -step extract INPUT BASE SUFFIX TARGET...
 *         from a DPA object or a library for several targets -> BASE.TARGET SUFFIX
 *     dpacc -step program-stub OUT APP ATTRIBUTES area|bare TARGET=EXECUTABLE...
 *         device executables, room for crypto data, attributes ("" for none) as C
 *     dpacc -step meta OUT APP FILE.ENTRY...
 *         the program's variable, its constructor and destructor
 *     dpacc -step finish EXECUTABLE TARGET
 *         in place: symbols that nobody needs are removed (labels.h), .dpa.attributes names the target
 *     dpacc -step coverage IN OUT
 *         instrumented assembly, adapted to the DPA (coverage.h)
 *     dpacc -step library OUT TARGET=ARCHIVE...
 *         device archives of several targets as one library
 */
#ifndef DPK_DPACC_STEPS_H
#define DPK_DPACC_STEPS_H

#include "common/words.h"

/* Returns true if the command line is one of these steps. */
bool dpacc_step_is(size_t count, char *const *words);
/* Runs the step, and prints errors. Returns the exit code. `driven`: the caller is dpacc, which
 * reads errors of the source from BASE.dpa.entries. */
int dpacc_step_run(size_t count, char *const *words, bool driven);

#endif
