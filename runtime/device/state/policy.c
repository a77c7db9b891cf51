/* Permissions of a device: unsigned programs, and debuggers. */
#include <string.h>

#include "private.h"

/* TLVs of one dword that determine the permissions. */
static const struct word {
    uint32_t index; /* class global */
    const char *name;
} words[] = {
    {DPK_NV_INDEX_DPA_AUTH, "nv_dpa_auth"},
    {DPK_NV_INDEX_DPAKIT_DEBUG, "nv_dpakit_debug"},
    {DPK_NV_INDEX_PROG_CC, "nv_prog_cc"},
};
enum { WORD_SIZE = 4 };

enum dpk_status dpk_device_check_tlv(const struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tlv->class_id == DPK_NV_GLOBAL && tlv->index == words[i].index &&
            tlv->size != WORD_SIZE)
            return dpk_fail(err, DPK_ERR_FORMAT, "%s of %zu bytes", words[i].name, tlv->size);
    return DPK_OK;
}

bool dpk_device_is_policy(unsigned class_id, uint32_t index)
{
    return class_id == DPK_NV_GLOBAL && index == DPK_NV_INDEX_DPAKIT_DEBUG;
}

bool dpk_device_needs_signature(const struct dpk_nv_def *def)
{
    struct dpk_nv_tlv tlv = {.class_id = def->class_id, .index = def->index};
    return dpk_nv_is_owner_key(&tlv) || dpk_device_is_policy(def->class_id, def->index);
}

/* Gets the first byte of the value in effect, or 0 if it was never set. */
static enum dpk_status first_byte(sqlite3 *db, enum dpk_device_view view, uint32_t index,
                                  uint8_t *out, struct dpk_error *err)
{
    struct effect effect;
    struct dpk_error why = {0};
    enum dpk_status status = dpk_device_effect(db, view, DPK_NV_GLOBAL, index, &effect, err);
    if (status != DPK_OK)
        return status;
    if (effect.present && dpk_device_check_tlv(&effect.tlv, &why) != DPK_OK)
        return dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: %s", why.message);
    if (effect.present && dpk_device_is_policy(DPK_NV_GLOBAL, index) &&
        effect.tlv.priority == DPK_NV_USER)
        return dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: a user's policy");
    *out = effect.present ? effect.tlv.data[0] : 0;
    return DPK_OK;
}

static enum dpk_status authentication(sqlite3 *db, enum dpk_device_view view, bool *enabled,
                                      struct dpk_error *err)
{
    /* After any error authentication is on, so that unsigned programs do not run. */
    *enabled = true;
    uint8_t byte = 0;
    enum dpk_status status = first_byte(db, view, DPK_NV_INDEX_DPA_AUTH, &byte, err);
    if (status == DPK_OK)
        *enabled = byte & 0x80;
    return status;
}

enum dpk_status dpk_device_dpa_authentication(struct dpk_device *dev, enum dpk_device_view view,
                                              bool *enabled, struct dpk_error *err)
{
    return authentication(dev->db, view, enabled, err);
}

enum dpk_status dpk_device_programmable_cc(sqlite3 *db, bool *enabled, struct dpk_error *err)
{
    uint8_t byte = 0;
    enum dpk_status status = first_byte(db, DPK_VIEW_CURRENT, DPK_NV_INDEX_PROG_CC, &byte, err);
    *enabled = status == DPK_OK && byte & 0x80;
    return status;
}

/* ---- The life cycle ---- */

static const char life_cycle_key[] = "life_cycle", development_name[] = "development";

enum dpk_status dpk_device_put_life_cycle(sqlite3 *db, bool development, struct dpk_error *err)
{
    /* A device without this entry is in production, as in earlier versions. */
    return development ? dpk_db_put_meta(db, life_cycle_key, development_name, err) : DPK_OK;
}

enum dpk_status dpk_device_life_cycle(sqlite3 *db, bool *development, struct dpk_error *err)
{
    char value[sizeof development_name + 1];
    bool found;
    *development = false;
    enum dpk_status status = dpk_db_find_meta(db, life_cycle_key, value, sizeof value, &found, err);
    if (status != DPK_OK || !found)
        return status;
    *development = strcmp(value, development_name) == 0;
    return *development ? DPK_OK
                        : dpk_fail(err, DPK_ERR_FORMAT,
                                   "the device's state is damaged: its life cycle is unknown");
}

/* ---- Debuggers ---- */

/* Values of DPAKIT_DPA_DEBUG. */
enum setting { SETTING_DEVICE_DEFAULT, SETTING_ENABLED };

enum dpk_status dpk_device_debug_rights(struct dpk_device *dev, enum dpk_device_view view,
                                        enum dpk_debug_rights *rights, struct dpk_error *err)
{
    bool locked = true, development = false;
    uint8_t byte = 0;
    *rights = DPK_DEBUG_NONE;
    enum dpk_status status = authentication(dev->db, view, &locked, err);
    if (status == DPK_OK)
        status = dpk_device_life_cycle(dev->db, &development, err);
    if (status == DPK_OK)
        status = first_byte(dev->db, view, DPK_NV_INDEX_DPAKIT_DEBUG, &byte, err);
    if (status != DPK_OK)
        return status;
    unsigned setting = byte >> 6;
    if (!locked)
        *rights = DPK_DEBUG_ALL;
    else if (setting == SETTING_DEVICE_DEFAULT || setting == SETTING_ENABLED)
        *rights = development ? DPK_DEBUG_ALL : DPK_DEBUG_READ;
    return DPK_OK;
}
