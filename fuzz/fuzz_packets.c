/* A packet capture as the wire of a port: it is refused, or its frames arrive. The same bytes also
 * serve as one frame for steering rules. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "net/queues/headers.h"
#include "net/queues/model.h"
#include "net/wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void warn(void *context, const char *reason)
{
    (void)context, (void)reason;
}

/* Without queues, no other function is called. */
static const struct dpk_queue_ops ops = {.warn = warn};

static size_t arrive(void *context, const struct dpk_frame *frames, size_t count, bool waits)
{
    struct dpk_queues *nic = context;
    for (size_t i = 0; i < count; i++)
        if (!waits || frames[i].size < DPK_FRAME_MIN || frames[i].size > DPK_FRAME_MAX)
            abort();
    return dpk_frames_arrive(nic, frames, count, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dpk_rc *rc;
    static struct dpk_counters *counters;
    static struct dpk_queues *nic;
    static struct dpk_steering *steering;
    struct dpk_wire *wire;
    uint8_t match[PARSED_BYTES];
    char path[40], origin[DPK_WIRE_ORIGIN_MAX], *spec;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
        (!nic && (dpk_rc_enter(&rc, NULL) != DPK_OK || !(steering = dpk_steering_new()) ||
                  dpk_counters_open(NULL, &counters, NULL) != DPK_OK ||
                  dpk_queues_open(&ops, NULL, rc, steering, counters, &nic, NULL) != DPK_OK)))
        abort();
    queues_headers_match(data, size, match);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("DPAKIT_PACKETS", path, 1);
    if (dpk_wire_choose("mlx5_0", "loop", &spec, origin, NULL) != DPK_OK)
        abort();
    const struct dpk_wire_sink sink = {.arrive = arrive, .context = nic};
    if (dpk_wire_open(spec, &sink, &wire, NULL) == DPK_OK && dpk_wire_start(wire, NULL) != DPK_OK)
        abort();
    dpk_wire_close(wire);
    free(spec);
    close(fd);
    return 0;
}
