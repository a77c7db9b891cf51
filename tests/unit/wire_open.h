/* For tests of wires: opens a wire, or fails the test, and reads its counters. */
#ifndef TESTS_WIRE_OPEN_H
#define TESTS_WIRE_OPEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/wire/wire.h"

static inline struct dpk_wire *wire_open(const char *spec, const struct dpk_wire_sink *sink)
{
    struct dpk_wire *wire = NULL;
    struct dpk_error err = {0};
    if (dpk_wire_open(spec, sink, &wire, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return wire;
}

static inline struct dpk_wire_counters counters(const struct dpk_wire *wire)
{
    struct dpk_wire_counters c;
    dpk_wire_counters(wire, &c);
    return c;
}

#endif
