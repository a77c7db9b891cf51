/* Addresses to listen at or connect to: their text, and their form for the connection manager. */
#include <arpa/inet.h>
#include <doca_rdma.h>

#include "rdma.h"

static void addr_release(void *object)
{
    free(object);
}
const struct dpk_kind dpk_rdma_addr_kind = {.release = addr_release};

struct dpk_rdma_addr *dpk_rdma_addr_copy(const struct dpk_rdma_addr *of)
{
    struct dpk_rdma_addr *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->type = of->type;
    a->at = of->at;
    memcpy(a->text, of->text, sizeof a->text);
    void *handle = dpk_object_enter(a, &dpk_rdma_addr_kind);
    return handle ? dpk_object_pin(handle, &dpk_rdma_addr_kind) : NULL;
}

void dpk_rdma_addr_end(struct dpk_rdma_addr *a)
{
    if (a)
        dpk_object_destroy(a->object.handle, &dpk_rdma_addr_kind);
    dpk_object_drop(a);
}

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* prefix of IPv4 in IPv6 */

bool dpk_rdma_addr_parse(struct dpk_rdma_addr *a)
{
    if (a->type != DOCA_RDMA_ADDR_TYPE_IPv4)
        return inet_pton(AF_INET6, a->text, a->at.ip) == 1; /* a GID has this form, too */
    memcpy(a->at.ip, mapped, sizeof mapped);
    return inet_pton(AF_INET, a->text, a->at.ip + sizeof mapped) == 1;
}

bool dpk_rdma_addr_describe(struct dpk_rdma_addr *a)
{
    const bool v4 = memcmp(a->at.ip, mapped, sizeof mapped) == 0;
    a->type = v4 ? DOCA_RDMA_ADDR_TYPE_IPv4 : DOCA_RDMA_ADDR_TYPE_IPv6;
    return inet_ntop(v4 ? AF_INET : AF_INET6, a->at.ip + (v4 ? sizeof mapped : 0), a->text,
                     sizeof a->text) != NULL;
}
