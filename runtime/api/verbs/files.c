/* Writes the files of emulated devices, as the kernel has those of a card. Processes of one user
 * share them, and may write them at the same time: each file is replaced as a whole. */
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/verbs/verbs.h"
#include "base/base.h"
#include "device/state/state.h"
#include "link.h"

struct tree {
    const char *root;
    char folder[PATH_MAX]; /* of the next files */
    bool failed;
};

/* Returns false if the path is too long. */
static bool path_of(char out[PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool path_of(char out[PATH_MAX], const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(out, PATH_MAX, format, list);
    va_end(list);
    return n > 0 && n < PATH_MAX;
}

/* The next files are in the folder root/path. */
#define ENTER(t, ...) enter(t, snprintf((t)->folder, sizeof(t)->folder, __VA_ARGS__))
static void enter(struct tree *t, int length)
{
    if (length < 0 || length >= PATH_MAX || dpk_folder_make(t->folder, NULL) != DPK_OK)
        t->failed = true;
}

static bool is_text(const char *path, const char *text)
{
    struct dpk_buf now = {0};
    const bool same = dpk_file_read(path, strlen(text), &now, NULL) == DPK_OK &&
                      now.size == strlen(text) && memcmp(now.data, text, now.size) == 0;
    dpk_buf_free(&now);
    return same;
}

/* Writes a line. Nobody needs it after the machine has stopped, so it is not synchronized. */
static void put(struct tree *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct tree *t, const char *name, const char *format, ...)
{
    char path[PATH_MAX], text[256];
    struct dpk_new_file file;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text - 1, format, list);
    va_end(list);
    if (t->failed || length < 0 || (size_t)length >= sizeof text - 1 ||
        !path_of(path, "%s/%s", t->folder, name)) {
        t->failed = true;
        return;
    }
    text[length++] = '\n';
    text[length] = 0;
    if (is_text(path, text))
        return;
    if (dpk_new_file_open(&file, path, 0600, NULL) != DPK_OK) {
        t->failed = true;
        return;
    }
    const bool good = dpk_write_all(file.fd, text, (size_t)length) == 0 &&
                      dpk_new_file_put(&file, NULL) == DPK_OK;
    if (!good)
        dpk_new_file_drop(&file);
    t->failed = t->failed || !good;
}

static void put_link(struct tree *t, const char *name, const char *to)
{
    char path[PATH_MAX], other[PATH_MAX], now[PATH_MAX];
    if (t->failed || !path_of(path, "%s/%s", t->folder, name) ||
        !path_of(other, "%s/.%s.%ld", t->folder, name, (long)getpid())) {
        t->failed = true;
        return;
    }
    const ssize_t length = readlink(path, now, sizeof now);
    if (length == (ssize_t)strlen(to) && memcmp(now, to, (size_t)length) == 0)
        return;
    unlink(other);
    if (symlink(to, other) != 0 || rename(other, path) != 0)
        t->failed = true;
}

/* ---- A device ---- */

struct shown {
    struct ibv_device *device;
    struct dpk_device_info info;
    char address[DPK_PCI_ADDRESS_TEXT];
};

/* Its function on PCI. */
static void put_function(struct tree *t, const struct shown *s)
{
    const struct dpk_device_type *type = dpk_device_type_find(s->info.hw_target);
    ENTER(t, "%s/sys/devices/dpakit/%s/%s", t->root, s->device->name, s->address);
    put(t, "vendor", "0x15b3");
    put(t, "device", "0x%04x", type ? type->id : 0);
    put(t, "subsystem_vendor", "0x15b3");
    put(t, "subsystem_device", "0x0000");
    put(t, "class", "0x020000");
    put(t, "numa_node", "-1");
    put(t, "current_link_speed", "32.0 GT/s PCIe");
    put(t, "current_link_width", "16");
    put(t, "max_link_speed", "32.0 GT/s PCIe");
    put(t, "max_link_width", "16");
}

static void put_guid(struct tree *t, const char *name, uint64_t guid)
{
    put(t, name, "%04x:%04x:%04x:%04x", (unsigned)(guid >> 48) & 0xffff,
        (unsigned)(guid >> 32) & 0xffff, (unsigned)(guid >> 16) & 0xffff, (unsigned)guid & 0xffff);
}

static void put_gid(struct tree *t, const char *port, const struct ibv_gid_entry *entry)
{
    char name[16], text[48] = "", interface[IF_NAMESIZE];
    const uint8_t *raw = entry->gid.raw;
    for (size_t i = 0, length = 0; i < sizeof entry->gid.raw; i += 2)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%02x%02x",
                                   i > 0 ? ":" : "", raw[i], raw[i + 1]);
    snprintf(name, sizeof name, "%u", entry->gid_index & 0xff);
    ENTER(t, "%s/gids", port);
    put(t, name, "%s", text);
    ENTER(t, "%s/gid_attrs/types", port);
    put(t, name, entry->gid_type == IBV_GID_TYPE_ROCE_V2 ? "RoCE v2" : "IB/RoCE v1");
    ENTER(t, "%s/gid_attrs/ndevs", port);
    if (entry->ndev_ifindex != 0 && if_indextoname(entry->ndev_ifindex, interface))
        put(t, name, "%s", interface);
}

/* Removes the files of entries that the table once had. */
static void drop_gids(const char *port, uint32_t from)
{
    static const char *const folders[] = {"gids", "gid_attrs/types", "gid_attrs/ndevs"};
    char path[PATH_MAX];
    for (uint32_t i = from; i < DPK_VERBS_GIDS; i++)
        for (size_t f = 0; f < sizeof folders / sizeof *folders; f++)
            if (path_of(path, "%s/%s/%" PRIu32, port, folders[f], i) && unlink(path) != 0 &&
                errno == ENOENT && f == 0)
                return;
}

