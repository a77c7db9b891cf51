/* Sets parameters by name, as users do. Also sets the wire of the port, and the fabric of RDMA. */
#include <inttypes.h>
#include <string.h>

#include "private.h"

static const char *setting_name(const struct dpk_device_setting *setting)
{
    if (!setting->param)
        return setting->def->name;
    return setting->param->config_name ? setting->param->config_name : setting->param->name;
}

static enum dpk_status drop_user_tlv(sqlite3 *db, const struct dpk_nv_def *def,
                                     struct dpk_error *err)
{
    char text[120];
    snprintf(text, sizeof text,
             "DELETE FROM tlv WHERE view = 2 AND priority = 0 AND class = %u AND idx = %" PRIu32,
             def->class_id, def->index);
    return dpk_db_exec(db, text, err);
}

/* Changes a parameter, as a user: takes the TLV that the next boot would use, and stores it with
 * the new value. */
static enum dpk_status set_one(sqlite3 *db, const struct dpk_device_setting *setting,
                               struct dpk_error *err)
{
    const struct dpk_nv_def *def = setting->def;
    struct effect effect;
    if (!setting->param)
        return drop_user_tlv(db, def, err);
    enum dpk_status status =
        dpk_device_effect(db, DPK_VIEW_NEXT, def->class_id, def->index, &effect, err);
    if (status != DPK_OK)
        return status;
    if (effect.locked || dpk_device_needs_signature(def))
        return dpk_fail(err, DPK_ERR_REFUSED, "%s is read-only: %s", setting_name(setting),
                        effect.locked ? "the device's owner, or NVIDIA, protects it (ovr_en 0)"
                                      : "only a signed file can change it");
    /* A change would store the whole TLV as the user's, who could then read its hidden
     * parameters. */
    if (effect.hidden && def->param_count > 1)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s cannot be set: what else %s holds is hidden (rd_en 0)",
                        setting_name(setting), def->name);
    struct dpk_nv_tlv tlv = {.class_id = def->class_id,
                             .index = def->index,
                             .priority = DPK_NV_USER,
                             .ovr_en = true,
                             .rd_en = true,
                             .size = def->size};
    if (effect.present && effect.tlv.size == def->size && !effect.hidden)
        memcpy(tlv.data, effect.tlv.data, def->size);
    status = dpk_nv_value_parse(setting->param, setting->value, tlv.data, err);
    if (status == DPK_OK)
        return dpk_device_put_tlv(db, DPK_VIEW_NEXT, &tlv, err);
    dpk_error_prefix(err, "%s", setting_name(setting));
    return status;
}

/* Checks the rules of a parameter, after all parameters were set. */
static enum dpk_status check_rules(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                                   const struct dpk_device_setting *setting, struct dpk_error *err)
{
    struct dpk_device_value value;
    if (!setting->param)
        return DPK_OK;
    enum dpk_status status = dpk_device_get(dev, DPK_VIEW_NEXT, setting->def, &value, err);
    if (status != DPK_OK)
        return status;
    struct dpk_nv_rules rules = {.defs = defs,
                                 .def = setting->def,
                                 .data = value.data,
                                 .look = dpk_device_look,
                                 .context = dev};
    status = dpk_nv_rules_check(&rules, setting->param, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", setting_name(setting));
    return status;
}

/* Writes the settings for the log, as "A=1 B=2 nv_c=default" with a NUL. */
static void describe(const struct dpk_device_setting *settings, size_t count, struct dpk_buf *out)
{
    for (size_t i = 0; i < count; i++)
        dpk_put_format(out, "%s%s=%s", i ? " " : "", setting_name(&settings[i]),
                       settings[i].param ? settings[i].value : "default");
    dpk_put_u8(out, 0);
}

/* *locked: true if the device's state, not the values, was the reason of a refusal. */
static enum dpk_status put_all(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_device_setting *settings, size_t count,
                               bool *locked, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = set_one(dev->db, &settings[i], err);
    *locked = status == DPK_ERR_REFUSED;
    for (size_t i = 0; defs && i < count && status == DPK_OK; i++)
        status = check_rules(dev, defs, &settings[i], err);
    return status == DPK_OK ? dpk_device_check_room(dev->db, err) : status;
}

enum dpk_status dpk_device_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                               const struct dpk_device_setting *settings, size_t count,
                               struct dpk_error *err)
{
    struct dpk_buf detail = {0};
    bool locked = false;
    describe(settings, count, &detail);
    if (detail.failed) {
        dpk_buf_free(&detail);
        return dpk_fail_nomem(err);
    }
    const char *words = (const char *)detail.data;
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        goto out;
    status = put_all(dev, defs, settings, count, &locked, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, "set", "OK", words, err);
    status = dpk_db_end(dev->db, status, err);
    if (locked)
        (void)dpk_device_log(dev, "set", "READ_ONLY", words, NULL);
out:
    dpk_buf_free(&detail);
    return status;
}

enum dpk_status dpk_device_try_set(struct dpk_device *dev, const struct dpk_nv_defs *defs,
                                   const struct dpk_device_setting *settings, size_t count,
                                   struct dpk_error *err)
{
    bool locked;
    enum dpk_status status = dpk_db_begin(dev->db, err);
    if (status != DPK_OK)
        return status;
    status = put_all(dev, defs, settings, count, &locked, err);
    dpk_device_end_looking(dev);
    return status;
}

/* Ends a transaction with a new value and its event. */
static enum dpk_status put_logged(struct dpk_device *dev, const char *action, const char *key,
                                  const char *value, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_put_meta(dev->db, key, value, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(dev->db, action, "OK", value, err);
    return dpk_db_end(dev->db, status, err);
}

enum dpk_status dpk_device_set_wire(struct dpk_device *dev, const char *wire, struct dpk_error *err)
{
    enum dpk_status status =
        strlen(wire) < DPK_DEVICE_WIRE_MAX
            ? dpk_db_begin(dev->db, err)
            : dpk_fail(err, DPK_ERR_RANGE, "a wire of %zu characters, at most %d", strlen(wire),
                       DPK_DEVICE_WIRE_MAX - 1);
    if (status != DPK_OK)
        return status;
    return put_logged(dev, "wire", dpk_wire_key(dev), wire, err);
}

enum dpk_status dpk_device_set_fabric(struct dpk_device *dev, const char *fabric,
                                      struct dpk_error *err)
{
    enum dpk_status status =
        strlen(fabric) < DPK_DEVICE_FABRIC_MAX
            ? dpk_db_begin(dev->db, err)
            : dpk_fail(err, DPK_ERR_RANGE, "a fabric of %zu characters, at most %d", strlen(fabric),
                       DPK_DEVICE_FABRIC_MAX - 1);
    return status == DPK_OK ? put_logged(dev, "fabric", dpk_fabric_key(dev), fabric, err) : status;
}
