/* Creates, signs and verifies single-program containers. */
#include <string.h>

#include "items.h"

void appcontainer_put_item(struct dpk_buf *out, enum item_type type, enum dpk_lifecycle priority,
                           size_t content_size)
{
    dpk_put_u8(out, (uint8_t)(ITEM_VALID << 6 | (unsigned)priority << 4));
    dpk_put_u8(out, (uint8_t)type);
    dpk_put_be16(out, 0);
    dpk_put_be32(out, (uint32_t)(HEADER_SIZE + content_size));
}

/* `force` accepts an ELF for any machine. */
static enum dpk_status check_elf(const uint8_t *elf, size_t size, bool force, struct dpk_error *err)
{
    struct dpk_hashlist *list = NULL;
    if (size > DPK_APP_ELF_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "the ELF has more than %zu bytes", DPK_APP_ELF_MAX);
    enum dpk_status status = dpk_hashlist_build(elf, size, DPK_PROFILE_COMPACT, &list, err);
    dpk_hashlist_free(list);
    if (status == DPK_OK && !force && !dpk_elf_is_riscv(elf, size))
        status = dpk_fail(err, DPK_ERR_REFUSED,
                          "its device ELF is not one for RISC-V, so no device runs it (--force "
                          "takes it all the same)");
    return status;
}

enum dpk_status dpk_app_create(const struct dpk_app_plan *plan, struct dpk_buf *out,
                               struct dpk_error *err)
{
    struct dpk_buf packed = {0}, made = {0};
    const uint8_t *stored = plan->elf;
    size_t stored_size = plan->elf_size;
    enum dpk_status status = check_elf(plan->elf, plan->elf_size, plan->force, err);
    if (status == DPK_OK && plan->manifest_size > DPK_APP_MAX - DPK_APP_ELF_MAX - 4096)
        status = dpk_fail(err, DPK_ERR_RANGE, "the manifest is too large");
    if (status == DPK_OK && plan->xz) {
        status = appcontainer_xz_encode(plan->elf, plan->elf_size, &packed, err);
        stored = packed.data;
        stored_size = packed.size;
    }
    if (status != DPK_OK)
        goto out;
    dpk_put(&made, DPK_APP_FINGERPRINT, FINGERPRINT_SIZE);
    appcontainer_put_item(&made, plan->xz ? ITEM_ELF_XZ : ITEM_ELF, plan->priority, stored_size);
    dpk_put(&made, stored, stored_size);
    appcontainer_put_item(&made, ITEM_METADATA, plan->priority, DPK_APP_METADATA_SIZE);
    dpk_app_metadata_encode(&plan->metadata, &made);
    appcontainer_put_item(&made, ITEM_MANIFEST, plan->priority, plan->manifest_size);
    dpk_put(&made, plan->manifest, plan->manifest_size);
    dpk_put(out, made.data, made.size);
    if (made.failed || out->failed)
        status = dpk_fail_nomem(err);
out:
    dpk_buf_free(&made);
    dpk_buf_free(&packed);
    return status;
}

/* Returns what the crypto data covers. The ELF's own size is known only after decompression. */
static enum dpk_status pack(const struct dpk_app *app, bool force, struct dpk_packed_program *out,
                            struct dpk_error *err)
{
    struct dpk_buf elf = {0};
    enum dpk_status status = dpk_app_elf(app, &elf, err);
    if (status == DPK_OK)
        status = check_elf(elf.data, elf.size, force, err);
    if (status == DPK_OK)
        *out = (struct dpk_packed_program){
            .parts = {.stored = app->stored,
                      .stored_size = app->stored_size,
                      .metadata = app->metadata_bytes,
                      .metadata_size = DPK_APP_METADATA_SIZE,
                      .manifest = app->manifest,
                      .manifest_size = app->manifest_size},
            .elf_size = app->xz ? (uint32_t)elf.size : 0,
        };
    dpk_buf_free(&elf);
    return status;
}