static void put_gids(struct tree *t, const struct shown *s, const char *port)
{
    struct ibv_context *context = dpk_verbs_open_device(s->device);
    struct ibv_gid_entry entry;
    uint32_t i = 0;
    if (!context)
        return;
    for (; dpk_verbs_query_gid_ex(context, 1, i, &entry) == 0; i++)
        put_gid(t, port, &entry);
    drop_gids(port, i);
    dpk_verbs_close_device(context);
}

/* The port when the program begins. */
static void put_link_state(struct tree *t, const struct shown *s)
{
    struct ibv_context *context = dpk_verbs_open_device(s->device);
    char rate[VERBS_LINK_RATE_MAX];
    struct ibv_port_attr port;
    if (!context)
        return;
    verbs_link_describe(dpk_verbs_device(context), &port);
    verbs_link_rate(dpk_verbs_device(context), rate);
    const bool up = port.state == IBV_PORT_ACTIVE;
    put(t, "state", "%s", up ? "4: ACTIVE" : "1: DOWN");
    put(t, "phys_state", "%s", up ? "5: LinkUp" : "3: Disabled");
    put(t, "rate", "%s", rate);
    dpk_verbs_close_device(context);
}

static void put_port(struct tree *t, const struct shown *s, const char *port)
{
    ENTER(t, "%s", port);
    put_link_state(t, s);
    put(t, "link_layer", "Ethernet");
    put(t, "lid", "0x0");
    put(t, "sm_lid", "0x0");
    put(t, "lid_mask_count", "0");
    ENTER(t, "%s/pkeys", port);
    put(t, "0", "0xffff");
    put_gids(t, s, port);
}

static void put_device(struct tree *t, const struct shown *s)
{
    char port[PATH_MAX], target[PATH_MAX];
    const char *name = s->device->name;
    put_function(t, s);
    ENTER(t, "%s/sys/devices/dpakit/%s/%s/infiniband/%s", t->root, name, s->address, name);
    put(t, "node_type", "1: CA");
    put(t, "node_desc", "%s", name);
    put(t, "fw_ver", "dpakit");
    put(t, "hca_type", "MT%u",
        dpk_device_type_find(s->info.hw_target) ? dpk_device_type_find(s->info.hw_target)->id : 0);
    put(t, "board_id", "%s", s->info.psid);
    put_guid(t, "node_guid", be64toh(dpk_verbs_get_device_guid(s->device)));
    put_link(t, "device", "../..");
    if (!path_of(port, "%s/ports/1", t->folder))
        t->failed = true;
    else
        put_port(t, s, port);
    ENTER(t, "%s/sys/class/infiniband", t->root);
    if (path_of(target, "../../devices/dpakit/%s/%s/infiniband/%s", name, s->address, name))
        put_link(t, name, target);
    /* A character device that any user may open. Programs only check that the file is there. */
    ENTER(t, "%s/dev/infiniband", t->root);
    if (s->device->dev_name[0])
        put_link(t, s->device->dev_name, "/dev/null");
}

/* ---- All devices ---- */

static bool is_listed(struct ibv_device **list, const char *name)
{
    for (; *list; list++)
        if (strcmp((*list)->name, name) == 0 || strcmp((*list)->dev_name, name) == 0)
            return true;
    return false;
}

/* Removes the links of devices that no longer exist, and of killed processes. Nothing leads to their
 * other files then. */
static void drop_links(const char *root, const char *folder, struct ibv_device **list)
{
    char path[PATH_MAX];
    DIR *links = path_of(path, "%s%s", root, folder) ? opendir(path) : NULL;
    for (struct dirent *e = links ? readdir(links) : NULL; e; e = readdir(links))
        if (e->d_type == DT_LNK && e->d_name[0] != '.' && !is_listed(list, e->d_name))
            unlinkat(dirfd(links), e->d_name, 0);
    if (links)
        closedir(links);
}

/* Trees of several folders of devices, or of both sides of a card, are beside each other. */
static bool name_root(char out[PATH_MAX])
{
    char runtime[PATH_MAX], devices[PATH_MAX], path[PATH_MAX];
    enum dpk_side side = DPK_SIDE_HOST;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    if (dpk_runtime_directory(runtime, sizeof runtime, NULL) != DPK_OK ||
        dpk_folder_of_devices(devices, NULL) != DPK_OK || dpk_device_side(&side, NULL) != DPK_OK)
        return false;
    for (const char *c = devices; *c; c++)
        hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return path_of(path, "%s/files-%016" PRIx64 "%s", runtime, hash,
                   side == DPK_SIDE_DPU ? "-dpu" : "") &&
           dpk_folder_make(path, NULL) == DPK_OK && realpath(path, out);
}

bool dpk_verbs_write_files(char root[PATH_MAX])
{
    struct tree t = {.root = root};
    if (!name_root(root))
        return false;
    struct ibv_device **list = dpk_verbs_get_device_list(NULL);
    if (!list)
        return false;
    for (struct ibv_device **d = list; *d; d++) {
        struct shown s = {.device = *d};
        if (dpk_device_info_by_name((*d)->name, &s.info, NULL) != DPK_OK)
            continue;
        dpk_pci_address_format(&s.info.pci, s.address);
        t.failed = false;
        put_device(&t, &s);
    }
    drop_links(root, "/sys/class/infiniband", list);
    drop_links(root, "/dev/infiniband", list);
    dpk_verbs_free_device_list(list);
    return true;
}
