/* Single-program containers (signing(7)), which put a program on a device or remove it. */
#include <stdlib.h>

#include "appcontainer/appcontainer.h"
#include "cli/cli.h"

#include "kinds.h"
#include "mlxdpa/facts.h"
#include "mlxdpa/making.h"
#include "mlxdpa/program.h"
#include "mlxdpa/signing.h"
#include "mlxdpa/tbs.h"

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_app app;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_app_parse(t->file.data, t->file.size, &app, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&app.app_uuid, uuid);
    if (app.kind == DPK_APP_REMOVAL) {
        kinds_listing_add(l, t, uuid, NULL, app.signed_size, "removal");
        if (app.signature)
            kinds_listing_add(l, t, "signature", app.signature, 512, "RSASSA-PKCS1-v1_5, SHA-512");
        return DPK_OK;
    }
    kinds_listing_add(l, t, "program", app.stored, app.stored_size, app.xz ? "ELF, xz" : "ELF");
    if (app.crypto)
        kinds_listing_add(l, t, "crypto data", app.crypto, app.crypto_size, "signature and chain");
    kinds_listing_add(l, t, app.metadata.description, app.metadata_bytes, DPK_APP_METADATA_SIZE,
                      "app metadata");
    if (app.manifest)
        kinds_listing_add(l, t, "manifest", app.manifest, app.manifest_size, "manifest");
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
    mlxdpa_uuid_fact(o, "uuid", &app.app_uuid);
    if (!program) {
        mlxdpa_uuid_fact(o, "keypair_uuid", &app.keypair_uuid);
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
    if (status == DPK_OK) {
        cJSON_AddNumberToObject(o, "size", (double)elf.size);
        const struct dpk_elf described = dpk_elf(elf.data, elf.size);
        mlxdpa_program_digest(o, elf.data, elf.size, NULL);
        mlxdpa_making_show(&described, false, o);
    }
    dpk_buf_free(&elf);
    if (status != DPK_OK)
        return status;
    cJSON_AddNumberToObject(o, "manifest_size", (double)app.manifest_size);
    (void)dpk_app_verify(&app, NULL, &report);
    mlxdpa_program_crypto(o, app.crypto, app.crypto_size, &report);
    return DPK_OK;
}

/* A program is verified with certificates. A removal is verified with a key; no device is asked. */
static enum dpk_status need_trust(const struct target *t, const struct mlxdpa_options *o,
                                  struct dpk_error *err)
{
    struct dpk_app app;
    if (dpk_app_parse(t->file.data, t->file.size, &app, NULL) != DPK_OK ||
        app.kind == DPK_APP_PROGRAM)
        return mlxdpa_need_certificate(t, o, err);
    return mlxdpa_need("verify", "--key PUBLIC_KEY for a removal", o->keys.count ? "" : NULL, err);
}

static enum dpk_status check_removal(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_app_removal_verify(what, key, err);
}

static void verify_removal(struct verification *v, struct outcome *o, const struct dpk_app *app)
{
    if (!app->signature)
        mlxdpa_refuse(o, "signature", DPK_VERDICT_UNSIGNED, "the container is not signed");
    else if (mlxdpa_signed_by_key(o, v->trust, &app->keypair_uuid, check_removal, app))
        mlxdpa_outcome_accept(o);
}

static void verify_program(struct verification *v, struct outcome *o, const struct dpk_app *app)
{
    struct dpk_report report;
    struct dpk_buf elf = {0};
    char digest[65] = "";
    mlxdpa_note_device(o, v->trust);
    /* The signature covers hashes of their contents; the parser requires equal priorities in all
     * items. */
    mlxdpa_outcome_uncovered(o, "priorities of the container's items");
    o->facts = cJSON_CreateObject();
    if (dpk_app_elf(app, &elf, NULL) == DPK_OK) {
        mlxdpa_program_digest(o->facts, elf.data, elf.size, NULL);
        dpk_sha256_text(elf.data, elf.size, digest);
    }
    enum dpk_verdict verdict = dpk_app_verify(app, &v->trust->programs, &report);
    if (v->trust->device && verdict == DPK_VERDICT_OK)
        verdict = dpk_load_examine(&v->trust->terms, elf.data, elf.size, &report);
    mlxdpa_outcome_report(o, verdict, &report);
    mlxdpa_check_policy(o, v->trust,
                        (struct dpk_policy_subject){.uuid = &app->metadata.uuid,
                                                    .sha256 = digest,
                                                    .has_version = true,
                                                    .version = app->metadata.app_version},
                        app->crypto, app->crypto_size);
    dpk_buf_free(&elf);
    mlxdpa_program_chain(o->facts, app->crypto, app->crypto_size);
}

