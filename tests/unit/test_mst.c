/* runtime/api/mst: the gateway of a card's configuration space, as mstflint uses it. */
#include "api/mst/mst.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device_world.h"

enum { CONTROL = 4, COUNTER = 8, SEMAPHORE = 12, ADDRESS = 16, DATA = 20 };
enum { ICMD = 3, CR = 2, SEMAPHORES = 10 };
#define FLAG    (1u << 31)
#define MAILBOX 0x100000u
#define BUSY    1u

static struct mst_gateway g;
static char semaphore[256];

static struct mst_gateway make_gateway(struct dpk_registers *registers)
{
    return (struct mst_gateway){.registers = registers,
                                .hardware_id = 0x21c,
                                .semaphore = semaphore,
                                .lock = -1,
                                .trace = -1};
}

static int open_gateway(void **state)
{
    const struct dpk_registers_source source = {.device = "dev0"};
    struct dpk_registers *registers = NULL;
    const int made = fresh_device(state);
    snprintf(semaphore, sizeof semaphore, "%s/semaphore", world.dir);
    assert_int_equal(dpk_registers_open(&source, &registers, NULL), DPK_OK);
    g = make_gateway(registers);
    return made;
}

static int close_gateway(void **state)
{
    mst_gateway_close(&g);
    dpk_registers_close(g.registers);
    unlink(semaphore);
    return drop_device(state);
}

/* ---- What mstflint does ---- */

static void choose_space(struct mst_gateway *of, uint32_t space)
{
    mst_gateway_write(of, CONTROL, space);
    assert_int_equal(mst_gateway_read(of, CONTROL) & 0xffff, space);
    assert_true(mst_gateway_read(of, CONTROL) >> 29 != 0);
}

static uint32_t read_at(struct mst_gateway *of, uint32_t space, uint32_t address)
{
    choose_space(of, space);
    mst_gateway_write(of, ADDRESS, address);
    assert_true(mst_gateway_read(of, ADDRESS) & FLAG);
    return mst_gateway_read(of, DATA);
}

static void write_at(struct mst_gateway *of, uint32_t space, uint32_t address, uint32_t value)
{
    choose_space(of, space);
    mst_gateway_write(of, DATA, value);
    mst_gateway_write(of, ADDRESS, address | FLAG);
    assert_false(mst_gateway_read(of, ADDRESS) & FLAG);
}

/* Runs what is in the mailbox; returns the status of the command. */
static unsigned run(unsigned opcode)
{
    write_at(&g, ICMD, 0, opcode << 16 | BUSY);
    const uint32_t control = read_at(&g, ICMD, 0);
    assert_false(control & BUSY);
    return control >> 8 & 0xff;
}

/* An access of a register with these dwords; returns the status of the register. */
static unsigned access_register(unsigned number, unsigned method, uint32_t *dwords, unsigned count)
{
    write_at(&g, ICMD, MAILBOX, 1u << 27 | 4u << 16);
    write_at(&g, ICMD, MAILBOX + 4, number << 16 | method << 8 | 1);
    write_at(&g, ICMD, MAILBOX + 16, 3u << 27 | (count + 1) << 16);
    for (unsigned i = 0; i < count; i++)
        write_at(&g, ICMD, MAILBOX + 20 + 4 * i, dwords[i]);
    assert_int_equal(run(0x9001), MST_ICMD_OK);
    for (unsigned i = 0; i < count; i++)
        dwords[i] = read_at(&g, ICMD, MAILBOX + 20 + 4 * i);
    assert_true(read_at(&g, ICMD, MAILBOX + 4) >> 15 & 1); /* a response */
    return read_at(&g, ICMD, MAILBOX) >> 8 & 0x7f;
}

static void registers_are_accessed_by_the_mailbox(void **state)
{
    (void)state;
    uint32_t nvqc[2] = {273, 0}, set[4] = {4, 273, 0, 0x80000000}, get[4] = {0, 273, 0, 0};
    assert_int_equal(access_register(0x9030, 1, nvqc, 2), 0);
    assert_int_equal(nvqc[1] & 3, 3);
    assert_int_equal(access_register(0x9024, 2, set, 4), 0);
    assert_int_equal(access_register(0x9024, 1, get, 4), 0);
    assert_int_equal(get[3], 0x80000000);
    assert_int_equal(access_register(0x1234, 1, get, 4), 4);
}