static enum dpk_status check_signing(const struct dpk_app *app, enum dpk_app_kind kind,
                                     enum dpk_lifecycle priority, struct dpk_error *err)
{
    if (app->kind != kind)
        return dpk_fail(err, DPK_ERR_MISMATCH,
                        kind == DPK_APP_PROGRAM ? "the container removes a program: sign it with "
                                                  "sign_dpa_app_removal"
                                                : "the container holds a program: sign it with "
                                                  "sign_single_dpa_app");
    if (app->crypto || app->signature)
        return dpk_fail(err, DPK_ERR_EXISTS, "the container is already signed");
    if (app->priority != priority)
        return dpk_fail(err, DPK_ERR_MISMATCH, "the container has life-cycle priority %s, not %s",
                        dpk_lifecycle_name(app->priority), dpk_lifecycle_name(priority));
    return DPK_OK;
}

/* Parses a program's container that may still be signed. */
static enum dpk_status open_unsigned(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                     bool force, struct dpk_app *app,
                                     struct dpk_packed_program *program, struct dpk_error *err)
{
    enum dpk_status status = dpk_app_parse(bytes, size, app, err);
    if (status == DPK_OK)
        status = check_signing(app, DPK_APP_PROGRAM, priority, err);
    return status == DPK_OK ? pack(app, force, program, err) : status;
}

enum dpk_status dpk_app_tbs(const void *bytes, size_t size, enum dpk_lifecycle priority, bool force,
                            struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_packed_program program;
    const struct dpk_sign_options how = {.profile = DPK_PROFILE_COMPACT, .force = force};
    enum dpk_status status = open_unsigned(bytes, size, priority, force, &app, &program, err);
    const struct dpk_subject subject = {.packed = &program};
    return status == DPK_OK ? dpk_crypto_tbs(&subject, &how, out, err) : status;
}

enum dpk_status dpk_app_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                             const struct dpk_certchain *chain, const struct dpk_signer *signer,
                             const struct dpk_sign_options *options, struct dpk_buf *out,
                             struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_packed_program program;
    const struct dpk_subject subject = {.packed = &program};
    struct dpk_buf crypto = {0};
    enum dpk_status status =
        open_unsigned(bytes, size, priority, options->force, &app, &program, err);
    if (status == DPK_OK)
        status = dpk_crypto_build(&subject, chain, signer, options, &crypto, err);
    if (status == DPK_OK) {
        dpk_put(out, bytes, app.elf_end);
        appcontainer_put_item(out, ITEM_CRYPTO, app.priority, crypto.size);
        dpk_put(out, crypto.data, crypto.size);
        dpk_put(out, (const uint8_t *)bytes + app.elf_end, size - app.elf_end);
        if (out->failed)
            status = dpk_fail_nomem(err);
    }
    dpk_buf_free(&crypto);
    return status;
}

enum dpk_verdict dpk_app_verify(const struct dpk_app *app, const struct dpk_trust *trust,
                                struct dpk_report *report)
{
    struct dpk_packed_program program;
    struct dpk_error err = {0};
    const struct dpk_subject subject = {
        .packed = &program, .crypto = app->crypto, .crypto_size = app->crypto_size};
    struct dpk_subject refused = {.fault = {.name = "container"}};
    struct dpk_check *fault = &refused.fault;
    if (app->kind != DPK_APP_PROGRAM) {
        fault->verdict = DPK_VERDICT_UNSUPPORTED;
        snprintf(fault->detail, sizeof fault->detail, "the container removes a program");
    } else if (!app->crypto) {
        fault->verdict = DPK_VERDICT_UNSIGNED;
        snprintf(fault->detail, sizeof fault->detail, "the container is not signed");
    } else if (pack(app, false, &program, &err) != DPK_OK) {
        fault->verdict = DPK_VERDICT_BAD_FORMAT;
        snprintf(fault->detail, sizeof fault->detail, "%.255s", err.message);
    } else {
        return dpk_verify(&subject, trust, report);
    }
    return dpk_verify(&refused, trust, report);
}

/* ---- Removals ---- */

