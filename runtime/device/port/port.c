/* Settings of a port in a file that processes share. */
#include "port.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAGIC UINT64_C(0x3154524f504b5044) /* "DPKPORT1": layout 1, byte order of this machine */

struct file {
    uint64_t magic;
    atomic_uint_least64_t changes; /* 0: nothing was set since the last boot */
    atomic_uint_least64_t values[DPK_PORT_SETTINGS];
};

struct dpk_port {
    struct file *file;
    struct file *far; /* of the device at the other end of a cable; NULL: there is none */
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "settings are for several processes");

/* ---- The files ---- */

static enum dpk_status map_file(const char *directory, bool makes, struct file **out,
                                struct dpk_error *err)
{
    static const struct dpk_share what = {"port", MAGIC, sizeof **out};
    void *at;
    enum dpk_status status = dpk_file_share(directory, &what, makes, &at, err);
    *out = at;
    return status;
}

static enum dpk_status map_private(struct file **out, struct dpk_error *err)
{
    void *at = mmap(NULL, sizeof **out, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return dpk_fail_nomem(err);
    *out = at;
    return DPK_OK;
}

static void unmap(struct file *file)
{
    if (file)
        munmap(file, sizeof *file);
}

/* Returns the name of the device at the other end of a cable, or NULL. */
static const char *far_name(const char *wire)
{
    static const char cable[] = "dev:";
    if (!wire || strncmp(wire, cable, strlen(cable)) != 0)
        return NULL;
    const char *name = wire + strlen(cable);
    return *name && *name != '.' && !strchr(name, '/') ? name : NULL;
}

/* Maps the settings of the device at the other end, whose folder is beside `directory`. A device
 * that is not there has no settings. */
static void map_far(const char *directory, const char *wire, bool makes, struct file **out)
{
    char path[PATH_MAX];
    const char *name = far_name(wire), *slash = directory ? strrchr(directory, '/') : NULL;
    if (!name || !slash)
        return;
    const int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - directory), directory, name);
    if (n > 0 && n < PATH_MAX)
        (void)map_file(path, makes, out, NULL);
}

static enum dpk_status open_port(const char *directory, const char *wire, bool makes,
                                 struct dpk_port **out, struct dpk_error *err)
{
    struct dpk_port *port = calloc(1, sizeof *port);
    *out = NULL;
    if (!port)
        return dpk_fail_nomem(err);
    enum dpk_status status =
        directory ? map_file(directory, makes, &port->file, err) : map_private(&port->file, err);
    if (status != DPK_OK) {
        free(port);
        return status;
    }
    map_far(directory, wire, makes, &port->far);
    *out = port;
    return DPK_OK;
}

enum dpk_status dpk_port_open(const char *directory, const char *wire, struct dpk_port **out,
                              struct dpk_error *err)
{
    return open_port(directory, wire, true, out, err);
}

enum dpk_status dpk_port_look(const char *directory, const char *wire, struct dpk_port **out,
                              struct dpk_error *err)
{
    return open_port(directory, wire, false, out, err);
}

void dpk_port_close(struct dpk_port *port)
{
    if (!port)
        return;
    unmap(port->file);
    unmap(port->far);
    free(port);
}

enum dpk_status dpk_port_reset(const char *directory, struct dpk_error *err)
{
    struct file *file;
    enum dpk_status status = map_file(directory, false, &file, err);
    if (status != DPK_OK)
        return status == DPK_ERR_NOT_FOUND ? DPK_OK : status;
    for (unsigned i = 0; i < DPK_PORT_SETTINGS; i++)
        atomic_store(&file->values[i], 0);
    atomic_store(&file->changes, 0);
    unmap(file);
    return DPK_OK;
}

/* ---- Settings ---- */

static uint64_t value_of(const struct file *file, enum dpk_port_setting setting)
{
    return atomic_load_explicit(&file->values[setting], memory_order_relaxed);
}

static bool is_enabled(const struct file *file)
{
    return value_of(file, DPK_PORT_ADMIN) != DPK_PORT_DOWN &&
           value_of(file, DPK_PORT_MODULE) != DPK_PORT_DOWN;
}

uint64_t dpk_port_get(const struct dpk_port *port, enum dpk_port_setting setting)
{
    return value_of(port->file, setting);
}

