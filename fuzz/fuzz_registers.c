/* Access registers, the gateway and fwctl of a card: a program of accesses of the gateway and of
 * registers, and of commands, on a device of its own. An access that is refused leaves its bytes as they were. */
#include "api/mst/mst.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Registers whose changes reach the disk take a millisecond each. */
#define CHANGES_MAX 4
#define STEPS_MAX   512

static struct mst_gateway gateway = {.lock = -1, .trace = -1};
static char semaphore[] = "/tmp/fuzz_registers.XXXXXX";

static void open_world(void)
{
    const struct dpk_registers_source source = {.device = getenv("FUZZ_CARD"),
                                                .definitions = "share/nvconfig"};
    if (gateway.registers)
        return;
    const int file = mkstemp(semaphore);
    if (!source.device || file < 0 ||
        dpk_registers_open(&source, &gateway.registers, NULL) != DPK_OK ||
        !dpk_registers_device(gateway.registers))
        abort();
    close(file);
    gateway.semaphore = semaphore;
    gateway.hardware_id = 0x21c;
}

/* The number of a register that there is, or any. */
static unsigned choose_register(unsigned byte)
{
    static const uint16_t numbers[] = {
        0x9020, 0x9024, 0x9025, 0x9028, 0x9030, 0x9033, 0x9034, 0x9035, 0x9064, 0x907f,
        0x9060, 0x9061, 0x9062, 0x9063, 0x902f, 0xc00e, 0x5002, 0x5004, 0x5006, 0x5012,
        0x5027, 0x5028, 0x5031, 0x507f, 0x9110, 0x9164, 0x9040, 0x5003, 0x5018, 0x5023,
        0x5040, 0x5008, 0x4002, 0x4005, 0x400a, 0x4019, 0x402c, 0x5007, 0x500b, 0x902b};
    return byte < 0xf0 ? numbers[byte % (sizeof numbers / sizeof *numbers)] : 0x9000 + byte;
}

static void access_register(struct dpk_reader *r, unsigned *changes)
{
    uint8_t bytes[DPK_REGISTER_SIZE_MAX + 8] = {0}, before[sizeof bytes];
    const unsigned number = choose_register(dpk_read_u8(r)), method = dpk_read_u8(r) & 3;
    const size_t size = dpk_read_be16(r) % sizeof bytes;
    const size_t given = dpk_reader_left(r) < size ? dpk_reader_left(r) : size;
    const uint8_t *from = dpk_read_bytes(r, given);
    if (from)
        memcpy(bytes, from, given);
    if (method == DPK_REGISTER_SET && ++*changes > CHANGES_MAX)
        return;
    memcpy(before, bytes, sizeof bytes);
    const enum dpk_register_status status =
        dpk_register_access(gateway.registers, number, method, bytes, size);
    if (status == DPK_REGISTER_INTERNAL_ERROR ||
        (status != DPK_REGISTER_OK && number != 0x9062 &&
         memcmp(before, bytes, sizeof bytes) != 0) ||
        memcmp(before + size, bytes + size, sizeof bytes - size) != 0)
        abort();
}

/* A command of fwctl, with any bytes or as an access of a register. */
static void run_command(struct dpk_reader *r, unsigned *changes)
{
    uint8_t out[96];
    const size_t size = dpk_read_u8(r), out_size = dpk_read_u8(r) % sizeof out;
    const uint8_t *in = dpk_read_bytes(r, size);
    memset(out, 0xee, sizeof out);
    if (!in || (size > 7 && in[7] == 0 && ++*changes > CHANGES_MAX))
        return;
    mst_fwctl_command(gateway.registers, in, size, out, out_size, -1);
    for (size_t i = out_size; i < sizeof out; i++)
        if (out[i] != 0xee)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_reader r = dpk_reader(data, size);
    unsigned changes = 0;
    open_world();
    for (unsigned i = 0; i < STEPS_MAX && dpk_reader_left(&r) > 0; i++) {
        const unsigned what = dpk_read_u8(&r);
        const unsigned offset = what % (MST_GATEWAY_SIZE / 4) * 4;
        if (what >= 0xf0) {
            run_command(&r, &changes);
        } else if (what >= 0xc0) {
            access_register(&r, &changes);
        } else if (what & 0x20) {
            (void)mst_gateway_read(&gateway, offset);
        } else {
            const uint32_t value = dpk_read_be32(&r);
            mst_gateway_write(&gateway, offset, value);
        }
    }
    mst_gateway_close(&gateway);
    gateway = (struct mst_gateway){.registers = gateway.registers,
                                   .hardware_id = gateway.hardware_id,
                                   .semaphore = semaphore,
                                   .lock = -1,
                                   .trace = -1};
    return 0;
}
