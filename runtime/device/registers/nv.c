/* Registers of the NV configuration. */
#include <string.h>

#include "private.h"

/* The header of a configuration item (config_item_ext), which starts at the offset `at`. */
#define ITEM_SIZE 12
#define ITEM_FIELDS(at)                                                                            \
    {"length", (at), 0, 9}, {"version", (at), 12, 4}, {"writer_id", (at), 16, 5},                  \
        {"access_mode", (at), 22, 2}, {"rd_en", (at), 24, 1}, {"over_en", (at), 25, 1},            \
        {"priority", (at), 28, 2}, {"type", (at) + 4, 0, 32}, {"type_index", (at) + 4, 0, 24},     \
    {                                                                                              \
        "type_class", (at) + 4, 24, 8                                                              \
    }

enum { MODE_NEXT, MODE_CURRENT, MODE_FACTORY };

/* The configuration item that the header of an access names. */
struct item {
    unsigned class_id;
    uint32_t index;
    const struct dpk_nv_def *def; /* NULL: the card does not know the item */
    struct dpk_device *device;
};

static enum dpk_register_status find_item(struct register_call *call, struct item *out,
                                          struct dpk_error *err)
{
    const struct dpk_nv_defs *defs = NULL;
    enum dpk_status status = registers_need_device(call->registers, &out->device, err);
    if (status == DPK_OK)
        status = registers_need_defs(call->registers, &defs, err);
    if (status != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    out->class_id = register_get(call, "type_class");
    out->index = register_get(call, "type_index");
    out->def =
        out->class_id == DPK_NV_FILE ? NULL : dpk_nv_defs_find_key(defs, out->class_id, out->index);
    return DPK_REGISTER_OK;
}

static void put_header(struct register_call *call, const struct dpk_nv_tlv *tlv)
{
    register_put(call, "length", (uint32_t)tlv->size);
    register_put(call, "version", tlv->version);
    register_put(call, "writer_id", tlv->writer_id);
    register_put(call, "rd_en", tlv->rd_en);
    register_put(call, "over_en", tlv->ovr_en);
    register_put(call, "priority", tlv->priority);
}

/* ---- NVDA: a configuration item ---- */

static const struct register_field nvda_fields[] = {ITEM_FIELDS(0)};

/* Makes the value of an item that the device does not have. It is all zeros, but a capability is
 * all ones, because an emulated card has no limits. */
static void make_absent(const struct item *item, struct dpk_nv_tlv *out)
{
    *out = (struct dpk_nv_tlv){.ovr_en = true, .rd_en = true, .size = item->def->size};
    memset(out->data, item->def->capability ? 0xff : 0, item->def->size);
}

static enum dpk_register_status get_nvda(struct register_call *call, struct dpk_error *err)
{
    struct item item;
    struct dpk_device_tlv found = {0};
    const unsigned mode = register_get(call, "access_mode");
    enum dpk_register_status status = find_item(call, &item, err);
    if (status != DPK_REGISTER_OK)
        return status;
    if (mode > MODE_FACTORY || item.class_id == DPK_NV_FILE)
        return DPK_REGISTER_BAD_PARAMETER;
    if (mode != MODE_FACTORY)
        status = registers_status(
            dpk_device_tlv(item.device, mode == MODE_CURRENT ? DPK_VIEW_CURRENT : DPK_VIEW_NEXT,
                           item.class_id, item.index, &found, err));
    if (status != DPK_REGISTER_OK)
        return status;
    if (!found.present && !item.def)
        return DPK_REGISTER_NOT_AVAILABLE;
    if (!found.present)
        make_absent(&item, &found.tlv);
    if (found.tlv.size > call->size - ITEM_SIZE)
        return DPK_REGISTER_TOO_SHORT;
    put_header(call, &found.tlv);
    memcpy(call->data + ITEM_SIZE, found.tlv.data, found.tlv.size);
    return DPK_REGISTER_OK;
}

/* Writes the text of the device's log about a change. */
static void describe(const struct item *item, unsigned writer, const char *what, char *out,
                     size_t size)
{
    const struct dpk_nv_target target = dpk_nv_target_of(item->class_id, item->index);
    char of[32] = "";
    if (target.port > 0)
        snprintf(of, sizeof of, " of port %d", target.port);
    snprintf(out, size, "%s%s %s by writer %u", item->def ? item->def->name : "an unknown TLV", of,
             what, writer);
}

static enum dpk_register_status set_nvda(struct register_call *call, struct dpk_error *err)
{
    struct item item;
    char detail[128];
    const size_t size = register_get(call, "length");
    enum dpk_register_status status = find_item(call, &item, err);
    if (status != DPK_REGISTER_OK)
        return status;
    if (register_get(call, "access_mode") != MODE_NEXT || size > call->size - ITEM_SIZE ||
        size % 4 != 0 || (item.def && size != item.def->size))
        return DPK_REGISTER_BAD_PARAMETER;
    if (item.def && item.def->capability)
        return DPK_REGISTER_BAD_CONFIG;
    struct dpk_nv_tlv tlv = {.class_id = item.class_id,
                             .index = item.index,
                             .priority = (enum dpk_nv_priority)register_get(call, "priority"),
                             .ovr_en = true,
                             .rd_en = true,
                             .writer_id = register_get(call, "writer_id"),
                             .version = register_get(call, "version"),
                             .size = size};
    if (tlv.priority != DPK_NV_USER)
        return DPK_REGISTER_BAD_CONFIG;
    memcpy(tlv.data, call->data + ITEM_SIZE, size);
    describe(&item, tlv.writer_id, "set", detail, sizeof detail);
    return registers_status(dpk_device_set_tlv(item.device, &tlv, detail, err));
}

/* ---- NVDI and NVIA: remove users' values of one item, and of all ---- */

static const struct register_field nvdi_fields[] = {ITEM_FIELDS(0)};

static enum dpk_register_status set_nvdi(struct register_call *call, struct dpk_error *err)
{
    struct item item;
    enum dpk_register_status status = find_item(call, &item, err);
    if (status != DPK_REGISTER_OK)
        return status;
    if (!item.def)
        return DPK_REGISTER_NOT_AVAILABLE;
    const struct dpk_nv_target target = dpk_nv_target_of(item.class_id, item.index);
    const struct dpk_nv_def bound = dpk_nv_def_bind(item.def, &target);
    const struct dpk_device_setting setting = {.def = &bound};
    return registers_status(dpk_device_set(item.device, NULL, &setting, 1, err));
}

static const struct register_field nvia_fields[] = {{"target", 0, 0, 3}, {"writer_id", 4, 0, 5}};

static enum dpk_register_status set_nvia(struct register_call *call, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    if (register_get(call, "target") != 0) /* the only target is ALL */
        return DPK_REGISTER_BAD_PARAMETER;
    if (registers_need_device(call->registers, &device, err) != DPK_OK)
        return DPK_REGISTER_INTERNAL_ERROR;
    return registers_status(dpk_device_drop_user_settings(device, err));
}

/* ---- NVQC: what the card can do with an item; NVGC: with all ---- */

static const struct register_field nvqc_fields[] = {
    {"type", 0, 0, 32},      {"type_index", 0, 0, 24}, {"type_class", 0, 24, 8},
    {"support_rd", 4, 0, 1}, {"support_wr", 4, 1, 1},  {"version", 4, 4, 4}};
#define VERSION_MAX 15 /* the card supports every version of an item */

/* Returns true for a debug policy, which only a signed file can change. */
static bool is_debug_policy(const struct item *item)
{
    return item->class_id == DPK_NV_GLOBAL && item->index == DPK_NV_INDEX_DPAKIT_DEBUG;
}

static enum dpk_register_status get_nvqc(struct register_call *call, struct dpk_error *err)
{
    struct item item;
    enum dpk_register_status status = find_item(call, &item, err);
    if (status != DPK_REGISTER_OK)
        return status;
    const struct dpk_nv_tlv tlv = {.class_id = item.class_id, .index = item.index};
    const bool settable = item.def && !item.def->capability && !dpk_nv_is_owner_key(&tlv) &&
                          !dpk_nv_is_file_identity(&tlv) && !is_debug_policy(&item);
    register_put(call, "support_rd", item.def != NULL);
    register_put(call, "support_wr", settable);
    register_put(call, "version", item.def ? VERSION_MAX : 0);
    return DPK_REGISTER_OK;
}

static const struct register_field nvgc_fields[] = {{"nvda_read_factory_settings", 0, 0, 1},
                                                    {"nvda_read_current_settings", 0, 1, 1},
                                                    {"priv_nv_other_host", 0, 2, 1}};

static enum dpk_register_status get_nvgc(struct register_call *call, struct dpk_error *err)
{
    (void)err;
    register_put(call, "nvda_read_factory_settings", 1);
    register_put(call, "nvda_read_current_settings", 1);
    register_put(call, "priv_nv_other_host", 0);
    return DPK_REGISTER_OK;
}

/* ---- NVGN: the items of a device one after the other ---- */

#define NVGN_ITEM 16
static const struct register_field nvgn_fields[] = {{"nv_pointer", 0, 0, 32},
                                                    ITEM_FIELDS(NVGN_ITEM)};

/* Reads all items at the start of a walk, so that later changes do not affect the walk. Items above
 * the priority USER that do not fit into the message are left out, because no user could restore
 * them. */
static enum dpk_status begin_walk(struct dpk_registers *r, size_t room, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    size_t hidden, kept = 0;
    dpk_nv_list_free(&r->walked);
    enum dpk_status status = registers_need_device(r, &device, err);
    if (status == DPK_OK)
        status = dpk_device_next_tlvs(device, &r->walked, &hidden, err);
    for (size_t i = 0; status == DPK_OK && i < r->walked.count; i++)
        if (r->walked.items[i].priority == DPK_NV_USER || r->walked.items[i].size <= room)
            r->walked.items[kept++] = r->walked.items[i];
    r->walked.count = kept;
    return status;
}

static enum dpk_register_status get_nvgn(struct register_call *call, struct dpk_error *err)
{
    struct dpk_registers *r = call->registers;
    const size_t room = call->size - NVGN_ITEM - ITEM_SIZE;
    const uint32_t number = register_get(call, "nv_pointer");
    if (number == 0) {
        const enum dpk_status status = begin_walk(r, room, err);
        if (status != DPK_OK)
            return registers_status(status);
        if (r->walked.count == 0)
            return DPK_REGISTER_NOT_AVAILABLE;
    }
    if (number > r->walked.count)
        return DPK_REGISTER_BAD_PARAMETER;
    memset(call->data, 0, call->size);
    if (number == r->walked.count)
        return DPK_REGISTER_OK; /* the pointer 0 ends the walk */
    const struct dpk_nv_tlv *tlv = &r->walked.items[number];
    if (tlv->size > room)
        return DPK_REGISTER_TOO_SHORT;
    register_put(call, "nv_pointer", number + 1);
    put_header(call, tlv);
    register_put(call, "type_class", tlv->class_id);
    register_put(call, "type_index", tlv->index);
    memcpy(call->data + NVGN_ITEM + ITEM_SIZE, tlv->data, tlv->size);
    return DPK_REGISTER_OK;
}

static const struct register_layout layouts[] = {
    {"NVDA", 0x9024, ITEM_SIZE, nvda_fields, COUNT(nvda_fields), get_nvda, set_nvda},
    {"NVDI", 0x9025, ITEM_SIZE, nvdi_fields, COUNT(nvdi_fields), NULL, set_nvdi},
    {"NVQC", 0x9030, 8, nvqc_fields, COUNT(nvqc_fields), get_nvqc, NULL},
    {"NVIA", 0x9033, 8, nvia_fields, COUNT(nvia_fields), NULL, set_nvia},
    {"NVGC", 0x9034, 4, nvgc_fields, COUNT(nvgc_fields), get_nvgc, NULL},
    {"NVGN", 0x9035, NVGN_ITEM + ITEM_SIZE, nvgn_fields, COUNT(nvgn_fields), get_nvgn, NULL},
};
const struct register_group registers_nv = {layouts, COUNT(layouts)};
