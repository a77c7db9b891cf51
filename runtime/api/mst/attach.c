/* A device as character devices, each of which answers by the protocol of /dev/cuse. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/mst/mst.h"
#include "bus/cuse/cuse.h"

struct mst_attach {
    struct mst_attach_source source;
    struct mst_tree tree;
    struct dpk_pci_address pci;
    unsigned device_id, hardware_id;
    uid_t owner; /* of the device's folder */
    char name[DPK_CUSE_NAME_MAX];
    struct dpk_cuse *doors[MST_DOORS];
    int fds[MST_DOORS];
};

/* ---- Who may use a device ---- */

static bool is_allowed(const struct mst_attach *a, const struct dpk_cuse_caller *caller)
{
    if (!dpk_user_is_known(caller->uid))
        return false;
    return caller->uid == 0 || caller->uid == a->owner;
}

/* A gateway for each file, so that one that is closed, or whose program is killed, holds no semaphore. */
static int open_file(void *context, const struct dpk_cuse_caller *caller, void **file)
{
    struct mst_attach *a = context;
    if (!is_allowed(a, caller))
        return EACCES;
    struct mst_gateway *g = calloc(1, sizeof *g);
    if (!g)
        return ENOMEM;
    *g = (struct mst_gateway){.hardware_id = a->hardware_id,
                              .semaphore = a->tree.semaphore,
                              .lock = -1,
                              .trace = a->source.trace};
    if (dpk_registers_open(&a->source.registers, &g->registers, NULL) != DPK_OK) {
        free(g);
        return ENOMEM;
    }
    *file = g;
    return 0;
}

static void close_file(void *context, void *file)
{
    struct mst_gateway *g = file;
    (void)context;
    mst_gateway_close(g);
    dpk_registers_close(g->registers);
    free(g);
}

/* ---- ioctls of mstflint's driver (mstflint, kernel/mst.h) ---- */

#define TYPE_PARAMETERS 0xd0
#define TYPE_DWORD      0xd1
#define TYPE_BLOCK      0xd2
enum { GET_PARAMETERS = 1, READ_DWORD = 1, WRITE_DWORD = 2, READ_BLOCK = 3, WRITE_BLOCK = 4 };
#define ARGUMENT_MAX 512 /* bytes */
#define BLOCK_MAX    256 /* bytes */

/* Asks for the bytes at the argument of a call, unless they are there. */
static bool has_argument(struct dpk_cuse_ioctl *call, size_t size)
{
    if (call->in_size == size && call->out_size == size)
        return true;
    call->reads[0] = call->writes[0] =
        (struct dpk_cuse_span){.address = call->argument, .size = size};
    call->read_count = call->write_count = 1;
    return false;
}

/* Fields of these structures are in the byte order of the machine. */
static uint32_t get_word(const uint8_t *bytes, size_t index)
{
    uint32_t word;
    memcpy(&word, bytes + index * sizeof word, sizeof word);
    return word;
}

static void put_word(uint8_t *bytes, size_t index, uint32_t word)
{
    memcpy(bytes + index * sizeof word, &word, sizeof word);
}

/* Where the function is, what it is, and where its vendor-specific capability begins. */
static int get_parameters(const struct mst_attach *a, struct dpk_cuse_ioctl *call)
{
    const uint32_t words[] = {a->pci.domain, a->pci.bus, 0, a->pci.function, 0,
                              a->device_id,  MST_VENDOR, 0, MST_VENDOR,      MST_GATEWAY};
    if (call->out_size < sizeof words)
        return ENOTTY;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_word(call->out, i, words[i]);
    return 0;
}

/* A structure has an address space, an address and a dword. */
static int access_dword(struct mst_gateway *g, struct dpk_cuse_ioctl *call, bool write)
{
    uint32_t value = 0;
    if (call->in_size < 12)
        return ENOTTY;
    const uint32_t space = get_word(call->in, 0), address = get_word(call->in, 1);
    const bool found = write ? mst_gateway_store(g, space, address, get_word(call->in, 2))
                             : mst_gateway_load(g, space, address, &value);
    if (found && !write)
        put_word(call->out, 2, value);
    return found ? 0 : EOPNOTSUPP;
}

