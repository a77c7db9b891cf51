/* reflector_native WIRE FRAMES: what examples/reflector does, without a DPA: a thread takes frames
 * from a ring that the wire fills, as from a socket, swaps their addresses and sends them back,
 * until so many were sent. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/wire/wire.h"

#define DEPTH 1024u
#define BATCH 64u
#define SPINS 2000u

struct ring {
    _Alignas(64) atomic_uint filled; /* frames, ever */
    _Alignas(64) atomic_uint taken;
    _Alignas(64) atomic_uint sleeps;
    size_t sizes[DEPTH];
    uint8_t bytes[DEPTH][2048];
};
static struct ring ring;

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    (void)context, (void)waits;
    const unsigned filled = atomic_load_explicit(&ring.filled, memory_order_relaxed);
    const unsigned room = DEPTH - (filled - atomic_load(&ring.taken));
    const size_t more = count < room ? count : room;
    for (size_t i = 0; i < more; i++) {
        const unsigned place = (filled + (unsigned)i) % DEPTH;
        ring.sizes[place] = frames[i].size;
        memcpy(ring.bytes[place], frames[i].bytes, frames[i].size);
    }
    atomic_store(&ring.filled, filled + (unsigned)more);
    if (atomic_load(&ring.sleeps) && atomic_exchange(&ring.sleeps, 0))
        syscall(SYS_futex, &ring.sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return more;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context, (void)detail;
    fprintf(stderr, "%s\n", text);
}

/* Waits for frames; returns how many there are. */
static unsigned await(unsigned taken)
{
    for (;;) {
        for (unsigned i = 0; i < SPINS; i++) {
            const unsigned n = atomic_load(&ring.filled) - taken;
            if (n > 0)
                return n < BATCH ? n : BATCH;
        }
        atomic_store(&ring.sleeps, 1);
        if (atomic_load(&ring.filled) == taken)
            syscall(SYS_futex, &ring.sleeps, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void reflect(struct dpk_wire *wire, unsigned taken, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t *frame = ring.bytes[(taken + i) % DEPTH], other[6];
        memcpy(other, frame, 6);
        memcpy(frame, frame + 6, 6);
        memcpy(frame + 6, other, 6);
        dpk_wire_send(wire, frame, ring.sizes[(taken + i) % DEPTH]);
    }
    dpk_wire_flush(wire);
    atomic_store(&ring.taken, taken + count);
}

int main(int argc, char **argv)
{
    const struct dpk_wire_sink sink = {.arrive = arrive, .tell = tell};
    struct dpk_wire *wire = NULL;
    struct dpk_error err = {0};
    const unsigned long frames = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (frames == 0 || dpk_wire_open(argv[1], &sink, &wire, &err) != DPK_OK ||
        dpk_wire_start(wire, &err) != DPK_OK) {
        fprintf(stderr, "reflector_native: %s\n", err.message);
        return 1;
    }
    printf("a thread waits for packets\n");
    fflush(stdout);
    unsigned taken = 0;
    for (unsigned long sent = 0; sent < frames;) {
        const unsigned count = await(taken);
        reflect(wire, taken, count);
        taken += count;
        sent += count;
    }
    dpk_wire_close(wire);
    return 0;
}
