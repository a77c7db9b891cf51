/* runtime/bus/cuse and runtime/api/mst/attach.c: the test plays the kernel of /dev/cuse at the other end of a pair of
 * sockets. */
#include "bus/cuse/cuse.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "api/mst/mst.h"

#define accept accept_file /* device_world.h has a function of the name of a call of sockets */
#include "device_world.h"
#undef accept

#define MINOR 38

static struct {
    struct mst_attach *attach;
    int kernel[MST_DOORS], device[MST_DOORS], stop[2];
    pthread_t thread;
    enum dpk_status status;
} machine;
static uid_t caller; /* of the messages */
static uint8_t answer[DPK_CUSE_MESSAGE_MAX];

/* ---- The kernel ---- */

static size_t put_message(uint8_t *message, unsigned opcode, const void *body, size_t body_size,
                          const void *more, size_t more_size)
{
    struct fuse_in_header in = {.len = (uint32_t)(sizeof in + body_size + more_size),
                                .opcode = opcode,
                                .unique = 7,
                                .uid = caller,
                                .pid = (uint32_t)getpid()};
    memcpy(message, &in, sizeof in);
    memcpy(message + sizeof in, body, body_size);
    if (more_size > 0)
        memcpy(message + sizeof in + body_size, more, more_size);
    return in.len;
}

/* Returns the errno of the answer to a message that is in `message`. */
static int send_bytes(enum mst_door door, const uint8_t *message, size_t size)
{
    struct fuse_out_header out = {0};
    assert_int_equal(send(machine.kernel[door], message, size, MSG_NOSIGNAL), size);
    const ssize_t length = recv(machine.kernel[door], answer, sizeof answer, 0);
    assert_true(length >= (ssize_t)sizeof out);
    memcpy(&out, answer, sizeof out);
    assert_int_equal(out.len, length);
    assert_int_equal(out.unique, 7);
    assert_true(out.error <= 0 && out.error > -1000); /* as the kernel demands */
    return -out.error;
}

static int send_message(enum mst_door door, unsigned opcode, const void *body, size_t body_size)
{
    uint8_t message[4096];
    return send_bytes(door, message, put_message(message, opcode, body, body_size, NULL, 0));
}

static void begin(enum mst_door door, const char *name)
{
    const struct cuse_init_in in = {.major = 7, .minor = MINOR, .flags = CUSE_UNRESTRICTED_IOCTL};
    struct cuse_init_out out;
    char expected[80];
    assert_int_equal(send_message(door, CUSE_INIT, &in, sizeof in), 0);
    memcpy(&out, answer + sizeof(struct fuse_out_header), sizeof out);
    assert_int_equal(out.major, 7);
    assert_true(out.flags & CUSE_UNRESTRICTED_IOCTL);
    snprintf(expected, sizeof expected, "DEVNAME=%s", name);
    assert_string_equal((const char *)answer + sizeof(struct fuse_out_header) + sizeof out, expected);
}

static int open_file(enum mst_door door, uint64_t *fh)
{
    const struct fuse_open_in in = {.flags = O_RDWR};
    struct fuse_open_out out;
    const int error = send_message(door, FUSE_OPEN, &in, sizeof in);
    memcpy(&out, answer + sizeof(struct fuse_out_header), sizeof out);
    *fh = out.fh;
    return error;
}

static int release_file(enum mst_door door, uint64_t fh)
{
    const struct fuse_release_in in = {.fh = fh};
    return send_message(door, FUSE_RELEASE, &in, sizeof in);
}

/* Copies between the memory that a device asks for, which is of this process, and `bytes`. */
static size_t copy_spans(const uint8_t *at, size_t count, uint8_t *bytes, bool in)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        struct fuse_ioctl_iovec span;
        memcpy(&span, at + i * sizeof span, sizeof span);
        assert_true(sum + span.len <= DPK_CUSE_DATA_MAX);
        if (bytes && in)
            memcpy(bytes + sum, (void *)(uintptr_t)span.base, span.len);
        else if (bytes)
            memcpy((void *)(uintptr_t)span.base, bytes + sum, span.len);
        sum += span.len;
    }
    return sum;
}

