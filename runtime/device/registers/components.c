/* Registers that bring files to a card: components, and the state machine of an update. Files are
 * NV configurations and certificate containers.
 *
 * A tool reads a handle, locks the machine with it, writes a component by MCDA, and verifies it. A
 * card applies a file when it is verified; nothing is written before. The lock is one of
 * a file, so that a tool that is killed leaves neither a lock nor a part of a component. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "private.h"

/* Their index is the place here. The firmware is this program, which no file replaces. A file is
 * checked by what it says, so either of two components of one kind takes the files of both. */
static const struct component {
    unsigned identifier;
    size_t size_max;
    registers_take *take; /* NULL: the device takes no files of this kind */
} components[] = {{1 /* BOOT_IMG */, 0, NULL},
                  {4 /* OEM_NVCONFIG */, DPK_NV_FILE_BYTES_MAX, dpk_device_apply},
                  {5 /* MLNX_NVCONFIG */, DPK_NV_FILE_BYTES_MAX, dpk_device_apply},
                  {0x15 /* DIGITAL_CACERT */, DPK_CONTAINER_MAX, dpk_device_burn},
                  {0x17 /* DIGITAL_CACERT_REMOVAL */, DPK_CONTAINER_MAX, dpk_device_burn}};

enum { PRESENT = 1, IN_USE = 2 };    /* component_status */
enum { IDLE, LOCKED, DOWNLOAD = 3 }; /* control_state */
/* error_code; others are enum dpk_reject */
enum { ERROR_NONE = 0, ERROR_ANY = 1 };
enum {
    LOCK = 1,
    RELEASE,
    UPDATE,
    VERIFY,
    ACTIVATE_COMPONENT,
    ACTIVATE,
    CANCEL = 8,
    CHECK
}; /* instruction */

/* ---- MCQS and MCQI: which components there are ---- */

static const struct register_field mcqs_fields[] = {{"component_index", 0, 0, 16},
                                                    {"device_index", 0, 16, 12},
                                                    {"last_index_flag", 0, 31, 1},
                                                    {"identifier", 4, 0, 16},
                                                    {"component_update_state", 8, 0, 4},
                                                    {"component_status", 8, 4, 5},
                                                    {"progress", 8, 9, 7}};

