/* Reads and sets the NV configuration of a device TLV by TLV, to save and restore it. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

static bool is_hidden(const struct dpk_nv_tlv *tlv)
{
    return tlv->priority > DPK_NV_USER && !tlv->rd_en;
}

enum dpk_status dpk_device_next_tlvs(struct dpk_device *dev, struct dpk_nv_list *out,
                                     size_t *hidden, struct dpk_error *err)
{
    struct dpk_nv_list list = {0};
    size_t kept = 0;
    enum dpk_status status = dpk_device_tlvs(dev->db, DPK_VIEW_NEXT, &list, err);
    if (status != DPK_OK) {
        dpk_nv_list_free(&list);
        return status;
    }
    for (size_t i = 0; i < list.count; i++)
        if (!is_hidden(&list.items[i]))
            list.items[kept++] = list.items[i];
    *hidden = list.count - kept;
    list.count = kept;
    *out = list;
    return DPK_OK;
}

static bool is_same_item(const struct dpk_nv_tlv *a, const struct dpk_nv_tlv *b)
{
    return a->class_id == b->class_id && a->index == b->index;
}

static bool is_equal(const struct dpk_nv_tlv *a, const struct dpk_nv_tlv *b)
{
    return is_same_item(a, b) && a->priority == b->priority && a->ovr_en == b->ovr_en &&
           a->rd_en == b->rd_en && a->writer_id == b->writer_id && a->version == b->version &&
           a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static enum dpk_status refuse_tlv(const struct dpk_nv_tlv *tlv, const char *why,
                                  struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_REFUSED, "TLV class %u index %u: %s", tlv->class_id, tlv->index,
                    why);
}

/* Sets a TLV as a user. A TLV of a higher priority is accepted if it equals the device's, because a
 * backup contains those TLVs, too. */
static enum dpk_status put_one(sqlite3 *db, const struct dpk_nv_list *before,
                               const struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    bool guarded = false;
    for (size_t i = 0; i < before->count; i++) {
        const struct dpk_nv_tlv *old = &before->items[i];
        if (is_equal(old, tlv))
            return DPK_OK;
        guarded =
            guarded || (is_same_item(old, tlv) && old->priority > DPK_NV_USER && !old->ovr_en);
    }
    if (tlv->class_id == DPK_NV_FILE || dpk_nv_is_file_identity(tlv))
        return refuse_tlv(tlv, "it is about a file, not about a device", err);
    if (dpk_nv_is_owner_key(tlv))
        return refuse_tlv(tlv, "only a signed file can change the owner's key", err);
    if (dpk_device_is_policy(tlv->class_id, tlv->index))
        return refuse_tlv(tlv, "only a signed file can change what debuggers may do", err);
    if (tlv->priority > DPK_NV_USER)
        return refuse_tlv(tlv,
                          "set above USER, and other than the device has it: only a signed file "
                          "can (create_conf, apply)",
                          err);
    if (guarded)
        return refuse_tlv(tlv, "read-only: the device's owner, or NVIDIA, protects it (ovr_en 0)",
                          err);
    enum dpk_status status = dpk_device_check_tlv(tlv, err);
    return status == DPK_OK ? dpk_device_put_tlv(db, DPK_VIEW_NEXT, tlv, err) : status;
}

/* Sets TLVs in one transaction, and logs `action`. `blind`: hidden TLVs can be replaced. */
static enum dpk_status put_all(struct dpk_device *dev, const struct dpk_nv_list *tlvs, bool blind,
                               const char *action, const char *detail, struct dpk_error *err)
{
    struct dpk_nv_list before = {0};
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_tlvs(dev->db, DPK_VIEW_NEXT, &before, err);
    for (size_t i = 0; !blind && i < before.count && status == DPK_OK; i++)
        if (is_hidden(&before.items[i]) && is_same_item(&before.items[i], &tlvs->items[0]))
            status = refuse_tlv(&tlvs->items[0], "what it holds is hidden (rd_en 0)", err);
    for (size_t i = 0; i < tlvs->count && status == DPK_OK; i++)
        status = put_one(dev->db, &before, &tlvs->items[i], err);
    if (status == DPK_OK)
        status = dpk_device_check_room(dev->db, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, action, "OK", detail, err);
    status = dpk_db_end(dev->db, status, err);
    if (status == DPK_ERR_REFUSED)
        (void)dpk_device_log(dev, action, "READ_ONLY", detail, NULL);
    dpk_nv_list_free(&before);
    return status;
}

enum dpk_status dpk_device_set_tlvs(struct dpk_device *dev, const struct dpk_nv_list *tlvs,
                                    struct dpk_error *err)
{
    char detail[48];
    snprintf(detail, sizeof detail, "%zu TLVs", tlvs->count);
    return put_all(dev, tlvs, true, "set_raw", detail, err);
}

enum dpk_status dpk_device_set_tlv(struct dpk_device *dev, const struct dpk_nv_tlv *tlv,
                                   const char *detail, struct dpk_error *err)
{
    struct dpk_nv_tlv copy = *tlv;
    const struct dpk_nv_list one = {.items = &copy, .count = 1, .capacity = 1};
    return put_all(dev, &one, false, "set", detail, err);
}

enum dpk_status dpk_device_tlv(struct dpk_device *dev, enum dpk_device_view view, unsigned class_id,
                               uint32_t index, struct dpk_device_tlv *out, struct dpk_error *err)
{
    struct effect effect;
    *out = (struct dpk_device_tlv){0};
    enum dpk_status status = dpk_device_effect(dev->db, view, class_id, index, &effect, err);
    if (status != DPK_OK || !effect.present)
        return status;
    *out = (struct dpk_device_tlv){
        .present = true, .locked = effect.locked, .hidden = effect.hidden, .tlv = effect.tlv};
    if (out->hidden)
        memset(out->tlv.data, 0, sizeof out->tlv.data);
    return DPK_OK;
}
