/* Commands in the mailbox of a card. */
#include <stdio.h>
#include <string.h>

#include "api/mst/mst.h"

#define ICMD_QUERY_CAPABILITIES 0x8400
#define ICMD_ACCESS_REGISTER    0x9001

/* Capabilities, in the first dword (mstflint, icmd_hca_layouts). */
#define CAN_ACCESS_NV            (1u << 31) /* accesses of registers of the NV configuration */
#define CAN_ACCESS_ALL_REGISTERS (1u << 29)
#define HAS_MCAM                 (1u << 26)

/* The two TLVs of an access (mstflint, packets_layout): type in the top 5 bits, then the length in
 * dwords. */
enum { TLV_OPERATION = 1, TLV_REGISTER = 3 };
#define TLV_TYPE(dword)   ((dword) >> 27)
#define TLV_LENGTH(dword) ((dword) >> 16 & 0x7ff)
#define OPERATION_SIZE    16
#define HEADERS_SIZE      (OPERATION_SIZE + 4)
#define STATUS_SHIFT      8
#define STATUS_MASK       (0x7fu << STATUS_SHIFT)
#define RESPONSE          (1u << 15) /* a bit of the second dword */

_Static_assert(HEADERS_SIZE + DPK_REGISTER_SIZE_MAX <= MST_MAILBOX_SIZE, "a register has room");

/* Appends "GET NVQC 8 0": method, register, bytes and status of an access, and the reason of a
 * status that is not 0. */
static void put_trace(int trace, unsigned number, unsigned method, size_t size,
                      enum dpk_register_status status, const char *reason)
{
    char line[256];
    const char *name = dpk_register_name(number);
    char unknown[16];
    snprintf(unknown, sizeof unknown, "0x%04x", number);
    snprintf(line, sizeof line, "%s %s %zu %u%s%.160s\n",
             method == DPK_REGISTER_GET   ? "GET"
             : method == DPK_REGISTER_SET ? "SET"
                                          : "?",
             name ? name : unknown, size, (unsigned)status, *reason ? " " : "", reason);
    (void)dpk_write_all(trace, line, strlen(line));
}

enum dpk_register_status mst_access(struct dpk_registers *registers, unsigned number,
                                    unsigned method, uint8_t *data, size_t size, int trace)
{
    const enum dpk_register_status status =
        dpk_register_access(registers, number, method, data, size);
    if (trace >= 0)
        put_trace(trace, number, method, size, status, dpk_registers_reason(registers));
    return status;
}

static enum dpk_register_status access_register(struct dpk_registers *registers, uint8_t *mailbox,
                                                int trace)
{
    struct dpk_reader r = dpk_reader(mailbox, MST_MAILBOX_SIZE);
    const uint32_t operation = dpk_read_be32(&r), request = dpk_read_be32(&r);
    dpk_read_skip(&r, OPERATION_SIZE - 8);
    const uint32_t reg = dpk_read_be32(&r);
    const size_t dwords = TLV_LENGTH(reg);
    if (TLV_TYPE(operation) != TLV_OPERATION || TLV_LENGTH(operation) != OPERATION_SIZE / 4 ||
        TLV_TYPE(reg) != TLV_REGISTER || dwords < 1)
        return DPK_REGISTER_BAD_TLV;
    if (dwords - 1 > DPK_REGISTER_SIZE_MAX / 4)
        return DPK_REGISTER_BAD_PARAMETER;
    return mst_access(registers, request >> 16, request >> 8 & 0x7f, mailbox + HEADERS_SIZE,
                      (dwords - 1) * 4, trace);
}

enum mst_icmd_status mst_icmd(struct dpk_registers *registers, unsigned opcode,
                              uint8_t mailbox[MST_MAILBOX_SIZE], int trace)
{
    if (opcode == ICMD_QUERY_CAPABILITIES) {
        memset(mailbox, 0, MST_MAILBOX_SIZE);
        dpk_store_be32(mailbox, CAN_ACCESS_NV | CAN_ACCESS_ALL_REGISTERS | HAS_MCAM);
        return MST_ICMD_OK;
    }
    if (opcode != ICMD_ACCESS_REGISTER)
        return MST_ICMD_INVALID_OPCODE;
    const enum dpk_register_status status = access_register(registers, mailbox, trace);
    struct dpk_reader r = dpk_reader(mailbox, MST_MAILBOX_SIZE);
    const uint32_t operation = dpk_read_be32(&r), request = dpk_read_be32(&r);
    dpk_store_be32(mailbox, (operation & ~STATUS_MASK) | (uint32_t)status << STATUS_SHIFT);
    dpk_store_be32(mailbox + 4, request | RESPONSE);
    return MST_ICMD_OK;
}
