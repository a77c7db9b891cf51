/*
 * trace: makes the text of trace messages. The device sends numbers, and the host program has a format for
 * them. Both may be hostile, so a format may convert integers only.
 *
 *     char line[DPK_TRACE_LINE];
 *     if (dpk_trace_is_format("queue %u: %lx\n", 2))
 *         fwrite(line, 1, dpk_trace_line("queue %u: %lx\n", values, 2, line), out);
 */
#ifndef DPK_TRACE_TRACE_H
#define DPK_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DPK_TRACE_LINE   1024 /* bytes of a line with its NUL; longer lines are cut */
#define DPK_TRACE_VALUES 6    /* most numbers of a message */

/* Returns true if the format's conversions are of integers (diuxXocp, with flags, width, precision and
 * length) and need at most `count` numbers. */
bool dpk_trace_is_format(const char *format, unsigned count);
/* Writes the line of a message with `count` numbers. Missing numbers are 0. Returns its length. */
size_t dpk_trace_line(const char *format, const uint64_t *values, unsigned count,
                      char line[DPK_TRACE_LINE]);
/* Writes the line of a message whose format is unknown. `count`: at most DPK_TRACE_VALUES. */
size_t dpk_trace_unknown(int format, const uint64_t *values, unsigned count,
                         char line[DPK_TRACE_LINE]);

#endif
