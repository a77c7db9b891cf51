/* Creates and signs certificate containers. */
#include <string.h>

#include "items.h"

void dpk_container_put_item(struct dpk_buf *out, enum item_type type, unsigned priority,
                            size_t content_size)
{
    uint32_t method = type == ITEM_SIGNATURE ? METHOD_SIGNATURE : METHOD_OTHER;
    dpk_put_be32(out, ITEM_VALID << 30 | priority << 28 | (uint32_t)type << 16 |
                          (uint32_t)(HEADER_SIZE + content_size));
    dpk_put_be32(out, method << 28);
    dpk_put_be32(out, 0);
}

static enum dpk_status create_addition(const struct dpk_container_plan *plan, struct dpk_buf *out,
                                       struct dpk_error *err)
{
    if (!plan->cert)
        return dpk_fail(err, DPK_ERR_USAGE, "a container that adds needs a certificate");
    if (plan->remove_all)
        return dpk_fail(err, DPK_ERR_USAGE, "a container that adds cannot remove");
    if (plan->nvidia_signed_oem && plan->priority != DPK_LIFECYCLE_OEM)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "an OEM certificate that NVIDIA signs has life-cycle priority OEM, not %s",
                        dpk_lifecycle_name(plan->priority));
    enum dpk_status status = dpk_container_check_der(plan->cert, plan->cert_size, err);
    if (status != DPK_OK)
        return status;
    unsigned meta = plan->nvidia_signed_oem ? DPK_LIFECYCLE_NVIDIA : plan->priority;
    size_t padded = (plan->cert_size + 3) & ~(size_t)3;
    dpk_container_put_item(out, ITEM_METADATA, meta, METADATA_SIZE);
    dpk_put(out, plan->cert_uuid.bytes, sizeof plan->cert_uuid.bytes);
    dpk_put_be32(out, META_DPA_ROOT | (plan->keep_sig ? META_KEEP_SIG : 0));
    dpk_put(out, plan->keypair_uuid.bytes, sizeof plan->keypair_uuid.bytes);
    dpk_container_put_item(out, ITEM_CERTIFICATE, plan->priority, padded);
    dpk_put(out, plan->cert, plan->cert_size);
    dpk_put_fill(out, 0, padded - plan->cert_size);
    return DPK_OK;
}

static enum dpk_status create_removal(const struct dpk_container_plan *plan, struct dpk_buf *out,
                                      struct dpk_error *err)
{
    bool one = !dpk_uuid_is_zero(&plan->cert_uuid);
    if (plan->cert)
        return dpk_fail(err, DPK_ERR_USAGE, "a container that removes takes no certificate");
    if (plan->keep_sig || plan->nvidia_signed_oem)
        return dpk_fail(err, DPK_ERR_USAGE, "%s is for containers that add",
                        plan->keep_sig ? "keep_sig" : "nvidia_signed_oem");
    if (one == plan->remove_all)
        return dpk_fail(err, DPK_ERR_USAGE,
                        one ? "give either --remove_all_certs or --cert_uuid, not both"
                            : "a container that removes needs --cert_uuid or --remove_all_certs");
    dpk_container_put_item(out, ITEM_REMOVAL, plan->priority, REMOVAL_SIZE);
    dpk_put(out, plan->cert_uuid.bytes, sizeof plan->cert_uuid.bytes);
    dpk_put(out, plan->keypair_uuid.bytes, sizeof plan->keypair_uuid.bytes);
    dpk_put_be32(out, plan->remove_all ? REMOVE_ALL : 0);
    return DPK_OK;
}

enum dpk_status dpk_container_create(const struct dpk_container_plan *plan, struct dpk_buf *out,
                                     struct dpk_error *err)
{
    struct dpk_buf made = {0};
    dpk_put(&made, FINGERPRINT, FINGERPRINT_SIZE);
    enum dpk_status status = plan->kind == DPK_CONTAINER_ADD ? create_addition(plan, &made, err)
                                                             : create_removal(plan, &made, err);
    if (status == DPK_OK) {
        dpk_put(out, made.data, made.size);
        if (made.failed || out->failed)
            status = dpk_fail_nomem(err);
    }
    dpk_buf_free(&made);
    return status;
}

/* Sets the UUID to store: `asked`, or the UUID that is already there if `asked` is zero. */
static enum dpk_status settle_uuid(const char *what, const char *option,
                                   const struct dpk_uuid *asked, struct dpk_uuid *there,
                                   struct dpk_error *err)
{
    if (!dpk_uuid_is_zero(asked))
        *there = *asked;
    if (dpk_uuid_is_zero(there))
        return dpk_fail(err, DPK_ERR_USAGE, "the container names no %s UUID: give %s", what,
                        option);
    return DPK_OK;
}

