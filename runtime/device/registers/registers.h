/*
 * registers: the access registers of a card. NVIDIA's tools use them to read and change the NV
 * configuration, the identity and the firmware state of a card. Names, numbers and layouts are
 * those of mstflint's public tables (prm_dbs/hca/ext/register_access_table.adb). Here the registers
 * read and change the state of an emulated device.
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

/* Size of the largest register in bytes: a mailbox has no room for more. */
#define DPK_REGISTER_SIZE_MAX 776

enum dpk_register_method { DPK_REGISTER_GET = 1, DPK_REGISTER_SET = 2 };

/* Status of an access, with the numbers of the operation TLV. */
enum dpk_register_status {
    DPK_REGISTER_OK = 0,
    DPK_REGISTER_BUSY = 1,                 /* another program holds the lock of the device */
    DPK_REGISTER_BAD_TLV = 3,              /* the message does not have the two TLVs */
    DPK_REGISTER_NOT_SUPPORTED = 4,        /* the card does not have the register */
    DPK_REGISTER_METHOD_NOT_SUPPORTED = 6, /* the register can only be read, or only be written */
    DPK_REGISTER_BAD_PARAMETER = 7,
    DPK_REGISTER_NOT_AVAILABLE = 8, /* the object that the access names does not exist */
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

/* Reads or writes a register. `data`: the `size` bytes of the register, big-endian as on the wire.
 * If the status is OK, the answer replaces them, else they do not change; only MCC also answers
 * with BAD_CONFIG, and gives the device's refusal. The bytes and the method are not trusted. One
 * thread at a time may call this. */
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
