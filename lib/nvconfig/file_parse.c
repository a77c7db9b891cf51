/* Parses NV configuration files, and verifies their signatures. */
#include <ctype.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "file_format.h"

/* The signature TLVs at the end of the file. */
struct tail {
    struct dpk_nv_tlv plain, half_a, half_b;
    bool has_plain, has_a, has_b;
    size_t plain_at, a_at;
};

static enum dpk_status read_tlv(struct dpk_reader *r, struct dpk_nv_tlv *out, struct dpk_error *err)
{
    uint32_t header[TLV_HEADER_DWORDS];
    for (size_t i = 0; i < TLV_HEADER_DWORDS; i++)
        header[i] = dpk_read_be32(r);
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "truncated in a TLV header");
    enum dpk_status status = dpk_nv_header_decode(header, out, err);
    if (status != DPK_OK)
        return status;
    const uint8_t *data = dpk_read_bytes(r, out->size);
    if (!data)
        return dpk_fail(err, DPK_ERR_FORMAT, "TLV of %zu bytes ends outside the file", out->size);
    memcpy(out->data, data, out->size);
    return DPK_OK;
}

/* Returns true for the RFC 4122 variant with an existing version, or zero, which NVIDIA's tool
 * writes. */
static bool is_signature_uuid(const uint8_t *uuid)
{
    static const uint8_t zero[16];
    unsigned version = uuid[6] >> 4;
    return memcmp(uuid, zero, sizeof zero) == 0 ||
           (uuid[8] >> 6 == 2 && version >= 1 && version <= 8);
}

/* No signature covers these bytes, so only the known forms are accepted: priority MLNX (NVIDIA's
 * tool) and USER (the guide's manual recipe). */
static enum dpk_status check_signature_tlv(const struct dpk_nv_tlv *tlv, size_t size,
                                           struct dpk_error *err)
{
    static const uint8_t zeros[SIG_SIZE];
    if (tlv->size != size)
        return dpk_fail(err, DPK_ERR_FORMAT, "signature TLV of %zu bytes, must have %zu", tlv->size,
                        size);
    if (tlv->priority == DPK_NV_OEM || !tlv->ovr_en || !tlv->rd_en || tlv->writer_id ||
        tlv->version)
        return dpk_fail(err, DPK_ERR_FORMAT, "signature TLV with a wrong header");
    if (!is_signature_uuid(tlv->data))
        return dpk_fail(err, DPK_ERR_FORMAT, "the signature's UUID is invalid");
    size_t used = SIG_FIELD_AT + SIG_FIELD_SIZE;
    if (memcmp(tlv->data + used, zeros, size - used) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "bytes after the signature in its TLV");
    return DPK_OK;
}

/* Takes a signature TLV if it is in an allowed place. */
static enum dpk_status take_signature(const struct dpk_nv_tlv *tlv, size_t at, struct tail *tail,
                                      struct dpk_error *err)
{
    bool plain = tlv->index == DPK_NV_INDEX_SIGNATURE;
    bool half_a = tlv->index == DPK_NV_INDEX_SIGNATURE_A;
    enum dpk_status status = check_signature_tlv(tlv, plain ? SIG_SIZE : SIG_HALF_SIZE, err);
    if (status != DPK_OK)
        return status;
    if (plain && !tail->has_plain && !tail->has_a) {
        tail->plain = *tlv;
        tail->plain_at = at;
        tail->has_plain = true;
    } else if (half_a && !tail->has_a) {
        tail->half_a = *tlv;
        tail->a_at = at;
        tail->has_a = true;
    } else if (!plain && !half_a && tail->has_a && !tail->has_b) {
        tail->half_b = *tlv;
        tail->has_b = true;
    } else {
        return dpk_fail(err, DPK_ERR_FORMAT, "signature TLV twice or out of order");
    }
    return DPK_OK;
}

