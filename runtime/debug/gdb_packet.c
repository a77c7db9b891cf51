/* Packets of GDB (Remote Serial Protocol, "Overview"): their framing, and numbers in them. */
#include <errno.h>
#include <string.h>

#include "debug/gdb.h"

/* ---- Answers ---- */

static const char digits[] = "0123456789abcdef";

void gdb_hex(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++) {
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] >> 4]);
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] & 15]);
    }
}

void gdb_error(struct gdb *g, int number)
{
    g->body.size = 0;
    dpk_put_format(&g->body, "E%02x", (unsigned)number & 0xff);
}

void gdb_ok(struct gdb *g)
{
    dpk_put_format(&g->body, "OK");
}

void gdb_ok_or(struct gdb *g, bool done, int number)
{
    if (done)
        gdb_ok(g);
    else
        gdb_error(g, number);
}

void gdb_send(struct gdb *g)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < g->body.size; i++)
        sum = (uint8_t)(sum + g->body.data[i]);
    g->last.size = 0;
    dpk_put_u8(&g->last, '$');
    dpk_put(&g->last, g->body.data, g->body.size);
    dpk_put_format(&g->last, "#%02x", sum);
    dpk_put(&g->out, g->last.data, g->last.size);
    g->body.size = 0;
}

void gdb_say(struct gdb *g, const char *text)
{
    dpk_put_u8(&g->body, 'O');
    gdb_hex(g, text, strlen(text));
    gdb_send(g);
}

/* ---- Numbers ---- */

static int digit(char c)
{
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at == NULL ? -1 : (int)(at - digits);
}

bool gdb_number(const char **text, uint64_t *out)
{
    unsigned count = 0;
    *out = 0;
    for (; digit(**text) >= 0 && count < 16; count++)
        *out = *out << 4 | (unsigned)digit(*(*text)++);
    return count > 0 && digit(**text) < 0;
}

bool gdb_unhex(const char **text, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = digit((*text)[0]), low = high < 0 ? -1 : digit((*text)[1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        *text += 2;
    }
    return true;
}

bool gdb_expect(const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

/* "ADDRESS,LENGTH" */
bool gdb_range(const char **text, uint64_t *address, uint64_t *length)
{
    return gdb_number(text, address) && gdb_expect(text, ',') && gdb_number(text, length);
}

/* ---- Framing ---- */

static void packet_done(struct gdb *g)
{
    bool whole = g->sum == g->said_sum;
    if (!g->no_ack)
        dpk_put_u8(&g->out, whole ? '+' : '-');
    if (!whole || g->running) /* while the target runs, only an interrupt is allowed */
        return;
    if (g->length > GDB_PACKET_MAX) {
        gdb_error(g, E2BIG);
    } else {
        g->packet[g->length] = '\0';
        gdb_command(g);
    }
    if (!g->running && !(g->over && g->body.size == 0))
        gdb_send(g);
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
        } else if (byte == '-' && !g->no_ack && g->out.size == 0) { /* else it is not sent yet */
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
        value = digit((char)byte);
        g->said_sum = (uint8_t)((value & 15) << 4);
        if (value < 0) /* it is no checksum */
            g->said_sum = (uint8_t)~g->sum;
        g->state = GDB_SUM_LOW;
        break;
    case GDB_SUM_LOW:
        value = digit((char)byte);
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

void gdb_feed(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size > 0 && !g->begun)
        check_first(g, b[0]);
    for (size_t i = 0; i < size && !g->over && !g->out.failed && !g->body.failed; i++)
        take_byte(g, b[i]);
}