void dpk_port_set(struct dpk_port *port, enum dpk_port_setting setting, uint64_t value)
{
    const bool was_enabled = is_enabled(port->file);
    atomic_store(&port->file->values[setting], value);
    atomic_fetch_add(&port->file->changes, 1);
    if (was_enabled && !is_enabled(port->file))
        atomic_fetch_add(&port->file->values[DPK_PORT_DOWNS], 1);
}

bool dpk_port_is_enabled(const struct dpk_port *port)
{
    return is_enabled(port->file);
}

unsigned dpk_port_mtu(const struct dpk_port *port)
{
    const uint64_t mtu = value_of(port->file, DPK_PORT_MTU);
    return mtu >= DPK_PORT_MTU_MIN && mtu < DPK_PORT_MTU_MAX ? (unsigned)mtu : DPK_PORT_MTU_MAX;
}

bool dpk_port_loops(const struct dpk_port *port)
{
    return value_of(port->file, DPK_PORT_LOOPBACK) == DPK_PORT_LOCAL;
}

static bool is_new(const struct file *file)
{
    return !file || atomic_load_explicit(&file->changes, memory_order_relaxed) == 0;
}

enum dpk_port_way dpk_port_way(const struct dpk_port *port, size_t size)
{
    enum { CHECKSUM = 4 };
    if (!port || (is_new(port->file) && is_new(port->far)))
        return DPK_PORT_PASSES;
    if (!is_enabled(port->file))
        return DPK_PORT_DROPS;
    if (size + CHECKSUM > dpk_port_mtu(port))
        return DPK_PORT_TOO_LONG;
    if (dpk_port_loops(port))
        return DPK_PORT_COMES_BACK;
    return dpk_port_link(port) ? DPK_PORT_PASSES : DPK_PORT_DROPS;
}

/* ---- Speeds ---- Numbers are those of Linux (mlx5/port.h) and of InfiniBand. */

enum { X1 = 1, X4 = 2, X2 = 16 }; /* widths */
enum { SDR = 1, QDR = 4, EDR = 32 };
const struct dpk_port_speed dpk_port_speeds[DPK_PORT_SPEEDS] = {
    {100000, 4, 1u << 9, 1u << 20, X4, EDR, "EDR"}, /* 100GBASE-CR4 */
    {50000, 2, 1u << 7, 1u << 30, X2, EDR, "EDR"},  /* 50GBASE-CR2 */
    {40000, 4, 1u << 5, 1u << 6, X4, QDR, "QDR"},   /* 40GBASE-CR4 */
    {25000, 1, 1u << 6, 1u << 27, X1, EDR, "EDR"},  /* 25GBASE-CR */
    {10000, 1, 1u << 4, 1u << 12, X1, QDR, "QDR"},  /* 10GBASE-CR */
    {1000, 1, 1u << 1, 1u << 0, X1, SDR, "SDR"},    /* 1000BASE-X */
};

uint32_t dpk_port_protocols(bool legacy)
{
    uint32_t all = 0;
    for (size_t i = 0; i < DPK_PORT_SPEEDS; i++)
        all |= legacy ? dpk_port_speeds[i].legacy : dpk_port_speeds[i].protocol;
    return all;
}

static uint32_t offers(const struct file *file)
{
    const uint32_t known = (uint32_t)value_of(file, DPK_PORT_PROTOCOLS) & dpk_port_protocols(false);
    return known ? known : dpk_port_protocols(false);
}

static const struct dpk_port_speed *fastest(uint32_t protocols)
{
    for (size_t i = 0; i < DPK_PORT_SPEEDS; i++)
        if (protocols & dpk_port_speeds[i].protocol)
            return &dpk_port_speeds[i];
    return NULL;
}

uint32_t dpk_port_offers(const struct dpk_port *port)
{
    return offers(port->file);
}

const struct dpk_port_speed *dpk_port_fastest(const struct dpk_port *port)
{
    return fastest(offers(port->file));
}

const struct dpk_port_speed *dpk_port_link(const struct dpk_port *port)
{
    if (!is_enabled(port->file))
        return NULL;
    if (dpk_port_loops(port) || !port->far)
        return fastest(offers(port->file));
    return is_enabled(port->far) ? fastest(offers(port->file) & offers(port->far)) : NULL;
}
