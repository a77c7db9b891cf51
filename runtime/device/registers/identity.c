/* Registers with the identity of a card. */
#include <string.h>
#include <time.h>

#include "private.h"

unsigned dpk_registers_hardware_id(const struct dpk_device_type *type)
{
    static const struct {
        const char *target;
        unsigned id;
    } ids[] = {{"bf3", 0x21c}, {"cx7", 0x218}, {"cx8", 0x21e}, {"cx9", 0x224}};
    for (size_t i = 0; i < COUNT(ids); i++)
        if (strcmp(ids[i].target, type->target) == 0)
            return ids[i].id;
    return 0;
}

/* Gets the properties of the device and its type. */
static enum dpk_status read_identity(struct register_call *call, struct dpk_device_info *info,
                                     const struct dpk_device_type **type, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    enum dpk_status status = registers_need_device(call->registers, &device, err);
    if (status == DPK_OK)
        status = dpk_device_info(device, info, err);
    if (status != DPK_OK)
        return status;
    *type = dpk_device_type_find(info->hw_target);
    return *type ? DPK_OK : dpk_fail(err, DPK_ERR_FORMAT, "unknown type %s", info->hw_target);
}

/* ---- MGIR: the card and its firmware ---- */

static const struct register_field mgir_fields[] = {
    {"device_id", 0x00, 0, 16},      {"device_hw_revision", 0x00, 16, 16},
    {"technology", 0x04, 11, 5},     {"num_ports", 0x04, 16, 8},
    {"hw_dev_id", 0x08, 0, 16},      {"uptime", 0x1c, 0, 32},
    {"sub_minor", 0x20, 0, 8},       {"minor", 0x20, 8, 8},
    {"major", 0x20, 16, 8},          {"dev", 0x20, 27, 1},
    {"psid", 0x30, 0, 128},          {"extended_major", 0x44, 0, 32},
    {"extended_minor", 0x48, 0, 32}, {"extended_sub_minor", 0x4c, 0, 32}};

struct registers_version registers_firmware_version(void)
{
    struct registers_version out = {0};
    (void)sscanf(DPK_VERSION, "%3u.%3u.%3u", &out.major, &out.minor, &out.sub_minor);
    return out;
}

static void put_version(struct register_call *call)
{
    const struct registers_version version = registers_firmware_version();
    register_put(call, "major", version.major);
    register_put(call, "minor", version.minor);
    register_put(call, "sub_minor", version.sub_minor);
    register_put(call, "extended_major", version.major);
    register_put(call, "extended_minor", version.minor);
    register_put(call, "extended_sub_minor", version.sub_minor);
}

/* Returns the seconds since this time, 0 if it is in the future. */
static uint32_t seconds_since(int64_t moment)
{
    const int64_t now = (int64_t)time(NULL);
    return now <= moment ? 0 : now - moment > UINT32_MAX ? UINT32_MAX : (uint32_t)(now - moment);
}

static enum dpk_register_status get_mgir(struct register_call *call, struct dpk_error *err)
{
    struct dpk_device_info info;
    struct dpk_device_boot boot;
    const struct dpk_device_type *type;
    if (read_identity(call, &info, &type, err) != DPK_OK ||
        dpk_device_last_boot(call->registers->device, &boot, err) != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    memset(call->data, 0, call->size);
    register_put(call, "device_id", type->id);
    register_put(call, "hw_dev_id", dpk_registers_hardware_id(type));
    register_put(call, "technology", REGISTER_7NM);
    register_put(call, "num_ports", DPK_SHOWN_PORTS);
    register_put(call, "uptime", seconds_since(boot.time));
    register_put(call, "dev", info.development);
    register_put_bytes(call, "psid", info.psid, strlen(info.psid));
    put_version(call);
    return DPK_REGISTER_OK;
}

/* ---- MQIS: texts ---- */

#define MQIS_TEXT 16
enum { MODEL_NAME = 1, MODEL_DESCRIPTION = 2 };
static const struct register_field mqis_fields[] = {{"info_type", 0, 0, 8},
                                                    {"info_length", 4, 0, 16},
                                                    {"read_length", 8, 0, 16},
                                                    {"read_offset", 8, 16, 16}};

static enum dpk_register_status get_mqis(struct register_call *call, struct dpk_error *err)
{
    struct dpk_device_info info;
    const struct dpk_device_type *type;
    const unsigned kind = register_get(call, "info_type");
    size_t offset = register_get(call, "read_offset"), length = register_get(call, "read_length");
    if (read_identity(call, &info, &type, err) != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    const char *text = kind == MODEL_NAME          ? info.part_number
                       : kind == MODEL_DESCRIPTION ? info.description
                                                   : NULL;
    if (!text)
        return DPK_REGISTER_NOT_AVAILABLE;
    const size_t size = strlen(text) + 1, room = call->size - MQIS_TEXT;
    if (offset > size)
        return DPK_REGISTER_BAD_PARAMETER;
    if (length > size - offset)
        length = size - offset;
    if (length > room)
        length = room;
    memset(call->data + MQIS_TEXT, 0, room);
    memcpy(call->data + MQIS_TEXT, text + offset, length);
    register_put(call, "info_length", (uint32_t)size);
    register_put(call, "read_length", (uint32_t)length);
    return DPK_REGISTER_OK;
}

/* ---- MCAM: which management registers there are ---- */

/* A feature: a driver may take part in a reset (MFRL). */
enum { RESET_BY_DRIVER = 19 };
static const struct register_field mcam_fields[] = {{"access_reg_group", 0, 0, 8},
                                                    {"feature_group", 0, 16, 8},
                                                    {"mng_access_reg_cap_mask", 8, 0, 128},
                                                    {"mng_feature_cap_mask", 0x28, 0, 128}};

static enum dpk_register_status get_mcam(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    const unsigned group = register_get(call, "access_reg_group");
    if (group > 2 || register_get(call, "feature_group") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    register_put_registers(call, "mng_access_reg_cap_mask", 0x9000 + group * REGISTER_GROUP);
    register_put_bits(call, "mng_feature_cap_mask", 1u << RESET_BY_DRIVER);
    return DPK_REGISTER_OK;
}

/* ---- MRSV: strapping pins ---- The emulated card has none. */

static const struct register_field mrsv_fields[] = {{"ssid", 0, 0, 8}, {"v", 0, 31, 1}};

static enum dpk_register_status get_mrsv(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    if (register_get(call, "ssid") != 0)
        return DPK_REGISTER_BAD_PARAMETER;
    memset(call->data, 0, call->size);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"MGIR", 0x9020, 0x20, mgir_fields, COUNT(mgir_fields), get_mgir, NULL},
    {"MQIS", 0x9064, MQIS_TEXT, mqis_fields, COUNT(mqis_fields), get_mqis, NULL},
    {"MCAM", 0x907f, 0x48, mcam_fields, COUNT(mcam_fields), get_mcam, NULL},
    {"MRSV", 0x9164, 0x40, mrsv_fields, COUNT(mrsv_fields), get_mrsv, NULL},
};
const struct register_group registers_identity = {layouts, COUNT(layouts)};