/* A structure has an address space, an address, a number of bytes, and dwords. */
static int access_block(struct mst_gateway *g, struct dpk_cuse_ioctl *call, bool write)
{
    if (call->in_size < 12 + BLOCK_MAX)
        return ENOTTY;
    const uint32_t space = get_word(call->in, 0), address = get_word(call->in, 1),
                   size = get_word(call->in, 2);
    if (size > BLOCK_MAX || size % 4 != 0)
        return EINVAL;
    for (uint32_t i = 0; i < size / 4; i++) {
        uint32_t value = 0;
        if (write ? !mst_gateway_store(g, space, address + 4 * i, get_word(call->in, 3 + i))
                  : !mst_gateway_load(g, space, address + 4 * i, &value))
            return EOPNOTSUPP;
        if (!write)
            put_word(call->out, 3 + i, value);
    }
    call->result = (int)size;
    return 0;
}

static int pci_ioctl(void *context, void *file, const struct dpk_cuse_caller *caller,
                     struct dpk_cuse_ioctl *call)
{
    const struct mst_attach *a = context;
    const unsigned type = _IOC_TYPE(call->command), number = _IOC_NR(call->command);
    const size_t size = _IOC_SIZE(call->command);
    if (!is_allowed(a, caller))
        return EACCES;
    if (mst_bridge_link_is_disabled(a->tree.bridge))
        return EIO;
    if (size > ARGUMENT_MAX || type < TYPE_PARAMETERS || type > TYPE_BLOCK)
        return ENOTTY;
    if (!has_argument(call, size))
        return 0;
    memcpy(call->out, call->in, size);
    if (type == TYPE_PARAMETERS && number == GET_PARAMETERS)
        return get_parameters(a, call);
    if (type == TYPE_DWORD && (number == READ_DWORD || number == WRITE_DWORD))
        return access_dword(file, call, number == WRITE_DWORD);
    if (type == TYPE_BLOCK && (number == READ_BLOCK || number == WRITE_BLOCK))
        return access_block(file, call, number == WRITE_BLOCK);
    return ENOTTY;
}

/* ---- ioctls of fwctl ---- The structure of an ioctl comes first. If it is a command, the kernel is asked for the
 * structure again, with the bytes that it names. */

static int fwctl_ioctl(void *context, void *file, const struct dpk_cuse_caller *caller,
                       struct dpk_cuse_ioctl *call)
{
    const struct mst_attach *a = context;
    struct mst_gateway *g = file;
    struct mst_fwctl_buffers buffers;
    uint8_t bytes[64];
    const size_t size = mst_fwctl_size(call->command);
    if (!is_allowed(a, caller))
        return EACCES;
    if (size == 0 || size > sizeof bytes)
        return ENOTTY;
    if (mst_bridge_link_is_disabled(a->tree.bridge))
        return EIO;
    if (call->in_size < size || call->out_size < size)
        return has_argument(call, size) ? EIO : 0;
    memcpy(bytes, call->in, size);
    const int error = mst_fwctl_begin(call->command, bytes, &buffers);
    if (error)
        return error;
    memcpy(call->out, bytes, size);
    if (!buffers.is_command)
        return 0;
    if (buffers.in_size + size > DPK_CUSE_DATA_MAX || buffers.out_size + size > DPK_CUSE_DATA_MAX)
        return EMSGSIZE;
    const bool complete =
        call->in_size == size + buffers.in_size && call->out_size == size + buffers.out_size;
    if (!complete && (call->in_size > size || call->out_size > size))
        return EINVAL; /* the program has changed the structure meanwhile */
    if (complete) {
        mst_fwctl_command(g->registers, call->in + size, buffers.in_size, call->out + size,
                          buffers.out_size, g->trace);
        return 0;
    }
    const struct dpk_cuse_span argument = {.address = call->argument, .size = size};
    call->reads[0] = call->writes[0] = argument;
    call->reads[1] = (struct dpk_cuse_span){.address = buffers.in, .size = buffers.in_size};
    call->writes[1] = (struct dpk_cuse_span){.address = buffers.out, .size = buffers.out_size};
    call->read_count = call->write_count = 2;
    return 0;
}

