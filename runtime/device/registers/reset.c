/* Registers of resets. */
#include "private.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- MFRL: levels of resets ---- */

/* Triggers. A card does not offer the reboot, because mstfwreset would reboot this machine; but
 * mstconfig sets it after each change. */
enum { PCI_RESET = 0x08, WARM_REBOOT = 0x40 };
enum { FULL_CHIP = 0x01 }; /* types, as a mask; rst_type_sel has its bit */
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

/* A PCI reset is done at once, because an emulated card has no link that must go down first. A warm
 * reboot is the machine's: dpadev reset. */
static enum dpk_register_status set_mfrl(struct register_call *call, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    const unsigned trigger = register_get(call, "reset_trigger");
    if (trigger & ~(unsigned)(PCI_RESET | WARM_REBOOT) || register_get(call, "rst_type_sel") != 0 ||
        register_get(call, "pci_sync_for_fw_update_start") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    if (!(trigger & PCI_RESET))
        return DPK_REGISTER_OK;
    if (registers_need_device(call->registers, &device, err) != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    return registers_status(dpk_device_reset(device, err));
}

enum dpk_status dpk_registers_boot_time(struct dpk_device *device, int64_t *out,
                                        struct dpk_error *err)
{
    struct dpk_device_boot boot = {0};
    const enum dpk_status status = dpk_device_last_boot(device, &boot, err);
    *out = boot.time;
    return status;
}

static const struct register_layout layouts[] = {
    {"MFRL", 0x9028, 8, mfrl_fields, COUNT(mfrl_fields), get_mfrl, set_mfrl},
};
const struct register_group registers_reset = {layouts, COUNT(layouts)};
