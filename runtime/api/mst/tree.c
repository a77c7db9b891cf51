/* Files of a function, as the kernel has those of a card. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/mst/mst.h"

#include <linux/pci_regs.h>

#define VENDOR 0x15b3
#define CLASS  0x020000 /* a network controller */

/* Paths where tools look for cards, and for locks of their accesses. */
static const char *const places[] = {"/sys/bus/pci",           "/proc/bus/pci",    "/dev/mst",
                                     "/sys/class/infiniband",  "/sys/class/fwctl", "/dev/fwctl",
                                     "/tmp/mstflint_lockfiles"};

/* "/dev/0000:03:00.0_mstcr" and _mstconf, of a driver that an emulated device does not have. */
static bool is_driver_file(const char *path)
{
    unsigned domain, bus, slot, function;
    int used = 0;
    return sscanf(path, "/dev/%4x:%2x:%2x.%1x_mst%n", &domain, &bus, &slot, &function, &used) ==
               4 &&
           used > 0;
}

bool mst_tree_has(const char *path)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t length = strlen(places[i]);
        if (strncmp(path, places[i], length) == 0 && (path[length] == 0 || path[length] == '/'))
            return true;
    }
    return is_driver_file(path);
}

/* ---- Configuration space ---- */

#define POWER   0x40
#define EXPRESS 0x60

static void put16(uint8_t *space, size_t at, unsigned value)
{
    space[at] = value & 0xff;
    space[at + 1] = value >> 8 & 0xff;
}

/* Writes the standard header, and the capabilities power management, PCI Express and, at
 * MST_GATEWAY, the vendor's. */
static void make_space(const struct dpk_device_type *type, uint8_t space[MST_SPACE_SIZE])
{
    memset(space, 0, MST_SPACE_SIZE);
    put16(space, PCI_VENDOR_ID, VENDOR);
    put16(space, PCI_DEVICE_ID, type->id);
    put16(space, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    put16(space, PCI_STATUS, PCI_STATUS_CAP_LIST);
    put16(space, PCI_CLASS_DEVICE, CLASS >> 8);
    put16(space, PCI_SUBSYSTEM_VENDOR_ID, VENDOR);
    space[PCI_CAPABILITY_LIST] = EXPRESS;
    space[EXPRESS] = PCI_CAP_ID_EXP;
    space[EXPRESS + 1] = POWER;
    put16(space, EXPRESS + PCI_EXP_FLAGS, 2); /* version 2, an endpoint */
    space[POWER] = PCI_CAP_ID_PM;
    space[POWER + 1] = MST_GATEWAY;
    put16(space, POWER + PCI_PM_PMC, 3);
    space[MST_GATEWAY] = PCI_CAP_ID_VNDR;
    space[MST_GATEWAY + 2] = MST_GATEWAY_SIZE;
}

/* ---- Files ---- */

struct writer {
    char folder[PATH_MAX];
    enum dpk_status status;
    struct dpk_error *err;
};

static void enter(struct writer *w, const char *root, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void enter(struct writer *w, const char *root, const char *format, ...)
{
    va_list list;
    if (w->status != DPK_OK)
        return;
    const int before = snprintf(w->folder, sizeof w->folder, "%s", root);
    va_start(list, format);
    const int more =
        before < 0 || before >= PATH_MAX
            ? -1
            : vsnprintf(w->folder + before, sizeof w->folder - (size_t)before, format, list);
    va_end(list);
    w->status = more < 0 || before + more >= PATH_MAX
                    ? dpk_fail(w->err, DPK_ERR_RANGE, "path too long: %.200s", root)
                    : dpk_folder_make(w->folder, w->err);
}

/* Writes a file if it has another content. Nobody needs it after the machine has stopped, so it is
 * not synchronized. */
static void put(struct writer *w, const char *name, const void *bytes, size_t size)
{
    char path[PATH_MAX];
    struct dpk_buf now = {0};
    struct dpk_new_file file;
    const int n = snprintf(path, sizeof path, "%s/%s", w->folder, name);
    if (w->status == DPK_OK && (n < 0 || n >= PATH_MAX))
        w->status = dpk_fail(w->err, DPK_ERR_RANGE, "path too long: %.200s", w->folder);
    if (w->status != DPK_OK)
        return;
    const bool same = dpk_file_read(path, size, &now, NULL) == DPK_OK && now.size == size &&
                      memcmp(now.data, bytes, size) == 0;
    dpk_buf_free(&now);
    if (same)
        return;
    w->status = dpk_new_file_open(&file, path, 0600, w->err);
    if (w->status != DPK_OK)
        return;
    if (dpk_write_all(file.fd, bytes, size) != 0)
        w->status = dpk_fail_errno(w->err, "%s", path);
    else
        w->status = dpk_new_file_put(&file, w->err);
    if (w->status != DPK_OK)
        dpk_new_file_drop(&file);
}

static void put_line(struct writer *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_line(struct writer *w, const char *name, const char *format, ...)
{
    char text[64];
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    put(w, name, text, n < 0 ? 0 : strlen(text));
}

static void put_function(struct writer *w, const struct mst_tree *tree,
                         const struct dpk_device_type *type)
{
    uint8_t space[MST_SPACE_SIZE];
    make_space(type, space);
    enter(w, tree->root, "/sys/bus/pci/devices/%s", tree->address);
    put_line(w, "vendor", "0x%04x\n", VENDOR);
    put_line(w, "device", "0x%04x\n", type->id);
    put_line(w, "subsystem_vendor", "0x%04x\n", VENDOR);
    put_line(w, "subsystem_device", "0x0000\n");
    put_line(w, "class", "0x%06x\n", CLASS);
    put_line(w, "revision", "0x00\n");
    put_line(w, "numa_node", "-1\n");
    put(w, "config", space, sizeof space);
}

enum dpk_status mst_tree_write(struct dpk_device *device, struct mst_tree *out,
                               struct dpk_error *err)
{
    struct dpk_device_info info;
    char directory[PATH_MAX];
    struct writer w = {.err = err};
    enum dpk_status status = dpk_device_info(device, &info, err);
    if (status == DPK_OK)
        status = dpk_device_directory(device, directory, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_device_type *type = dpk_device_type_find(info.hw_target);
    if (!type)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown type %s", info.hw_target);
    dpk_pci_address_format(&info.pci, out->address);
    const int n[] = {snprintf(out->root, sizeof out->root, "%s/pci", directory),
                     snprintf(out->semaphore, sizeof out->semaphore, "%s/pci/semaphore", directory),
                     snprintf(out->config, sizeof out->config,
                              "%s/pci/sys/bus/pci/devices/%s/config", directory, out->address)};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (n[i] < 0 || n[i] >= PATH_MAX)
            return dpk_fail(err, DPK_ERR_RANGE, "path too long: %.200s", directory);
    put_function(&w, out, type);
    enter(&w, out->root, "/tmp/mstflint_lockfiles");
    return w.status;
}
