/* Parses certificate containers. */
#include <string.h>
#include <strings.h>

#include <openssl/err.h>
#include <openssl/x509.h>

#include "items.h"

static const struct {
    const char *name;
    enum dpk_lifecycle priority;
} lifecycles[] = {
    {"User", DPK_LIFECYCLE_USER}, {"OEM", DPK_LIFECYCLE_OEM}, {"Nvidia", DPK_LIFECYCLE_NVIDIA}};
#define LIFECYCLES (sizeof lifecycles / sizeof *lifecycles)

enum dpk_status dpk_lifecycle_parse(const char *text, enum dpk_lifecycle *out,
                                    struct dpk_error *err)
{
    for (size_t i = 0; i < LIFECYCLES; i++) {
        if (strcasecmp(text, lifecycles[i].name) == 0) {
            *out = lifecycles[i].priority;
            return DPK_OK;
        }
    }
    return dpk_fail(err, DPK_ERR_USAGE, "--life_cycle_priority '%s' is not Nvidia, OEM or User",
                    text);
}

const char *dpk_lifecycle_name(enum dpk_lifecycle priority)
{
    for (size_t i = 0; i < LIFECYCLES; i++)
        if (lifecycles[i].priority == priority)
            return lifecycles[i].name;
    return "unknown";
}

enum dpk_status dpk_container_read_item(struct dpk_reader *r, struct item *out,
                                        struct dpk_error *err)
{
    size_t at = dpk_reader_offset(r);
    uint32_t first = dpk_read_be32(r);
    uint32_t second = dpk_read_be32(r);
    uint32_t crc = dpk_read_be32(r);
    if (r->failed)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: truncated in an item header", at);
    if (first >> 30 != ITEM_VALID)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: item is not marked valid", at);
    out->priority = first >> 28 & 3;
    out->type = first >> 16 & 0xff;
    if (out->priority == 2)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: unknown priority 2", at);
    if ((first >> 24 & 0xf) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: unknown item version %u", at,
                        first >> 24 & 0xf);
    uint32_t method = out->type == ITEM_SIGNATURE ? METHOD_SIGNATURE : METHOD_OTHER;
    if (second != method << 28 || crc != 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "offset 0x%zx: item of type %u with security method and reserved bits "
                        "%08x %08x",
                        at, out->type, second, crc);
    size_t length = first & 0xffff;
    if (length < HEADER_SIZE || length % 4 != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "offset 0x%zx: bad item length %zu", at, length);
    out->size = length - HEADER_SIZE;
    out->content = dpk_read_bytes(r, out->size);
    if (!out->content)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "offset 0x%zx: item of %zu bytes ends outside the file", at, length);
    return DPK_OK;
}

static enum dpk_status expect(const struct item *item, unsigned type, size_t size,
                              struct dpk_error *err)
{
    if (item->type != type)
        return dpk_fail(err, DPK_ERR_FORMAT, "item of type %u where type %u must be", item->type,
                        type);
    if (size && item->size != size)
        return dpk_fail(err, DPK_ERR_FORMAT, "item of type %u has %zu bytes, must have %zu", type,
                        item->size, size);
    return DPK_OK;
}

static void read_uuid(struct dpk_reader *r, struct dpk_uuid *out)
{
    const uint8_t *bytes = dpk_read_bytes(r, sizeof out->bytes);
    if (bytes)
        memcpy(out->bytes, bytes, sizeof out->bytes);
}

static enum dpk_status parse_removal(const struct item *item, struct dpk_container *c,
                                     struct dpk_error *err)
{
    enum dpk_status status = expect(item, ITEM_REMOVAL, REMOVAL_SIZE, err);
    if (status != DPK_OK)
        return status;
    struct dpk_reader r = dpk_reader(item->content, item->size);
    read_uuid(&r, &c->cert_uuid);
    read_uuid(&r, &c->keypair_uuid);
    uint32_t flags = dpk_read_be32(&r);
    if (flags & ~REMOVE_ALL)
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits of the removal are set: %08x", flags);
    c->kind = DPK_CONTAINER_REMOVE;
    c->remove_all = flags & REMOVE_ALL;
    c->priority = (enum dpk_lifecycle)item->priority;
    return DPK_OK;
}

static enum dpk_status parse_addition(const struct item *meta, struct dpk_reader *file,
                                      struct dpk_container *c, struct dpk_error *err)
{
    struct item cert = {0};
    enum dpk_status status = expect(meta, ITEM_METADATA, METADATA_SIZE, err);
    if (status == DPK_OK)
        status = dpk_container_read_item(file, &cert, err);
    if (status == DPK_OK)
        status = expect(&cert, ITEM_CERTIFICATE, 0, err);
    if (status != DPK_OK)
        return status;
    struct dpk_reader r = dpk_reader(meta->content, meta->size);
    read_uuid(&r, &c->cert_uuid);
    uint32_t flags = dpk_read_be32(&r);
    read_uuid(&r, &c->keypair_uuid);
    if (flags & ~(META_DPA_ROOT | META_KEEP_SIG))
        return dpk_fail(err, DPK_ERR_FORMAT, "reserved bits of the metadata are set: %08x", flags);
    c->nvidia_signed_oem =
        meta->priority == DPK_LIFECYCLE_NVIDIA && cert.priority == DPK_LIFECYCLE_OEM;
    if (cert.priority != meta->priority && !c->nvidia_signed_oem)
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate priority %u with metadata priority %u",
                        cert.priority, meta->priority);
    c->kind = DPK_CONTAINER_ADD;
    c->dpa_root = flags & META_DPA_ROOT;
    c->keep_sig = flags & META_KEEP_SIG;
    c->priority = (enum dpk_lifecycle)cert.priority;
    c->cert = cert.content;
    c->cert_size = cert.size;
    return DPK_OK;
}

