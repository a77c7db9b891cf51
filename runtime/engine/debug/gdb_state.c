/* Packets of GDB that read and change registers, memory, breakpoints and watches. */
#include "engine/debug/gdb.h"

#include <errno.h>

/* ---- Registers ---- */

enum { REGISTERS = 33, REG_PC = 32 };

/* The registers in the order of target.xml: x0 to x31, then pc. */
static bool get_registers(struct gdb *g, uint64_t regs[REGISTERS])
{
    return g->ops->get_registers(g->target, debug_gdb_thread(g), regs, &regs[REG_PC]);
}

static bool set_registers(struct gdb *g, const uint64_t regs[REGISTERS])
{
    return g->ops->set_registers(g->target, debug_gdb_thread(g), regs, regs[REG_PC]);
}

static void put_register(struct gdb *g, uint64_t value)
{
    uint8_t bytes[8];
    dpk_store_le64(bytes, value);
    debug_gdb_hex(g, bytes, sizeof bytes);
}

static bool take_register(const char **text, uint64_t *value)
{
    uint8_t bytes[8];
    if (!debug_gdb_unhex(text, bytes, sizeof bytes))
        return false;
    struct dpk_reader r = dpk_reader(bytes, sizeof bytes);
    *value = dpk_read_le64(&r);
    return true;
}

void debug_gdb_read_registers(struct gdb *g)
{
    uint64_t regs[REGISTERS];
    if (!get_registers(g, regs)) {
        debug_gdb_error(g, ESRCH);
        return;
    }
    for (unsigned i = 0; i < REGISTERS; i++)
        put_register(g, regs[i]);
}

void debug_gdb_write_registers(struct gdb *g, const char *text)
{
    uint64_t regs[REGISTERS];
    bool good = true;
    for (unsigned i = 0; good && i < REGISTERS; i++)
        good = take_register(&text, &regs[i]);
    if (good && *text == '\0')
        debug_gdb_changed_or(g, set_registers(g, regs), EINVAL);
    else
        debug_gdb_error(g, EINVAL);
}

void debug_gdb_read_register(struct gdb *g, const char *text)
{
    uint64_t n, regs[REGISTERS];
    if (debug_gdb_number(&text, &n) && *text == '\0' && n < REGISTERS && get_registers(g, regs))
        put_register(g, regs[n]);
    else
        debug_gdb_error(g, EINVAL);
}

void debug_gdb_write_register(struct gdb *g, const char *text)
{
    uint64_t n, value, regs[REGISTERS];
    bool good = debug_gdb_number(&text, &n) && n < REGISTERS && debug_gdb_expect(&text, '=') &&
                take_register(&text, &value) && *text == '\0' && get_registers(g, regs);
    if (!good) {
        debug_gdb_error(g, EINVAL);
        return;
    }
    regs[n] = value;
    debug_gdb_changed_or(g, set_registers(g, regs), EINVAL);
}

/* ---- Memory ---- */

/* m ADDRESS,LENGTH: answers with the bytes from ADDRESS up to the first unmapped page. */
void debug_gdb_read_memory(struct gdb *g, const char *text)
{
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t address, length;
    if (!debug_gdb_range(&text, &address, &length) || *text != '\0') {
        debug_gdb_error(g, EINVAL);
        return;
    }
    if (length > sizeof bytes)
        length = sizeof bytes;
    size_t got = 0;
    while (got < length) { /* page by page */
        size_t step = RV64_PAGE - (address + got) % RV64_PAGE;
        step = step < length - got ? step : (size_t)length - got;
        if (address + got < address || !g->ops->read(g->target, address + got, bytes + got, step))
            break;
        got += step;
    }
    if (got == 0 && length != 0)
        debug_gdb_error(g, EFAULT);
    else
        debug_gdb_hex(g, bytes, got);
}

static void store(struct gdb *g, uint64_t address, const uint8_t *bytes, size_t size)
{
    debug_gdb_changed_or(g, size == 0 || g->ops->write(g->target, address, bytes, size), EFAULT);
}

/* M ADDRESS,LENGTH:HEX */
void debug_gdb_write_memory(struct gdb *g, const char *text)
{
    uint8_t bytes[GDB_PACKET_MAX / 2];
    uint64_t address, length;
    if (!debug_gdb_range(&text, &address, &length) || !debug_gdb_expect(&text, ':') ||
        length > sizeof bytes || !debug_gdb_unhex(&text, bytes, (size_t)length) || *text != '\0')
        debug_gdb_error(g, EINVAL);
    else
        store(g, address, bytes, (size_t)length);
}

/* X ADDRESS,LENGTH:BINARY, where '}' escapes the next byte. */
void debug_gdb_write_binary(struct gdb *g, const char *text, const char *end)
{
    uint8_t bytes[GDB_PACKET_MAX];
    uint64_t address, length;
    size_t got = 0;
    bool good = debug_gdb_range(&text, &address, &length) && debug_gdb_expect(&text, ':');
    for (; good && text < end; text++) {
        bool escaped = *text == '}';
        if (escaped && ++text == end)
            good = false;
        else
            bytes[got++] = (uint8_t)(escaped ? *text ^ 0x20 : *text);
    }
    if (!good || got != length)
        debug_gdb_error(g, EINVAL);
    else
        store(g, address, bytes, got);
}

/* ---- Breakpoints and watches ---- */

/* Z TYPE,ADDRESS,KIND and z: 0 and 1 are breakpoints; 2, 3, 4 watch writes, reads, both. */
void debug_gdb_set_point(struct gdb *g, const char *text, bool on)
{
    static const unsigned access[] = {[2] = RV64_W, [3] = RV64_R, [4] = RV64_R | RV64_W};
    uint64_t type, address, kind;
    if (!debug_gdb_number(&text, &type) || !debug_gdb_expect(&text, ',') ||
        !debug_gdb_range(&text, &address, &kind) || *text != '\0') {
        debug_gdb_error(g, EINVAL);
    } else if (type <= 1) {
        debug_gdb_ok_or(g, g->ops->breakpoint(g->target, address, on), ENOSPC);
    } else if (type <= 4) {
        const struct rv64_watch watch = {.address = address, .size = kind, .access = access[type]};
        debug_gdb_ok_or(g, kind != 0 && g->ops->watch(g->target, &watch, on), ENOSPC);
    }
}
