/*
 * build: from sources to the library for the host.
 *
 * Per source k, target t, program A; all files in one working directory:
 *     k.c -> k.t.o                                  device compile
 *     k.c -> k.dpa.device.c, k.dpa.host.c           ifgen
 *     k.dpa.device.c -> k.t.dpa.device.o            device compile
 *     k.t.o + k.t.dpa.device.o -> k.t.dpa.join.o    device link -r
 *     k.t.dpa.join.o -> k.stub.inc                  (kept only)
 *     all of them + libraries -> device_exec.t      device link
 *     device_exec.t -> device_exec.stub.inc, A.meta.c
 *     k.dpa.host.c, A.meta.c -> k.dpa.o, A.meta.o   host compile
 *     all of them -> hostStubs.o -> hostStubs.a     host link -r, ar
 */
#ifndef DPACC_BUILD_H
#define DPACC_BUILD_H

#include "config.h"

/* Prints what went wrong; returns dpacc's exit code. */
int build(const struct config *config);

#endif
