/* The table of GIDs of a device, in the order of a card: each address has two entries, RoCE v1 and
 * RoCE v2. The link-local address is first, then IPv4 and IPv6 addresses of the interface on the
 * port's wire. The address of the device's fabric comes before these. A device without an IPv4 address gets an address of 169.254.0.0/16 from its GUID,
 * because programs look for IPv4 over RoCE v2, and users refer to it by its index, 3. */
#include "gids.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "api/verbs/verbs.h"
#include "context.h"
#include "device/state/state.h"
#include "rdma/fabric/fabric.h"

#define LOCAL_PREFIX UINT64_C(0xfe80000000000000)

/* ---- GUIDs ---- */

/* The GUID depends only on the name, and is locally administered. */
static uint64_t guid_of_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return (hash & ~(UINT64_C(3) << 56)) | UINT64_C(2) << 56;
}

uint64_t verbs_gids_card_guid(const struct ibv_device *device)
{
    return guid_of_name(device->name);
}

#define OF_DPU (UINT64_C(1) << 48) /* difference of a card's GUIDs on the DPU's side */

/* Both functions of a card have a GUID. */
uint64_t verbs_gids_guid(const struct ibv_device *device)
{
    enum dpk_side side = DPK_SIDE_HOST;
    (void)dpk_device_side(&side, NULL);
    return verbs_gids_card_guid(device) ^ (side == DPK_SIDE_DPU ? OF_DPU : 0);
}

/* ---- Addresses ---- */

struct table {
    union ibv_gid gids[DPK_VERBS_GIDS / 2];
    size_t count;
    uint32_t interface; /* its index; 0: no interface */
};

static bool has(const struct table *t, const union ibv_gid *gid)
{
    for (size_t i = 0; i < t->count; i++)
        if (memcmp(&t->gids[i], gid, sizeof *gid) == 0)
            return true;
    return false;
}

static void add(struct table *t, const void *address)
{
    union ibv_gid gid;
    memcpy(&gid, address, sizeof gid);
    if (!has(t, &gid) && t->count < sizeof t->gids / sizeof *t->gids)
        t->gids[t->count++] = gid;
}

/* Writes an IPv4 address as ::ffff:a.b.c.d. */
static void map_v4(const struct in_addr *v4, uint8_t out[16])
{
    memcpy(out, (const uint8_t[12]){[10] = 0xff, [11] = 0xff}, 12);
    memcpy(out + 12, v4, sizeof *v4);
}

static void add_local(struct table *t, uint64_t guid)
{
    union ibv_gid gid = {.global = {.subnet_prefix = htobe64(LOCAL_PREFIX)}};
    gid.global.interface_id = htobe64(guid);
    add(t, &gid);
}

/* Makes an address from 169.254.1.0 to 169.254.254.255, according to RFC 3927. */
static void add_made_up(struct table *t, uint64_t guid)
{
    const uint32_t host = (uint32_t)(1 + (guid >> 8) % 254) << 8 | (uint32_t)(guid & 0xff);
    uint8_t ip[16];
    map_v4(&(struct in_addr){.s_addr = htonl(0xa9fe0000 | host)}, ip);
    add(t, ip);
}

/* Returns the interface in a wire's specification (wire.h), or NULL. */
static const char *interface_of(const char *wire)
{
    static const char *const kinds[] = {"veth:", "tap:"};
    for (size_t i = 0; wire && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(wire, kinds[i], strlen(kinds[i])) == 0)
            return wire + strlen(kinds[i]);
    return NULL;
}

/* The name may have a label: "NAME:LABEL". */
static bool is_at(const struct ifaddrs *a, const char *interface, sa_family_t family)
{
    const size_t length = strlen(interface);
    return a->ifa_addr && a->ifa_addr->sa_family == family &&
           strncmp(a->ifa_name, interface, length) == 0 &&
           (a->ifa_name[length] == 0 || a->ifa_name[length] == ':');
}

/* Reads the address of an interface. Returns false if it has another family. */
static bool read_ip(const struct ifaddrs *a, uint8_t out[16])
{
    struct dpk_fabric_place place;
    if (!a->ifa_addr || !dpk_fabric_place_of_socket(a->ifa_addr, &place))
        return false;
    memcpy(out, place.ip, sizeof place.ip);
    return true;
}

/* Link-local addresses, of IPv4 or IPv6, reach no other network. */
static bool is_link_local(const uint8_t ip[16])
{
    static const uint8_t v4[14] = {[10] = 0xff, [11] = 0xff, [12] = 169, [13] = 254};
    return (ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80) || memcmp(ip, v4, sizeof v4) == 0;
}

static void add_interface(struct table *t, const struct ifaddrs *all, const char *interface,
                          sa_family_t family)
{
    uint8_t ip[16];
    for (const struct ifaddrs *a = all; a; a = a->ifa_next)
        if (is_at(a, interface, family) && read_ip(a, ip) &&
            (family == AF_INET || !is_link_local(ip)))
            add(t, ip);
}

static void add_fabric(struct table *t, const char *fabric)
{
    struct dpk_fabric_place place;
    if (fabric && dpk_fabric_parse(fabric, &place, NULL) == DPK_OK)
        add(t, place.ip);
}