static void spaces_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(read_at(&g, CR, 0xf0014), 0x21c);
    assert_int_equal(read_at(&g, CR, 0xb5f04), 0);
    assert_int_equal(read_at(&g, CR, 0x4), 0xbadacce5);
    assert_int_equal(read_at(&g, ICMD, 0x1000), MST_MAILBOX_SIZE);
    assert_int_equal(read_at(&g, ICMD, MAILBOX + MST_MAILBOX_SIZE), 0xbadacce5);
    assert_int_equal(read_at(&g, ICMD, MAILBOX - 4), 0xbadacce5);
    write_at(&g, CR, 0xf0014, 5); /* it can only be read */
    assert_int_equal(read_at(&g, CR, 0xf0014), 0x21c);
    mst_gateway_write(&g, CONTROL, 0x77);
    assert_int_equal(mst_gateway_read(&g, CONTROL) >> 29, 0);
    assert_int_equal(mst_gateway_read(&g, 0) & 0xff, 0x09);
}

static void the_gateway_has_a_semaphore(void **state)
{
    (void)state;
    const uint32_t ticket = mst_gateway_read(&g, COUNTER);
    assert_int_not_equal(ticket, 0);
    assert_int_not_equal(mst_gateway_read(&g, COUNTER), ticket);
    mst_gateway_write(&g, SEMAPHORE, ticket);
    mst_gateway_write(&g, SEMAPHORE, ticket + 1); /* it is taken */
    assert_int_equal(mst_gateway_read(&g, SEMAPHORE), ticket);
    mst_gateway_write(&g, SEMAPHORE, 0);
    assert_int_equal(mst_gateway_read(&g, SEMAPHORE), 0);
}

static void the_mailbox_has_one_holder(void **state)
{
    (void)state;
    struct mst_gateway other = make_gateway(g.registers);
    write_at(&g, SEMAPHORES, 0, 17);
    assert_int_equal(read_at(&g, SEMAPHORES, 0), 17);
    write_at(&other, SEMAPHORES, 0, 18);
    assert_int_not_equal(read_at(&other, SEMAPHORES, 0), 18);
    assert_int_not_equal(read_at(&other, SEMAPHORES, 0), 0);
    write_at(&other, SEMAPHORES, 0, 0); /* only its holder can release it */
    assert_int_equal(read_at(&g, SEMAPHORES, 0), 17);
    write_at(&g, SEMAPHORES, 0, 0);
    write_at(&other, SEMAPHORES, 0, 18);
    assert_int_equal(read_at(&other, SEMAPHORES, 0), 18);
    mst_gateway_close(&other);
    assert_int_equal(read_at(&g, SEMAPHORES, 0), 0);
}

/* A process that is killed leaves nothing locked, and a child does not have its parent's. */
static void a_killed_holder_releases_the_mailbox(void **state)
{
    (void)state;
    int status, ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    write_at(&g, SEMAPHORES, 0, 17);
    const pid_t child = fork();
    if (child == 0) {
        const bool shared = read_at(&g, SEMAPHORES, 0) == 17;
        byte = shared ? 'x' : '.';
        while (write(ready[1], &byte, 1) == 1 && read_at(&g, SEMAPHORES, 0) != 99)
            write_at(&g, SEMAPHORES, 0, 99);
        if (write(ready[1], "!", 1) == 1)
            pause();
        _exit(1);
    }
    assert_true(child > 0);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, '.');
    write_at(&g, SEMAPHORES, 0, 0);
    while (byte != '!')
        assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(read_at(&g, SEMAPHORES, 0), UINT32_MAX);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(read_at(&g, SEMAPHORES, 0), 0);
    close(ready[0]);
    close(ready[1]);
}

static void a_new_holder_finds_an_empty_mailbox(void **state)
{
    (void)state;
    write_at(&g, SEMAPHORES, 0, 17);
    write_at(&g, ICMD, MAILBOX + 64, 0x5ec4e7);
    assert_int_equal(read_at(&g, ICMD, MAILBOX + 64), 0x5ec4e7);
    write_at(&g, SEMAPHORES, 0, 0);
    write_at(&g, SEMAPHORES, 0, 17);
    assert_int_equal(read_at(&g, ICMD, MAILBOX + 64), 0);
}

