/* Messages of /dev/cuse to the devices of `dpadev attach`: each is of any bytes, or well formed as far as a kernel's
 * messages are, with ioctls of mstflint's driver or of fwctl. */
#include "bus/cuse/cuse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "api/mst/mst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Accesses of registers that reach the disk take a millisecond each. */
#define MESSAGES_MAX 64

static struct dpk_reader r;
static uint8_t message[4096];
static struct mst_attach *attached;
static int kernel[MST_DOORS],
    stop; /* `stop` can always be read: a run serves what is there, and ends */
static unsigned opened[MST_DOORS];

static void put_header(size_t size, unsigned opcode)
{
    const struct fuse_in_header in = {
        .len = (uint32_t)size, .opcode = opcode, .unique = 9, .uid = getuid(), .pid = 1};
    memcpy(message, &in, sizeof in);
}

/* Appends the next bytes of the input, and zeros if there are too few. */
static size_t put_bytes(size_t at, size_t size)
{
    const size_t left = dpk_reader_left(&r), given = left < size ? left : size;
    const uint8_t *bytes = dpk_read_bytes(&r, given);
    memset(message + at, 0, size);
    if (given > 0)
        memcpy(message + at, bytes, given);
    return at + size;
}

static size_t make_ioctl(unsigned what)
{
    static const uint32_t commands[] = {0x8028d001, 0x800cd101, 0x400cd102, 0x810cd203,
                                        0x410cd204, 0x9a00,     0x9a01};
    static const uint16_t sizes[] = {0, 12, 40, 268, 24, 32, 64, 32 + 96};
    struct fuse_ioctl_in in = {.fh = what & 3,
                               .flags = FUSE_IOCTL_UNRESTRICTED,
                               .cmd = commands[dpk_read_u8(&r) % 7],
                               .arg = 0x1000,
                               .in_size = sizes[what >> 2 & 7]};
    in.out_size = dpk_read_u8(&r) & 1 ? in.in_size : sizes[what >> 5 & 7];
    memcpy(message + sizeof(struct fuse_in_header), &in, sizeof in);
    const size_t size = put_bytes(sizeof(struct fuse_in_header) + sizeof in, in.in_size);
    put_header(size, FUSE_IOCTL);
    return size;
}

static size_t make_message(void)
{
    static const uint16_t opcodes[] = {FUSE_OPEN, FUSE_RELEASE, FUSE_READ, FUSE_INTERRUPT};
    const unsigned kind = dpk_read_u8(&r), what = dpk_read_u8(&r);
    if (kind < 0xa0)
        return make_ioctl(what);
    if (kind < 0xe0) {
        const uint64_t fh = what & 3;
        const size_t size =
            put_bytes(sizeof(struct fuse_in_header), sizeof(struct fuse_release_in));
        if ((kind & 3) == 0)
            memset(message + sizeof(struct fuse_in_header), 0, sizeof(struct fuse_open_in));
        else
            memcpy(message + sizeof(struct fuse_in_header), &fh, sizeof fh);
        put_header(size, opcodes[kind & 3]);
        return size;
    }
    return put_bytes(0, what);
}

static void quiet(void *unused)
{
    (void)unused;
}

/* Gives the message to a device. It answers with the number of its message, or not at all. */
static void give(enum mst_door door, size_t size)
{
    uint8_t answer[512];
    struct fuse_out_header out;
    if (send(kernel[door], message, size, 0) != (ssize_t)size)
        abort();
    if (mst_attach_run(attached, stop, quiet, NULL, NULL) == DPK_ERR_IO)
        abort();
    const ssize_t length = recv(kernel[door], answer, sizeof answer, MSG_DONTWAIT);
    if (length >= 0 && length < (ssize_t)sizeof out)
        abort();
    if (length >= 0) {
        memcpy(&out, answer, sizeof out);
        if (out.error > 0 || out.error <= -1000)
            abort();
        opened[door] += out.error == 0; /* or more than that */
    }
}

/* Opens the devices once. Inputs share what registers have changed, but no open file. */
static void open_world(void)
{
    static const char *const names[MST_DOORS] = {"conf", "fwctl"};
    const struct mst_attach_source source = {
        .registers = {.device = getenv("FUZZ_CARD"), .definitions = "share/nvconfig"}, .trace = -1};
    const struct cuse_init_in init = {.major = 7, .minor = 31, .flags = CUSE_UNRESTRICTED_IOCTL};
    int ends[2];
    if (attached)
        return;
    if (!source.registers.device || mst_attach_open(&source, &attached, NULL) != DPK_OK ||
        pipe(ends) != 0 || write(ends[1], "", 1) != 1)
        abort();
    stop = ends[0];
    for (enum mst_door door = 0; door < MST_DOORS; door++) {
        if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0 ||
            mst_attach_add(attached, door, ends[1], names[door], NULL) != DPK_OK)
            abort();
        kernel[door] = ends[0];
        memcpy(message + sizeof(struct fuse_in_header), &init, sizeof init);
        put_header(sizeof(struct fuse_in_header) + sizeof init, CUSE_INIT);
        give(door, sizeof(struct fuse_in_header) + sizeof init);
    }
}

static void release_files(void)
{
    struct fuse_release_in in = {0};
    for (enum mst_door door = 0; door < MST_DOORS; door++)
        for (in.fh = 0; in.fh < opened[door]; in.fh++) {
            memcpy(message + sizeof(struct fuse_in_header), &in, sizeof in);
            put_header(sizeof(struct fuse_in_header) + sizeof in, FUSE_RELEASE);
            give(door, sizeof(struct fuse_in_header) + sizeof in);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    r = dpk_reader(data, size);
    open_world();
    opened[MST_DOOR_PCI] = opened[MST_DOOR_FWCTL] = 0;
    for (unsigned i = 0; i < MESSAGES_MAX && dpk_reader_left(&r) > 0; i++) {
        const enum mst_door door = dpk_read_u8(&r) & 1;
        const size_t length = make_message();
        if (length > 0)
            give(door, length);
    }
    release_files();
    return 0;
}
