/* Files of a function, as the kernel has those of a card. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/mst/mst.h"

#include <linux/pci_regs.h>

#define CLASS 0x020000 /* a network controller */

/* Paths where tools look for cards, and for locks of their accesses. */
static const char *const places[] = {
    "/sys/bus/pci", "/sys/devices/pci0000:00", "/proc/bus/pci",
    "/dev/mst",     "/sys/class/infiniband",   "/sys/class/fwctl",
    "/dev/fwctl",   "/tmp/mstflint_lockfiles", "/sys/bus/platform/drivers/mlx-bootctl"};

/* "/dev/0000:03:00.0_mstcr" and _mstconf, and "/dev/rshim0", of drivers that an emulated device
 * does not have. */
static bool is_driver_file(const char *path)
{
    static const char rshim[] = "/dev/rshim";
    unsigned domain, bus, slot, function;
    int used = 0;
    if (strncmp(path, rshim, sizeof rshim - 1) == 0)
        return true;
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

/* Writes the standard header, and the capabilities power management, PCI Express and, at
 * MST_GATEWAY, the vendor's. */
static void make_space(const struct dpk_device_type *type, uint8_t space[MST_SPACE_SIZE])
{
    memset(space, 0, MST_SPACE_SIZE);
    mst_put16(space, PCI_VENDOR_ID, MST_VENDOR);
    mst_put16(space, PCI_DEVICE_ID, type->id);
    mst_put16(space, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    mst_put16(space, PCI_STATUS, PCI_STATUS_CAP_LIST);
    mst_put16(space, PCI_CLASS_DEVICE, CLASS >> 8);
    mst_put16(space, PCI_SUBSYSTEM_VENDOR_ID, MST_VENDOR);
    space[PCI_CAPABILITY_LIST] = EXPRESS;
    space[EXPRESS] = PCI_CAP_ID_EXP;
    space[EXPRESS + 1] = POWER;
    mst_put16(space, EXPRESS + PCI_EXP_FLAGS, 2); /* version 2, an endpoint */
    space[POWER] = PCI_CAP_ID_PM;
    space[POWER + 1] = MST_GATEWAY;
    mst_put16(space, POWER + PCI_PM_PMC, 3);
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

/* Writes a file if its content differs. The file is not synchronized, because it is not needed
 * after a restart of the machine. */
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

/* Links "name" in the folder. */
static void put_link(struct writer *w, const char *name, const char *target)
{
    char path[PATH_MAX], now[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", w->folder, name);
    if (w->status == DPK_OK && (n < 0 || n >= PATH_MAX))
        w->status = dpk_fail(w->err, DPK_ERR_RANGE, "path too long: %.200s", w->folder);
    if (w->status != DPK_OK)
        return;
    const bool made = symlink(target, path) == 0;
    const int error = errno;
    const ssize_t length = made ? 0 : readlink(path, now, sizeof now - 1);
    if (!made && (length < 0 || (size_t)length != strlen(target) ||
                  memcmp(now, target, (size_t)length) != 0)) {
        errno = error;
        w->status = dpk_fail_errno(w->err, "%s", path);
    }
}

static void put_properties(struct writer *w, const uint8_t space[MST_SPACE_SIZE], unsigned class)
{
    put_line(w, "vendor", "0x%02x%02x\n", space[PCI_VENDOR_ID + 1], space[PCI_VENDOR_ID]);
    put_line(w, "device", "0x%02x%02x\n", space[PCI_DEVICE_ID + 1], space[PCI_DEVICE_ID]);
    put_line(w, "class", "0x%06x\n", class);
    put_line(w, "revision", "0x00\n");
    put_line(w, "irq", "0\n");
    put(w, "resource", "", 0); /* no memory of it can be mapped */
    put(w, "config", space, MST_SPACE_SIZE);
}

static void put_vpd(struct writer *w, const struct dpk_device_info *info)
{
    struct dpk_buf vpd = {0};
    mst_vpd_put(&vpd, info);
    if (vpd.failed && w->status == DPK_OK)
        w->status = dpk_fail_nomem(w->err);
    put(w, "vpd", vpd.data, vpd.size);
    dpk_buf_free(&vpd);
}

#define BRIDGE_FOLDER "devices/pci0000:00/" MST_BRIDGE_ADDRESS

static void put_function(struct writer *w, const struct mst_tree *tree,
                         const struct dpk_device_info *info, const struct dpk_device_type *type)
{
    uint8_t space[MST_SPACE_SIZE];
    char target[64];
    make_space(type, space);
    enter(w, tree->root, "/sys/" BRIDGE_FOLDER "/%s", tree->address);
    put_line(w, "subsystem_vendor", "0x%04x\n", MST_VENDOR);
    put_line(w, "subsystem_device", "0x0000\n");
    put_line(w, "numa_node", "-1\n");
    put_properties(w, space, CLASS);
    put_vpd(w, info);
    enter(w, tree->root, "/sys/bus/pci/devices");
    snprintf(target, sizeof target, "../../../" BRIDGE_FOLDER "/%s", tree->address);
    put_link(w, tree->address, target);
}

/* The link of a bridge stays disabled until the machine boots. */
static bool link_is_disabled(const struct mst_tree *tree, int64_t booted)
{
    struct stat st;
    return stat(tree->bridge, &st) == 0 && st.st_mtim.tv_sec >= booted &&
           mst_bridge_link_is_disabled(tree->bridge);
}

static void put_bridge(struct writer *w, const struct mst_tree *tree, unsigned bus, int64_t booted)
{
    uint8_t space[MST_SPACE_SIZE];
    mst_bridge_make(bus, link_is_disabled(tree, booted), space);
    enter(w, tree->root, "/sys/" BRIDGE_FOLDER);
    put_properties(w, space, MST_BRIDGE_CLASS);
    enter(w, tree->root, "/sys/bus/pci/devices");
    put_link(w, MST_BRIDGE_ADDRESS, "../../../" BRIDGE_FOLDER);
    enter(w, tree->root, "/sys/bus/pci/drivers"); /* none */
}

static void put_fwctl(struct writer *w, const struct mst_tree *tree)
{
    char target[64];
    enter(w, tree->root, "/sys/class/fwctl/" MST_FWCTL);
    snprintf(target, sizeof target, "../../../bus/pci/devices/%s", tree->address);
    put_link(w, "device", target);
    put_line(w, "dev", "245:0\n"); /* numbers of a driver of this machine, which no tool opens */
    enter(w, tree->root, "/dev/fwctl");
    put(w, MST_FWCTL, "", 0);
}

enum dpk_status mst_tree_write(struct dpk_device *device, struct mst_tree *out,
                               struct dpk_error *err)
{
    struct dpk_device_info info;
    int64_t booted = 0;
    char directory[PATH_MAX];
    struct writer w = {.err = err};
    enum dpk_status status = dpk_device_info(device, &info, err);
    if (status == DPK_OK)
        status = dpk_registers_boot_time(device, &booted, err);
    if (status == DPK_OK)
        status = dpk_device_directory(device, directory, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_device_type *type = dpk_device_type_find(info.hw_target);
    if (!type)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown type %s", info.hw_target);
    dpk_pci_address_format(&info.pci, out->address);
    const int n[] = {
        snprintf(out->root, sizeof out->root, "%s/pci/root", directory),
        snprintf(out->semaphore, sizeof out->semaphore, "%s/pci/semaphore", directory),
        snprintf(out->config, sizeof out->config, "%s/pci/root/sys/" BRIDGE_FOLDER "/%s/config",
                 directory, out->address),
        snprintf(out->fwctl, sizeof out->fwctl, "%s/pci/root/dev/fwctl/" MST_FWCTL, directory),
        snprintf(out->bridge, sizeof out->bridge, "%s/pci/root/sys/" BRIDGE_FOLDER "/config",
                 directory)};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        if (n[i] < 0 || n[i] >= PATH_MAX)
            return dpk_fail(err, DPK_ERR_RANGE, "path too long: %.200s", directory);
    put_function(&w, out, &info, type);
    put_bridge(&w, out, info.pci.bus, booted);
    put_fwctl(&w, out);
    enter(&w, out->root, "/tmp/mstflint_lockfiles");
    return w.status;
}
