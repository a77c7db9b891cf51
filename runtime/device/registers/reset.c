/* Registers of resets. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- MFRL: levels of resets ---- */

/* Triggers. The card does not offer the warm reboot, because mstfwreset would reboot this machine.
 * But mstconfig sets this trigger after each change. */
enum { PCI_RESET = 0x08, WARM_REBOOT = 0x40 };
enum { FULL_CHIP = 0x01 }; /* types of resets, as a mask; rst_type_sel has the number of the bit */
static const struct register_field mfrl_fields[] = {{"reset_trigger", 4, 0, 8},
                                                    {"reset_type", 4, 8, 8},
                                                    {"rst_type_sel", 4, 24, 3},
                                                    {"pci_sync_for_fw_update_resp", 4, 27, 2},
                                                    {"pci_sync_for_fw_update_start", 4, 29, 1},
                                                    {"pci_rescan_required", 4, 31, 1}};

static enum dpk_register_status get_mfrl(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    register_put(call, "reset_trigger", PCI_RESET);
    register_put(call, "reset_type", FULL_CHIP);
    register_put(call, "pci_rescan_required", 0);
    return DPK_REGISTER_OK;
}

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

/* Returns true if a reset is requested, and ends the request. */
static bool take_request(const char *path, const struct dpk_device_boot *boot)
{
    struct dpk_buf text = {0};
    uint64_t event;
    bool wanted = dpk_file_read(path, 23, &text, NULL) == DPK_OK;
    dpk_put_u8(&text, 0);
    wanted = wanted && !text.failed && dpk_number((const char *)text.data, 0, INT64_MAX, &event) &&
             (int64_t)event == boot->event;
    dpk_buf_free(&text);
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

/* A warm reboot is the machine's: dpadev reset. */
static enum dpk_register_status set_mfrl(struct register_call *call, struct dpk_error *err)
{
    const unsigned trigger = register_get(call, "reset_trigger");
    if (trigger & ~(unsigned)(PCI_RESET | WARM_REBOOT) || register_get(call, "rst_type_sel") != 0 ||
        register_get(call, "pci_sync_for_fw_update_start") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    return trigger & PCI_RESET ? registers_status(request_reset(call->registers, err))
                               : DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"MFRL", 0x9028, 8, mfrl_fields, COUNT(mfrl_fields), get_mfrl, set_mfrl},
};
const struct register_group registers_reset = {layouts, COUNT(layouts)};
