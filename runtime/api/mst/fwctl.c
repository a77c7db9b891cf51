/* The character device of the kernel's subsystem fwctl: a command of mlx5 in each ioctl. */
#include <errno.h>
#include <string.h>

#include "api/mst/mst.h"

/* Numbers of ioctls and their structures (Linux, include/uapi/fwctl/fwctl.h), in the byte order of
 * the machine. */
#define FWCTL_INFO       0x9a00
#define FWCTL_RPC        0x9a01
#define FWCTL_TYPE_MLX5  1
#define FWCTL_SCOPE_LAST 3
#define RPC_MAX          (2u << 20) /* bytes, as the kernel's limit */
struct fwctl_info {
    uint32_t size, flags, device_type, data_size;
    uint64_t data;
};
struct fwctl_rpc {
    uint32_t size, scope, in_size, out_size;
    uint64_t in, out;
};

/* A command that accesses a register (Linux, mlx5_ifc.h, access_register_in and _out), big-endian:
 * opcode, method, register and argument, then the register; status, syndrome, then the register. */
#define ACCESS_REGISTER 0x805
#define HEADER_SIZE     16
enum { METHOD_WRITE = 0, METHOD_READ = 1 };
enum { COMMAND_OK = 0, COMMAND_BAD_OPCODE = 2, COMMAND_BAD_PARAMETER = 3, COMMAND_BAD_SIZE = 0x50 };

static void put_answer(uint8_t *out, size_t size, unsigned status, uint32_t syndrome)
{
    memset(out, 0, size);
    out[0] = (uint8_t)status;
    dpk_store_be32(out + 4, syndrome);
}

void mst_fwctl_command(struct dpk_registers *registers, const uint8_t *in, size_t in_size,
                       uint8_t *out, size_t out_size, int trace)
{
    uint8_t data[DPK_REGISTER_SIZE_MAX];
    struct dpk_reader r = dpk_reader(in, in_size);
    const unsigned opcode = dpk_read_be16(&r);
    dpk_read_skip(&r, 4);
    const unsigned method = dpk_read_be16(&r);
    dpk_read_skip(&r, 2);
    const unsigned number = dpk_read_be16(&r);
    dpk_read_skip(&r, 4);
    if (out_size < HEADER_SIZE)
        return;
    /* Tools have more room than a register needs. */
    size_t size = dpk_reader_left(&r) < sizeof data ? dpk_reader_left(&r) : sizeof data;
    size = size < out_size - HEADER_SIZE ? size : out_size - HEADER_SIZE;
    if (r.failed) {
        put_answer(out, out_size, COMMAND_BAD_SIZE, 0);
    } else if (opcode != ACCESS_REGISTER || method > METHOD_READ) {
        put_answer(out, out_size, COMMAND_BAD_OPCODE, 0);
    } else {
        memcpy(data, r.pos, size);
        const enum dpk_register_status status = mst_access(
            registers, number, method == METHOD_READ ? DPK_REGISTER_GET : DPK_REGISTER_SET, data,
            size, trace);
        put_answer(out, out_size, status == DPK_REGISTER_OK ? COMMAND_OK : COMMAND_BAD_PARAMETER,
                   (uint32_t)status);
        memcpy(out + HEADER_SIZE, data, size);
    }
}

/* ---- ioctls ---- */

size_t mst_fwctl_size(unsigned long request)
{
    switch (request) {
    case FWCTL_INFO:
        return sizeof(struct fwctl_info);
    case FWCTL_RPC:
        return sizeof(struct fwctl_rpc);
    default:
        return 0;
    }
}

static int get_info(void *bytes)
{
    struct fwctl_info info;
    memcpy(&info, bytes, sizeof info);
    if (info.size < sizeof info)
        return EINVAL;
    if (info.flags != 0)
        return EOPNOTSUPP;
    info.device_type = FWCTL_TYPE_MLX5;
    info.data_size = 0;
    memcpy(bytes, &info, sizeof info);
    return 0;
}

int mst_fwctl_begin(unsigned long request, void *bytes, struct mst_fwctl_buffers *out)
{
    struct fwctl_rpc rpc;
    *out = (struct mst_fwctl_buffers){0};
    if (request == FWCTL_INFO)
        return get_info(bytes);
    memcpy(&rpc, bytes, sizeof rpc);
    if (rpc.size < sizeof rpc || rpc.scope > FWCTL_SCOPE_LAST)
        return rpc.size < sizeof rpc ? EINVAL : EOPNOTSUPP;
    if (rpc.in_size > RPC_MAX || rpc.out_size > RPC_MAX)
        return EMSGSIZE;
    *out = (struct mst_fwctl_buffers){.is_command = true,
                                      .in = rpc.in,
                                      .out = rpc.out,
                                      .in_size = rpc.in_size,
                                      .out_size = rpc.out_size};
    return 0;
}

int mst_fwctl_ioctl(struct dpk_registers *registers, unsigned long request, void *pointer,
                    int trace)
{
    struct mst_fwctl_buffers buffers;
    const size_t size = mst_fwctl_size(request);
    if (size == 0)
        return ENOTTY;
    if (!dpk_is_mapped(pointer, size, true))
        return EFAULT;
    const int error = mst_fwctl_begin(request, pointer, &buffers);
    if (error || !buffers.is_command)
        return error;
    const uint8_t *in = (const uint8_t *)(uintptr_t)buffers.in;
    uint8_t *out = (uint8_t *)(uintptr_t)buffers.out;
    if (!dpk_is_mapped(in, buffers.in_size, false) || !dpk_is_mapped(out, buffers.out_size, true))
        return EFAULT;
    mst_fwctl_command(registers, in, buffers.in_size, out, buffers.out_size, trace);
    return 0;
}