/* Calls ioctl. Returns an errno. */
static int call(enum mst_door door, uint64_t fh, unsigned long command, void *pointer, int *result)
{
    static uint8_t message[DPK_CUSE_MESSAGE_MAX], more[DPK_CUSE_DATA_MAX], spans[1024];
    const size_t header = sizeof(struct fuse_out_header);
    struct fuse_ioctl_in in = {.fh = fh,
                               .flags = FUSE_IOCTL_UNRESTRICTED,
                               .cmd = (uint32_t)command,
                               .arg = (uintptr_t)pointer};
    size_t outs = 0, ins = 0;
    for (unsigned tries = 0; tries < 4; tries++) {
        struct fuse_ioctl_out out = {0};
        const int error = send_bytes(
            door, message, put_message(message, FUSE_IOCTL, &in, sizeof in, more, in.in_size));
        if (error)
            return error;
        memcpy(&out, answer + header, sizeof out);
        if (!(out.flags & FUSE_IOCTL_RETRY)) {
            copy_spans(spans + ins * sizeof(struct fuse_ioctl_iovec), outs,
                       answer + header + sizeof out, false);
            if (result)
                *result = out.result;
            return 0;
        }
        ins = out.in_iovs, outs = out.out_iovs;
        assert_true((ins + outs) * sizeof(struct fuse_ioctl_iovec) <= sizeof spans);
        memcpy(spans, answer + header + sizeof out, (ins + outs) * sizeof(struct fuse_ioctl_iovec));
        in.in_size = (uint32_t)copy_spans(spans, ins, more, true);
        in.out_size =
            (uint32_t)copy_spans(spans + ins * sizeof(struct fuse_ioctl_iovec), outs, NULL, false);
    }
    fail_msg("the device asks for memory without end");
    return 0;
}

/* ---- The machine ---- */

static void tell(void *unused)
{
    (void)unused;
}

static void *run(void *unused)
{
    (void)unused;
    machine.status = mst_attach_run(machine.attach, machine.stop[0], tell, NULL, NULL);
    return NULL;
}

static const char *const names[MST_DOORS] = {"0000:03:00.0_mstconf", "fwctl/fwctl0"};

static int start(void **state)
{
    const struct mst_attach_source source = {.registers = {.device = "dev0"}, .trace = -1};
    const int made = fresh_device(state);
    caller = geteuid();
    assert_int_equal(mst_attach_open(&source, &machine.attach, NULL), DPK_OK);
    for (enum mst_door door = 0; door < MST_DOORS; door++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
        machine.kernel[door] = pair[0], machine.device[door] = pair[1];
        assert_int_equal(mst_attach_add(machine.attach, door, pair[1], names[door], NULL), DPK_OK);
    }
    assert_int_equal(pipe2(machine.stop, O_CLOEXEC), 0);
    assert_int_equal(pthread_create(&machine.thread, NULL, run, NULL), 0);
    return made;
}

static int begin_both(void **state)
{
    const int made = start(state);
    for (enum mst_door door = 0; door < MST_DOORS; door++)
        begin(door, names[door]);
    return made;
}

static int stop(void **state)
{
    close(machine.stop[1]);
    pthread_join(machine.thread, NULL);
    mst_attach_close(machine.attach);
    close(machine.stop[0]);
    for (enum mst_door door = 0; door < MST_DOORS; door++) {
        close(machine.kernel[door]);
        close(machine.device[door]);
    }
    return drop_device(state);
}

/* ---- mstflint's driver ---- */

#define GET_PARAMETERS _IOC(_IOC_READ, 0xd0, 1, 40)
#define READ_DWORD     _IOC(_IOC_READ, 0xd1, 1, 12)
#define WRITE_DWORD    _IOC(_IOC_WRITE, 0xd1, 2, 12)
#define READ_BLOCK     _IOC(_IOC_READ, 0xd2, 3, 268)
#define WRITE_BLOCK    _IOC(_IOC_WRITE, 0xd2, 4, 268)
enum { CR = 2, ICMD = 3, SEMAPHORES = 10 };
#define MAILBOX 0x100000u

static uint32_t read_at(uint64_t fh, uint32_t space, uint32_t address)
{
    uint32_t words[3] = {space, address, 0};
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_DWORD, words, NULL), 0);
    return words[2];
}

static void write_at(uint64_t fh, uint32_t space, uint32_t address, uint32_t value)
{
    uint32_t words[3] = {space, address, value};
    assert_int_equal(call(MST_DOOR_PCI, fh, WRITE_DWORD, words, NULL), 0);
}

