/* Any bytes from a GDB client, on a target that contradicts the client's assumptions: no crash, no
 * call of a running target, and answers that are whole packets. */
#include <stdlib.h>
#include <string.h>

#include "engine/debug/gdb.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct target {
    bool runs;
    unsigned stops;
    uint64_t x[32], pc;
    uint8_t memory[RV64_PAGE];
};

static void still(const struct target *t)
{
    if (t->runs)
        abort();
}

static size_t threads(void *target, unsigned *ids, size_t max)
{
    still(target);
    for (unsigned i = 0; i < 3 && i < max; i++)
        ids[i] = 1 + 100 * i;
    return max < 3 ? max : 3;
}

static void describe(void *target, unsigned id, char *out, size_t size)
{
    still(target);
    snprintf(out, size, "thread <%u> & \"#$}*", id);
}

static bool get_registers(void *target, unsigned id, uint64_t x[32], uint64_t *pc)
{
    struct target *t = target;
    still(t);
    memcpy(x, t->x, sizeof t->x);
    *pc = t->pc;
    return id != 101;
}

static bool set_registers(void *target, unsigned id, const uint64_t x[32], uint64_t pc)
{
    struct target *t = target;
    still(t);
    memcpy(t->x, x, sizeof t->x);
    t->pc = pc;
    return id != 101;
}

static bool inside(uint64_t address, size_t size)
{
    return address >= 0x1000 && address < 0x2000 && size <= 0x2000 - address;
}

static bool read_memory(void *target, uint64_t address, void *to, size_t size)
{
    struct target *t = target;
    still(t);
    if (inside(address, size))
        memcpy(to, t->memory + (address - 0x1000), size);
    return inside(address, size);
}

static bool write_memory(void *target, uint64_t address, const void *from, size_t size)
{
    struct target *t = target;
    still(t);
    if (inside(address, size))
        memcpy(t->memory + (address - 0x1000), from, size);
    return inside(address, size);
}

static bool breakpoint(void *target, uint64_t address, bool on)
{
    still(target);
    return on || address != 0;
}

static bool watch(void *target, const struct rv64_watch *w, bool on)
{
    still(target);
    return on && w->size != 0 && w->access != 0;
}

static void resume(void *target, unsigned id, enum dpk_resume how)
{
    (void)id, (void)how;
    still(target);
}

static void go(void *target, enum dpk_resume others)
{
    struct target *t = target;
    (void)others;
    still(t);
    t->runs = true;
}

static bool stopped(void *target, struct dpk_stop *out)
{
    struct target *t = target;
    t->runs = false;
    *out = (struct dpk_stop){.how = DPK_STOP_SIGNAL,
                             .thread = t->stops % 2,
                             .signal = 5,
                             .watched = t->stops % 4,
                             .address = UINT64_MAX};
    if (++t->stops % 16 == 0)
        out->how = DPK_STOP_EXITED;
    return true;
}

static void nothing(void *target)
{
    (void)target;
}

/* The output must be packets and acknowledgements only. */
static void check_answers(const struct dpk_buf *out)
{
    size_t i = 0;
    while (i < out->size) {
        if (out->data[i] == '+' || out->data[i] == '-') {
            i++;
            continue;
        }
        const uint8_t *hash = memchr(out->data + i, '#', out->size - i);
        if (out->data[i] != '$' || !hash || hash + 3 > out->data + out->size)
            abort();
        i = (size_t)(hash - out->data) + 3;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct dpk_debug_ops ops = {
        .threads = threads,
        .describe = describe,
        .get_registers = get_registers,
        .set_registers = set_registers,
        .read = read_memory,
        .write = write_memory,
        .breakpoint = breakpoint,
        .watch = watch,
        .resume = resume,
        .go = go,
        .interrupt = nothing,
        .stopped = stopped,
        .kill = nothing,
        .detach = nothing,
    };
    static struct gdb g;
    static struct target t;
    memset(&t, 0, sizeof t);
    debug_gdb_begin(&g, &ops, &t);
    /* Each line becomes a packet. Its checksum is computed here, because wrong checksums are
     * refused. */
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) : size;
        uint8_t sum = 0;
        char tail[4];
        for (size_t i = 0; i < length; i++)
            sum = (uint8_t)(sum + data[i]);
        snprintf(tail, sizeof tail, "#%02x", sum);
        debug_gdb_feed(&g, "$", length && data[0] != '!');
        debug_gdb_feed(&g, data, length);
        debug_gdb_feed(&g, tail, 3);
        if (length % 3 == 0)
            debug_gdb_tell_stop(&g);
        check_answers(&g.out);
        g.out.size = 0;
        size -= length + (end != NULL);
        data += length + (end != NULL);
    }
    debug_gdb_end(&g);
    return 0;
}
