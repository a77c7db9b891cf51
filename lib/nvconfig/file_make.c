/* Makes NV configuration files. */
#include <stdlib.h>
#include <string.h>

#include <openssl/sha.h>

#include "file_format.h"

struct dpk_nv_flags dpk_nv_identity_flags(const struct dpk_nv_tlv *identity)
{
    struct dpk_reader r = dpk_reader(identity->data, identity->size);
    uint32_t flags = dpk_read_be32(&r);
    return (struct dpk_nv_flags){.disable_override = flags & ID_DISABLE_OVERRIDE,
                                 .keep_same_priority = flags & ID_KEEP_SAME_PRIORITY,
                                 .per_tlv_priority = flags & ID_PER_TLV_PRIORITY,
                                 .erase_lower_priority = flags & ID_ERASE_LOWER_PRIORITY};
}

enum dpk_status dpk_nv_flags_check(const struct dpk_nv_flags *flags, struct dpk_error *err)
{
    if (flags->disable_override && (!flags->keep_same_priority || flags->erase_lower_priority))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "disable_override needs keep_same_priority and no erase_lower_priority");
    return DPK_OK;
}

bool dpk_nv_is_signature(const struct dpk_nv_tlv *tlv)
{
    return tlv->class_id == DPK_NV_FILE &&
           (tlv->index == DPK_NV_INDEX_SIGNATURE || tlv->index == DPK_NV_INDEX_SIGNATURE_A ||
            tlv->index == DPK_NV_INDEX_SIGNATURE_B);
}

static void swap(struct dpk_nv_tlv *a, struct dpk_nv_tlv *b)
{
    struct dpk_nv_tlv held = *a;
    *a = *b;
    *b = held;
}

/* Moves the two leading TLVs to their places by swapping, as NVIDIA's tool does: signatures depend
 * on the order. */
static enum dpk_status order(struct dpk_nv_list *list, struct dpk_error *err)
{
    size_t identities = 0, identity = 0, applicable = 0, applicables = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct dpk_nv_tlv *tlv = &list->items[i];
        if (dpk_nv_is_signature(tlv))
            return dpk_fail(err, DPK_ERR_FORMAT, "file_signature TLVs are made here, not given");
        if (dpk_nv_is_file_identity(tlv)) {
            identity = i;
            identities++;
        }
    }
    if (identities != 1)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: exactly one of nv_file_id_vendor and "
                        "nv_file_id_mlnx must be there",
                        identities ? "both identities" : "no identity");
    swap(&list->items[0], &list->items[identity]);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].class_id == DPK_NV_FILE &&
            list->items[i].index == DPK_NV_INDEX_APPLICABLE_TO) {
            applicable = i;
            applicables++;
        }
    }
    if (applicables != 1)
        return dpk_fail(err, DPK_ERR_FORMAT, "file_applicable_to is missing");
    swap(&list->items[1], &list->items[applicable]);
    struct dpk_nv_flags flags = dpk_nv_identity_flags(&list->items[0]);
    return dpk_nv_flags_check(&flags, err);
}

static void put_signature_tlv(struct dpk_buf *out, uint32_t index, size_t size,
                              const struct dpk_uuid *keypair, const uint8_t *field,
                              size_t field_size)
{
    struct dpk_nv_tlv tlv = {.class_id = DPK_NV_FILE,
                             .index = index,
                             .priority = DPK_NV_MLNX,
                             .ovr_en = true,
                             .rd_en = true,
                             .size = size};
    memcpy(tlv.data + SIG_KEYPAIR_AT, keypair->bytes, sizeof keypair->bytes);
    memcpy(tlv.data + SIG_FIELD_AT, field, field_size);
    dpk_nv_put_tlv(out, &tlv);
}

static void put_digest(struct dpk_buf *out)
{
    static const struct dpk_uuid none;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    if (out->failed)
        return;
    if (dpk_openssl_start(NULL) != DPK_OK || !SHA256(out->data, out->size, digest)) {
        out->failed = true;
        return;
    }
    put_signature_tlv(out, DPK_NV_INDEX_SIGNATURE, SIG_SIZE, &none, digest, sizeof digest);
}

static enum dpk_status put_signature(struct dpk_buf *out, const struct dpk_signer *signer,
                                     const struct dpk_uuid *keypair, struct dpk_error *err)
{
    unsigned bits = dpk_signer_bits(signer);
    struct dpk_buf signature = {0};
    if (bits != 4096 && bits != 2048)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "RSA key of %u bits: NV configuration files are signed with RSA-4096 or "
                        "RSA-2048",
                        bits);
    if (dpk_uuid_is_zero(keypair))
        return dpk_fail(err, DPK_ERR_USAGE, "the key-pair UUID must not be zero");
    enum dpk_status status = dpk_signer_sign(signer, bits == 4096 ? DPK_SHA512 : DPK_SHA256,
                                             out->data, out->size, &signature, err);
    if (status == DPK_OK && bits == 2048)
        put_signature_tlv(out, DPK_NV_INDEX_SIGNATURE, SIG_SIZE, keypair, signature.data,
                          SIG_FIELD_SIZE);
    if (status == DPK_OK && bits == 4096) {
        put_signature_tlv(out, DPK_NV_INDEX_SIGNATURE_A, SIG_HALF_SIZE, keypair, signature.data,
                          SIG_FIELD_SIZE);
        put_signature_tlv(out, DPK_NV_INDEX_SIGNATURE_B, SIG_HALF_SIZE, keypair,
                          signature.data + SIG_FIELD_SIZE, SIG_FIELD_SIZE);
    }
    dpk_buf_free(&signature);
    return status;
}

enum dpk_status dpk_nv_file_make(const struct dpk_nv_list *tlvs, const struct dpk_signer *signer,
                                 const struct dpk_uuid *keypair, struct dpk_buf *out,
                                 struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    struct dpk_nv_list list = {0};
    struct dpk_buf made = {0};
    for (size_t i = 0; i < tlvs->count && status == DPK_OK; i++)
        status = dpk_nv_list_add_new(&list, &tlvs->items[i], err);
    if (status == DPK_OK)
        status = order(&list, err);
    if (status != DPK_OK)
        goto out;
    dpk_put(&made, FILE_FINGERPRINT, FILE_FINGERPRINT_SIZE);
    for (size_t i = 0; i < list.count; i++)
        dpk_nv_put_tlv(&made, &list.items[i]);
    if (!signer)
        put_digest(&made);
    else if (!made.failed)
        status = put_signature(&made, signer, keypair, err);
    if (status != DPK_OK)
        goto out;
    dpk_put(out, made.data, made.size);
    if (made.failed || out->failed)
        status = dpk_fail_nomem(err);
out:
    dpk_buf_free(&made);
    dpk_nv_list_free(&list);
    return status;
}
