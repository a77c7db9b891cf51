/* Applies an NV configuration file: first the checks in their order, then the effects. */
#include <string.h>

#include "private.h"

struct application {
    sqlite3 *db;
    struct dpk_nv_file file;
    struct dpk_nv_list before; /* Next Boot */
    bool brings_owner_key;
    struct dpk_uuid owner_uuid;    /* of the owner's key in the file */
    enum dpk_nv_priority priority; /* of the file */
    struct signer_key signer;
    bool anti_rollback;
    enum dpk_reject *reject;
};

/* Check 2: PSID and branch are those of the device, or empty. */
static enum dpk_status check_applicable(struct application *a, struct dpk_error *err)
{
    char psid[32], branch[32];
    enum dpk_status status = dpk_db_get_meta(a->db, "psid", psid, sizeof psid, err);
    if (status == DPK_OK)
        status = dpk_db_get_meta(a->db, "psid_branch", branch, sizeof branch, err);
    if (status != DPK_OK)
        return status;
    if (a->file.psid[0] && strcmp(a->file.psid, psid) != 0)
        return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                 "the file is for PSID %s, this is %s", a->file.psid, psid);
    if (a->file.psid_branch[0] && strcmp(a->file.psid_branch, branch) != 0)
        return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                 "the file is for PSID branch %s, this is '%s'",
                                 a->file.psid_branch, branch);
    return DPK_OK;
}

/* Checks 3 to 6: a known key signed the file, and may sign it. */
static enum dpk_status check_signature(struct application *a, struct dpk_error *err)
{
    const struct dpk_nv_file *file = &a->file;
    struct dpk_error why = {0};
    if (file->signature_kind == DPK_NV_UNSIGNED_FILE)
        return dpk_device_refuse(DPK_REJECT_UNSIGNED, a->reject, err, "the file is not signed");
    if (file->has_digest && !file->digest_right)
        return dpk_device_refuse(DPK_REJECT_DIGEST_ERR, a->reject, err, "the digest is wrong");
    enum dpk_status status = dpk_device_find_signer(a->db, &file->keypair, &a->signer, err);
    if (status != DPK_OK)
        return status;
    if (!a->signer.key) {
        char uuid[DPK_UUID_TEXT];
        dpk_uuid_format(&file->keypair, uuid);
        return dpk_device_refuse(DPK_REJECT_UNKNOWN_KEY, a->reject, err,
                                 "signed with key pair %s, which is neither the owner's nor "
                                 "NVIDIA's",
                                 uuid);
    }
    if (file->mlnx && a->signer.owner)
        return dpk_device_refuse(DPK_REJECT_KEY_NOT_APPLICABLE, a->reject, err,
                                 "nv_file_id_mlnx is for NVIDIA's keys, not the owner's");
    if (!file->mlnx && !a->signer.owner && !a->brings_owner_key)
        return dpk_device_refuse(DPK_REJECT_KEY_NOT_APPLICABLE, a->reject, err,
                                 "nv_file_id_vendor with an NVIDIA key is only for the first "
                                 "installation of an owner's key");
    status = dpk_nv_file_verify(file, a->signer.key, &why);
    if (status == DPK_ERR_MISMATCH)
        return dpk_device_refuse(DPK_REJECT_AUTH_FAILED, a->reject, err, "%s", why.message);
    return status == DPK_OK ? DPK_OK : dpk_fail(err, status, "%s", why.message);
}

/* Refuses an owner's key with the UUID of an NVIDIA key: the device could not distinguish the two
 * keys. */
static enum dpk_status check_owner_uuid(struct application *a, struct dpk_error *err)
{
    EVP_PKEY *nvidia = NULL;
    if (!a->brings_owner_key)
        return DPK_OK;
    enum dpk_status status = dpk_device_find_nvidia_key(a->db, &a->owner_uuid, &nvidia, err);
    bool taken = nvidia != NULL;
    EVP_PKEY_free(nvidia);
    if (status == DPK_OK && taken)
        return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                 "the UUID of the owner's key pair is that of an NVIDIA key");
    return status;
}

