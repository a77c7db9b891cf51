/*
 * container: certificate containers, which put CA certificates on a device and take them off
 * (signing(7); guide, "Uploading DPA Root CA Certificate", "Removing Certificates").
 *
 * Creates, signs, parses and verifies them as bytes. Knows no device: whose key counts, and whether
 * a certificate is welcome, is decided there.
 *
 *     struct dpk_container c;
 *     if (dpk_container_parse(bytes, size, &c, &err) == DPK_OK && c.signature &&
 *         dpk_container_verify(&c, owner_key, &err) == DPK_OK)
 *         dpk_container_certificate(&c, &der, &der_size, &err);
 */
#ifndef DPK_CONTAINER_CONTAINER_H
#define DPK_CONTAINER_CONTAINER_H

#include "base/base.h"
#include "certchain/certchain.h"
#include "signer/signer.h"

#define DPK_CONTAINER_MAX      ((size_t)65536)          /* no container is larger */
#define DPK_CONTAINER_CERT_END (DPK_ROOT_MAX_BYTES + 1) /* a certificate has fewer bytes */

/* Life-cycle priority, with the numbers of the item header. */
enum dpk_lifecycle { DPK_LIFECYCLE_USER = 0, DPK_LIFECYCLE_OEM = 1, DPK_LIFECYCLE_NVIDIA = 3 };

/* "User", "OEM", "Nvidia" as the guide writes them, in any case. */
enum dpk_status dpk_lifecycle_parse(const char *text, enum dpk_lifecycle *out,
                                    struct dpk_error *err);
const char *dpk_lifecycle_name(enum dpk_lifecycle priority);

enum dpk_container_kind { DPK_CONTAINER_ADD, DPK_CONTAINER_REMOVE };

/* What to create. UUIDs may be zero: then signing fills them in. */
struct dpk_container_plan {
    enum dpk_container_kind kind;
    enum dpk_lifecycle priority;
    bool nvidia_signed_oem; /* ADD, priority OEM: NVIDIA vouches for an OEM certificate */
    bool keep_sig;          /* ADD: the device keeps the whole container */
    bool remove_all;        /* REMOVE: every certificate, no certificate UUID */
    struct dpk_uuid cert_uuid, keypair_uuid;
    const uint8_t *cert; /* ADD: exactly one DER certificate under DPK_CONTAINER_CERT_END bytes */
    size_t cert_size;
};

/* Appends an unsigned container to `out`. DPK_ERR_FORMAT, DPK_ERR_RANGE: the certificate is not
 * what it must be (PEM is recognised and refused: devices want DER). DPK_ERR_USAGE: the plan
 * contradicts itself. */
enum dpk_status dpk_container_create(const struct dpk_container_plan *plan, struct dpk_buf *out,
                                     struct dpk_error *err);

/* A parsed container; its pointers are borrowed from the bytes parsed. */
struct dpk_container {
    enum dpk_container_kind kind;
    enum dpk_lifecycle priority; /* of the certificate; OEM for an NVIDIA-signed OEM one */
    bool nvidia_signed_oem;
    bool dpa_root; /* the bit "DPA root of trust" of the metadata */
    bool keep_sig, remove_all;
    struct dpk_uuid cert_uuid, keypair_uuid;
    const uint8_t *cert; /* ADD: certificate item with its padding, unchecked; else NULL */
    size_t cert_size;
    const uint8_t *signature; /* NULL: unsigned; else 512 bytes */
    const uint8_t *signed_bytes;
    size_t signed_size; /* bytes from the start that a signature is over */
};

/* Parses strictly: fingerprint, items, their order, priorities and reserved bits, no byte behind.
 * The certificate inside is not looked at. DPK_ERR_FORMAT with the offset otherwise. */
enum dpk_status dpk_container_parse(const void *bytes, size_t size, struct dpk_container *out,
                                    struct dpk_error *err);

/* The certificate without its padding: exactly one well-formed DER certificate of allowed size. */
enum dpk_status dpk_container_certificate(const struct dpk_container *c, const uint8_t **der,
                                          size_t *der_size, struct dpk_error *err);

/* What every device asks of the certificate in a container that adds one, whoever signed it: a
 * certificate as above, self-signed, CA:TRUE, RSA-4096, which the metadata makes a root of trust
 * (dpk_cert_check_root). DPK_OK for one that removes. */
enum dpk_status dpk_container_check_root(const struct dpk_container *c, struct dpk_error *err);

/* How to sign. UUIDs take the place of those in the container, as NVIDIA's tool has it; a zero one
 * keeps what is there, and so does a removal with the certificate's. */
struct dpk_container_signing {
    const struct dpk_signer *signer; /* RSA-4096 */
    enum dpk_lifecycle priority;     /* must be the container's */
    bool nvidia_signed_oem;          /* must be the container's; its priority is then OEM */
    struct dpk_uuid cert_uuid, keypair_uuid;
};

/* Appends the container with UUIDs filled in and its signature item (RSASSA-PKCS1-v1_5, SHA-512).
 * DPK_ERR_EXISTS: signed already. DPK_ERR_MISMATCH: the priority contradicts the container.
 * DPK_ERR_USAGE: a UUID is nowhere. DPK_ERR_UNSUPPORTED: not an RSA-4096 key. */
enum dpk_status dpk_container_sign(const void *bytes, size_t size,
                                   const struct dpk_container_signing *how, struct dpk_buf *out,
                                   struct dpk_error *err);

/* The same in two steps, for a key that is elsewhere. Prepare appends the container with UUIDs
 * filled in: the exact bytes to sign. Attach takes the container, prepared or not, with the same
 * `how` (its signer is not used), and appends it signed. DPK_ERR_MISMATCH: the signature is not
 * right under `key`, the public one. */
enum dpk_status dpk_container_prepare(const void *bytes, size_t size,
                                      const struct dpk_container_signing *how, struct dpk_buf *out,
                                      struct dpk_error *err);
enum dpk_status dpk_container_attach(const void *bytes, size_t size,
                                     const struct dpk_container_signing *how,
                                     const struct dpk_buf *signature, EVP_PKEY *key,
                                     struct dpk_buf *out, struct dpk_error *err);

/* DPK_OK if the signature is right under `key`; DPK_ERR_MISMATCH if not, DPK_ERR_NOT_FOUND if there
 * is none. */
enum dpk_status dpk_container_verify(const struct dpk_container *c, EVP_PKEY *key,
                                     struct dpk_error *err);

#endif
