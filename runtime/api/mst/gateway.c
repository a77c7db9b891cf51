/* The vendor-specific capability, and the address spaces that it gives access to. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "api/mst/mst.h"

/* Registers of the capability. */
enum {
    HEADER = 0x00,
    CONTROL = 0x04,
    COUNTER = MST_GATEWAY_COUNTER,
    SEMAPHORE = 0x0c,
    ADDRESS = 0x10,
    DATA = 0x14
};
#define SPACE_MASK   0xffffu
#define STATUS_GOOD  (1u << 29) /* in CONTROL: the address space exists */
#define ADDRESS_FLAG (1u << 31) /* written: 1 for a write, 0 for a read; toggles when done */
#define ADDRESS_MASK 0x3fffffffu

enum { SPACE_ICMD_EXT = 0x1, SPACE_CR = 0x2, SPACE_ICMD = 0x3, SPACE_SEMAPHORE = 0xa };

/* Addresses in the space of the mailbox. */
#define ICMD_CONTROL 0x0
#define ICMD_SIZE    0x1000
#define ICMD_MAILBOX 0x100000
#define CONTROL_BUSY (1u << 0)
#define CONTROL_EXMB (1u << 1) /* the mailbox is in host memory */
#define STATUS_SHIFT 8
#define STATUS_MASK  (0xffu << STATUS_SHIFT)
#define OPCODE_SHIFT 16

/* Addresses in the space of configuration registers. */
#define CR_HARDWARE_ID 0xf0014
#define CR_NOTHING     0xbadacce5u /* what a card returns for an address without a register */

/* ---- The semaphore of the mailbox ---- The semaphore is a file lock: it excludes other processes,
 * and the kernel releases it when its holder ends. */

#define HELD_BY_OTHERS UINT32_MAX

static struct flock whole_file(short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
}

