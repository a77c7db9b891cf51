/* Registers of resets. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

/* ---- MFRL: levels of resets ---- */

/* Triggers. The card does not offer the warm reboot, because mstfwreset would reboot this machine.
 * But mstconfig sets this trigger after each change. */
enum { PCI_RESET = 0x08, WARM_REBOOT = 0x40 };
enum { FULL_CHIP = 0x01 }; /* types of resets, as a mask; rst_type_sel has the number of the bit */
/* Who takes the link down and up, and how: numbers, and bits of MROQ's masks. */
enum { BY_TOOL, BY_DRIVER, BY_FIRMWARE };
enum { LINK_DISABLE, HOT_RESET };
/* A reset_state: a reset is requested, and the link is not yet down. */
enum { WAITING_FOR_TRIGGER = 8 };
static const struct register_field mfrl_fields[] = {{"reset_trigger", 4, 0, 8},
                                                    {"reset_type", 4, 8, 8},
                                                    {"reset_state", 4, 16, 4},
                                                    {"pci_reset_req_method", 4, 21, 3},
                                                    {"rst_type_sel", 4, 24, 3},
                                                    {"pci_sync_for_fw_update_resp", 4, 27, 2},
                                                    {"pci_sync_for_fw_update_start", 4, 29, 2},
                                                    {"pci_rescan_required", 4, 31, 1}};

/* ---- The reset that waits for the link ----
 * A tool asks for a PCI reset, stops its driver, and takes the link down. The card boots when the
 * link comes up again. Until then a file of the device has the number of the last boot: a boot in
 * between ends the wait. */

static enum dpk_status name_request(struct dpk_registers *r, char out[PATH_MAX],
                                    struct dpk_device_boot *boot, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    char directory[PATH_MAX];
    enum dpk_status status = registers_need_device(r, &device, err);
    if (status == DPK_OK)
        status = dpk_device_last_boot(device, boot, err);
    if (status == DPK_OK)
        status = dpk_device_directory(device, directory, err);
    if (status != DPK_OK)
        return status;
    const int n = snprintf(out, PATH_MAX, "%s/reset", directory);
    return n > 0 && n < PATH_MAX ? DPK_OK
                                 : dpk_fail(err, DPK_ERR_RANGE, "path too long: %.200s", directory);
}

static enum dpk_status request_reset(struct dpk_registers *r, struct dpk_error *err)
{
    struct dpk_device_boot boot;
    char path[PATH_MAX], text[24];
    enum dpk_status status = name_request(r, path, &boot, err);
    if (status != DPK_OK)
        return status;
    snprintf(text, sizeof text, "%" PRId64, boot.event);
    return dpk_file_replace(path, text, strlen(text), 0600, err);
}

static bool is_requested(const char *path, const struct dpk_device_boot *boot)
{
    struct dpk_buf text = {0};
    uint64_t event;
    bool wanted = dpk_file_read(path, 23, &text, NULL) == DPK_OK;
    dpk_put_u8(&text, 0);
    wanted = wanted && !text.failed && dpk_number((const char *)text.data, 0, INT64_MAX, &event) &&
             (int64_t)event == boot->event;
    dpk_buf_free(&text);
    return wanted;
}

/* Returns true if a reset is requested, and ends the request. */
static bool take_request(const char *path, const struct dpk_device_boot *boot)
{
    const bool wanted = is_requested(path, boot);
    return unlink(path) == 0 && wanted;
}

enum dpk_status dpk_registers_boot_time(struct dpk_device *device, int64_t *out,
                                        struct dpk_error *err)
{
    struct dpk_device_boot boot = {0};
    const enum dpk_status status = dpk_device_last_boot(device, &boot, err);
    *out = boot.time;
    return status;
}

enum dpk_status dpk_registers_link_up(struct dpk_registers *r)
{
    struct dpk_device_boot boot;
    char path[PATH_MAX];
    r->reason = (struct dpk_error){0};
    enum dpk_status status = name_request(r, path, &boot, &r->reason);
    if (status == DPK_OK && take_request(path, &boot))
        status = dpk_device_reset(r->device, &r->reason);
    return status;
}

static enum dpk_register_status get_mfrl(struct register_call *call, struct dpk_error *err)
{
    struct dpk_device_boot boot;
    char path[PATH_MAX];
    const enum dpk_status status = name_request(call->registers, path, &boot, err);
    if (status != DPK_OK)
        return registers_status(status);
    register_put(call, "reset_trigger", PCI_RESET);
    register_put(call, "reset_type", FULL_CHIP);
    register_put(call, "reset_state", is_requested(path, &boot) ? WAITING_FOR_TRIGGER : 0);
    register_put(call, "pci_rescan_required", 0);
    return DPK_REGISTER_OK;
}