/* ---- The devices ---- */

static enum dpk_status open_card(struct mst_attach *a, struct dpk_device *device,
                                 struct dpk_error *err)
{
    struct dpk_device_info info;
    struct stat st;
    enum dpk_status status = dpk_device_info(device, &info, err);
    if (status == DPK_OK)
        status = mst_tree_write(device, &a->tree, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_device_type *type = dpk_device_type_find(info.hw_target);
    if (stat(info.path, &st) != 0)
        return dpk_fail_errno(err, "%s", info.path);
    a->owner = st.st_uid;
    a->pci = info.pci;
    a->device_id = type->id;
    a->hardware_id = dpk_registers_hardware_id(type);
    snprintf(a->name, sizeof a->name, "%s_mstconf", a->tree.address);
    return DPK_OK;
}

enum dpk_status mst_attach_open(const struct mst_attach_source *source, struct mst_attach **out,
                                struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    struct mst_attach *a = calloc(1, sizeof *a);
    if (!a)
        return dpk_fail_nomem(err);
    a->source = *source;
    enum dpk_status status = dpk_device_open(source->registers.device, &device, err);
    if (status == DPK_OK)
        status = open_card(a, device, err);
    dpk_device_close(device);
    if (status == DPK_OK)
        *out = a;
    else
        mst_attach_close(a);
    return status;
}

void mst_attach_close(struct mst_attach *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < MST_DOORS; i++)
        dpk_cuse_free(a->doors[i]);
    free(a);
}

const char *mst_attach_name(const struct mst_attach *a)
{
    return a->name;
}

enum dpk_status mst_attach_add(struct mst_attach *a, enum mst_door door, int fd, const char *name,
                               struct dpk_error *err)
{
    static const struct dpk_cuse_ops ops[MST_DOORS] = {
        [MST_DOOR_PCI] = {.open = open_file, .ioctl = pci_ioctl, .close = close_file},
        [MST_DOOR_FWCTL] = {.open = open_file, .ioctl = fwctl_ioctl, .close = close_file},
    };
    const struct dpk_cuse_device device = {.fd = fd, .name = name, .ops = &ops[door], .context = a};
    a->fds[door] = fd;
    return dpk_cuse_new(&device, &a->doors[door], err);
}

static bool is_told(const struct mst_attach *a)
{
    for (size_t i = 0; i < MST_DOORS; i++)
        if (a->doors[i] && !dpk_cuse_is_told(a->doors[i]))
            return false;
    return true;
}

enum dpk_status mst_attach_run(struct mst_attach *a, int stop, void (*tell)(void *), void *context,
                               struct dpk_error *err)
{
    struct pollfd fds[MST_DOORS + 1] = {[MST_DOORS] = {.fd = stop, .events = POLLIN}};
    bool told = false;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < MST_DOORS; i++)
        fds[i] = (struct pollfd){.fd = a->doors[i] ? a->fds[i] : -1, .events = POLLIN};
    while (status == DPK_OK && !fds[MST_DOORS].revents) {
        if (poll(fds, MST_DOORS + 1, -1) < 0 && errno != EINTR)
            return dpk_fail_errno(err, "poll");
        for (size_t i = 0; i < MST_DOORS && status == DPK_OK; i++)
            if (fds[i].revents)
                status = dpk_cuse_serve(a->doors[i], err);
        if (status == DPK_OK && !told && is_told(a)) {
            told = true;
            tell(context);
        }
    }
    return status;
}