/* Returns the table of a device with that GUID, wire and fabric (NULL: unknown). */
static struct table table_of(uint64_t guid, const char *wire, const char *fabric)
{
    struct table t = {.count = 0};
    struct ifaddrs *all = NULL;
    const char *interface = interface_of(wire);
    add_local(&t, guid);
    add_fabric(&t, fabric);
    if (interface && getifaddrs(&all) == 0) {
        t.interface = if_nametoindex(interface);
        add_interface(&t, all, interface, AF_INET);
    }
    if (t.count == 1)
        add_made_up(&t, guid);
    if (all) {
        add_interface(&t, all, interface, AF_INET6);
        freeifaddrs(all);
    }
    return t;
}

static struct table own_table(struct ibv_context *context)
{
    const struct dpk_verbs_device *d = &context_of(context)->device;
    return table_of(verbs_gids_guid(context->device), d->wire, d->fabric);
}

/* ---- Queries ---- */

int dpk_verbs_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t index,
                           struct ibv_gid_entry *entry)
{
    if (!context || !entry || port_num != 1 || index >= DPK_VERBS_GIDS)
        return EINVAL;
    const struct table t = own_table(context);
    if (index / 2 >= t.count)
        return ENODATA;
    *entry =
        (struct ibv_gid_entry){.gid = t.gids[index / 2],
                               .gid_index = index,
                               .port_num = 1,
                               .gid_type = index % 2 ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_ROCE_V1,
                               .ndev_ifindex = t.interface};
    return 0;
}

int dpk_verbs_query_gid(struct ibv_context *context, uint8_t port_num, int index,
                        union ibv_gid *gid)
{
    struct ibv_gid_entry entry = {.gid_index = 0};
    const int why =
        gid ? dpk_verbs_query_gid_ex(context, port_num, (uint32_t)index, &entry) : EINVAL;
    if (why && why != ENODATA) {
        errno = why;
        return -1;
    }
    *gid = entry.gid; /* zero for an empty entry */
    return 0;
}

int verbs_gids_find(struct ibv_context *context, const union ibv_gid *gid)
{
    const struct table t = own_table(context);
    for (size_t i = 0; i < t.count; i++)
        if (memcmp(&t.gids[i], gid, sizeof *gid) == 0)
            return (int)(2 * i + 1);
    return -1;
}

/* ---- GIDs of all devices ---- */

/* Returns the table of a device of which another process may have changed the wire and the fabric. */
static struct table table_now(const char *name, uint64_t guid)
{
    struct dpk_device *state = NULL;
    char wire[DPK_DEVICE_WIRE_MAX] = "", fabric[DPK_DEVICE_FABRIC_MAX] = "";
    if (dpk_device_open(name, &state, NULL) != DPK_OK)
        return (struct table){.count = 0};
    const bool known = dpk_device_wire(state, wire, NULL) == DPK_OK &&
                       dpk_device_fabric(state, fabric, NULL) == DPK_OK;
    dpk_device_close(state);
    return known ? table_of(guid, wire, fabric) : (struct table){.count = 0};
}

/* Returns true if a device has the GID: from its name, on either side of a card, or with
 * `interfaces` from its fabric or its interface. */
static bool is_of(const char *name, const union ibv_gid *gid, bool interfaces)
{
    const uint64_t guid = guid_of_name(name);
    if (interfaces) {
        const struct table t = table_now(name, guid);
        return has(&t, gid);
    }
    const struct table host = table_of(guid, NULL, NULL), dpu = table_of(guid ^ OF_DPU, NULL, NULL);
    return has(&host, gid) || has(&dpu, gid);
}

bool verbs_gids_are_known(const union ibv_gid *gid)
{
    struct dpk_names names = {0};
    bool found = false;
    if (dpk_device_list(&names, NULL) != DPK_OK)
        return false;
    const int ways = be64toh(gid->global.subnet_prefix) == LOCAL_PREFIX ? 1 : 2;
    for (int way = 0; way < ways; way++)
        for (size_t i = 0; !found && i < names.count; i++)
            found = is_of(names.names[i], gid, way == 1);
    dpk_names_free(&names);
    return found;
}

/* ---- Other machines ---- */

/* Returns whether an interface of this machine has the address. */
static bool is_here(const union ibv_gid *gid)
{
    struct ifaddrs *all = NULL;
    uint8_t ip[16];
    bool here = false;
    if (getifaddrs(&all) != 0)
        return true;
    for (const struct ifaddrs *a = all; a && !here; a = a->ifa_next)
        here = read_ip(a, ip) && memcmp(ip, gid->raw, sizeof ip) == 0;
    freeifaddrs(all);
    return here;
}

bool dpk_verbs_fabric(struct ibv_context *context, union ibv_gid *out)
{
    struct dpk_fabric_place place;
    const char *fabric = context_of(context)->device.fabric;
    if (!fabric || dpk_fabric_parse(fabric, &place, NULL) != DPK_OK)
        return false;
    memcpy(out->raw, place.ip, sizeof out->raw);
    return is_here(out);
}

bool dpk_verbs_is_far(struct ibv_context *context, const union ibv_gid *gid)
{
    return context_of(context)->device.fabric && dpk_fabric_is_for_peers(gid->raw) &&
           !is_link_local(gid->raw) && !is_here(gid);
}