static enum dpk_status verify(struct verification *v, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_error why = {0};
    char uuid[DPK_UUID_TEXT];
    struct outcome o = mlxdpa_outcome_start(v->target->kind->name, v->target->path);
    if (dpk_app_parse(v->target->file.data, v->target->file.size, &app, &why) != DPK_OK) {
        mlxdpa_refuse(&o, "container", DPK_VERDICT_BAD_FORMAT, why.message);
        return mlxdpa_tally_add(v->tally, &o, err);
    }
    bool program = app.kind == DPK_APP_PROGRAM;
    dpk_uuid_format(&app.app_uuid, uuid);
    mlxdpa_outcome_note(&o, "container", "%s program %s, priority %s", program ? "adds" : "removes",
                        uuid, dpk_lifecycle_name(app.priority));
    if (program)
        verify_program(v, &o, &app);
    else if (v->trust->policy)
        mlxdpa_refuse(&o, "policy", DPK_VERDICT_UNSUPPORTED, "a policy is only about programs");
    else
        verify_removal(v, &o, &app);
    return mlxdpa_tally_add(v->tally, &o, err);
}

/* ---- Signing a program ---- */

static enum dpk_status sign_program(const char *command, struct target *t,
                                    const struct mlxdpa_options *o, struct dpk_error *err)
{
    const struct dpk_sign_options how = {
        .mft_compat = o->mft_compat, .mft_chain_count = o->chain_count, .force = o->force};
    enum dpk_lifecycle priority;
    struct program_signer s = {0};
    struct dpk_app app;
    struct dpk_buf made = {0};
    enum dpk_status status = mlxdpa_need(command, "-c", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_prepare(o, t->path, &s, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status == DPK_OK && dpk_app_parse(t->file.data, t->file.size, &app, err) != DPK_OK)
        status = dpk_error_prefix(err, "%s", t->path);
    if (status == DPK_OK)
        status = mlxdpa_signing_output(s.output, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_open(o, &s, err);
    if (status != DPK_OK)
        goto out;
    status =
        dpk_app_sign(t->file.data, t->file.size, priority, s.chain, s.signer, &how, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(s.output, made.data, made.size, 0644, err);
    else if (status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s", t->path);
    if (status == DPK_OK) {
        mlxdpa_say(s.output, "%s was signed successfully.", s.output);
        mlxdpa_program_signer_warn(&s);
    }
out:
    dpk_buf_free(&made);
    mlxdpa_program_signer_close(&s);
    return status;
}

static enum dpk_status bring_signature(void *context, const struct dpk_tbs *tbs,
                                       struct dpk_buf *signature, struct dpk_error *err)
{
    (void)tbs;
    const struct dpk_buf *brought = context;
    dpk_put(signature, brought->data, brought->size);
    return signature->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* Reads chain and signature for attaching. Release both. */
static enum dpk_status read_proof(const struct mlxdpa_options *o, const char *output,
                                  const char *path, struct dpk_certchain **chain,
                                  struct dpk_buf *signature, struct dpk_error *err)
{
    const char *const inputs[] = {o->cert, path};
    enum dpk_status status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_chain(o, chain, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_check(o, *chain, NULL, err);
    return status == DPK_OK ? mlxdpa_signature_read(o, &(struct dpk_tbs){0}, signature, err)
                            : status;
}

static enum dpk_status attach_to_program(struct target *t, const struct mlxdpa_options *o,
                                         struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct dpk_sign_options how = mlxdpa_signing_options(o);
    enum dpk_lifecycle priority;
    struct dpk_certchain *chain = NULL;
    struct dpk_buf signature = {0}, made = {0};
    const char *output = NULL;
    char *path = mlxdpa_signing_path(o->signature, &(struct dpk_tbs){0}, "sig");
    enum dpk_status status = path ? DPK_OK : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-c CHAIN", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_output(o, t->path, &output, err);
    if (status == DPK_OK)
        status = read_proof(o, output, path, &chain, &signature, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status != DPK_OK)
        goto out;
    how.proof = bring_signature;
    how.proof_context = &signature;
    status = dpk_app_sign(t->file.data, t->file.size, priority, chain, NULL, &how, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(output, made.data, made.size, 0644, err);
    else
        dpk_error_prefix(err, "%s, %s", t->path, path);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures attached successfully!");
out:
    dpk_buf_free(&made);
    dpk_buf_free(&signature);
    dpk_certchain_free(chain);
    free(path);
    return status;
}

/* ---- Signing a removal ---- */

/* Returns true if the container removes a program, according to an option or to FILE's content. */
static bool is_removal(const struct target *t, const struct mlxdpa_options *o)
{
    struct dpk_app app;
    if (!o->file)
        return o->removal_container != NULL;
    return dpk_app_parse(t->file.data, t->file.size, &app, NULL) == DPK_OK &&
           app.kind == DPK_APP_REMOVAL;
}

struct removal {
    enum dpk_lifecycle priority;
    struct dpk_uuid keypair;
};

static enum dpk_status parse_removal(const char *command, const struct mlxdpa_options *o,
                                     struct removal *out, struct dpk_error *err)
{
    out->keypair = o->keypair_uuid;
    return mlxdpa_priority(command, o, &out->priority, err);
}

static enum dpk_status read_removal(void *how, const struct dpk_buf *file, struct dpk_error *err)
{
    struct dpk_app app;
    (void)how;
    return dpk_app_parse(file->data, file->size, &app, err);
}

static enum dpk_status sign_removal_with(void *how, const struct dpk_buf *file,
                                         const struct dpk_signer *signer, struct dpk_buf *made,
                                         struct dpk_error *err)
{
    const struct removal *r = how;
    return dpk_app_removal_sign(file->data, file->size, r->priority, &r->keypair, signer, made,
                                err);
}

static enum dpk_status sign_removal(const char *command, struct target *t,
                                    const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct removal how = {0};
    enum dpk_status status = mlxdpa_need(command, "-o", o->output, err);
    if (status == DPK_OK)
        status = parse_removal(command, o, &how, err);
    if (status == DPK_OK)
        status = mlxdpa_sign_by_key(t, o, read_removal, sign_removal_with, &how, err);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "DPA removal container signed successfully!");
    return status;
}

static enum dpk_status attach_to_removal(const void *how, const struct dpk_buf *file,
                                         const struct dpk_buf *signature, EVP_PKEY *key,
                                         struct dpk_buf *made, struct dpk_error *err)
{
    const struct removal *r = how;
    return dpk_app_removal_attach(file->data, file->size, r->priority, &r->keypair, signature, key,
                                  made, err);
}

/* ---- A program or a removal ---- */

static enum dpk_status sign(const char *command, struct target *t, const struct mlxdpa_options *o,
                            struct dpk_error *err)
{
    return is_removal(t, o) ? sign_removal(command, t, o, err) : sign_program(command, t, o, err);
}

static enum dpk_status tbs(struct target *t, const struct mlxdpa_options *o, struct tbs_list *l,
                           struct dpk_error *err)
{
    struct removal how = {0};
    struct dpk_buf made = {0};
    enum dpk_status status = parse_removal("export_tbs", o, &how, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_buf *f = &t->file;
    status = is_removal(t, o)
                 ? dpk_app_removal_prepare(f->data, f->size, how.priority, &how.keypair, &made, err)
                 : dpk_app_tbs(f->data, f->size, how.priority, o->force, &made, err);
    if (status == DPK_OK)
        status = mlxdpa_tbs_add(l, &(struct dpk_tbs){.bytes = made.data, .size = made.size}, err);
    else if (status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s", t->path);
    dpk_buf_free(&made);
    return status;
}

static enum dpk_status attach(struct target *t, const struct mlxdpa_options *o,
                              struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct removal how = {0};
    if (!is_removal(t, o))
        return attach_to_program(t, o, err);
    enum dpk_status status = mlxdpa_need(command, "-o", o->output, err);
    if (status == DPK_OK)
        status = parse_removal(command, o, &how, err);
    return status == DPK_OK ? mlxdpa_attach_by_key(t, o, false, attach_to_removal, &how, err)
                            : status;
}

const struct kind kind_app = {.name = "single-program container",
                              .magic = DPK_APP_FINGERPRINT,
                              .max = DPK_APP_MAX,
                              .list = list,
                              .show = show,
                              .need_trust = need_trust,
                              .verify = verify,
                              .sign = sign,
                              .tbs = tbs,
                              .attach = attach};