enum dpk_status dpk_container_parse(const void *bytes, size_t size, struct dpk_container *out,
                                    struct dpk_error *err)
{
    struct dpk_container c = {.signed_bytes = bytes};
    struct dpk_reader r = dpk_reader(bytes, size);
    const uint8_t *fingerprint = dpk_read_bytes(&r, FINGERPRINT_SIZE);
    if (!fingerprint || memcmp(fingerprint, FINGERPRINT, FINGERPRINT_SIZE) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "not a certificate container: it must start with %s",
                        FINGERPRINT);
    struct item first = {0}, last = {0};
    enum dpk_status status = dpk_container_read_item(&r, &first, err);
    if (status != DPK_OK)
        return status;
    status = first.type == ITEM_REMOVAL ? parse_removal(&first, &c, err)
                                        : parse_addition(&first, &r, &c, err);
    if (status != DPK_OK)
        return status;
    c.signed_size = dpk_reader_offset(&r);
    if (dpk_reader_left(&r) > 0) {
        status = dpk_container_read_item(&r, &last, err);
        if (status == DPK_OK)
            status = expect(&last, ITEM_SIGNATURE, SIGNATURE_SIZE, err);
        if (status != DPK_OK)
            return status;
        if (last.priority != first.priority)
            return dpk_fail(err, DPK_ERR_FORMAT, "signature priority %u with metadata priority %u",
                            last.priority, first.priority);
        c.signature = last.content;
    }
    if (dpk_reader_left(&r) > 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes after the signature", dpk_reader_left(&r));
    *out = c;
    return DPK_OK;
}

enum dpk_status dpk_container_check_der(const uint8_t *data, size_t size, struct dpk_error *err)
{
    static const char pem[] = "-----BEGIN";
    if (size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the certificate is empty");
    if (size >= sizeof pem - 1 && memcmp(data, pem, sizeof pem - 1) == 0)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "PEM, but devices want DER: convert it with "
                        "openssl x509 -in IN -outform der -out OUT");
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    const uint8_t *end = data;
    X509 *cert = size <= DPK_CONTAINER_MAX ? d2i_X509(NULL, &end, (long)size) : NULL;
    ERR_clear_error();
    if (!cert)
        return dpk_fail(err, size > DPK_CONTAINER_MAX ? DPK_ERR_RANGE : DPK_ERR_FORMAT,
                        "not a DER certificate");
    X509_free(cert);
    size_t used = (size_t)(end - data);
    if (used != size)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%zu bytes after the certificate: a container holds exactly one",
                        size - used);
    if (size >= DPK_CONTAINER_CERT_END)
        return dpk_fail(err, DPK_ERR_RANGE, "certificate of %zu bytes: it must have fewer than %d",
                        size, DPK_CONTAINER_CERT_END);
    return DPK_OK;
}

enum dpk_status dpk_container_certificate(const struct dpk_container *c, const uint8_t **der,
                                          size_t *der_size, struct dpk_error *err)
{
    if (!c->cert)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "a removal container has no certificate");
    /* The DER length gives the end of the certificate; the rest must be padding. */
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    const uint8_t *end = c->cert;
    X509 *cert = d2i_X509(NULL, &end, (long)c->cert_size);
    ERR_clear_error();
    if (!cert)
        return dpk_fail(err, DPK_ERR_FORMAT, "the container holds no DER certificate");
    X509_free(cert);
    size_t used = (size_t)(end - c->cert);
    static const uint8_t zeros[3];
    size_t padding = c->cert_size - used;
    if (padding > sizeof zeros || memcmp(end, zeros, padding) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the container holds more than one certificate");
    status = dpk_container_check_der(c->cert, used, err);
    if (status != DPK_OK)
        return status;
    *der = c->cert;
    *der_size = used;
    return DPK_OK;
}

enum dpk_status dpk_container_check_root(const struct dpk_container *c, struct dpk_error *err)
{
    const uint8_t *der = NULL;
    size_t size = 0;
    if (c->kind != DPK_CONTAINER_ADD)
        return DPK_OK;
    enum dpk_status status = dpk_container_certificate(c, &der, &size, err);
    if (status == DPK_OK)
        status = dpk_cert_check_root(der, size, err);
    if (status == DPK_OK && !c->dpa_root)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the metadata does not make it a DPA root of trust");
    return status;
}

enum dpk_status dpk_container_verify(const struct dpk_container *c, EVP_PKEY *key,
                                     struct dpk_error *err)
{
    if (!c->signature)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "the container is not signed");
    return dpk_signature_check(key, DPK_SHA512, c->signed_bytes, c->signed_size, c->signature,
                               SIGNATURE_SIZE, err);
}
