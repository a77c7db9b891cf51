/* mlxdpa show: everything that a file says of itself, as a tree. Nothing is proven by it: who is
 * trusted is verify's business. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "appcontainer/appcontainer.h"
#include "nvconfig/nvconfig.h"

#include "facts.h"
#include "target.h"

static void add_uuid(cJSON *o, const char *key, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    cJSON_AddStringToObject(o, key, dpk_uuid_is_zero(uuid) ? "not set" : text);
}

static void add_size(cJSON *o, const char *key, uint64_t size)
{
    cJSON_AddNumberToObject(o, key, (double)size);
}

/* ---- Programs ---------------------------------------------------------------------------------
 */

/* Signed by whom, and do hashes and signature fit? */
static void add_crypto(cJSON *o, const uint8_t *crypto, size_t size,
                       const struct dpk_report *report)
{
    struct dpk_crypto_view view;
    struct dpk_error err = {0};
    char text[300];
    cJSON_AddBoolToObject(o, "signed", crypto != NULL);
    if (!crypto)
        return;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->checks[i].name, "hash list") == 0)
            dpk_json_text(o, "hashes", report->checks[i].detail);
    if (dpk_crypto_view_open(crypto, size, &view, &err) != DPK_OK) {
        dpk_json_text(o, "crypto_data", err.message);
        return;
    }
    cJSON_AddStringToObject(o, "profile", view.profile == DPK_PROFILE_FULL ? "full" : "compact");
    snprintf(text, sizeof text, view.signature_type == 2 ? "RSASSA-PKCS1-v1_5, SHA-512" : "type %u",
             view.signature_type);
    dpk_json_text(o, "algorithm", text);
    dpk_cert_subject(dpk_certchain_leaf(view.chain), text, sizeof text);
    dpk_json_text(o, "signed_by", text);
    dpk_json_text(o, "signature",
                  dpk_crypto_view_check(&view, crypto, &err) == DPK_OK ? "right" : err.message);
    dpk_crypto_view_free(&view);
    chain_facts(o, crypto, size);
}

struct program_view {
    cJSON *program, *targets; /* targets NULL until there is one */
};

static enum dpk_status add_unit(void *context, const char *target, const struct dpk_program *unit,
                                struct dpk_error *err)
{
    struct program_view *v = context;
    struct dpk_report report = {0};
    cJSON *o = v->program;
    (void)err;
    if (target) {
        if (!v->targets)
            v->targets = cJSON_AddArrayToObject(v->program, "targets");
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "target", target);
        add_size(o, "size", unit->elf_size);
        cJSON_AddItemToArray(v->targets, o);
    }
    (void)dpk_verify_elf(unit, NULL, &report);
    program_digest(o, unit->elf, unit->elf_size, &report);
    add_crypto(o, unit->crypto, unit->crypto_size, &report);
    return DPK_OK;
}

static enum dpk_status show_host(const struct target *t, cJSON *o, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    cJSON *list = cJSON_AddArrayToObject(o, "programs");
    for (size_t i = 0; i < dpk_hostfile_count(t->host) && status == DPK_OK; i++) {
        const struct dpk_program *p = dpk_hostfile_program(t->host, i);
        struct program_view v = {.program = cJSON_CreateObject()};
        dpk_json_text(v.program, "name", p->name);
        if (p->member)
            dpk_json_text(v.program, "member", p->member);
        add_size(v.program, "offset", p->offset);
        add_size(v.program, "size", p->elf_size);
        dpk_json_text(v.program, "crypto_section", p->crypto_section);
        cJSON_AddItemToArray(list, v.program);
        status = units_of(p, add_unit, &v, err);
    }
    return status;
}

static enum dpk_status show_device_elf(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct program_view v = {.program = o};
    struct dpk_hashlist *list = NULL;
    struct dpk_fat fat;
    const struct dpk_program bare = {.elf = t->file.data, .elf_size = t->file.size};
    add_size(o, "size", t->file.size);
    program_digest(o, t->file.data, t->file.size, NULL);
    if (dpk_fat_is(t->file.data, t->file.size)) {
        enum dpk_status status = dpk_fat_parse(t->file.data, t->file.size, &fat, err);
        return status != DPK_OK ? dpk_error_prefix(err, "%s", t->path)
                                : units_of(&bare, add_unit, &v, err);
    }
    enum dpk_status status =
        dpk_hashlist_build(t->file.data, t->file.size, DPK_PROFILE_FULL, &list, err);
    if (status == DPK_OK)
        add_size(o, "hash_list_size", dpk_hashlist_encoded_size(list));
    else
        dpk_error_prefix(err, "%s", t->path);
    dpk_hashlist_free(list);
    return status;
}

/* ---- Containers and files ---------------------------------------------------------------------
 */

static enum dpk_status show_container(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct dpk_container c;
    const uint8_t *der = NULL;
    size_t size = 0;
    struct dpk_error why = {0};
    enum dpk_status status = dpk_container_parse(t->file.data, t->file.size, &c, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s", t->path);
    cJSON_AddStringToObject(o, "action",
                            c.kind == DPK_CONTAINER_ADD ? "add"
                            : c.remove_all              ? "remove all"
                                                        : "remove");
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(c.priority));
    cJSON_AddBoolToObject(o, "nvidia_signed_oem", c.nvidia_signed_oem);
    add_uuid(o, "cert_uuid", &c.cert_uuid);
    add_uuid(o, "keypair_uuid", &c.keypair_uuid);
    cJSON_AddBoolToObject(o, "signed", c.signature != NULL);
    if (c.kind != DPK_CONTAINER_ADD)
        return DPK_OK;
    cJSON_AddBoolToObject(o, "keep_sig", c.keep_sig);
    cJSON_AddBoolToObject(o, "dpa_root_of_trust", c.dpa_root);
    X509 *cert = dpk_container_certificate(&c, &der, &size, &why) == DPK_OK
                     ? d2i_X509(NULL, &(const unsigned char *){der}, (long)size)
                     : NULL;
    if (cert)
        cJSON_AddItemToObject(o, "certificate", certificate_facts(cert));
    else
        dpk_json_text(o, "certificate", why.message);
    X509_free(cert);
    return DPK_OK;
}

