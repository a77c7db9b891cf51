/* Commands of the ConnectX PRM: big-endian fields by bit offset, as the PRM counts them. Private to devx. */
#ifndef DPK_API_DEVX_COMMAND_H
#define DPK_API_DEVX_COMMAND_H

#include <stddef.h>
#include <stdint.h>

enum devx_opcode {
    DEVX_QUERY_HCA_CAP = 0x100,
    DEVX_CREATE_CQ = 0x400,
    DEVX_CREATE_QP = 0x500,
    DEVX_RST2INIT_QP = 0x502,
    DEVX_INIT2RTR_QP = 0x503,
    DEVX_RTR2RTS_QP = 0x504,
    DEVX_RTS2RTS_QP = 0x505,
    DEVX_2ERR_QP = 0x507,
    DEVX_2RST_QP = 0x50a,
    DEVX_QUERY_QP = 0x50b,
    DEVX_INIT2INIT_QP = 0x50e,
    DEVX_QUERY_ROCE_ADDRESS = 0x760,
};

/* Status of an answer. */
enum devx_status {
    DEVX_BAD_OPERATION = 2,
    DEVX_BAD_PARAMETER = 3,
    DEVX_BAD_RESOURCE = 5,
    DEVX_NO_RESOURCES = 15,
    DEVX_BAD_QP_STATE = 16,
    DEVX_BAD_INPUT_SIZE = 0x50,
    DEVX_BAD_OUTPUT_SIZE = 0x51,
};

/* A part of a command or of an answer. */
struct devx_in {
    const uint8_t *bytes;
    size_t size;
};
struct devx_out {
    uint8_t *bytes;
    size_t size;
};

struct devx_command {
    const char *call;
    unsigned opcode;
    struct devx_in in;
    struct devx_out out;
};

#define DEVX_HEADER 16u /* bytes of the least command, and of the least answer */

/* Starts a command: clears the answer. Returns 0, or EINVAL with a reason on standard error. */
int devx_begin(struct devx_command *c, const char *call, const void *in, size_t in_size, void *out,
               size_t out_size);
/* Puts the status into the answer, and writes the reason to standard error. Returns the errno. */
int devx_refuse(const struct devx_command *c, enum devx_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Refuses a command that is shorter, or has less room for its answer, than these sizes in bytes. Returns 0 or the
 * errno. */
int devx_check_sizes(const struct devx_command *c, size_t in_size, size_t out_size);

/* Returns a field of at most 64 bits. Bits outside are 0. */
uint64_t devx_get(struct devx_in from, size_t bit, unsigned bits);
/* Sets a field of at most 64 bits. Bits outside are ignored. */
void devx_put(struct devx_out to, size_t bit, unsigned bits, uint64_t value);
/* Returns the part that begins at a byte. */
struct devx_in devx_part(struct devx_in of, size_t byte);

#endif
