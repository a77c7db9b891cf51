/*
 * mst: libdpakit-mst.so, which `dpadev exec` loads before a program: NVIDIA's tools (mstflint) then
 * find an emulated device where the kernel has a card, and nothing of a real card. The device is
 * that of DPAKIT_MST_DEVICE; DPAKIT_MST_DATABASE names a database of TLVs that it supports, and
 * DPAKIT_MST_TRACE a file that gets a line for each access of a register.
 *
 *     open("/sys/bus/pci/devices/0000:03:00.0/config", O_RDWR);  // a file of tree.c, by front.c
 *     pwrite(fd, &address, 4, 0xd0);                              // gateway.c
 *     pread(fd, &data, 4, 0xd4);
 *
 * Tools reach a card by the vendor-specific capability of its configuration space: a gateway to
 * several address spaces, one of which has a mailbox for commands (icmd.c). One command is an access
 * of a register (device/registers).
 */
#ifndef DPK_API_MST_MST_H
#define DPK_API_MST_MST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/registers/registers.h"

#define MST_DEVICE_VARIABLE   "DPAKIT_MST_DEVICE"
#define MST_DATABASE_VARIABLE "DPAKIT_MST_DATABASE"
#define MST_TRACE_VARIABLE    "DPAKIT_MST_TRACE"

/* ---- Files (tree.c) ---- */

#define MST_VENDOR          0x15b3
#define MST_SPACE_SIZE      4096 /* configuration space */
#define MST_GATEWAY         0xc0 /* offset of the vendor-specific capability */
#define MST_GATEWAY_SIZE    0x18
#define MST_GATEWAY_COUNTER 0x08 /* of the capability: a new ticket at each read */

/* Writes two bytes of a configuration space. */
static inline void mst_put16(uint8_t *space, size_t at, unsigned value)
{
    space[at] = value & 0xff;
    space[at + 1] = value >> 8 & 0xff;
}

struct mst_tree {
    char root[PATH_MAX];                /* a program's path follows it */
    char address[DPK_PCI_ADDRESS_TEXT]; /* of the function */
    char config[PATH_MAX];              /* its file with the configuration space */
    char bridge[PATH_MAX];              /* the same file of the bridge above it */
    char fwctl[PATH_MAX];               /* the file that stands for fwctl's character device */
    char semaphore[PATH_MAX];           /* the file whose locks are semaphores of the card */
};
/* Writes the files of a function into the folder of its device. Programs of one user may do so at
 * the same time. */
enum dpk_status mst_tree_write(struct dpk_device *device, struct mst_tree *out,
                               struct dpk_error *err);
/* Returns true for a path where tools look for cards. */
bool mst_tree_has(const char *path);

/* Appends the vital product data of a card: description, part number, serial number. `out` is empty. vpd.c */
void mst_vpd_put(struct dpk_buf *out, const struct dpk_device_info *info);

/* ---- The bridge above the function (bridge.c) ----
 * Only the bit of its link control that disables the link can be changed. */

#define MST_BRIDGE_ADDRESS "0000:00:01.0"
#define MST_BRIDGE_CLASS   0x060400 /* a PCI bridge */

/* Makes the configuration space of a bridge to this bus. */
void mst_bridge_make(unsigned bus, bool disabled, uint8_t space[MST_SPACE_SIZE]);
/* Returns true if the file with the configuration space says that the link is disabled. */
bool mst_bridge_link_is_disabled(const char *config);
/* Maps that file, so that the same question needs no call of the kernel. mst_tree_write replaces the
 * file only if the device has booted since its link was disabled; a program that began before still
 * sees a disabled link. Returns NULL with errno if it fails. */
const uint8_t *mst_bridge_map(const char *config);
bool mst_bridge_shows_disabled(const uint8_t *space);
/* Writes to the configuration space. Returns true if the link was disabled before and no longer
 * is. */
bool mst_bridge_write(const char *config, const uint8_t *bytes, size_t size, uint64_t offset);

/* ---- The mailbox (icmd.c) ---- */

#define MST_MAILBOX_SIZE 0x340 /* bytes */
enum mst_icmd_status { MST_ICMD_OK = 0, MST_ICMD_INVALID_OPCODE = 1, MST_ICMD_INVALID_COMMAND = 2 };

/* Accesses a register, and writes a line to the file `trace` unless it is -1. */
enum dpk_register_status mst_access(struct dpk_registers *registers, unsigned number,
                                    unsigned method, uint8_t *data, size_t size, int trace);