/* Check 7: NVIDIA gives a device its first owner, but cannot replace the owner. */
static enum dpk_status check_first_owner(struct application *a, struct dpk_error *err)
{
    EVP_PKEY *owner = NULL;
    if (a->signer.owner || !a->brings_owner_key)
        return DPK_OK;
    enum dpk_status status = dpk_device_owner_key(a->db, NULL, &owner, err);
    bool owned = owner != NULL;
    EVP_PKEY_free(owner);
    if (status == DPK_OK && owned)
        return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                 "the device has an owner already");
    return status;
}

/* Check 8, with anti-rollback: the same key has not signed a newer version that was applied. */
static enum dpk_status check_version(struct application *a, struct dpk_error *err)
{
    const struct dpk_nv_file *file = &a->file;
    bool found = false;
    uint32_t floor = 0;
    enum dpk_status status = dpk_rollback_on(a->db, &a->anti_rollback, err);
    if (status != DPK_OK || !a->anti_rollback)
        return status;
    status = dpk_rollback_floor(a->db, &file->keypair, file->mlnx, &found, &floor, err);
    if (status == DPK_OK && file->version < floor) {
        char uuid[DPK_UUID_TEXT];
        dpk_uuid_format(&file->keypair, uuid);
        return dpk_device_refuse(DPK_REJECT_FORBIDDEN_VERSION, a->reject, err,
                                 "file version %u is below %u, the highest one of key pair %s "
                                 "that was applied",
                                 file->version, floor, uuid);
    }
    return status;
}

static enum dpk_status note_version(struct application *a, struct dpk_error *err)
{
    struct dpk_device_rollback all;
    if (!a->anti_rollback)
        return DPK_OK;
    enum dpk_status status =
        dpk_rollback_raise(a->db, &a->file.keypair, a->file.mlnx, a->file.version, err);
    if (status == DPK_OK)
        status = dpk_rollback_read(a->db, &all, err);
    if (status != DPK_OK)
        return status;
    bool room = all.floor_count <= DPK_DEVICE_ROLLBACK_MAX;
    dpk_device_rollback_free(&all);
    return room ? DPK_OK
                : dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                    "anti-rollback has room for the versions of %d keys",
                                    DPK_DEVICE_ROLLBACK_MAX);
}

/* Returns the priority at which a TLV of the file is stored. The owner's key always has the owner's
 * priority, also if NVIDIA signed the file. Policy never has user priority. */
static enum dpk_nv_priority target_priority(const struct application *a,
                                            const struct dpk_nv_tlv *tlv)
{
    if (dpk_nv_is_owner_key(tlv))
        return DPK_NV_OEM;
    if (a->file.per_tlv_priority && tlv->priority < a->priority &&
        !(tlv->priority == DPK_NV_USER && dpk_device_is_policy(tlv->class_id, tlv->index)))
        return tlv->priority;
    return a->priority;
}

/* Returns true if the file removes this TLV before it writes its own TLVs. */
static bool removes(const struct application *a, const struct dpk_nv_tlv *old)
{
    return (a->file.erase_lower_priority && old->priority < a->priority) ||
           (!a->file.keep_same_priority && old->priority == a->priority);
}

static bool same_tlv(const struct dpk_nv_tlv *a, const struct dpk_nv_tlv *b)
{
    return a->size == b->size && a->ovr_en == b->ovr_en && a->rd_en == b->rd_en &&
           a->writer_id == b->writer_id && a->version == b->version &&
           memcmp(a->data, b->data, a->size) == 0;
}

static bool is_content(const struct dpk_nv_tlv *tlv)
{
    return tlv->class_id != DPK_NV_FILE &&
           !(tlv->class_id == DPK_NV_GLOBAL &&
             (tlv->index == DPK_NV_INDEX_ID_MLNX || tlv->index == DPK_NV_INDEX_ID_VENDOR));
}