static enum dpk_status check_signing(const struct dpk_container *c,
                                     const struct dpk_container_signing *how, struct dpk_error *err)
{
    if (c->signature)
        return dpk_fail(err, DPK_ERR_EXISTS, "the container is already signed");
    if (how->nvidia_signed_oem && !c->nvidia_signed_oem)
        return dpk_fail(err, DPK_ERR_MISMATCH,
                        "the container was not created as an NVIDIA-signed OEM one");
    if (how->priority != c->priority)
        return dpk_fail(err, DPK_ERR_MISMATCH, "the container has life-cycle priority %s, not %s",
                        dpk_lifecycle_name(c->priority), dpk_lifecycle_name(how->priority));
    return DPK_OK;
}

enum dpk_status dpk_container_prepare(const void *bytes, size_t size,
                                      const struct dpk_container_signing *how, struct dpk_buf *out,
                                      struct dpk_error *err)
{
    struct dpk_container c;
    size_t at = out->size;
    enum dpk_status status = dpk_container_parse(bytes, size, &c, err);
    if (status == DPK_OK)
        status = check_signing(&c, how, err);
    /* A removal keeps the certificate UUID of its creation. */
    if (status == DPK_OK && c.kind == DPK_CONTAINER_ADD)
        status = settle_uuid("certificate", "--cert_uuid", &how->cert_uuid, &c.cert_uuid, err);
    if (status == DPK_OK)
        status =
            settle_uuid("key-pair", "--keypair_uuid", &how->keypair_uuid, &c.keypair_uuid, err);
    if (status != DPK_OK)
        return status;
    dpk_put(out, bytes, size);
    if (out->failed)
        return dpk_fail_nomem(err);
    size_t keypair_at = c.kind == DPK_CONTAINER_ADD ? META_KEYPAIR_AT : REM_KEYPAIR_AT;
    memcpy(out->data + at + CERT_UUID_AT, c.cert_uuid.bytes, sizeof c.cert_uuid.bytes);
    memcpy(out->data + at + keypair_at, c.keypair_uuid.bytes, sizeof c.keypair_uuid.bytes);
    return DPK_OK;
}

/* Appends the prepared container and its signature. */
static enum dpk_status put_signed(const struct dpk_buf *prepared, const struct dpk_buf *signature,
                                  struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_container c;
    enum dpk_status status = dpk_container_parse(prepared->data, prepared->size, &c, err);
    if (status != DPK_OK)
        return status;
    unsigned priority = c.nvidia_signed_oem ? DPK_LIFECYCLE_NVIDIA : c.priority;
    dpk_put(out, prepared->data, prepared->size);
    dpk_container_put_item(out, ITEM_SIGNATURE, priority, SIGNATURE_SIZE);
    dpk_put(out, signature->data, signature->size);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status dpk_container_sign(const void *bytes, size_t size,
                                   const struct dpk_container_signing *how, struct dpk_buf *out,
                                   struct dpk_error *err)
{
    struct dpk_buf prepared = {0}, signature = {0};
    enum dpk_status status = dpk_container_prepare(bytes, size, how, &prepared, err);
    if (status == DPK_OK && dpk_signer_bits(how->signer) != 4096)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "RSA key of %u bits: containers are signed with RSA-4096",
                          dpk_signer_bits(how->signer));
    if (status == DPK_OK)
        status =
            dpk_signer_sign(how->signer, DPK_SHA512, prepared.data, prepared.size, &signature, err);
    if (status == DPK_OK)
        status = put_signed(&prepared, &signature, out, err);
    dpk_buf_free(&signature);
    dpk_buf_free(&prepared);
    return status;
}

enum dpk_status dpk_container_attach(const void *bytes, size_t size,
                                     const struct dpk_container_signing *how,
                                     const struct dpk_buf *signature, EVP_PKEY *key,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_buf prepared = {0};
    enum dpk_status status = dpk_container_prepare(bytes, size, how, &prepared, err);
    if (status == DPK_OK && signature->size != SIGNATURE_SIZE)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the signature has %zu bytes, must have %zu",
                          signature->size, SIGNATURE_SIZE);
    if (status == DPK_OK)
        status = dpk_signature_check(key, DPK_SHA512, prepared.data, prepared.size, signature->data,
                                     signature->size, err);
    if (status == DPK_OK)
        status = put_signed(&prepared, signature, out, err);
    dpk_buf_free(&prepared);
    return status;
}