/* Boots now, for a driver that takes the link down and up. The emulated card has no driver that could
 * refuse. */
static enum dpk_status reset_by_driver(struct dpk_registers *r, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    const enum dpk_status status = registers_need_device(r, &device, err);
    return status == DPK_OK ? dpk_device_reset(device, err) : status;
}

/* A warm reboot is the machine's: dpadev reset. */
static enum dpk_register_status set_mfrl(struct register_call *call, struct dpk_error *err)
{
    const unsigned trigger = register_get(call, "reset_trigger"),
                   owner = register_get(call, "pci_sync_for_fw_update_start"),
                   method = register_get(call, "pci_reset_req_method");
    if (trigger & ~(unsigned)(PCI_RESET | WARM_REBOOT) || register_get(call, "rst_type_sel") != 0 ||
        owner > BY_FIRMWARE || method > HOT_RESET || (owner == BY_TOOL && method != LINK_DISABLE))
        return DPK_REGISTER_BAD_PARAMETER;
    if (!(trigger & PCI_RESET))
        return DPK_REGISTER_OK;
    return registers_status(owner == BY_DRIVER ? reset_by_driver(call->registers, err)
                                               : request_reset(call->registers, err));
}

/* ---- MROQ: the ways to a reset ---- */

static const struct register_field mroq_fields[] = {{"reset_trigger", 0, 0, 8},
                                                    {"reset_type", 0, 8, 8},
                                                    {"query_is_valid", 0, 16, 1},
                                                    {"pci_sync_for_fw_update_start", 0, 17, 4},
                                                    {"pci_reset_req_method", 0, 24, 8}};

static enum dpk_register_status get_mroq(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    if (register_get(call, "reset_type") != 0) /* the number of FULL_CHIP */
        return DPK_REGISTER_BAD_PARAMETER;
    register_put(call, "reset_trigger", PCI_RESET);
    register_put(call, "query_is_valid", 1);
    register_put(call, "pci_sync_for_fw_update_start",
                 1u << BY_TOOL | 1u << BY_DRIVER | 1u << BY_FIRMWARE);
    register_put(call, "pci_reset_req_method", 1u << LINK_DISABLE | 1u << HOT_RESET);
    return DPK_REGISTER_OK;
}

/* ---- DTOR: how long a tool waits for the card ---- A time has a value in 20 bits, and in its upper
 * bits a unit: 0 is a millisecond. The emulated card boots while the tool waits for the register. */

enum { SOON = 100, LATER = 1000 }; /* milliseconds */
static const struct register_field dtor_fields[] = {{"PCIE_TOGGLE_TO", 0x04, 0, 32},
                                                    {"HEALTH_POLL_TO", 0x14, 0, 32},
                                                    {"FULL_CRDUMP_TO", 0x18, 0, 32},
                                                    {"FW_RESET_TO", 0x1c, 0, 32},
                                                    {"FLUSH_ON_ERR_TO", 0x20, 0, 32},
                                                    {"PCI_SYNC_UPDATE_TO", 0x24, 0, 32},
                                                    {"TEAR_DOWN_TO", 0x28, 0, 32},
                                                    {"FSM_REACTIVATE_TO", 0x2c, 0, 32},
                                                    {"RECLAIM_PAGES_TO", 0x30, 0, 32},
                                                    {"RECLAIM_VFS_PAGES_TO", 0x34, 0, 32},
                                                    {"DRIVER_UNLOAD_AND_RESET_TO", 0x38, 0, 32},
                                                    {"EMBEDDED_CPU_OS_SHUTDOWN_TO", 0x3c, 0, 32}};

static enum dpk_register_status get_dtor(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    memset(call->data, 0, call->size);
    for (size_t i = 0; i < COUNT(dtor_fields); i++)
        register_put(call, dtor_fields[i].name, LATER);
    register_put(call, "PCIE_TOGGLE_TO", SOON);
    register_put(call, "PCI_SYNC_UPDATE_TO", SOON);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"MFRL", 0x9028, 8, mfrl_fields, COUNT(mfrl_fields), get_mfrl, set_mfrl},
    {"MROQ", 0x902f, 0x20, mroq_fields, COUNT(mroq_fields), get_mroq, NULL},
    {"DTOR", 0xc00e, 0x40, dtor_fields, COUNT(dtor_fields), get_dtor, NULL},
};
const struct register_group registers_reset = {layouts, COUNT(layouts)};
