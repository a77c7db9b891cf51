/* Fields and refusals of commands. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

uint64_t devx_get(struct devx_in from, size_t bit, unsigned bits)
{
    uint64_t value = 0;
    for (size_t i = bit; i < bit + bits; i++)
        value =
            value << 1 | (i / 8 < from.size ? (unsigned)from.bytes[i / 8] >> (7 - i % 8) & 1u : 0u);
    return value;
}

void devx_put(struct devx_out to, size_t bit, unsigned bits, uint64_t value)
{
    for (unsigned k = 0; k < bits; k++) {
        const size_t i = bit + bits - 1 - k;
        const uint8_t mask = (uint8_t)(0x80u >> i % 8);
        if (i / 8 >= to.size)
            continue;
        if (value >> k & 1)
            to.bytes[i / 8] |= mask;
        else
            to.bytes[i / 8] &= (uint8_t)~mask;
    }
}

struct devx_in devx_part(struct devx_in of, size_t byte)
{
    return byte < of.size ? (struct devx_in){of.bytes + byte, of.size - byte}
                          : (struct devx_in){of.bytes, 0};
}

int devx_begin(struct devx_command *c, const char *call, const void *in, size_t in_size, void *out,
               size_t out_size)
{
    *c = (struct devx_command){call, 0, {in, in ? in_size : 0}, {out, out ? out_size : 0}};
    c->opcode = (unsigned)devx_get(c->in, 0, 16);
    if (c->in.size >= DEVX_HEADER && c->out.size >= DEVX_HEADER) {
        memset(out, 0, out_size);
        return 0;
    }
    fprintf(stderr, "-E- %s: a command of %zu bytes, and %zu for its answer, are less than %u\n",
            call, c->in.size, c->out.size, DEVX_HEADER);
    return EINVAL;
}

static const char *name_of(unsigned opcode)
{
    static const struct {
        enum devx_opcode opcode;
        const char *name;
    } names[] = {{DEVX_QUERY_HCA_CAP, "QUERY_HCA_CAP"},
                 {DEVX_CREATE_CQ, "CREATE_CQ"},
                 {DEVX_CREATE_QP, "CREATE_QP"},
                 {DEVX_RST2INIT_QP, "RST2INIT_QP"},
                 {DEVX_INIT2RTR_QP, "INIT2RTR_QP"},
                 {DEVX_RTR2RTS_QP, "RTR2RTS_QP"},
                 {DEVX_RTS2RTS_QP, "RTS2RTS_QP"},
                 {DEVX_2ERR_QP, "2ERR_QP"},
                 {DEVX_2RST_QP, "2RST_QP"},
                 {DEVX_QUERY_QP, "QUERY_QP"},
                 {DEVX_INIT2INIT_QP, "INIT2INIT_QP"},
                 {DEVX_QUERY_ROCE_ADDRESS, "QUERY_ROCE_ADDRESS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].opcode == opcode)
            return names[i].name;
    return NULL;
}

int devx_refuse(const struct devx_command *c, enum devx_status status, const char *format, ...)
{
    const char *name = name_of(c->opcode);
    char reason[300];
    va_list ap;
    va_start(ap, format);
    vsnprintf(reason, sizeof reason, format, ap);
    va_end(ap);
    c->out.bytes[0] = (uint8_t)status;
    if (name)
        fprintf(stderr, "-E- %s: %s: %s\n", c->call, name, reason);
    else
        fprintf(stderr, "-E- %s: command 0x%x: %s\n", c->call, c->opcode, reason);
    return status == DEVX_BAD_OPERATION ? EOPNOTSUPP : EREMOTEIO;
}

int devx_check_sizes(const struct devx_command *c, size_t in_size, size_t out_size)
{
    if (c->in.size < in_size)
        return devx_refuse(c, DEVX_BAD_INPUT_SIZE, "its %zu bytes are less than %zu", c->in.size,
                           in_size);
    if (c->out.size < out_size)
        return devx_refuse(c, DEVX_BAD_OUTPUT_SIZE, "its answer has %zu bytes, not %zu",
                           c->out.size, out_size);
    return 0;
}
