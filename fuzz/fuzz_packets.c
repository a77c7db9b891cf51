/* A packet capture that a port is plugged into: it is refused, or its frames arrive. The same bytes
 * as one frame: what steering rules see of it. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "flexio/queue.h"
#include "port/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void warn(void *context, const char *reason)
{
    (void)context, (void)reason;
}

/* There are no queues: nothing else is called. */
static const struct dpk_queue_ops ops = {.warn = warn};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct dpk_rc *rc;
    static struct dpk_queues *nic;
    static struct dpk_steering *steering;
    struct packets *p = NULL;
    uint8_t match[DPK_MATCH_BYTES];
    char path[40];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
        (!nic && (dpk_rc_enter(&rc, NULL) != DPK_OK || !(steering = dpk_steering_new()) ||
                  dpk_queues_open(&ops, NULL, rc, steering, &nic, NULL) != DPK_OK)))
        abort();
    headers_match(data, size, match);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    setenv("DPAKIT_PACKETS", path, 1);
    if (packets_open(&p, NULL) == DPK_OK)
        (void)packets_arrive(p, nic, NULL);
    packets_close(p);
    close(fd);
    return 0;
}