static enum dpk_status read_tlvs(struct dpk_reader *r, struct dpk_nv_file *file, struct tail *tail,
                                 struct dpk_error *err)
{
    while (dpk_reader_left(r) > 0) {
        size_t at = dpk_reader_offset(r);
        struct dpk_nv_tlv tlv = {0};
        enum dpk_status status = read_tlv(r, &tlv, err);
        if (status == DPK_OK && dpk_nv_is_signature(&tlv))
            status = take_signature(&tlv, at, tail, err);
        else if (status == DPK_OK && (tail->has_plain || tail->has_a))
            status = dpk_fail(err, DPK_ERR_FORMAT, "a TLV after the signature");
        else if (status == DPK_OK)
            status = dpk_nv_list_add_new(&file->tlvs, &tlv, err);
        if (status != DPK_OK) {
            dpk_error_prefix(err, "offset 0x%zx", at);
            return status == DPK_ERR_NOMEM ? status : DPK_ERR_FORMAT;
        }
    }
    return DPK_OK;
}

static enum dpk_status read_digest(struct dpk_nv_file *file, const struct tail *tail,
                                   const uint8_t *bytes, struct dpk_error *err)
{
    static const uint8_t zeros[SIG_FIELD_SIZE];
    uint8_t digest[SHA256_DIGEST_LENGTH];
    const uint8_t *field = tail->plain.data + SIG_FIELD_AT;
    if (memcmp(field + sizeof digest, zeros, SIG_FIELD_SIZE - sizeof digest) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "bytes after the digest");
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    if (!SHA256(bytes, tail->plain_at, digest))
        return dpk_fail_nomem(err);
    file->has_digest = true;
    file->digest_right = memcmp(field, digest, sizeof digest) == 0;
    return DPK_OK;
}

/* Determines the kind of signature and the signed bytes. */
static enum dpk_status read_tail(struct dpk_nv_file *file, const struct tail *tail,
                                 const uint8_t *bytes, struct dpk_error *err)
{
    struct dpk_uuid plain_key = {{0}};
    if (tail->has_plain)
        memcpy(plain_key.bytes, tail->plain.data + SIG_KEYPAIR_AT, sizeof plain_key.bytes);
    bool plain_signs = tail->has_plain && !dpk_uuid_is_zero(&plain_key);
    if (tail->has_a != tail->has_b)
        return dpk_fail(err, DPK_ERR_FORMAT, "only one half of the signature");
    if (plain_signs && tail->has_a)
        return dpk_fail(err, DPK_ERR_FORMAT, "two signatures");
    if (tail->has_plain && !plain_signs) {
        enum dpk_status status = read_digest(file, tail, bytes, err);
        if (status != DPK_OK)
            return status;
    }
    file->signed_bytes = bytes;
    if (plain_signs) {
        file->signature_kind = DPK_NV_RSA_2048;
        file->keypair = plain_key;
        file->signed_size = tail->plain_at;
        memcpy(file->signature, tail->plain.data + SIG_FIELD_AT, SIG_FIELD_SIZE);
    } else if (tail->has_a) {
        /* The first bytes are the two UUIDs, which both halves have. */
        if (memcmp(tail->half_a.data, tail->half_b.data, SIG_FIELD_AT) != 0 ||
            tail->half_a.priority != tail->half_b.priority)
            return dpk_fail(err, DPK_ERR_FORMAT,
                            "the halves of the signature do not belong "
                            "together");
        file->signature_kind = DPK_NV_RSA_4096;
        file->signed_size = tail->a_at;
        memcpy(file->keypair.bytes, tail->half_a.data + SIG_KEYPAIR_AT, sizeof file->keypair.bytes);
        memcpy(file->signature, tail->half_a.data + SIG_FIELD_AT, SIG_FIELD_SIZE);
        memcpy(file->signature + SIG_FIELD_SIZE, tail->half_b.data + SIG_FIELD_AT, SIG_FIELD_SIZE);
        if (dpk_uuid_is_zero(&file->keypair))
            return dpk_fail(err, DPK_ERR_FORMAT, "the signature names no key");
    }
    return DPK_OK;
}

static enum dpk_status copy_psid(const uint8_t *from, char to[PSID_SIZE + 1], struct dpk_error *err)
{
    size_t length = strnlen((const char *)from, PSID_SIZE);
    for (size_t i = 0; i < PSID_SIZE; i++)
        if (i < length ? !isascii(from[i]) || !isprint(from[i]) : from[i] != 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "file_applicable_to: PSID is not ASCII text");
    memcpy(to, from, length);
    to[length] = 0;
    return DPK_OK;
}