static enum dpk_register_status get_mcqs(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    const size_t index = register_get(call, "component_index");
    if (index >= COUNT(components) || register_get(call, "device_index") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    memset(call->data + 4, 0, call->size - 4);
    register_put(call, "last_index_flag", index == COUNT(components) - 1);
    register_put(call, "identifier", components[index].identifier);
    register_put(call, "component_status", components[index].take ? PRESENT : IN_USE);
    return DPK_REGISTER_OK;
}

#define MCDA_BYTES_MAX 128
#define MCQI_DATA      0x18
enum { CAPABILITIES = 0, VERSION = 1, CAPABILITIES_SIZE = 0x14, VERSION_SIZE = 0x7c };
static const struct register_field mcqi_fields[] = {{"component_index", 0, 0, 16},
                                                    {"device_index", 0, 16, 12},
                                                    {"read_pending_component", 0, 31, 1},
                                                    {"info_type", 8, 0, 5},
                                                    {"info_size", 0xc, 0, 32},
                                                    {"offset", 0x10, 0, 32},
                                                    {"data_size", 0x14, 0, 16},
                                                    {"supported_info_bitmask", MCQI_DATA, 0, 32},
                                                    {"max_component_size", MCQI_DATA + 8, 0, 32},
                                                    {"mcda_max_write_size", MCQI_DATA + 12, 0, 16},
                                                    {"log_mcda_word_size", MCQI_DATA + 12, 28, 4},
                                                    {"version", MCQI_DATA + 4, 0, 32}};

static void put_capabilities(struct register_call *call, const struct component *c)
{
    register_put(call, "info_size", CAPABILITIES_SIZE);
    register_put(call, "data_size", CAPABILITIES_SIZE);
    register_put(call, "supported_info_bitmask",
                 1u << CAPABILITIES | (c->take ? 0 : 1u << VERSION));
    register_put(call, "max_component_size", (uint32_t)c->size_max);
    register_put(call, "mcda_max_write_size", MCDA_BYTES_MAX);
    register_put(call, "log_mcda_word_size", 2);
}

static void put_firmware_version(struct register_call *call)
{
    const struct registers_version version = registers_firmware_version();
    register_put(call, "info_size", VERSION_SIZE);
    register_put(call, "data_size", VERSION_SIZE);
    register_put(call, "version",
                 version.major << 24 | version.minor << 16 | (version.sub_minor & 0xffff));
}

static enum dpk_register_status get_mcqi(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    const size_t index = register_get(call, "component_index");
    const unsigned kind = register_get(call, "info_type");
    if (index >= COUNT(components) || register_get(call, "device_index") != 0 ||
        register_get(call, "offset") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    const struct component *c = &components[index];
    if (kind != CAPABILITIES && (kind != VERSION || c->take))
        return DPK_REGISTER_BAD_PARAMETER;
    if (kind == VERSION && register_get(call, "read_pending_component"))
        return DPK_REGISTER_NOT_AVAILABLE; /* no firmware waits for a reset */
    if (kind == VERSION && call->size < MCQI_DATA + VERSION_SIZE)
        return DPK_REGISTER_TOO_SHORT;
    memset(call->data + MCQI_DATA, 0, call->size - MCQI_DATA);
    if (kind == VERSION)
        put_firmware_version(call);
    else
        put_capabilities(call, c);
    return DPK_REGISTER_OK;
}

/* ---- MCC: the state machine ---- */

static const struct register_field mcc_fields[] = {
    {"instruction", 0, 0, 8},        {"component_index", 4, 0, 16},
    {"update_handle", 8, 0, 24},     {"control_state", 0xc, 0, 4},
    {"error_code", 0xc, 8, 8},       {"control_progress", 0xc, 16, 7},
    {"component_size", 0x10, 0, 32}, {"device_index", 0x14, 16, 12}};

/* Refuses an instruction, and keeps its name as the reason. */
static enum dpk_register_status refuse_mcc(struct register_call *call, struct dpk_error *err)
{
    (void)dpk_fail(err, DPK_ERR_USAGE, "instruction %u, handle %#x, component %u, %u bytes",
                   register_get(call, "instruction"), register_get(call, "update_handle"),
                   register_get(call, "component_index"), register_get(call, "component_size"));
    return DPK_REGISTER_BAD_PARAMETER;
}

static enum dpk_register_status answer_mcc(struct register_call *call, unsigned error)
{
    const struct registers_update *u = &call->registers->update;
    register_put(call, "update_handle", u->handle);
    register_put(call, "control_state", !u->locked ? IDLE : u->writing ? DOWNLOAD : LOCKED);
    register_put(call, "error_code", error);
    register_put(call, "control_progress", 0);
    return DPK_REGISTER_OK;
}

/* Refuses an instruction with a reason of the device, which tools read in error_code. */
static enum dpk_register_status reject(struct register_call *call, enum dpk_reject reason,
                                       struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    (void)dpk_fail(err, DPK_ERR_REFUSED, "%s", dpk_reject_name(reason));
    u->error = reason;
    (void)answer_mcc(call, u->error);
    call->answered = true;
    return DPK_REGISTER_BAD_CONFIG;
}

static enum dpk_register_status get_mcc(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    uint8_t random[3];
    if (u->handle == 0) {
        if (RAND_bytes(random, sizeof random) != 1) {
            (void)dpk_fail(err, DPK_ERR_CRYPTO, "no random bytes");
            return DPK_REGISTER_INTERNAL_ERROR;
        }
        u->handle = (uint32_t)(random[0] << 16 | random[1] << 8 | random[2]) | 1;
    }
    return answer_mcc(call, u->error);
}

static void end_component(struct registers_update *u)
{
    dpk_buf_wipe_free(&u->bytes);
    u->size = 0;
    u->writing = false;
}

void registers_end_update(struct registers_update *u)
{
    end_component(u);
    if (u->locked)
        close(u->lock);
    u->locked = false;
    u->handle = 0;
}

/* Takes the lock of the device. */
static enum dpk_register_status lock(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char directory[PATH_MAX], path[PATH_MAX];
    struct dpk_device *device = NULL;
    if (u->locked)
        return DPK_REGISTER_NOT_AVAILABLE;
    if (registers_need_device(call->registers, &device, err) != DPK_OK ||
        dpk_device_directory(device, directory, err) != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    const int n = snprintf(path, sizeof path, "%s/update", directory);
    const int fd =
        n > 0 && n < PATH_MAX ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? DPK_REGISTER_INTERNAL_ERROR : DPK_REGISTER_NOT_AVAILABLE;
    }
    u->lock = fd;
    u->locked = true;
    return answer_mcc(call, ERROR_NONE);
}

static enum dpk_register_status update(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    const uint32_t size = register_get(call, "component_size");
    const size_t index = register_get(call, "component_index");
    if (index >= COUNT(components) || u->writing)
        return refuse_mcc(call, err);
    const struct component *c = &components[index];
    if (!c->take)
        return reject(call, DPK_REJECT_NOT_APPLICABLE, err);
    if (size == 0 || size > c->size_max)
        return refuse_mcc(call, err);
    if (!dpk_buf_reserve(&u->bytes, size))
        return DPK_REGISTER_INTERNAL_ERROR;
    u->take = c->take;
    u->size = size;
    u->writing = true;
    return answer_mcc(call, ERROR_NONE);
}

/* Applies the written component. If the device refuses it, error_code becomes the number of the
 * refusal. */
static enum dpk_register_status verify(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    struct dpk_device *device = NULL;
    enum dpk_reject reject = DPK_REJECT_NONE;
    if (!u->writing)
        return refuse_mcc(call, err);
    enum dpk_status status = u->bytes.size == u->size
                                 ? registers_need_device(call->registers, &device, err)
                                 : dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes of %zu were written",
                                            u->bytes.size, u->size);
    if (status == DPK_OK)
        status = u->take(device, u->bytes.data, u->bytes.size, &reject, err);
    end_component(u);
    u->error = status == DPK_OK            ? ERROR_NONE
               : reject != DPK_REJECT_NONE ? (unsigned)reject
                                           : ERROR_ANY;
    (void)answer_mcc(call, u->error);
    call->answered = true; /* tools read error_code after a failed access */
    return u->error == ERROR_NONE ? DPK_REGISTER_OK : DPK_REGISTER_BAD_CONFIG;
}

static enum dpk_register_status set_mcc(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    const unsigned instruction = register_get(call, "instruction");
    if (register_get(call, "device_index") != 0)
        return refuse_mcc(call, err);
    if (u->handle == 0 || register_get(call, "update_handle") != u->handle ||
        (!u->locked && instruction != LOCK))
        return refuse_mcc(call, err);
    u->error = ERROR_NONE;
    switch (instruction) {
    case LOCK:
        return lock(call, err);
    case RELEASE:
        registers_end_update(u);
        return answer_mcc(call, ERROR_NONE);
    case UPDATE:
        return update(call, err);
    case VERIFY:
        return verify(call, err);
    case CANCEL:
        end_component(u);
        return answer_mcc(call, ERROR_NONE);
    case ACTIVATE: /* VERIFY has applied the component already */
    case ACTIVATE_COMPONENT:
    case CHECK:
        return u->writing ? refuse_mcc(call, err) : answer_mcc(call, ERROR_NONE);
    default:
        return refuse_mcc(call, err);
    }
}

/* ---- MCDA: bytes of a component ---- */

#define MCDA_DATA 16
static const struct register_field mcda_fields[] = {
    {"update_handle", 0, 0, 24}, {"offset", 4, 0, 32}, {"size", 8, 0, 16}};

/* Bytes must arrive in order. Each dword of the register has four bytes of the component, and the
 * lowest bits have the first byte. The last dword may have bytes after the end of the component. */
static enum dpk_register_status set_mcda(struct register_call *call, struct dpk_error *err)
{
    struct registers_update *u = &call->registers->update;
    const uint32_t offset = register_get(call, "offset");
    size_t size = register_get(call, "size");
    (void)err;
    if (!u->writing || register_get(call, "update_handle") != u->handle ||
        offset != u->bytes.size || size > MCDA_BYTES_MAX || size > call->size - MCDA_DATA)
        return DPK_REGISTER_BAD_PARAMETER;
    if (size > u->size - offset)
        size = u->size - offset;
    struct dpk_reader r = dpk_reader(call->data + MCDA_DATA, call->size - MCDA_DATA);
    for (size_t i = 0; i < size; i += 4) {
        uint32_t dword = dpk_read_be32(&r);
        for (size_t byte = i; byte < size && byte < i + 4; byte++, dword >>= 8)
            dpk_put_u8(&u->bytes, dword & 0xff);
    }
    return u->bytes.failed ? DPK_REGISTER_INTERNAL_ERROR : DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"MCQS", 0x9060, 0x10, mcqs_fields, COUNT(mcqs_fields), get_mcqs, NULL},
    {"MCQI", 0x9061, MCQI_DATA + CAPABILITIES_SIZE, mcqi_fields, COUNT(mcqi_fields), get_mcqi,
     NULL},
    {"MCC", 0x9062, 0x18, mcc_fields, COUNT(mcc_fields), get_mcc, set_mcc},
    {"MCDA", 0x9063, MCDA_DATA, mcda_fields, COUNT(mcda_fields), NULL, set_mcda},
};
const struct register_group registers_components = {layouts, COUNT(layouts)};