/* Checks that a TLV of the file does not conflict with a TLV of the device. */
static enum dpk_status check_against(struct application *a, const struct dpk_nv_tlv *tlv,
                                     struct dpk_error *err)
{
    enum dpk_nv_priority priority = target_priority(a, tlv);
    for (size_t i = 0; i < a->before.count; i++) {
        const struct dpk_nv_tlv *old = &a->before.items[i];
        if (old->class_id != tlv->class_id || old->index != tlv->index || removes(a, old))
            continue;
        if (old->priority > priority && !old->ovr_en)
            return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                     "TLV class %u index %u is protected at priority %s",
                                     tlv->class_id, tlv->index,
                                     dpk_nv_priority_name(old->priority));
        if (a->file.disable_override && old->priority == priority && !same_tlv(old, tlv))
            return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err,
                                     "TLV class %u index %u is there and would change, which "
                                     "disable_override forbids",
                                     tlv->class_id, tlv->index);
    }
    return DPK_OK;
}

/* Checks of the contents that need the device, so that the parser cannot make them. */
static enum dpk_status check_content(struct application *a, struct dpk_error *err)
{
    struct dpk_nv_owner_key numbers;
    struct dpk_error why = {0};
    EVP_PKEY *key = NULL;
    enum dpk_status status =
        dpk_nv_owner_key_find(&a->file.tlvs, &a->brings_owner_key, &numbers, &why);
    if (status == DPK_OK && a->brings_owner_key)
        status = dpk_device_make_rsa_key(&numbers, &key, &why);
    if (status == DPK_OK && a->brings_owner_key)
        a->owner_uuid = numbers.uuid;
    EVP_PKEY_free(key);
    if (status != DPK_OK)
        return dpk_device_refuse(DPK_REJECT_BAD_FORMAT, a->reject, err, "%s", why.message);
    for (size_t i = 0; i < a->file.tlvs.count; i++) {
        const struct dpk_nv_tlv *tlv = &a->file.tlvs.items[i];
        if (tlv->class_id == DPK_NV_FILE && tlv->index != DPK_NV_INDEX_APPLICABLE_TO &&
            tlv->index != DPK_NV_INDEX_COMMENT)
            return dpk_device_refuse(DPK_REJECT_BAD_FORMAT, a->reject, err,
                                     "the device does not know file TLV %u", tlv->index);
        if (dpk_device_check_tlv(tlv, &why) != DPK_OK)
            return dpk_device_refuse(DPK_REJECT_BAD_FORMAT, a->reject, err, "%s", why.message);
    }
    return DPK_OK;
}

static enum dpk_status remove_tlv(sqlite3 *db, enum dpk_device_view view,
                                  const struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(
        db, "DELETE FROM tlv WHERE view = ? AND class = ? AND idx = ? AND priority = ?", &stmt,
        err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_int(stmt, 1, (int)view);
    sqlite3_bind_int(stmt, 2, (int)tlv->class_id);
    sqlite3_bind_int(stmt, 3, (int)tlv->index);
    sqlite3_bind_int(stmt, 4, (int)tlv->priority);
    return dpk_db_finish(db, stmt, err);
}

/* Makes the changes. The owner's key takes effect at once, so it changes in both views. */
static enum dpk_status change(struct application *a, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < a->before.count && status == DPK_OK; i++) {
        const struct dpk_nv_tlv *old = &a->before.items[i];
        if (!removes(a, old))
            continue;
        status = remove_tlv(a->db, DPK_VIEW_NEXT, old, err);
        if (status == DPK_OK && dpk_nv_is_owner_key(old))
            status = remove_tlv(a->db, DPK_VIEW_CURRENT, old, err);
    }
    for (size_t i = 0; i < a->file.tlvs.count && status == DPK_OK; i++) {
        struct dpk_nv_tlv tlv = a->file.tlvs.items[i];
        if (!is_content(&tlv))
            continue;
        tlv.priority = target_priority(a, &tlv);
        status = dpk_device_put_tlv(a->db, DPK_VIEW_NEXT, &tlv, err);
        if (status == DPK_OK && dpk_nv_is_owner_key(&tlv))
            status = dpk_device_put_tlv(a->db, DPK_VIEW_CURRENT, &tlv, err);
    }
    return status;
}