static void the_driver_of_mstflint_is_there(void **state)
{
    (void)state;
    uint64_t fh;
    uint32_t parameters[10] = {0}, words[3] = {0x77, 0, 0};
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0);
    assert_int_equal(call(MST_DOOR_PCI, fh, GET_PARAMETERS, parameters, NULL), 0);
    assert_int_equal(parameters[1], 3);      /* bus */
    assert_int_equal(parameters[5], 0xa2dc); /* device */
    assert_int_equal(parameters[6], 0x15b3);
    assert_int_equal(parameters[9], MST_GATEWAY);
    assert_int_equal(read_at(fh, CR, 0xf0014) & 0xffff, 0x21c);
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_DWORD, words, NULL),
                     EOPNOTSUPP); /* no such space */
    assert_int_equal(call(MST_DOOR_PCI, fh, _IOC(_IOC_READ, 0xd0, 1, 12), words, NULL), ENOTTY);
    assert_int_equal(call(MST_DOOR_PCI, fh, _IOC(_IOC_READ, 0xd1, 3, 12), words, NULL), ENOTTY);
    assert_int_equal(call(MST_DOOR_PCI, fh, _IOC(_IOC_READ, 0xd1, 1, 4), words, NULL), ENOTTY);
    assert_int_equal(call(MST_DOOR_PCI, fh, _IOC(_IOC_READ, 0xd1, 1, 4096), words, NULL), ENOTTY);
    assert_int_equal(call(MST_DOOR_PCI, fh, TCGETS, words, NULL), ENOTTY);
    assert_int_equal(release_file(MST_DOOR_PCI, fh), 0);
}

static void registers_are_accessed_by_blocks(void **state)
{
    (void)state;
    uint64_t fh;
    struct {
        uint32_t space, address, size, data[64];
    } block = {
        ICMD,
        MAILBOX,
        28,
        {1u << 27 | 4u << 16, 0x9030u << 16 | 1u << 8 | 1, 0, 0, 3u << 27 | 3u << 16, 273, 0}};
    int result = 0;
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0);
    assert_int_equal(call(MST_DOOR_PCI, fh, WRITE_BLOCK, &block, &result), 0);
    assert_int_equal(result, 28);
    write_at(fh, ICMD, 0, 0x9001u << 16 | 1);
    assert_int_equal(read_at(fh, ICMD, 0) & 0xff01, 0); /* not busy, and OK */
    memset(block.data, 0, sizeof block.data);
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_BLOCK, &block, &result), 0);
    assert_int_equal(block.data[6] & 3, 3); /* NVQC: can be read and set */
    block.size = 260;
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_BLOCK, &block, NULL), EINVAL);
    block.size = 3;
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_BLOCK, &block, NULL), EINVAL);
}

static void a_closed_file_holds_no_semaphore(void **state)
{
    (void)state;
    uint64_t first, second;
    assert_int_equal(open_file(MST_DOOR_PCI, &first), 0);
    assert_int_equal(open_file(MST_DOOR_PCI, &second), 0);
    write_at(first, SEMAPHORES, 0, 17);
    assert_int_equal(read_at(first, SEMAPHORES, 0), 17);
    write_at(second, SEMAPHORES, 0, 18);
    assert_int_not_equal(read_at(second, SEMAPHORES, 0), 18);
    assert_int_equal(release_file(MST_DOOR_PCI, first), 0); /* its program was killed */
    assert_int_equal(read_at(second, SEMAPHORES, 0), 0);
    write_at(second, SEMAPHORES, 0, 18);
    assert_int_equal(read_at(second, SEMAPHORES, 0), 18);
}

static void a_disabled_link_is_an_error(void **state)
{
    (void)state;
    static const uint8_t disable[4] = {0x10};
    struct mst_tree tree;
    uint64_t fh;
    uint32_t words[3] = {CR, 0xf0014, 0};
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0);
    assert_int_equal(mst_tree_write(dev, &tree, NULL), DPK_OK);
    assert_false(mst_bridge_write(tree.bridge, disable, 4, 0x70));
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_DWORD, words, NULL), EIO);
}

/* ---- fwctl ---- */

struct rpc {
    uint32_t size, scope, in_size, out_size;
    uint64_t in, out;
};

