/* Single-program containers (signing(7)): one puts a program on a device, or takes one off it. */
#include "appcontainer/appcontainer.h"
#include "cli/cli.h"

#include "kind.h"
#include "mlxdpa/facts.h"
#include "mlxdpa/program.h"

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_app app;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_app_parse(t->file.data, t->file.size, &app, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&app.app_uuid, uuid);
    if (app.kind == DPK_APP_REMOVAL) {
        listing_add(l, t, uuid, NULL, app.signed_size, "removal");
        if (app.signature)
            listing_add(l, t, "signature", app.signature, 512, "RSASSA-PKCS1-v1_5, SHA-512");
        return DPK_OK;
    }
    listing_add(l, t, "program", app.stored, app.stored_size, app.xz ? "ELF, xz" : "ELF");
    if (app.crypto)
        listing_add(l, t, "crypto data", app.crypto, app.crypto_size, "signature and chain");
    listing_add(l, t, app.metadata.description, app.metadata_bytes, DPK_APP_METADATA_SIZE,
                "app metadata");
    if (app.manifest)
        listing_add(l, t, "manifest", app.manifest, app.manifest_size, "manifest");
    return DPK_OK;
}

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_report report;
    struct dpk_buf elf = {0};
    enum dpk_status status = dpk_app_parse(t->file.data, t->file.size, &app, err);
    if (status != DPK_OK)
        return status;
    bool program = app.kind == DPK_APP_PROGRAM;
    cJSON_AddStringToObject(o, "action", program ? "add" : "remove");
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(app.priority));
    uuid_fact(o, "uuid", &app.app_uuid);
    if (!program) {
        uuid_fact(o, "keypair_uuid", &app.keypair_uuid);
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
    cJSON_AddNumberToObject(o, "stored_size", (double)app.stored_size);
    status = dpk_app_elf(&app, &elf, err);
    if (status != DPK_OK)
        return status;
    cJSON_AddNumberToObject(o, "size", (double)elf.size);
    program_digest(o, elf.data, elf.size, NULL);
    dpk_buf_free(&elf);
    cJSON_AddNumberToObject(o, "manifest_size", (double)app.manifest_size);
    (void)dpk_app_verify(&app, NULL, &report);
    program_crypto(o, app.crypto, app.crypto_size, &report);
    return DPK_OK;
}

/* A program is proven by certificates; its removal by a key alone, whatever a device has. */
static enum dpk_status need_trust(const struct target *t, const struct mlxdpa_options *o,
                                  struct dpk_error *err)
{
    struct dpk_app app;
    if (dpk_app_parse(t->file.data, t->file.size, &app, NULL) != DPK_OK ||
        app.kind == DPK_APP_PROGRAM)
        return need_certificate(t, o, err);
    return mlxdpa_need("verify", "--key PUBLIC_KEY for a removal", o->trusted_key_count ? "" : NULL,
                       err);
}

static enum dpk_status check_removal(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_app_removal_verify(what, key, err);
}

static void verify_removal(struct verification *v, struct outcome *o, const struct dpk_app *app)
{
    if (!app->signature)
        refuse(o, "signature", DPK_VERDICT_UNSIGNED, "the container is not signed");
    else if (signed_by_key(o, v->trust, &app->keypair_uuid, check_removal, app))
        outcome_accept(o);
}

static void verify_program(struct verification *v, struct outcome *o, const struct dpk_app *app)
{
    struct dpk_report report;
    struct dpk_buf elf = {0};
    note_device(o, v->trust);
    enum dpk_verdict verdict = dpk_app_verify(app, &v->trust->programs, &report);
    outcome_report(o, verdict, &report);
    o->facts = cJSON_CreateObject();
    if (dpk_app_elf(app, &elf, NULL) == DPK_OK)
        program_digest(o->facts, elf.data, elf.size, NULL);
    dpk_buf_free(&elf);
    program_chain(o->facts, app->crypto, app->crypto_size);
}

static enum dpk_status verify(struct verification *v, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_error why = {0};
    char uuid[DPK_UUID_TEXT];
    struct outcome o = outcome_start(v->target->kind->name, v->target->path);
    if (dpk_app_parse(v->target->file.data, v->target->file.size, &app, &why) != DPK_OK) {
        refuse(&o, "container", DPK_VERDICT_BAD_FORMAT, why.message);
        return tally_add(v->tally, &o, err);
    }
    bool program = app.kind == DPK_APP_PROGRAM;
    dpk_uuid_format(&app.app_uuid, uuid);
    outcome_note(&o, "container", "%s program %s, priority %s", program ? "adds" : "removes", uuid,
                 dpk_lifecycle_name(app.priority));
    if (program)
        verify_program(v, &o, &app);
    else
        verify_removal(v, &o, &app);
    return tally_add(v->tally, &o, err);
}

const struct kind kind_app = {.name = "single-program container",
                              .magic = DPK_APP_FINGERPRINT,
                              .max = DPK_APP_MAX,
                              .list = list,
                              .show = show,
                              .need_trust = need_trust,
                              .verify = verify};