static enum dpk_status apply(struct application *a, const void *bytes, size_t size,
                             struct dpk_error *err)
{
    struct dpk_error why = {0};
    enum dpk_status status = dpk_nv_file_parse(bytes, size, &a->file, &why);
    if (status == DPK_ERR_NOMEM)
        return dpk_fail_nomem(err);
    if (status != DPK_OK)
        return dpk_device_refuse(DPK_REJECT_BAD_FORMAT, a->reject, err, "%s", why.message);
    a->priority = a->file.mlnx ? DPK_NV_MLNX : DPK_NV_OEM;
    status = check_content(a, err);
    if (status == DPK_OK)
        status = check_applicable(a, err);
    if (status == DPK_OK)
        status = check_signature(a, err);
    if (status == DPK_OK)
        status = check_owner_uuid(a, err);
    if (status == DPK_OK)
        status = check_first_owner(a, err);
    if (status == DPK_OK)
        status = check_version(a, err);
    if (status == DPK_OK)
        status = dpk_device_tlvs(a->db, DPK_VIEW_NEXT, &a->before, err);
    for (size_t i = 0; i < a->file.tlvs.count && status == DPK_OK; i++)
        if (is_content(&a->file.tlvs.items[i]))
            status = check_against(a, &a->file.tlvs.items[i], err);
    if (status == DPK_OK)
        status = change(a, err);
    if (status == DPK_OK)
        status = note_version(a, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_check_room(a->db, &why);
    if (status == DPK_ERR_RANGE)
        return dpk_device_refuse(DPK_REJECT_NOT_APPLICABLE, a->reject, err, "%s", why.message);
    return status == DPK_OK ? DPK_OK : dpk_fail(err, status, "%s", why.message);
}

/* `rehearsal`: rolls the changes back and logs nothing. */
static enum dpk_status run_apply(struct dpk_device *dev, bool rehearsal, const void *bytes,
                                 size_t size, enum dpk_reject *reject, struct dpk_error *err)
{
    enum dpk_reject unused, *why = reject ? reject : &unused;
    struct dpk_error own = {0}, *e = err ? err : &own;
    struct application a = {.db = dev->db, .reject = why};
    char detail[80] = "", uuid[DPK_UUID_TEXT];
    *why = DPK_REJECT_NONE;
    enum dpk_status status = dpk_db_begin(dev->db, e);
    if (status != DPK_OK)
        return status;
    status = apply(&a, bytes, size, e);
    if (status == DPK_OK && !rehearsal) {
        dpk_uuid_format(&a.file.keypair, uuid);
        snprintf(detail, sizeof detail, "file version %u, key pair %s", a.file.version, uuid);
        status = dpk_device_log_in(dev->db, "apply", "OK", detail, e);
    }
    if (rehearsal)
        (void)dpk_db_end(dev->db, DPK_ERR_REFUSED, NULL);
    else
        status = dpk_db_end(dev->db, status, e);
    if (status == DPK_ERR_REFUSED && !rehearsal)
        dpk_device_log_refusal(dev, "apply", *why, e);
    EVP_PKEY_free(a.signer.key);
    dpk_nv_list_free(&a.before);
    dpk_nv_file_free(&a.file);
    return status;
}

enum dpk_status dpk_device_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                 enum dpk_reject *reject, struct dpk_error *err)
{
    return run_apply(dev, false, bytes, size, reject, err);
}

enum dpk_status dpk_device_try_apply(struct dpk_device *dev, const void *bytes, size_t size,
                                     enum dpk_reject *reject, struct dpk_error *err)
{
    return run_apply(dev, true, bytes, size, reject, err);
}