static void registers_are_accessed_by_fwctl(void **state)
{
    (void)state;
    uint8_t in[16 + 0x50] = {0x08, 0x05, [7] = 1, [10] = 0x90, [11] = 0x20},
                    out[sizeof in + 400] = {0};
    struct rpc rpc = {.size = sizeof rpc,
                      .in_size = sizeof in,
                      .out_size = sizeof out,
                      .in = (uintptr_t)in,
                      .out = (uintptr_t)out};
    uint32_t info[6] = {sizeof info};
    uint64_t fh;
    assert_int_equal(open_file(MST_DOOR_FWCTL, &fh), 0);
    assert_int_equal(call(MST_DOOR_FWCTL, fh, 0x9a00, info, NULL), 0);
    assert_int_equal(info[2], 1); /* mlx5 */
    assert_int_equal(call(MST_DOOR_FWCTL, fh, 0x9a01, &rpc, NULL), 0);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[16 + 10], 0x02); /* MGIR: hw_dev_id, 0x21c */
    rpc.out_size = DPK_CUSE_DATA_MAX;
    assert_int_equal(call(MST_DOOR_FWCTL, fh, 0x9a01, &rpc, NULL), EMSGSIZE);
    rpc.size = 4;
    assert_int_equal(call(MST_DOOR_FWCTL, fh, 0x9a01, &rpc, NULL), EINVAL);
    assert_int_equal(call(MST_DOOR_FWCTL, fh, 0x9a02, &rpc, NULL), ENOTTY);
}

/* ---- Who may ---- */

static void only_root_and_the_owner_may_use_a_device(void **state)
{
    (void)state;
    uint32_t words[3] = {CR, 0xf0014, 0};
    uint64_t fh, other;
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0);
    caller = geteuid() + 12345;
    assert_int_equal(open_file(MST_DOOR_PCI, &other), EACCES);
    assert_int_equal(open_file(MST_DOOR_FWCTL, &other), EACCES);
    assert_int_equal(call(MST_DOOR_PCI, fh, READ_DWORD, words, NULL),
                     EACCES); /* a file of another user */
    caller = (uid_t)-1;
    assert_int_equal(open_file(MST_DOOR_PCI, &other), EACCES);
    caller = 0;
    assert_int_equal(open_file(MST_DOOR_PCI, &other), 0);
}

/* ---- Messages that the kernel does not send ---- */

static void nothing_is_answered_before_the_first_message(void **state)
{
    (void)state;
    uint64_t fh;
    struct cuse_init_in in = {.major = 7, .minor = MINOR, .flags = CUSE_UNRESTRICTED_IOCTL};
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), EIO);
    assert_int_equal(send_message(MST_DOOR_PCI, CUSE_INIT, &in, 4), EIO);
    assert_int_equal(send_message(MST_DOOR_PCI, CUSE_INIT, &in, sizeof in), 0);
    assert_int_equal(send_message(MST_DOOR_PCI, CUSE_INIT, &in, sizeof in), EIO); /* twice */
}

static void an_old_kernel_is_refused(void **state)
{
    (void)state;
    const struct cuse_init_in old = {.major = 7, .minor = 8, .flags = CUSE_UNRESTRICTED_IOCTL};
    assert_int_equal(send_message(MST_DOOR_PCI, CUSE_INIT, &old, sizeof old), EPROTO);
    pthread_join(machine.thread, NULL);
    assert_int_equal(machine.status, DPK_ERR_UNSUPPORTED);
    assert_int_equal(pthread_create(&machine.thread, NULL, run, NULL), 0);
}

static void a_removed_device_ends_the_run(void **state)
{
    (void)state;
    shutdown(machine.kernel[MST_DOOR_PCI], SHUT_RDWR);
    pthread_join(machine.thread, NULL);
    assert_int_equal(machine.status, DPK_ERR_NOT_FOUND);
    assert_int_equal(pthread_create(&machine.thread, NULL, run, NULL), 0);
}

