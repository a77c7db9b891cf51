/* For the files of registers. */
#ifndef DPK_DEVICE_REGISTERS_PRIVATE_H
#define DPK_DEVICE_REGISTERS_PRIVATE_H

#include "device/admin/admin.h"
#include "device/registers/registers.h"

/* ---- Layouts (layout.c) ----
 * A field has the offset of its dword, and of its lowest bit in the big-endian dword, as the public
 * tables have them: {"psid", 0x30, 0, 128} are 16 bytes, {"major", 0x20, 16, 8} eight bits. */

struct register_field {
    const char *name;
    uint16_t offset; /* bytes, a multiple of 4 */
    uint8_t low_bit;
    uint16_t bits; /* 1 to 32, or whole bytes from `offset` on */
};

struct register_layout;
struct register_group {
    const struct register_layout *layouts;
    size_t count;
};
/* The bytes of an access. */
struct register_call {
    struct dpk_registers *registers;
    const struct register_layout *layout;
    const struct register_group *const *groups; /* all registers of the card */
    size_t group_count;
    uint8_t *data;
    size_t size; /* at least layout->size */
    bool set;
    bool answered; /* `data` is an answer although the status is not OK */
};

/* Carries out an access of bytes that have the size of the layout at least. */
typedef enum dpk_register_status register_access(struct register_call *call, struct dpk_error *err);

struct register_layout {
    const char *name;
    unsigned number;
    size_t size; /* the least size of a message; a longer one has more data */
    const struct register_field *fields;
    size_t field_count;
    register_access *get, *set; /* NULL: the card refuses this method */
};

/* Get and set a field of at most 32 bits, and set the bytes of a longer field, which a shorter text
 * leaves zero. The name must be one of the layout's. A value is cut to the field. */
uint32_t register_get(const struct register_call *call, const char *field);
void register_put(struct register_call *call, const char *field, uint32_t value);
void register_put_bytes(struct register_call *call, const char *field, const void *bytes,
                        size_t size);
/* Returns a field of the layout, or NULL. */
const struct register_field *register_find_field(const struct register_layout *layout,
                                                 const char *name);

/* ---- All registers (table.c) ---- */

extern const struct register_group registers_nv, registers_identity, registers_reset,
    registers_components;

const struct register_layout *register_find(unsigned number); /* NULL: there is none */
const struct register_group *const *register_groups(size_t *count);

/* ---- What is behind them (source.c) ---- */

/* Version of the firmware. The firmware of an emulated card is this program, so it has the program's
 * version (identity.c). */
struct registers_version {
    unsigned major, minor, sub_minor;
};
struct registers_version registers_firmware_version(void);

/* How a device takes a file: dpk_device_apply or dpk_device_burn. */
typedef enum dpk_status registers_take(struct dpk_device *dev, const void *bytes, size_t size,
                                       enum dpk_reject *reject, struct dpk_error *err);

/* An update of the card by this process (components.c). */
struct registers_update {
    uint32_t handle; /* of this update, or of the next one; 0: not yet chosen */
    bool locked;
    int lock; /* file whose lock it is, if it is locked */
    bool writing;
    registers_take *take; /* of the component that is written */
    size_t size;          /* of the component that is written */
    struct dpk_buf bytes; /* what has come of it */
    unsigned error;       /* error_code of the last instruction */
};
/* Ends it and releases the lock. */
void registers_end_update(struct registers_update *u);

struct dpk_registers {
    char *name, *definitions, *database; /* of its source */
    struct dpk_device *device;           /* NULL: not yet opened */
    struct dpk_nv_defs *defs;            /* NULL: not yet loaded */
    struct dpk_nv_list walked;           /* what MNVGN walks through */
    struct registers_update update;
    struct dpk_error reason;
};
/* Get the device, and the definitions of the TLVs that it supports. */
enum dpk_status registers_need_device(struct dpk_registers *r, struct dpk_device **out,
                                      struct dpk_error *err);
enum dpk_status registers_need_defs(struct dpk_registers *r, const struct dpk_nv_defs **out,
                                    struct dpk_error *err);
/* Returns the status of a card for a status of the project: a refusal is BAD_CONFIG, an illegal
 * value BAD_PARAMETER, a locked state BUSY, and a damaged state INTERNAL_ERROR. */
enum dpk_register_status registers_status(enum dpk_status status);

#endif