enum dpk_status dpk_app_removal_create(enum dpk_lifecycle priority, const struct dpk_uuid *app,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    static const struct dpk_uuid none;
    dpk_put(out, DPK_APP_FINGERPRINT, FINGERPRINT_SIZE);
    appcontainer_put_item(out, ITEM_REMOVAL, priority, REMOVAL_SIZE);
    dpk_put(out, app->bytes, sizeof app->bytes);
    dpk_put(out, none.bytes, sizeof none.bytes);
    dpk_put_be32(out, 0);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* Sets the key-pair UUID to store: `asked`, or the UUID that is already there if `asked` is
 * zero. */
static enum dpk_status settle_keypair(struct dpk_uuid *there, const struct dpk_uuid *asked,
                                      struct dpk_error *err)
{
    if (!dpk_uuid_is_zero(asked))
        *there = *asked;
    return dpk_uuid_is_zero(there) ? dpk_fail(err, DPK_ERR_USAGE,
                                              "the container names no key-pair UUID: give "
                                              "--keypair_uuid")
                                   : DPK_OK;
}

enum dpk_status dpk_app_removal_prepare(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                        const struct dpk_uuid *keypair, struct dpk_buf *out,
                                        struct dpk_error *err)
{
    struct dpk_app app;
    size_t at = out->size;
    enum dpk_status status = dpk_app_parse(bytes, size, &app, err);
    if (status == DPK_OK)
        status = check_signing(&app, DPK_APP_REMOVAL, priority, err);
    if (status == DPK_OK)
        status = settle_keypair(&app.keypair_uuid, keypair, err);
    if (status != DPK_OK)
        return status;
    dpk_put(out, bytes, size);
    if (out->failed)
        return dpk_fail_nomem(err);
    memcpy(out->data + at + KEYPAIR_AT, app.keypair_uuid.bytes, sizeof app.keypair_uuid.bytes);
    return DPK_OK;
}

/* Appends the signature to a prepared removal. */
static enum dpk_status append_signature(struct dpk_buf *made, enum dpk_lifecycle priority,
                                        const struct dpk_buf *signature, struct dpk_buf *out,
                                        struct dpk_error *err)
{
    appcontainer_put_item(made, ITEM_SIGNATURE, priority, SIGNATURE_SIZE);
    dpk_put(made, signature->data, signature->size);
    dpk_put(out, made->data, made->size);
    return made->failed || out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_app_removal_attach(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                       const struct dpk_uuid *keypair,
                                       const struct dpk_buf *signature, EVP_PKEY *key,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_buf made = {0};
    enum dpk_status status = dpk_app_removal_prepare(bytes, size, priority, keypair, &made, err);
    if (status == DPK_OK)
        status = dpk_signature_check(key, DPK_SHA512, made.data, made.size, signature->data,
                                     signature->size, err);
    if (status == DPK_OK && signature->size != SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "a signature of %zu bytes: containers are signed with RSA-4096",
                          signature->size);
    if (status == DPK_OK)
        status = append_signature(&made, priority, signature, out, err);
    dpk_buf_free(&made);
    return status;
}

enum dpk_status dpk_app_removal_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                     const struct dpk_uuid *keypair,
                                     const struct dpk_signer *signer, struct dpk_buf *out,
                                     struct dpk_error *err)
{
    struct dpk_buf made = {0}, signature = {0};
    enum dpk_status status = dpk_app_removal_prepare(bytes, size, priority, keypair, &made, err);
    if (status == DPK_OK && dpk_signer_bits(signer) != 4096)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "RSA key of %u bits: containers are signed with RSA-4096",
                          dpk_signer_bits(signer));
    if (status == DPK_OK)
        status = dpk_signer_sign(signer, DPK_SHA512, made.data, made.size, &signature, err);
    if (status == DPK_OK)
        status = append_signature(&made, priority, &signature, out, err);
    dpk_buf_free(&signature);
    dpk_buf_free(&made);
    return status;
}

enum dpk_status dpk_app_removal_verify(const struct dpk_app *app, EVP_PKEY *key,
                                       struct dpk_error *err)
{
    if (!app->signature)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "the container is not signed");
    return dpk_signature_check(key, DPK_SHA512, app->signed_bytes, app->signed_size, app->signature,
                               SIGNATURE_SIZE, err);
}
