/* reflector_feed GENERATE INTERFACE [WINDOW]: gives the frames of one wire (generate:...) to another
 * (veth:...) and brings back what comes from there, so that a reflector behind the second has the same
 * source of frames as one that is plugged into the first. At most WINDOW are on their way; they must
 * be fewer than the rings of both ends have room for. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "net/wire/wire.h"

#define WINDOW     512u
#define WINDOW_MAX 2000u /* the ring of a veth has 2,048 slots */
#define IDLE_MS    1000u

static struct dpk_wire *source, *interface;
static atomic_ulong sent, back;
static unsigned long window = WINDOW;

static size_t to_interface(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    (void)context, (void)waits;
    const unsigned long away = atomic_load(&sent) - atomic_load(&back);
    const size_t room = away < window ? window - away : 0, some = count < room ? count : room;
    atomic_fetch_add(&sent, some);
    for (size_t i = 0; i < some; i++)
        dpk_wire_send(interface, frames[i].bytes, frames[i].size);
    dpk_wire_flush(interface);
    return some;
}

static size_t to_source(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    (void)context, (void)waits;
    for (size_t i = 0; i < count; i++) {
        if (frames[i].bytes[12] == 8 && frames[i].bytes[13] == 0) /* not what the machine sends */
            atomic_fetch_add(&back, 1);
        dpk_wire_send(source, frames[i].bytes, frames[i].size);
    }
    dpk_wire_flush(source);
    return count;
}

static void tell(void *context, bool detail, const char *text)
{
    (void)context;
    if (!detail)
        fprintf(stderr, "%s\n", text);
}

int main(int argc, char **argv)
{
    const struct dpk_wire_sink from_source = {.arrive = to_interface, .tell = tell};
    const struct dpk_wire_sink from_interface = {.arrive = to_source, .tell = tell};
    struct dpk_error err = {0};
    if (argc == 4)
        window = strtoul(argv[3], NULL, 10);
    if (argc < 3 || argc > 4 || window < 1 || window > WINDOW_MAX) {
        fprintf(stderr, "usage: reflector_feed GENERATE INTERFACE [WINDOW] (1 to %u)\n",
                WINDOW_MAX);
        return 2;
    }
    if (dpk_wire_open(argv[1], &from_source, &source, &err) != DPK_OK ||
        dpk_wire_open(argv[2], &from_interface, &interface, &err) != DPK_OK ||
        dpk_wire_start(interface, &err) != DPK_OK || dpk_wire_start(source, &err) != DPK_OK) {
        fprintf(stderr, "reflector_feed: %s\n", err.message);
        return 1;
    }
    unsigned long before = 0;
    for (unsigned idle = 0; idle < IDLE_MS; idle++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        const unsigned long now = atomic_load(&back);
        if (now != before)
            idle = 0;
        before = now;
    }
    dpk_wire_close(source);
    dpk_wire_close(interface);
    return 0;
}
