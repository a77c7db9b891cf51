/* Any bytes as a message of a peer that connects: one message, or no message. */
#include <stdlib.h>
#include <sys/socket.h>

#include "rdma/cm/cm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int ends[2];
    struct dpk_cm_message m;
    if (!ends[1] && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        abort();
    if (size > 4096 || send(ends[0], data, size, 0) != (ssize_t)size)
        return 0;
    if (dpk_cm_receive(ends[1], &m) == DPK_CM_MESSAGE &&
        (m.kind < DPK_CM_REQ || m.kind > DPK_CM_DREQ || m.queue_pair >> 24 || m.psn >> 24 ||
         m.retries > 7 || m.rnr_retries > 7))
        abort();
    return 0;
}