static void commands_are_checked(void **state)
{
    (void)state;
    uint32_t nothing[1] = {0};
    assert_int_equal(run(0x1234), MST_ICMD_INVALID_OPCODE);
    write_at(&g, ICMD, 0, 0x9001u << 16 | 2 | BUSY); /* a mailbox in host memory */
    assert_int_equal(read_at(&g, ICMD, 0) >> 8 & 0xff, MST_ICMD_INVALID_COMMAND);
    assert_int_equal(run(0x8400), MST_ICMD_OK);
    assert_int_equal(read_at(&g, ICMD, MAILBOX), 0xa4000000);
    assert_int_equal(access_register(0x9030, 1, nothing, 0), DPK_REGISTER_TOO_SHORT);
    write_at(&g, ICMD, MAILBOX + 16, 3u << 27); /* a TLV without its own dword */
    assert_int_equal(run(0x9001), MST_ICMD_OK);
    assert_int_equal(read_at(&g, ICMD, MAILBOX) >> 8 & 0x7f, DPK_REGISTER_BAD_TLV);
    write_at(&g, ICMD, MAILBOX + 16, 3u << 27 | 0x7ffu << 16); /* longer than the mailbox */
    assert_int_equal(run(0x9001), MST_ICMD_OK);
    assert_int_equal(read_at(&g, ICMD, MAILBOX) >> 8 & 0x7f, DPK_REGISTER_BAD_PARAMETER);
}

/* ---- The bridge ---- */

#define LINK_CONTROL 0x70
static const uint8_t enable[4] = {0}, disable[4] = {0x10};

static unsigned status_of(const char *path)
{
    struct dpk_buf space = {0};
    assert_int_equal(dpk_file_read(path, MST_SPACE_SIZE, &space, NULL), DPK_OK);
    assert_int_equal(space.size, MST_SPACE_SIZE);
    const unsigned status =
        (unsigned)space.data[LINK_CONTROL + 2] | (unsigned)space.data[LINK_CONTROL + 3] << 8;
    dpk_buf_free(&space);
    return status;
}

static void the_link_of_the_bridge_can_be_disabled(void **state)
{
    (void)state;
    struct mst_tree tree;
    uint8_t all[MST_SPACE_SIZE] = {0};
    assert_int_equal(mst_tree_write(dev, &tree, NULL), DPK_OK);
    const uint8_t *space = mst_bridge_map(tree.bridge); /* of a program that is running */
    assert_non_null(space);
    assert_null(mst_bridge_map("/nonexistent"));
    assert_false(mst_bridge_shows_disabled(space));
    assert_false(mst_bridge_link_is_disabled(tree.bridge));
    assert_int_equal(status_of(tree.bridge) & 0x2000, 0x2000);
    assert_false(mst_bridge_write(tree.bridge, disable, 4, 0x10)); /* another register */
    assert_false(mst_bridge_write(tree.bridge, disable, 4, UINT64_MAX));
    assert_false(mst_bridge_write(tree.bridge, disable, 0, LINK_CONTROL));
    assert_false(mst_bridge_link_is_disabled(tree.bridge));
    assert_false(mst_bridge_write(tree.bridge, disable, 4, LINK_CONTROL));
    assert_true(mst_bridge_link_is_disabled(tree.bridge));
    assert_int_equal(status_of(tree.bridge) & 0x2000, 0);
    assert_int_equal(mst_tree_write(dev, &tree, NULL), DPK_OK); /* by another program */
    assert_true(mst_bridge_link_is_disabled(tree.bridge));
    assert_true(mst_bridge_shows_disabled(space));
    assert_true(mst_bridge_write(tree.bridge, enable, 1, LINK_CONTROL));
    assert_false(mst_bridge_write(tree.bridge, enable, 4, LINK_CONTROL));
    assert_int_equal(status_of(tree.bridge) & 0x2000, 0x2000);
    assert_false(mst_bridge_shows_disabled(space));
    assert_int_equal(munmap((void *)space, MST_SPACE_SIZE), 0);
    all[LINK_CONTROL] = 0x10;
    assert_false(mst_bridge_write(tree.bridge, all, sizeof all, 0));
    assert_true(mst_bridge_link_is_disabled(tree.bridge));
}