static enum dpk_status show_app(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_report report;
    struct dpk_buf elf = {0};
    enum dpk_status status = dpk_app_parse(t->file.data, t->file.size, &app, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s", t->path);
    bool program = app.kind == DPK_APP_PROGRAM;
    cJSON_AddStringToObject(o, "action", program ? "add" : "remove");
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(app.priority));
    add_uuid(o, "uuid", &app.app_uuid);
    if (!program) {
        add_uuid(o, "keypair_uuid", &app.keypair_uuid);
        cJSON_AddBoolToObject(o, "signed", app.signature != NULL);
        return DPK_OK;
    }
    dpk_json_text(o, "description", app.metadata.description);
    cJSON_AddNumberToObject(o, "type", app.metadata.type);
    cJSON_AddNumberToObject(o, "dpa_app_subtype", app.metadata.subtype);
    cJSON_AddNumberToObject(o, "dpa_app_version", app.metadata.app_version);
    cJSON_AddNumberToObject(o, "dpa_os_api_version", app.metadata.os_api_version);
    cJSON_AddNumberToObject(o, "dpa_fw_api_version", app.metadata.fw_api_version);
    cJSON_AddBoolToObject(o, "compressed", app.xz);
    add_size(o, "stored_size", app.stored_size);
    status = dpk_app_elf(&app, &elf, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s", t->path);
    add_size(o, "size", elf.size);
    program_digest(o, elf.data, elf.size, NULL);
    dpk_buf_free(&elf);
    add_size(o, "manifest_size", app.manifest_size);
    (void)dpk_app_verify(&app, NULL, &report);
    add_crypto(o, app.crypto, app.crypto_size, &report);
    return DPK_OK;
}

static void add_tlvs(cJSON *o, const struct dpk_nv_list *tlvs)
{
    struct dpk_nv_defs *defs = NULL;
    char text[64];
    cJSON *list = cJSON_AddArrayToObject(o, "tlvs");
    /* Without definitions the numbers must do. */
    if (dpk_nv_defs_load(NULL, &defs, NULL) != DPK_OK)
        defs = NULL;
    for (size_t i = 0; i < tlvs->count; i++) {
        const struct dpk_nv_tlv *t = &tlvs->items[i];
        const struct dpk_nv_def *d =
            defs ? dpk_nv_defs_find_key(defs, t->class_id, t->index) : NULL;
        cJSON *item = cJSON_CreateObject();
        snprintf(text, sizeof text, "class %u index %" PRIu32, t->class_id, t->index);
        dpk_json_text(item, "name", d ? d->name : text);
        cJSON_AddNumberToObject(item, "class", t->class_id);
        cJSON_AddNumberToObject(item, "index", t->index);
        add_size(item, "size", t->size);
        cJSON_AddBoolToObject(item, "ovr_en", t->ovr_en);
        cJSON_AddBoolToObject(item, "rd_en", t->rd_en);
        cJSON_AddItemToArray(list, item);
    }
    dpk_nv_defs_free(defs);
}

static enum dpk_status show_nv(const struct target *t, cJSON *o, struct dpk_error *err)
{
    static const char *const signatures[] = {"none", "RSA-2048, SHA-256", "RSA-4096, SHA-512"};
    struct dpk_nv_file f = {0};
    enum dpk_status status = dpk_nv_file_parse(t->file.data, t->file.size, &f, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s", t->path);
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
        add_uuid(o, "keypair_uuid", &f.keypair);
    }
    add_tlvs(o, &f.tlvs);
    dpk_nv_file_free(&f);
    return DPK_OK;
}

/* ---- All together -----------------------------------------------------------------------------
 */

static enum dpk_status show_target(const struct target *t, cJSON *o, struct dpk_error *err)
{
    dpk_json_text(o, "file", t->path);
    cJSON_AddStringToObject(o, "kind", target_kind_name(t->kind));
    switch (t->kind) {
    case TARGET_HOST:
        return show_host(t, o, err);
    case TARGET_CONTAINER:
        return show_container(t, o, err);
    case TARGET_APP:
        return show_app(t, o, err);
    case TARGET_NV:
        return show_nv(t, o, err);
    case TARGET_DEVICE_ELF:
        break;
    }
    return show_device_elf(t, o, err);
}

enum dpk_status cmd_show(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct targets targets;
    enum dpk_status status = targets_open("show", options, &targets, err);
    for (size_t i = 0; i < targets.count && status == DPK_OK; i++) {
        cJSON *o = cJSON_CreateObject();
        status = o ? show_target(&targets.list[i], o, err) : dpk_fail_nomem(err);
        if (status != DPK_OK) {
            cJSON_Delete(o);
        } else if (options->json) {
            status = dpk_json_print(o, err);
        } else {
            tree_print(o, 0);
            cJSON_Delete(o);
        }
    }
    targets_close(&targets);
    return status;
}
