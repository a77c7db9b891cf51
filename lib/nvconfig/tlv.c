/* TLVs and lists of TLVs. */
#include "tlv.h"

#include <stdlib.h>
#include <string.h>

#define PRIORITY_SHIFT 28
#define OVR_EN         (1u << 25)
#define RD_EN          (1u << 24)
#define WRITER_SHIFT   16
#define VERSION_SHIFT  12
#define LENGTH_MASK    0x1ffu
#define RESERVED_MASK  0xcce00e00u

const char *dpk_nv_priority_name(enum dpk_nv_priority priority)
{
    switch (priority) {
    case DPK_NV_USER:
        return "USER";
    case DPK_NV_OEM:
        return "OEM";
    case DPK_NV_MLNX:
        return "MLNX";
    }
    return "unknown";
}

void dpk_nv_put_tlv(struct dpk_buf *out, const struct dpk_nv_tlv *tlv)
{
    dpk_put_be32(out, (uint32_t)tlv->priority << PRIORITY_SHIFT | (tlv->ovr_en ? OVR_EN : 0) |
                          (tlv->rd_en ? RD_EN : 0) | tlv->writer_id << WRITER_SHIFT |
                          tlv->version << VERSION_SHIFT | ((uint32_t)tlv->size & LENGTH_MASK));
    dpk_put_be32(out, tlv->class_id << 24 | tlv->index);
    dpk_put_be32(out, 0);
    dpk_put(out, tlv->data, tlv->size);
}

enum dpk_status dpk_nv_header_decode(const uint32_t header[TLV_HEADER_DWORDS],
                                     struct dpk_nv_tlv *out, struct dpk_error *err)
{
    uint32_t first = header[0];
    uint32_t priority = first >> PRIORITY_SHIFT & 3;
    if (first & RESERVED_MASK || header[2] != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits of a TLV header are set: %08x %08x",
                        first, header[2]);
    if (priority == 2)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown TLV priority 2");
    out->priority = (enum dpk_nv_priority)priority;
    out->ovr_en = first & OVR_EN;
    out->rd_en = first & RD_EN;
    out->writer_id = first >> WRITER_SHIFT & 0x1f;
    out->version = first >> VERSION_SHIFT & 0xf;
    out->size = first & LENGTH_MASK;
    out->class_id = header[1] >> 24;
    out->index = header[1] & 0xffffff;
    if (out->class_id == DPK_NV_FILE && out->index == DPK_NV_INDEX_BIG_KEY &&
        out->size == (DPK_NV_DATA_MAX & LENGTH_MASK))
        out->size = DPK_NV_DATA_MAX;
    if (out->size % 4 != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "TLV of %zu bytes: not a multiple of 4", out->size);
    return DPK_OK;
}

enum dpk_status dpk_nv_list_add(struct dpk_nv_list *list, const struct dpk_nv_tlv *tlv,
                                struct dpk_error *err)
{
    if (list->count == DPK_NV_LIST_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d TLVs", DPK_NV_LIST_MAX);
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct dpk_nv_tlv *items = reallocarray(list->items, capacity, sizeof *items);
        if (!items)
            return dpk_fail_nomem(err);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = *tlv;
    return DPK_OK;
}

enum dpk_status dpk_nv_list_add_new(struct dpk_nv_list *list, const struct dpk_nv_tlv *tlv,
                                    struct dpk_error *err)
{
    if (dpk_nv_list_find(list, tlv->class_id, tlv->index))
        return dpk_fail(err, DPK_ERR_EXISTS, "TLV class %u index %u is there twice", tlv->class_id,
                        tlv->index);
    return dpk_nv_list_add(list, tlv, err);
}

void dpk_nv_list_free(struct dpk_nv_list *list)
{
    free(list->items);
    *list = (struct dpk_nv_list){0};
}

const struct dpk_nv_tlv *dpk_nv_list_find(const struct dpk_nv_list *list, unsigned class_id,
                                          uint32_t index)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].class_id == class_id && list->items[i].index == index)
            return &list->items[i];
    return NULL;
}

bool dpk_nv_is_file_identity(const struct dpk_nv_tlv *tlv)
{
    return tlv->class_id == DPK_NV_GLOBAL &&
           (tlv->index == DPK_NV_INDEX_ID_MLNX || tlv->index == DPK_NV_INDEX_ID_VENDOR);
}

bool dpk_nv_is_owner_key(const struct dpk_nv_tlv *tlv)
{
    return tlv->class_id == DPK_NV_GLOBAL && tlv->index >= DPK_NV_INDEX_PUBLIC_KEY_0 &&
           tlv->index < DPK_NV_INDEX_PUBLIC_KEY_0 + DPK_NV_PUBLIC_KEY_PARTS;
}

enum dpk_status dpk_nv_owner_key_find(const struct dpk_nv_list *list, bool *found,
                                      struct dpk_nv_owner_key *out, struct dpk_error *err)
{
    static const size_t sizes[DPK_NV_PUBLIC_KEY_PARTS] = {32, 256, 256};
    const struct dpk_nv_tlv *part[DPK_NV_PUBLIC_KEY_PARTS];
    size_t there = 0;
    *found = false;
    for (uint32_t i = 0; i < DPK_NV_PUBLIC_KEY_PARTS; i++) {
        part[i] = dpk_nv_list_find(list, DPK_NV_GLOBAL, DPK_NV_INDEX_PUBLIC_KEY_0 + i);
        if (part[i] && part[i]->size != sizes[i])
            return dpk_fail(err, DPK_ERR_FORMAT, "nv_ls_nv_public_key_%u has %zu bytes, not %zu", i,
                            part[i]->size, sizes[i]);
        there += part[i] != NULL;
    }
    if (there == 0)
        return DPK_OK;
    if (there < DPK_NV_PUBLIC_KEY_PARTS)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "the owner's key needs all three of nv_ls_nv_public_key_0, _1, _2");
    struct dpk_reader r = dpk_reader(part[0]->data, part[0]->size);
    dpk_read_skip(&r, 12);
    out->exponent = dpk_read_be32(&r);
    memcpy(out->uuid.bytes, part[0]->data + 16, sizeof out->uuid.bytes);
    memcpy(out->modulus, part[1]->data, 256);
    memcpy(out->modulus + 256, part[2]->data, 256);
    if (dpk_uuid_is_zero(&out->uuid))
        return dpk_fail(err, DPK_ERR_FORMAT, "nv_ls_nv_public_key_0: keypair_uuid is zero");
    if (out->exponent < 3 || out->exponent % 2 == 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "nv_ls_nv_public_key_0: public_key_exp %u is not an RSA exponent",
                        out->exponent);
    if (!(out->modulus[0] & 0x80) || !(out->modulus[511] & 1))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "nv_ls_nv_public_key_1 and _2 hold no RSA-4096 modulus");
    *found = true;
    return DPK_OK;
}
