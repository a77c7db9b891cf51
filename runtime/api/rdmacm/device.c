/* Finds the emulated device of an address. A device's GIDs are its own addresses; all other
 * addresses of the machine belong to the first device. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/forward/forward.h"
#include "rdmacm.h"

#define LINK_LOCAL 1 /* index of the RoCE v2 GID that each device has */

static struct device *devices;
static size_t device_count;

/* Devices stay open until the program ends, as in the system's library. */
static void open_devices(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    if (!list || count <= 0 || !(devices = calloc((size_t)count, sizeof *devices)))
        count = 0;
    for (int i = 0; i < count; i++) {
        struct device *d = &devices[device_count];
        struct ibv_device_attr attr;
        if (!(d->verbs = ibv_open_device(list[i])))
            continue;
        if (ibv_query_device(d->verbs, &attr) != 0) {
            ibv_close_device(d->verbs);
            continue;
        }
        d->resources = attr.max_qp_rd_atom > 255 ? 255 : (uint8_t)attr.max_qp_rd_atom;
        d->depth = attr.max_qp_init_rd_atom > 255 ? 255 : (uint8_t)attr.max_qp_init_rd_atom;
        device_count++;
    }
    if (list)
        ibv_free_device_list(list);
}

static void need_devices(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_devices);
}

static bool of_this_machine(const struct dpk_cm_address *at)
{
    struct dpk_cm_address a = *at;
    struct sockaddr_storage name = {0};
    a.port = 0;
    const bool v4 = memcmp(at->ip, (const uint8_t[12]){[10] = 0xff, [11] = 0xff}, 12) == 0;
    rdmacm_address_write(&a, v4 ? AF_INET : AF_INET6, (struct sockaddr *)&name);
    int fd = socket(name.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ours = fd >= 0 && bind(fd, (const struct sockaddr *)&name,
                                v4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6)) == 0;
    if (fd >= 0)
        close(fd);
    return ours;
}

/* Returns the index of an address in the device's table, as RoCE v2, or -1 if it is not in the
 * table. */
static int find_gid(const struct device *d, const struct dpk_cm_address *at)
{
    struct ibv_gid_entry e;
    for (uint32_t i = 0; ibv_query_gid_ex(d->verbs, 1, i, &e, 0) == 0; i++)
        if (e.gid_type == IBV_GID_TYPE_ROCE_V2 && memcmp(e.gid.raw, at->ip, sizeof at->ip) == 0)
            return (int)i;
    return -1;
}

uint8_t rdmacm_device_gid(const struct device *d, const struct dpk_cm_address *at, uint8_t out[16])
{
    union ibv_gid gid = {.raw = {0}};
    const int own = find_gid(d, at), place = own < 0 ? LINK_LOCAL : own;
    ibv_query_gid(d->verbs, 1, place, &gid);
    memcpy(out, gid.raw, sizeof gid.raw);
    return (uint8_t)place;
}

struct device *rdmacm_device_at(const struct dpk_cm_address *at)
{
    need_devices();
    for (size_t i = 0; !address_is_any(at) && i < device_count; i++)
        if (find_gid(&devices[i], at) >= 0)
            return &devices[i];
    if (device_count && (address_is_any(at) || of_this_machine(at)))
        return &devices[0];
    errno = device_count ? EADDRNOTAVAIL : ENODEV;
    return NULL;
}

struct device *rdmacm_device_of(const struct ibv_context *verbs)
{
    for (size_t i = 0; i < device_count; i++)
        if (devices[i].verbs == verbs)
            return &devices[i];
    return NULL;
}

struct device *rdmacm_device_towards(const struct dpk_cm_address *at, uint8_t from[16])
{
    union ibv_gid to, own;
    memcpy(to.raw, at->ip, sizeof to.raw);
    need_devices();
    for (size_t i = 0; i < device_count; i++)
        if (emulated()->is_far(devices[i].verbs, &to) &&
            emulated()->fabric(devices[i].verbs, &own)) {
            memcpy(from, own.raw, sizeof own.raw);
            return &devices[i];
        }
    return NULL;
}

bool rdmacm_device_fabric(const struct dpk_cm_address *at, uint8_t out[16])
{
    union ibv_gid own;
    need_devices();
    for (size_t i = 0; i < device_count; i++)
        if (emulated()->fabric(devices[i].verbs, &own) &&
            (address_is_any(at) || memcmp(own.raw, at->ip, sizeof at->ip) == 0)) {
            memcpy(out, own.raw, sizeof own.raw);
            return true;
        }
    return false;
}

struct ibv_pd *rdmacm_device_pd(struct device *d)
{
    rdmacm_cm_lock();
    if (!d->pd)
        d->pd = ibv_alloc_pd(d->verbs);
    rdmacm_cm_unlock();
    return d->pd;
}

struct ibv_context **rdmacm_cm_get_devices(int *count)
{
    need_devices();
    struct ibv_context **list = calloc(device_count + 1, sizeof(struct ibv_context *));
    for (size_t i = 0; list && i < device_count; i++)
        list[i] = devices[i].verbs;
    if (count)
        *count = list ? (int)device_count : 0;
    return list;
}

void rdmacm_cm_free_devices(struct ibv_context **list)
{
    free(list);
}

/* ---- Addresses ---- */

bool rdmacm_address_read(const struct sockaddr *from, struct dpk_cm_address *to)
{
    *to = (struct dpk_cm_address){0};
    if (from->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, from, sizeof in);
        to->port = ntohs(in.sin_port);
        if (in.sin_addr.s_addr) {
            to->ip[10] = to->ip[11] = 0xff;
            memcpy(to->ip + 12, &in.sin_addr, 4);
        }
        return true;
    }
    if (from->sa_family != AF_INET6)
        return false;
    struct sockaddr_in6 in6;
    memcpy(&in6, from, sizeof in6);
    to->port = ntohs(in6.sin6_port);
    memcpy(to->ip, &in6.sin6_addr, sizeof to->ip);
    return true;
}

void rdmacm_address_write(const struct dpk_cm_address *from, sa_family_t family,
                          struct sockaddr *to)
{
    if (family == AF_INET) {
        struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(from->port)};
        memcpy(&in.sin_addr, from->ip + 12, 4);
        memcpy(to, &in, sizeof in);
    } else {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(from->port)};
        memcpy(&in6.sin6_addr, from->ip, sizeof from->ip);
        memcpy(to, &in6, sizeof in6);
    }
}

uint16_t rdmacm_cm_port(const struct sockaddr *of)
{
    struct dpk_cm_address a;
    return of->sa_family && rdmacm_address_read(of, &a) ? htons(a.port) : 0;
}
