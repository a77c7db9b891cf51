/* Declarations that the files of registers share. */
#ifndef DPK_DEVICE_REGISTERS_PRIVATE_H
#define DPK_DEVICE_REGISTERS_PRIVATE_H

#include "device/admin/admin.h"
#include "device/port/port.h"
#include "device/registers/registers.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Layouts (layout.c) ---- A field has the offset of its dword, and the number of its lowest
 * bit in that big-endian dword, as in the public tables: {"psid", 0x30, 0, 128} is a field of 16
 * bytes, {"major", 0x20, 16, 8} a field of 8 bits. */

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
/* An access: its bytes and its register. */
struct register_call {
    struct dpk_registers *registers;
    const struct register_layout *layout;
    const struct register_group *const *groups; /* all registers of the card */
    size_t group_count;
    uint8_t *data;
    size_t size; /* at least layout->size */
    bool set;
    bool answered; /* the caller receives `data` although the status is not OK */
};

/* Carries out an access. `data` has at least the size of the layout. */
typedef enum dpk_register_status register_access(struct register_call *call, struct dpk_error *err);

struct register_layout {
    const char *name;
    unsigned number;
    size_t size; /* smallest size of the register in bytes; a longer register has more data */
    const struct register_field *fields;
    size_t field_count;
    register_access *get, *set; /* NULL: the card refuses this method */
};

/* Get and set a field of at most 32 bits, and set the bytes of a longer field. The layout must have
 * the field. Bits beyond the size of the field are dropped, and missing bytes become zero. */
uint32_t register_get(const struct register_call *call, const char *field);
void register_put(struct register_call *call, const char *field, uint32_t value);
void register_put_bytes(struct register_call *call, const char *field, const void *bytes,
                        size_t size);
/* Set a field of whole bytes to a mask, whose bit 0 is the lowest bit of the last byte: of 32 bits, or of
 * the card's registers among the REGISTER_GROUP numbers from `first` on. */
#define REGISTER_GROUP 128
void register_put_bits(struct register_call *call, const char *field, uint32_t bits);
void register_put_registers(struct register_call *call, const char *field, unsigned first);
/* Returns a field of the layout, or NULL if the layout does not have it. */
const struct register_field *register_find_field(const struct register_layout *layout,
                                                 const char *name);

/* What the emulated chip is made in, as MGIR, SLRG and SLTP say it. */
enum { REGISTER_7NM = 4 };

/* ---- All registers (table.c) ---- */

extern const struct register_group registers_nv, registers_identity, registers_reset,
    registers_components, registers_ports, registers_links, registers_pddr, registers_counters,
    registers_qos, registers_ets, registers_stored, registers_debug;

const struct register_layout *register_find(unsigned number); /* NULL: unknown */
const struct register_group *const *register_groups(size_t *count);

/* ---- Ports (port.c) ---- Port 1 is the function's own: its link is up if a wire is plugged into
 * it, unless settings of the port (device/port) take it down. Nothing is ever plugged into the other
 * ports that MGIR counts, and they have no settings. */

struct registers_port {
    unsigned number; /* from 1 */
    char wire[DPK_DEVICE_WIRE_MAX];
    bool plugged;                      /* the wire is not "none" */
    const struct dpk_port_speed *link; /* NULL: the link is down */
    struct dpk_port *settings;         /* of the device, or of no device: the port is another one */
};
/* Fill in the port that an access names: by its number, or by the fields local_port and lp_msb. An
 * access that sets may only name the function's own. */
enum dpk_register_status registers_find_port(struct register_call *call, unsigned number,
                                             struct registers_port *out, struct dpk_error *err);
enum dpk_register_status registers_named_port(struct register_call *call,
                                              struct registers_port *out, struct dpk_error *err);
/* The same, and clears the register from the offset `answer` on. */
enum dpk_register_status registers_answer_port(struct register_call *call, size_t answer,
                                               struct registers_port *out, struct dpk_error *err);
/* Writes into the log of the device that an access changes the port. A status that is not OK is the
 * answer of the card, and nothing may be changed. */
enum dpk_register_status registers_log_port(struct register_call *call, struct dpk_error *err,
                                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { REGISTERS_ETHERNET = 4 }; /* a bit of proto_mask and proto_active */
/* Returns the error correction of a link that is up, as a bit of PPLM's masks (links.c). */
uint32_t registers_fec(const struct registers_port *port);

/* Words of the settings that are only stored. */
#define STORED(n)            ((enum dpk_port_setting)(DPK_PORT_STORED + (n)))
#define STORED_PORT_EVENTS   STORED(0)
#define STORED_MODULE_EVENTS STORED(1)
#define STORED_FEC           STORED(2)
#define STORED_PAUSE         STORED(3)
#define STORED_BUFFERS       STORED(4)
#define STORED_TRUST         STORED(5)
#define STORED_CLASSES       STORED(6)
#define STORED_BEACON        STORED(7)
#define STORED_ROCE          STORED(8)
#define STORED_CLASS(n)      STORED(16 + (n)) /* 8 traffic classes, and the port */

/* ---- The device and the definitions (source.c) ---- */

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
    uint32_t handle; /* handle of this or the next update; 0: not chosen yet */
    bool locked;
    int lock; /* descriptor of the locked file, while `locked` is set */
    bool writing;
    registers_take *take; /* of the component that is written */
    size_t size;          /* of the component that is written */
    struct dpk_buf bytes; /* what has come of it */
    unsigned error;       /* error_code of the last instruction */
};
/* Ends the update and releases the lock. */
void registers_end_update(struct registers_update *u);

struct dpk_registers {
    char *name, *definitions, *database; /* copies of the source */
    struct dpk_device *device;           /* NULL: not yet opened */
    struct dpk_nv_defs *defs;            /* NULL: not yet loaded */
    struct dpk_nv_list walked;           /* the items that a walk with NVGN returns */
    struct registers_update update;
    struct dpk_port *port, *no_port;     /* settings of the device, and of none; NULL: not mapped */
    char port_wire[DPK_DEVICE_WIRE_MAX]; /* the wire with which `port` was opened */
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