static void a_boot_enables_the_link(void **state)
{
    (void)state;
    const struct timespec before[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct mst_tree tree;
    assert_int_equal(mst_tree_write(dev, &tree, NULL), DPK_OK);
    assert_false(mst_bridge_write(tree.bridge, disable, 4, LINK_CONTROL));
    assert_int_equal(utimensat(AT_FDCWD, tree.bridge, before, 0), 0);
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
    assert_int_equal(mst_tree_write(dev, &tree, NULL), DPK_OK);
    assert_false(mst_bridge_link_is_disabled(tree.bridge));
}

static void other_places_are_not_hidden(void **state)
{
    (void)state;
    static const char *const hidden[] = {"/sys/bus/pci", "/sys/devices/pci0000:00/0000:00:02.0",
                                         "/dev/rshim0/misc", "/dev/0000:03:00.0_mstcr",
                                         "/sys/bus/platform/drivers/mlx-bootctl/fw_reset"};
    static const char *const shown[] = {"/sys/bus/pcie", "/dev/null", "/sys/devices/pci0000:001",
                                        "/sys/bus/platform/drivers", ""};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        assert_true(mst_tree_has(hidden[i]));
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_false(mst_tree_has(shown[i]));
}

/* ---- fwctl ---- */

/* Puts a command of mlx5 that accesses a register. */
static void put_command(uint8_t in[16], unsigned opcode, unsigned method, unsigned number)
{
    memset(in, 0, 16);
    in[0] = (uint8_t)(opcode >> 8), in[1] = opcode & 0xff;
    in[7] = (uint8_t)method;
    in[10] = (uint8_t)(number >> 8), in[11] = number & 0xff;
}

static void registers_are_accessed_by_fwctl(void **state)
{
    (void)state;
    uint8_t in[16 + 0x50] = {0}, out[sizeof in + 2048], expected[0x50] = {0};
    put_command(in, 0x805, 1, 0x9020);
    assert_int_equal(dpk_register_access(g.registers, 0x9020, DPK_REGISTER_GET, expected, 0x50),
                     DPK_REGISTER_OK);
    mst_fwctl_command(g.registers, in, sizeof in, out, sizeof out, -1);
    assert_int_equal(out[0], 0);
    assert_memory_equal(out + 16 + 0x30, expected + 0x30, 16); /* the PSID */
    /* A register that the card does not have: bad parameter, and the card's status. */
    put_command(in, 0x805, 1, 0x5009);
    mst_fwctl_command(g.registers, in, sizeof in, out, sizeof out, -1);
    assert_int_equal(out[0], 3);
    assert_int_equal(out[7], DPK_REGISTER_NOT_SUPPORTED);
}

static void commands_of_fwctl_are_checked(void **state)
{
    (void)state;
    uint8_t in[32] = {0}, out[64];
    static const struct {
        unsigned opcode, method;
        size_t in_size;
        unsigned status;
    } cases[] = {{0x805, 2, 32, 2},
                 {0x100, 1, 32, 2},
                 {0x805, 1, 15, 0x50},
                 {0x805, 1, 0, 0x50},
                 {0x805, 1, 16, 3} /* no room for the register */};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_command(in, cases[i].opcode, cases[i].method, 0x9020);
        mst_fwctl_command(g.registers, in, cases[i].in_size, out, sizeof out, -1);
        assert_int_equal(out[0], cases[i].status);
    }
    /* An answer without room for its header is not written. */
    memset(out, 0xee, sizeof out);
    put_command(in, 0x805, 1, 0x9020);
    mst_fwctl_command(g.registers, in, sizeof in, out, 15, -1);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0xee);
}

static void ioctls_of_fwctl_are_checked(void **state)
{
    (void)state;
    struct {
        uint32_t size, scope, in_size, out_size;
        uint64_t in, out;
    } rpc = {0};
    struct {
        uint32_t size, flags, type, data_size;
        uint64_t data;
    } info = {.size = sizeof info};
    uint8_t in[16 + 0x50] = {0}, out[sizeof in];
    put_command(in, 0x805, 1, 0x9020);
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a00, &info, -1), 0);
    assert_int_equal(info.type, 1);
    info.flags = 1;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a00, &info, -1), EOPNOTSUPP);
    info.size = 4;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a00, &info, -1), EINVAL);
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a02, &rpc, -1), ENOTTY);
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, NULL, -1), EFAULT);
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), EINVAL);
    rpc.size = sizeof rpc, rpc.scope = 4;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), EOPNOTSUPP);
    rpc.scope = 0, rpc.in_size = UINT32_MAX;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), EMSGSIZE);
    rpc.in_size = sizeof in, rpc.out_size = sizeof out, rpc.out = (uintptr_t)out;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), EFAULT); /* in is NULL */
    rpc.in = (uintptr_t)in, rpc.out = (uintptr_t) "constant";
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), EFAULT);
    rpc.out = (uintptr_t)out;
    assert_int_equal(mst_fwctl_ioctl(g.registers, 0x9a01, &rpc, -1), 0);
    assert_int_equal(out[0], 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_gateway, close_gateway)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(registers_are_accessed_by_the_mailbox),
        CASE(spaces_are_told_apart),
        CASE(the_gateway_has_a_semaphore),
        CASE(the_mailbox_has_one_holder),
        CASE(a_killed_holder_releases_the_mailbox),
        CASE(a_new_holder_finds_an_empty_mailbox),
        CASE(commands_are_checked),
        CASE(the_link_of_the_bridge_can_be_disabled),
        CASE(a_boot_enables_the_link),
        CASE(other_places_are_not_hidden),
        CASE(registers_are_accessed_by_fwctl),
        CASE(commands_of_fwctl_are_checked),
        CASE(ioctls_of_fwctl_are_checked),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