static enum dpk_status read_meaning(struct dpk_nv_file *file, struct dpk_error *err)
{
    const struct dpk_nv_tlv *vendor =
        dpk_nv_list_find(&file->tlvs, DPK_NV_GLOBAL, DPK_NV_INDEX_ID_VENDOR);
    const struct dpk_nv_tlv *mlnx =
        dpk_nv_list_find(&file->tlvs, DPK_NV_GLOBAL, DPK_NV_INDEX_ID_MLNX);
    const struct dpk_nv_tlv *applicable =
        dpk_nv_list_find(&file->tlvs, DPK_NV_FILE, DPK_NV_INDEX_APPLICABLE_TO);
    const struct dpk_nv_tlv *identity = vendor ? vendor : mlnx;
    if (!identity || (vendor && mlnx))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s identity TLV", identity ? "more than one" : "no");
    if (!applicable)
        return dpk_fail(err, DPK_ERR_FORMAT, "file_applicable_to is missing");
    if (identity->size != ID_SIZE || applicable->size != APPLICABLE_SIZE)
        return dpk_fail(err, DPK_ERR_FORMAT, "identity of %zu and file_applicable_to of %zu bytes",
                        identity->size, applicable->size);
    struct dpk_reader r = dpk_reader(identity->data, identity->size);
    if (dpk_read_be32(&r) & ~ID_FLAGS)
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits of the identity are set");
    file->version = dpk_read_be32(&r);
    file->mlnx = identity == mlnx;
    struct dpk_nv_flags flags = dpk_nv_identity_flags(identity);
    file->disable_override = flags.disable_override;
    file->keep_same_priority = flags.keep_same_priority;
    file->per_tlv_priority = flags.per_tlv_priority;
    file->erase_lower_priority = flags.erase_lower_priority;
    enum dpk_status status = dpk_nv_flags_check(&flags, err);
    if (status == DPK_OK)
        status = copy_psid(applicable->data, file->psid, err);
    if (status == DPK_OK)
        status = copy_psid(applicable->data + PSID_SIZE, file->psid_branch, err);
    return status;
}

enum dpk_status dpk_nv_file_parse(const void *bytes, size_t size, struct dpk_nv_file *out,
                                  struct dpk_error *err)
{
    struct dpk_nv_file file = {0};
    struct tail tail = {0};
    struct dpk_reader r = dpk_reader(bytes, size);
    const uint8_t *fingerprint = dpk_read_bytes(&r, FILE_FINGERPRINT_SIZE);
    if (!fingerprint || memcmp(fingerprint, FILE_FINGERPRINT, FILE_FINGERPRINT_SIZE) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "not an NV configuration file: it must start with " FILE_FINGERPRINT);
    enum dpk_status status = read_tlvs(&r, &file, &tail, err);
    if (status == DPK_OK)
        status = read_tail(&file, &tail, bytes, err);
    if (status == DPK_OK)
        status = read_meaning(&file, err);
    if (status != DPK_OK) {
        dpk_nv_file_free(&file);
        return status;
    }
    *out = file;
    return DPK_OK;
}

void dpk_nv_file_free(struct dpk_nv_file *file)
{
    dpk_nv_list_free(&file->tlvs);
    *file = (struct dpk_nv_file){0};
}

enum dpk_status dpk_nv_file_verify(const struct dpk_nv_file *file, EVP_PKEY *key,
                                   struct dpk_error *err)
{
    bool long_key = file->signature_kind == DPK_NV_RSA_4096;
    if (file->signature_kind == DPK_NV_UNSIGNED_FILE)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "the file is not signed");
    if (EVP_PKEY_get_bits(key) != (long_key ? 4096 : 2048))
        return dpk_fail(err, DPK_ERR_MISMATCH, "RSA-%s signature, but the key has %d bits",
                        long_key ? "4096" : "2048", EVP_PKEY_get_bits(key));
    return dpk_signature_check(key, long_key ? DPK_SHA512 : DPK_SHA256, file->signed_bytes,
                               file->signed_size, file->signature, long_key ? 512 : 256, err);
}