static void wrong_messages_are_refused(void **state)
{
    (void)state;
    uint8_t message[4096] = {0};
    const uint64_t lies[] = {64, UINT64_MAX, 1};
    struct fuse_ioctl_in in = {.flags = FUSE_IOCTL_UNRESTRICTED, .cmd = READ_DWORD};
    struct fuse_in_header header;
    uint64_t fh;
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0);
    in.fh = fh;
    /* Sizes that lie: of the whole message, and of the bytes of an ioctl. */
    size_t size = put_message(message, FUSE_IOCTL, &in, sizeof in, NULL, 0);
    assert_int_equal(send_bytes(MST_DOOR_PCI, message, size + 1), EIO);
    memcpy(&header, message, sizeof header);
    for (size_t i = sizeof header; i < size; i++) { /* cut off */
        header.len = (uint32_t)i;
        memcpy(message, &header, sizeof header);
        assert_int_equal(send_bytes(MST_DOOR_PCI, message, i), EIO);
    }
    in.in_size = 12;
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_IOCTL, &in, sizeof in), EIO);
    in.in_size = 0, in.out_size = DPK_CUSE_DATA_MAX + 1;
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_IOCTL, &in, sizeof in), EIO);
    in.out_size = 0, in.flags = 0; /* the kernel would not give memory */
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_IOCTL, &in, sizeof in), ENOTTY);
    in.flags = FUSE_IOCTL_UNRESTRICTED;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        in.fh = lies[i];
        assert_int_equal(send_message(MST_DOOR_PCI, FUSE_IOCTL, &in, sizeof in), EBADF);
        assert_int_equal(release_file(MST_DOOR_PCI, lies[i]), EBADF);
    }
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_READ, &in, sizeof in), EINVAL);
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_WRITE, &in, sizeof in), EINVAL);
    assert_int_equal(send_message(MST_DOOR_PCI, FUSE_POLL, &in, sizeof in), ENOSYS);
    assert_int_equal(send_message(MST_DOOR_PCI, 0xdeadbeef, &in, sizeof in), ENOSYS);
    assert_int_equal(release_file(MST_DOOR_PCI, fh), 0);
    assert_int_equal(release_file(MST_DOOR_PCI, fh), EBADF);
}

static void interrupts_and_stubs_have_no_answer(void **state)
{
    (void)state;
    uint8_t message[256];
    const struct fuse_interrupt_in in = {.unique = 5};
    const size_t size = put_message(message, FUSE_INTERRUPT, &in, sizeof in, NULL, 0);
    uint64_t fh;
    assert_int_equal(send(machine.kernel[MST_DOOR_PCI], message, size, 0), size);
    assert_int_equal(send(machine.kernel[MST_DOOR_PCI], message, 39, 0), 39);
    assert_int_equal(send(machine.kernel[MST_DOOR_PCI], message, 1, 0), 1);
    assert_int_equal(open_file(MST_DOOR_PCI, &fh), 0); /* the next answer is this one's */
}

static void files_are_limited(void **state)
{
    (void)state;
    uint64_t fh;
    for (unsigned i = 0; i < DPK_CUSE_FILES_MAX; i++)
        assert_int_equal(open_file(MST_DOOR_FWCTL, &fh), 0);
    assert_int_equal(open_file(MST_DOOR_FWCTL, &fh), ENFILE);
    assert_int_equal(release_file(MST_DOOR_FWCTL, 5), 0);
    assert_int_equal(open_file(MST_DOOR_FWCTL, &fh), 0);
    assert_int_equal(fh, 5);
}

static void names_are_checked(void **state)
{
    (void)state;
    struct dpk_cuse *cuse = NULL;
    struct dpk_cuse_device device = {.fd = -1};
    static const char *const wrong[] = {"", "a b", "a\nDEVNAME=b", "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        device.name = wrong[i];
        assert_int_equal(dpk_cuse_new(&device, &cuse, NULL), DPK_ERR_USAGE);
    }
}

#define CASE(name)  cmocka_unit_test_setup_teardown(name, begin_both, stop)
#define FIRST(name) cmocka_unit_test_setup_teardown(name, start, stop)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_driver_of_mstflint_is_there),
        CASE(registers_are_accessed_by_blocks),
        CASE(a_closed_file_holds_no_semaphore),
        CASE(a_disabled_link_is_an_error),
        CASE(registers_are_accessed_by_fwctl),
        CASE(only_root_and_the_owner_may_use_a_device),
        FIRST(nothing_is_answered_before_the_first_message),
        FIRST(an_old_kernel_is_refused),
        CASE(a_removed_device_ends_the_run),
        CASE(wrong_messages_are_refused),
        CASE(interrupts_and_stubs_have_no_answer),
        CASE(files_are_limited),
        cmocka_unit_test(names_are_checked),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
