/* NV configuration files, as mlxconfig applies them. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "nvconfig/nvconfig.h"

#include "kinds.h"
#include "mlxdpa/facts.h"

#define FILE_HEADER_SIZE 16
#define TLV_HEADER_SIZE  12

/* Loads the names of TLVs. NULL if they cannot be read; name_of then uses numbers. */
static struct dpk_nv_defs *load_names(void)
{
    struct dpk_nv_defs *defs = NULL;
    return dpk_nv_defs_load(NULL, &defs, NULL) == DPK_OK ? defs : NULL;
}

static const char *name_of(const struct dpk_nv_tlv *t, const struct dpk_nv_defs *defs, char out[64])
{
    const struct dpk_nv_def *d = defs ? dpk_nv_defs_find_key(defs, t->class_id, t->index) : NULL;
    if (d)
        return d->name;
    snprintf(out, 64, "class %u index %" PRIu32, t->class_id, t->index);
    return out;
}

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_nv_file nv = {0};
    char name[64];
    size_t offset = FILE_HEADER_SIZE;
    enum dpk_status status = dpk_nv_file_parse(t->file.data, t->file.size, &nv, err);
    if (status != DPK_OK)
        return status;
    struct dpk_nv_defs *defs = load_names();
    for (size_t i = 0; i < nv.tlvs.count; i++) {
        const struct dpk_nv_tlv *tlv = &nv.tlvs.items[i];
        offset += TLV_HEADER_SIZE;
        kinds_listing_add(l, t, name_of(tlv, defs, name), t->file.data + offset, tlv->size, "TLV");
        offset += tlv->size;
    }
    if (nv.signature_kind != DPK_NV_UNSIGNED_FILE)
        kinds_listing_add(
            l, t, "signature", t->file.data + nv.signed_size, t->file.size - nv.signed_size,
            nv.signature_kind == DPK_NV_RSA_4096 ? "RSA-4096, SHA-512" : "RSA-2048, SHA-256");
    dpk_nv_defs_free(defs);
    dpk_nv_file_free(&nv);
    return DPK_OK;
}

static void show_tlvs(cJSON *o, const struct dpk_nv_list *tlvs)
{
    char name[64];
    struct dpk_nv_defs *defs = load_names();
    cJSON *items = cJSON_AddArrayToObject(o, "tlvs");
    for (size_t i = 0; i < tlvs->count; i++) {
        const struct dpk_nv_tlv *t = &tlvs->items[i];
        cJSON *item = cJSON_CreateObject();
        dpk_json_text(item, "name", name_of(t, defs, name));
        cJSON_AddNumberToObject(item, "class", t->class_id);
        cJSON_AddNumberToObject(item, "index", t->index);
        cJSON_AddNumberToObject(item, "size", (double)t->size);
        cJSON_AddBoolToObject(item, "ovr_en", t->ovr_en);
        cJSON_AddBoolToObject(item, "rd_en", t->rd_en);
        cJSON_AddItemToArray(items, item);
    }
    dpk_nv_defs_free(defs);
}

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    static const char *const signatures[] = {"none", "RSA-2048, SHA-256", "RSA-4096, SHA-512"};
    struct dpk_nv_file f = {0};
    enum dpk_status status = dpk_nv_file_parse(t->file.data, t->file.size, &f, err);
    if (status != DPK_OK)
        return status;
    cJSON_AddStringToObject(o, "identity", f.mlnx ? "NVIDIA" : "vendor");
    cJSON_AddNumberToObject(o, "version", f.version);
    dpk_json_text(o, "psid", f.psid);
    dpk_json_text(o, "psid_branch", f.psid_branch);
    cJSON_AddBoolToObject(o, "keep_same_priority", f.keep_same_priority);
    cJSON_AddBoolToObject(o, "disable_override", f.disable_override);
    cJSON_AddBoolToObject(o, "per_tlv_priority", f.per_tlv_priority);
    cJSON_AddBoolToObject(o, "erase_lower_priority", f.erase_lower_priority);
    cJSON_AddStringToObject(o, "digest",
                            !f.has_digest    ? "none"
                            : f.digest_right ? "right"
                                             : "wrong");
    bool is_signed = f.signature_kind != DPK_NV_UNSIGNED_FILE;
    cJSON_AddBoolToObject(o, "signed", is_signed);
    if (is_signed) {
        cJSON_AddStringToObject(o, "algorithm", signatures[f.signature_kind]);
        mlxdpa_uuid_fact(o, "keypair_uuid", &f.keypair);
    }
    show_tlvs(o, &f.tlvs);
    dpk_nv_file_free(&f);
    return DPK_OK;
}

static enum dpk_status check_signature(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_nv_file_verify(what, key, err);
}

static void judge(struct outcome *o, const struct dpk_nv_file *f, const struct trust *t)
{
    if (f->has_digest && !f->digest_right)
        mlxdpa_refuse(o, "digest", DPK_VERDICT_DIGEST_MISMATCH, "the SHA-256 digest is wrong");
    else if (f->signature_kind == DPK_NV_UNSIGNED_FILE)
        mlxdpa_refuse(o, "signature", DPK_VERDICT_UNSIGNED, "there is a digest, but no signature");
    else if (mlxdpa_signed_by_key(o, t, &f->keypair, check_signature, f))
        mlxdpa_outcome_accept(o);
}

static enum dpk_status verify(struct verification *v, struct dpk_error *err)
{
    struct dpk_nv_file f = {0};
    struct dpk_error why = {0};
    struct outcome o = mlxdpa_outcome_start(v->target->kind->name, v->target->path);
    enum dpk_status status =
        dpk_nv_file_parse(v->target->file.data, v->target->file.size, &f, &why);
    if (status != DPK_OK) {
        mlxdpa_refuse(&o, "file", DPK_VERDICT_BAD_FORMAT, why.message);
        return mlxdpa_tally_add(v->tally, &o, err);
    }
    mlxdpa_outcome_note(&o, "file", "version %u, %zu TLVs, %s%s%s", f.version, f.tlvs.count,
                        f.mlnx ? "NVIDIA's" : "a vendor's", f.psid[0] ? ", for PSID " : "", f.psid);
    /* These bytes come after the signed bytes. */
    mlxdpa_outcome_uncovered(&o, "UUIDs and priority of the signature's own TLVs");
    if (v->trust->device)
        status = mlxdpa_try_on_device(&o, v, dpk_device_try_apply, err);
    else
        judge(&o, &f, v->trust);
    dpk_nv_file_free(&f);
    return status == DPK_OK ? mlxdpa_tally_add(v->tally, &o, err) : status;
}

const struct kind kind_nv_config = {.name = "NV configuration file",
                                    .magic = "MLNX.CONFIG.BIN!",
                                    .max = DPK_NV_FILE_BYTES_MAX,
                                    .list = list,
                                    .show = show,
                                    .need_trust = mlxdpa_need_key,
                                    .verify = verify};
