/* Packets of GDB (Remote Serial Protocol, "Overview"): answers, and numbers in packets. */
#include <string.h>

#include "engine/debug/gdb.h"

/* ---- Answers ---- */

static const char digits[] = "0123456789abcdef";

void debug_gdb_hex(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++) {
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] >> 4]);
        dpk_put_u8(&g->body, (uint8_t)digits[b[i] & 15]);
    }
}

void debug_gdb_error(struct gdb *g, int number)
{
    g->body.size = 0;
    dpk_put_format(&g->body, "E%02x", (unsigned)number & 0xff);
}

void debug_gdb_ok(struct gdb *g)
{
    dpk_put_format(&g->body, "OK");
}

void debug_gdb_ok_or(struct gdb *g, bool done, int number)
{
    if (done)
        debug_gdb_ok(g);
    else
        debug_gdb_error(g, number);
}

void debug_gdb_send(struct gdb *g)
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

void debug_gdb_say(struct gdb *g, const char *text)
{
    dpk_put_u8(&g->body, 'O');
    debug_gdb_hex(g, text, strlen(text));
    debug_gdb_send(g);
}

/* ---- Numbers ---- */

int debug_gdb_digit(char c)
{
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    return at == NULL ? -1 : (int)(at - digits);
}

bool debug_gdb_number(const char **text, uint64_t *out)
{
    unsigned count = 0;
    *out = 0;
    for (; debug_gdb_digit(**text) >= 0 && count < 16; count++)
        *out = *out << 4 | (unsigned)debug_gdb_digit(*(*text)++);
    return count > 0 && debug_gdb_digit(**text) < 0;
}

bool debug_gdb_unhex(const char **text, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = debug_gdb_digit((*text)[0]), low = high < 0 ? -1 : debug_gdb_digit((*text)[1]);
        if (low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
        *text += 2;
    }
    return true;
}

bool debug_gdb_expect(const char **text, char c)
{
    bool there = **text == c;
    *text += there;
    return there;
}

/* "ADDRESS,LENGTH" */
bool debug_gdb_range(const char **text, uint64_t *address, uint64_t *length)
{
    return debug_gdb_number(text, address) && debug_gdb_expect(text, ',') &&
           debug_gdb_number(text, length);
}