/* Carries out a command. The mailbox, which is not trusted, gets the answer. `trace`: a file that
 * gets a line for each access of a register, or -1. */
enum mst_icmd_status mst_icmd(struct dpk_registers *registers, unsigned opcode,
                              uint8_t mailbox[MST_MAILBOX_SIZE], int trace);

/* ---- fwctl (fwctl.c) ----
 * Linux 6.15 and later have a character device for each card, which newer tools take (-d fwctl0). */

#define MST_FWCTL "fwctl0"

/* Carries out a command of mlx5. The command's bytes are not trusted. */
void mst_fwctl_command(struct dpk_registers *registers, const uint8_t *in, size_t in_size,
                       uint8_t *out, size_t out_size, int trace);
/* Returns the size of the structure that an ioctl refers to; 0 if there is no such ioctl. */
size_t mst_fwctl_size(unsigned long request);
/* Reads the structure of an ioctl, and answers in it unless it is a command: then `out` says where the caller has the
 * command, and where it wants the answer. The bytes are not trusted. Returns 0 or an errno. */
struct mst_fwctl_buffers {
    bool is_command;
    uint64_t in, out; /* addresses of the caller */
    uint32_t in_size, out_size;
};
int mst_fwctl_begin(unsigned long request, void *bytes, struct mst_fwctl_buffers *out);
/* Carries out an ioctl of a program, whose pointers are not trusted. Returns 0 or an errno. */
int mst_fwctl_ioctl(struct dpk_registers *registers, unsigned long request, void *pointer,
                    int trace);

/* ---- The gateway (gateway.c); one thread at a time ---- */

struct mst_gateway {
    struct dpk_registers *registers;
    unsigned hardware_id;
    const char *semaphore;         /* path of its file; borrowed */
    int lock;                      /* descriptor of that file, or -1 */
    int trace;                     /* for mst_icmd */
    int process;                   /* the process that opened `lock` */
    uint32_t ticket, next_ticket;  /* the semaphore of the gateway, and its next value */
    uint32_t holder;               /* semaphore of the mailbox: 0, or what its holder wrote */
    uint32_t space, address, data; /* registers of the gateway */
    uint32_t control;              /* register of the mailbox: opcode, status, busy */
    uint8_t mailbox[MST_MAILBOX_SIZE];
};
/* Reads or writes a dword of the capability; `offset` is from its start, a multiple of 4 below
 * MST_GATEWAY_SIZE. */
uint32_t mst_gateway_read(struct mst_gateway *g, unsigned offset);
void mst_gateway_write(struct mst_gateway *g, unsigned offset, uint32_t value);
/* Reads or writes a dword of an address space, as the registers do. Returns false if there is no such space. */
bool mst_gateway_load(struct mst_gateway *g, uint32_t space, uint32_t address, uint32_t *value);
bool mst_gateway_store(struct mst_gateway *g, uint32_t space, uint32_t address, uint32_t value);
/* Releases the semaphores and closes the file. */
void mst_gateway_close(struct mst_gateway *g);

/* ---- Character devices (attach.c) ----
 * A device as two character devices of the machine, for which no library need be loaded: that of mstflint's driver,
 * which tools open for a PCI address, and that of fwctl. Only root and the user who owns the device's folder may use
 * them. */

enum mst_door { MST_DOOR_PCI, MST_DOOR_FWCTL, MST_DOORS };

struct mst_attach_source {
    struct dpk_registers_source registers; /* its texts must remain */
    int trace;                             /* for mst_icmd */
};
struct mst_attach;
enum dpk_status mst_attach_open(const struct mst_attach_source *source, struct mst_attach **out,
                                struct dpk_error *err);
void mst_attach_close(struct mst_attach *a); /* NULL is allowed */
/* Returns the name in /dev of the device of mstflint's driver. */
const char *mst_attach_name(const struct mst_attach *a);
/* Adds a character device, which the kernel makes. `fd` is of /dev/cuse, and borrowed. Errors: those of dpk_cuse_new. */
enum dpk_status mst_attach_add(struct mst_attach *a, enum mst_door door, int fd, const char *name,
                               struct dpk_error *err);
/* Answers programs until `stop` can be read. `tell` is called once, when the kernel knows all devices. Errors: those of
 * dpk_cuse_serve. */
enum dpk_status mst_attach_run(struct mst_attach *a, int stop, void (*tell)(void *), void *context,
                               struct dpk_error *err);

#endif
