/*
 * build: from sources to the library for the host.
 *
 * Per source k, target t, program A; all files in one working directory. Steps in one line need
 * nothing of each other and run side by side.
 *     k.c -> k.dpa.device.c, k.dpa.host.c, k.dpa.entries     interface; X.dpa.o -> X.t.dpa.join.o
 *     k.c -> k.t.o; k.dpa.device.c -> k.t.dpa.device.o       device compiles; k.dpa.host.c ->
 * k.dpa.o k.t.o + k.t.dpa.device.o -> k.t.dpa.join.o             kept, handed out or put into
 * libraries all of them + libraries -> device_exec.t               device link, one per target
 *     device_exec.t -> device_exec.stub.inc; A.meta.c -> A.meta.o
 *     A.meta.o, k.dpa.o -> hostStubs.o -> hostStubs.a        host link -r, ar
 */
#ifndef DPACC_BUILD_H
#define DPACC_BUILD_H

#include "config.h"

/* Prints what went wrong; returns dpacc's exit code. */
int build(const struct config *config);

#endif
