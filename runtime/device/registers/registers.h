/*
 * registers: the access registers of a card, by which NVIDIA's tools read and change its NV
 * configuration, identity and firmware state. Their names, numbers and layouts are those of the
 * public tables of mstflint (prm_dbs/hca/ext/register_access_table.adb). What they tell and change
 * is the state of an emulated device.
 *
 *     struct dpk_registers *registers = NULL;
 *     uint8_t nvqc[8] = {0, 0, 1, 17};                       // nv_prog_cc
 *     dpk_registers_open(&(struct dpk_registers_source){.device = "mlx5_0"}, &registers, &err);
 *     if (dpk_register_access(registers, 0x9030, DPK_REGISTER_GET, nvqc, sizeof nvqc) ==
 *         DPK_REGISTER_OK)
 *         puts(nvqc[7] & 2 ? "can be set" : "cannot be set");
 *     dpk_registers_close(registers);
 */
#ifndef DPK_DEVICE_REGISTERS_REGISTERS_H
#define DPK_DEVICE_REGISTERS_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "device/state/state.h"

/* Largest register, in bytes: what a mailbox has room for. */
#define DPK_REGISTER_SIZE_MAX 776

enum dpk_register_method { DPK_REGISTER_GET = 1, DPK_REGISTER_SET = 2 };

/* Status of an access, with the numbers of the operation TLV. */
enum dpk_register_status {
    DPK_REGISTER_OK = 0,
    DPK_REGISTER_BUSY = 1,                 /* another program has what is needed */
    DPK_REGISTER_BAD_TLV = 3,              /* the message does not have the two TLVs */
    DPK_REGISTER_NOT_SUPPORTED = 4,        /* the card does not have the register */
    DPK_REGISTER_METHOD_NOT_SUPPORTED = 6, /* it can only be read, or only be written */
    DPK_REGISTER_BAD_PARAMETER = 7,
    DPK_REGISTER_NOT_AVAILABLE = 8, /* what it is about does not exist */
    DPK_REGISTER_BAD_CONFIG = 0x20, /* the device refuses the configuration */
    DPK_REGISTER_TOO_SHORT = 0x24,  /* the register is longer than the message */
    DPK_REGISTER_INTERNAL_ERROR = 0x70,
};

struct dpk_registers;

struct dpk_registers_source {
    const char *device;      /* a name for dpk_device_open */
    const char *definitions; /* directory of the built-in definitions of TLVs; NULL: that of the
                              * running program (dpk_nv_defs_load) */
    const char *database;    /* a database of NVIDIA's tools (dpk_nv_defs_load_db) with more TLVs
                              * that the card supports, or NULL */
};
/* Opens the registers of a device. The source is copied. The device and the definitions are opened
 * at the first access that needs them, which then may fail with INTERNAL_ERROR. Errors:
 * DPK_ERR_NOMEM. */
enum dpk_status dpk_registers_open(const struct dpk_registers_source *source,
                                   struct dpk_registers **out, struct dpk_error *err);
void dpk_registers_close(struct dpk_registers *registers); /* NULL is allowed */

/* Reads or writes a register. `data`: its `size` bytes, big-endian as on the wire, which are
 * replaced by the answer if the status is OK, and else unchanged, except that MCC tells the
 * device's refusal with BAD_CONFIG. The bytes and the method are not
 * trusted. Not for two threads at the same time. */
enum dpk_register_status dpk_register_access(struct dpk_registers *registers, unsigned number,
                                             unsigned method, uint8_t *data, size_t size);
/* Returns the name of a register, or NULL if the card does not have it. */
const char *dpk_register_name(unsigned number);
/* Returns why the last access was not OK, for logs; "" if there is nothing to say. */
const char *dpk_registers_reason(const struct dpk_registers *registers);

/* Gets the time, in seconds since 1970, of the last boot of a card, or when its device was made. */
enum dpk_status dpk_registers_boot_time(struct dpk_device *device, int64_t *out,
                                        struct dpk_error *err);
/* Tells the card that its PCI link was down and is up again: it boots if MFRL has asked for a PCI
 * reset since its last boot. Errors: those of dpk_device_reset. */
enum dpk_status dpk_registers_link_up(struct dpk_registers *registers);

/* Returns the device, opened at the first call, or NULL (dpk_registers_reason). */
struct dpk_device *dpk_registers_device(struct dpk_registers *registers);
/* Returns the hardware id of a type of card: the low 16 bits at 0xf0014 of its configuration
 * registers, and hw_dev_id of MGIR. */
unsigned dpk_registers_hardware_id(const struct dpk_device_type *type);

#endif
