/* NV configuration of a device: its views, and the values in effect. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

static enum dpk_status read_row(sqlite3_stmt *stmt, struct dpk_nv_tlv *out, struct dpk_error *err)
{
    int size = sqlite3_column_bytes(stmt, 7);
    *out = (struct dpk_nv_tlv){.class_id = (unsigned)sqlite3_column_int(stmt, 0),
                               .index = (uint32_t)sqlite3_column_int(stmt, 1),
                               .priority = (enum dpk_nv_priority)sqlite3_column_int(stmt, 2),
                               .ovr_en = sqlite3_column_int(stmt, 3) != 0,
                               .rd_en = sqlite3_column_int(stmt, 4) != 0,
                               .writer_id = (unsigned)sqlite3_column_int(stmt, 5),
                               .version = (unsigned)sqlite3_column_int(stmt, 6)};
    if (size < 0 || size > DPK_NV_DATA_MAX)
        return dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: TLV of %d bytes",
                        size);
    out->size = (size_t)size;
    return dpk_db_blob(stmt, 7, out->data, out->size, err);
}

enum dpk_status dpk_device_tlvs(sqlite3 *db, enum dpk_device_view view, struct dpk_nv_list *out,
                                struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status =
        dpk_db_prepare(db,
                       "SELECT class, idx, priority, ovr_en, rd_en, writer_id, version, data "
                       "FROM tlv WHERE view = ? ORDER BY class, idx, priority DESC",
                       &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, (int)view);
    while ((status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        struct dpk_nv_tlv tlv;
        status = read_row(stmt, &tlv, err);
        if (status == DPK_OK)
            status = dpk_nv_list_add(out, &tlv, err);
        if (status != DPK_OK)
            break;
    }
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_device_put_tlv(sqlite3 *db, enum dpk_device_view view,
                                   const struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(
        db, "INSERT OR REPLACE INTO tlv VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, (int)view);
    sqlite3_bind_int(stmt, 2, (int)tlv->class_id);
    sqlite3_bind_int(stmt, 3, (int)tlv->index);
    sqlite3_bind_int(stmt, 4, (int)tlv->priority);
    sqlite3_bind_int(stmt, 5, tlv->ovr_en);
    sqlite3_bind_int(stmt, 6, tlv->rd_en);
    sqlite3_bind_int(stmt, 7, (int)tlv->writer_id);
    sqlite3_bind_int(stmt, 8, (int)tlv->version);
    sqlite3_bind_blob(stmt, 9, tlv->size ? (const void *)tlv->data : "", (int)tlv->size,
                      SQLITE_STATIC);
    return dpk_db_finish(db, stmt, err);
}

enum dpk_status dpk_device_check_room(sqlite3 *db, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status =
        dpk_db_prepare(db, "SELECT count(*) FROM tlv WHERE view = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, DPK_VIEW_NEXT);
    status = dpk_db_step(db, stmt, &row, err);
    sqlite3_int64 count = row ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (status == DPK_OK && count > DPK_NV_LIST_MAX)
        status = dpk_fail(err, DPK_ERR_RANGE, "the device has room for %d TLVs, not for %lld",
                          DPK_NV_LIST_MAX, (long long)count);
    return status;
}

enum dpk_status dpk_device_effect(sqlite3 *db, enum dpk_device_view view, unsigned class_id,
                                  uint32_t index, struct effect *out, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *out = (struct effect){0};
    enum dpk_status status =
        dpk_db_prepare(db,
                       "SELECT class, idx, priority, ovr_en, rd_en, writer_id, version, data "
                       "FROM tlv WHERE view = ? AND class = ? AND idx = ? ORDER BY priority DESC",
                       &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, (int)view);
    sqlite3_bind_int(stmt, 2, (int)class_id);
    sqlite3_bind_int(stmt, 3, (int)index);
    while (!out->locked && (status = dpk_db_step(db, stmt, &row, err)) == DPK_OK && row) {
        status = read_row(stmt, &out->tlv, err);
        if (status != DPK_OK)
            break;
        out->present = true;
        out->locked = out->tlv.priority > DPK_NV_USER && !out->tlv.ovr_en;
    }
    sqlite3_finalize(stmt);
    out->hidden = out->present && out->tlv.priority > DPK_NV_USER && !out->tlv.rd_en;
    return status;
}

enum dpk_status dpk_device_get(struct dpk_device *dev, enum dpk_device_view view,
                               const struct dpk_nv_def *def, struct dpk_device_value *out,
                               struct dpk_error *err)
{
    struct effect effect;
    *out = (struct dpk_device_value){0};
    enum dpk_device_view stored = view == DPK_VIEW_DEFAULT ? DPK_VIEW_NEXT : view;
    enum dpk_status status =
        dpk_device_effect(dev->db, stored, def->class_id, def->index, &effect, err);
    if (status != DPK_OK)
        return status;
    out->read_only = effect.locked || dpk_device_needs_signature(def);
    out->present = effect.present;
    if (view == DPK_VIEW_DEFAULT || !effect.present)
        return DPK_OK;
    if (effect.tlv.size != def->size)
        return dpk_fail(err, DPK_ERR_FORMAT, "the device has %s with %zu bytes, not %zu", def->name,
                        effect.tlv.size, def->size);
    out->hidden = effect.hidden;
    if (!out->hidden)
        memcpy(out->data, effect.tlv.data, def->size);
    return DPK_OK;
}

bool dpk_device_look(void *context, const struct dpk_nv_def *def, uint8_t *data)
{
    struct dpk_device_value value;
    if (dpk_device_get(context, DPK_VIEW_NEXT, def, &value, NULL) != DPK_OK || !value.present ||
        value.hidden)
        return false;
    memcpy(data, value.data, def->size);
    return true;
}