/* Opens the file. After fork(), a child must not share the lock of its parent. */
static bool open_lock(struct mst_gateway *g)
{
    if (g->lock >= 0 && g->process == getpid())
        return true;
    if (g->lock >= 0)
        close(g->lock);
    g->holder = 0;
    g->lock = open(g->semaphore, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    g->process = getpid();
    return g->lock >= 0;
}

static uint32_t read_semaphore(struct mst_gateway *g)
{
    struct flock lock = whole_file(F_WRLCK);
    if (!open_lock(g))
        return HELD_BY_OTHERS;
    if (g->holder != 0)
        return g->holder;
    return fcntl(g->lock, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK ? 0 : HELD_BY_OTHERS;
}

static void write_semaphore(struct mst_gateway *g, uint32_t value)
{
    struct flock lock = whole_file(value ? F_WRLCK : F_UNLCK);
    if (!open_lock(g) || (g->holder != 0 && value != 0))
        return;
    if (fcntl(g->lock, F_OFD_SETLK, &lock) != 0)
        return;
    g->holder = value;
    memset(g->mailbox, 0, sizeof g->mailbox);
}

void mst_gateway_close(struct mst_gateway *g)
{
    if (g->lock >= 0)
        close(g->lock);
    g->lock = -1;
    g->holder = 0;
}

/* ---- The mailbox ---- */

static bool is_in_mailbox(uint32_t address)
{
    return address >= ICMD_MAILBOX && address < ICMD_MAILBOX + MST_MAILBOX_SIZE && address % 4 == 0;
}

static uint32_t read_icmd(struct mst_gateway *g, uint32_t address)
{
    if (address == ICMD_CONTROL)
        return g->control;
    if (address == ICMD_SIZE)
        return MST_MAILBOX_SIZE;
    if (!is_in_mailbox(address))
        return CR_NOTHING;
    struct dpk_reader r = dpk_reader(g->mailbox, sizeof g->mailbox);
    dpk_read_skip(&r, address - ICMD_MAILBOX);
    return dpk_read_be32(&r);
}

static void write_icmd(struct mst_gateway *g, uint32_t address, uint32_t value)
{
    if (is_in_mailbox(address))
        dpk_store_be32(g->mailbox + (address - ICMD_MAILBOX), value);
    if (address != ICMD_CONTROL)
        return;
    enum mst_icmd_status status = (enum mst_icmd_status)(value >> STATUS_SHIFT & 0xff);
    if (value & CONTROL_BUSY)
        status = value & CONTROL_EXMB
                     ? MST_ICMD_INVALID_COMMAND
                     : mst_icmd(g->registers, value >> OPCODE_SHIFT, g->mailbox, g->trace);
    g->control = (value & ~(STATUS_MASK | CONTROL_BUSY)) | (uint32_t)status << STATUS_SHIFT;
}

/* ---- Address spaces ---- */

static bool has_space(uint32_t space)
{
    return space == SPACE_ICMD || space == SPACE_ICMD_EXT || space == SPACE_CR ||
           space == SPACE_SEMAPHORE;
}

/* Only a few configuration registers are emulated, and they can only be read: the hardware id, and
 * whether the firmware has started. Generations of cards have the latter at three addresses. */
static uint32_t read_cr(const struct mst_gateway *g, uint32_t address)
{
    static const uint32_t not_started[] = {0xb0004, 0xb5e04, 0xb5f04};
    for (size_t i = 0; i < sizeof not_started / sizeof *not_started; i++)
        if (address == not_started[i])
            return 0;
    return address == CR_HARDWARE_ID ? g->hardware_id : CR_NOTHING;
}

static uint32_t read_space(struct mst_gateway *g, uint32_t address)
{
    switch (g->space) {
    case SPACE_ICMD:
    case SPACE_ICMD_EXT:
        return read_icmd(g, address);
    case SPACE_SEMAPHORE:
        return address == 0 ? read_semaphore(g) : CR_NOTHING;
    default:
        return read_cr(g, address);
    }
}

static void write_space(struct mst_gateway *g, uint32_t address, uint32_t value)
{
    if (g->space == SPACE_ICMD || g->space == SPACE_ICMD_EXT)
        write_icmd(g, address, value);
    else if (g->space == SPACE_SEMAPHORE && address == 0)
        write_semaphore(g, value);
}

bool mst_gateway_load(struct mst_gateway *g, uint32_t space, uint32_t address, uint32_t *value)
{
    if (!has_space(space))
        return false;
    g->space = space;
    *value = read_space(g, address);
    return true;
}

bool mst_gateway_store(struct mst_gateway *g, uint32_t space, uint32_t address, uint32_t value)
{
    if (!has_space(space))
        return false;
    g->space = space;
    write_space(g, address, value);
    return true;
}

/* ---- Registers of the capability ---- */

uint32_t mst_gateway_read(struct mst_gateway *g, unsigned offset)
{
    switch (offset) {
    case HEADER:
        return 0x09 | MST_GATEWAY_SIZE << 16; /* the last capability; type 0: functional */
    case CONTROL:
        return g->space | (has_space(g->space) ? STATUS_GOOD : 0);
    case COUNTER:
        g->next_ticket = g->next_ticket == UINT32_MAX ? 1 : g->next_ticket + 1;
        return g->next_ticket;
    case SEMAPHORE:
        return g->ticket;
    case ADDRESS:
        return g->address;
    case DATA:
        return g->data;
    default:
        return 0;
    }
}

static void write_address(struct mst_gateway *g, uint32_t value)
{
    const uint32_t address = value & ADDRESS_MASK;
    if (value & ADDRESS_FLAG)
        write_space(g, address, g->data);
    else
        g->data = read_space(g, address);
    g->address = address | (value & ADDRESS_FLAG ? 0 : ADDRESS_FLAG);
}

void mst_gateway_write(struct mst_gateway *g, unsigned offset, uint32_t value)
{
    switch (offset) {
    case CONTROL:
        g->space = value & SPACE_MASK;
        break;
    case SEMAPHORE:
        if (g->ticket == 0 || value == 0)
            g->ticket = value;
        break;
    case ADDRESS:
        write_address(g, value);
        break;
    case DATA:
        g->data = value;
        break;
    default:
        break; /* the other registers can only be read */
    }
}
