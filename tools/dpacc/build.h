/*
 * build: from sources to the library for the host.
 *
 * Per source k, target t, program A; all files in one working directory. Steps of one paragraph
 * are independent and run in parallel.
 *
 * interface        k.c -> k.dpa.device.c, k.dpa.host.c, k.dpa.entries
 * objects          X.dpa.o -> X.t.dpa.join.o
 *
 * device compiles  k.c -> k.t.o; k.dpa.device.c -> k.t.dpa.device.o
 * host compile     k.dpa.host.c -> k.dpa.o
 *
 * device join      k.t.o + k.t.dpa.device.o -> k.t.dpa.join.o (kept, or for objects and libraries)
 *
 * device link      all of them + libraries -> device_exec.t
 *
 * embedding        device_exec.t -> device_exec.stub.inc; A.meta.c -> A.meta.o
 *
 * host link        A.meta.o + k.dpa.o -> hostStubs.o -> hostStubs.a
 */
#ifndef DPK_DPACC_BUILD_H
#define DPK_DPACC_BUILD_H

#include "config.h"

/* Builds, and prints errors. Returns dpacc's exit code. */
int dpacc_build(const struct config *config);

#endif
