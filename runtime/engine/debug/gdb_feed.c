/* Bytes of GDB (Remote Serial Protocol, "Overview"): splits them into packets, and carries these
 * out. */
#include <errno.h>

#include "engine/debug/gdb.h"

static void packet_done(struct gdb *g)
{
    bool whole = g->sum == g->said_sum;
    if (!g->no_ack)
        dpk_put_u8(&g->out, whole ? '+' : '-');
    if (!whole || g->running) /* while the target runs, only an interrupt is allowed */
        return;
    if (g->length > GDB_PACKET_MAX) {
        debug_gdb_error(g, E2BIG);
    } else {
        g->packet[g->length] = '\0';
        debug_gdb_command(g);
    }
    if (!g->running && !(g->over && g->body.size == 0))
        debug_gdb_send(g);
}

static void take_byte(struct gdb *g, uint8_t byte)
{
    int value;
    switch (g->state) {
    case GDB_IDLE:
        if (byte == '$') {
            g->state = GDB_BODY;
            g->length = g->sum = 0;
        } else if (byte == 0x03 && g->running) {
            g->ops->interrupt(g->target);
        } else if (byte == '-' && !g->no_ack && g->out.size == 0) { /* else still unsent */
            dpk_put(&g->out, g->last.data, g->last.size);
        }
        break;
    case GDB_BODY:
        if (byte == '#') {
            g->state = GDB_SUM_HIGH;
            break;
        }
        g->sum = (uint8_t)(g->sum + byte);
        if (g->length < GDB_PACKET_MAX)
            g->packet[g->length] = (char)byte;
        if (g->length <= GDB_PACKET_MAX)
            g->length++;
        break;
    case GDB_SUM_HIGH:
        value = debug_gdb_digit((char)byte);
        g->said_sum = (uint8_t)((value & 15) << 4);
        if (value < 0) /* not a checksum */
            g->said_sum = (uint8_t)~g->sum;
        g->state = GDB_SUM_LOW;
        break;
    case GDB_SUM_LOW:
        value = debug_gdb_digit((char)byte);
        g->said_sum = value < 0 ? (uint8_t)~g->sum : (uint8_t)(g->said_sum | value);
        g->state = GDB_IDLE;
        packet_done(g);
        break;
    }
}

/* Checks the first byte. GDB begins with an acknowledgement, a packet or an interrupt. A browser
 * that a web page makes connect here begins with the name of an HTTP method. */
static void check_first(struct gdb *g, uint8_t byte)
{
    g->begun = true;
    g->stranger = byte != '+' && byte != '-' && byte != '$' && byte != 0x03;
    if (!g->stranger)
        return;
    g->ops->detach(g->target);
    g->over = true;
}

void debug_gdb_feed(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size > 0 && !g->begun)
        check_first(g, b[0]);
    for (size_t i = 0; i < size && !g->over && !g->out.failed && !g->body.failed; i++)
        take_byte(g, b[i]);
}
