/*
 * container: certificate containers, which put CA certificates on a device and take them off
 * (signing(7); guide, "Uploading DPA Root CA Certificate", "Removing Certificates").
 *
 * This room creates, signs, parses and verifies containers as bytes. It does not know devices: the
 * device decides which key may sign, and which certificates it accepts.
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

#define DPK_CONTAINER_MAX      ((size_t)65536)          /* maximum size of a container, bytes */
/* a certificate is smaller than this, bytes */
#define DPK_CONTAINER_CERT_END (DPK_ROOT_MAX_BYTES + 1)

/* Life-cycle priority, with the numbers in the item header. */
enum dpk_lifecycle { DPK_LIFECYCLE_USER = 0, DPK_LIFECYCLE_OEM = 1, DPK_LIFECYCLE_NVIDIA = 3 };

/* Parses "User", "OEM", "Nvidia" (the guide's spelling), in any case. */
enum dpk_status dpk_lifecycle_parse(const char *text, enum dpk_lifecycle *out,
                                    struct dpk_error *err);
const char *dpk_lifecycle_name(enum dpk_lifecycle priority);

enum dpk_container_kind { DPK_CONTAINER_ADD, DPK_CONTAINER_REMOVE };

/* Container to create. Zero UUIDs are set when the container is signed. */
struct dpk_container_plan {
    enum dpk_container_kind kind;
    enum dpk_lifecycle priority;
    bool nvidia_signed_oem; /* ADD, priority OEM: NVIDIA vouches for an OEM certificate */
    bool keep_sig;          /* ADD: the device keeps the whole container */
    bool remove_all;        /* REMOVE: every certificate; no certificate UUID */
    struct dpk_uuid cert_uuid, keypair_uuid;
    const uint8_t *cert; /* ADD: exactly one DER certificate, smaller than DPK_CONTAINER_CERT_END */
    size_t cert_size;
};

/* Appends an unsigned container to `out`. Errors: DPK_ERR_FORMAT or DPK_ERR_RANGE if the
 * certificate is not suitable (PEM is recognised and refused, because devices need DER),
 * DPK_ERR_USAGE if the plan contradicts itself. */
enum dpk_status dpk_container_create(const struct dpk_container_plan *plan, struct dpk_buf *out,
                                     struct dpk_error *err);

/* A parsed container. Its pointers borrow from the parsed bytes. */
struct dpk_container {
    enum dpk_container_kind kind;
    enum dpk_lifecycle priority; /* of the certificate; OEM for an OEM certificate signed by
                                  * NVIDIA */
    bool nvidia_signed_oem;
    bool dpa_root; /* bit "DPA root of trust" of the metadata */
    bool keep_sig, remove_all;
    struct dpk_uuid cert_uuid, keypair_uuid;
    const uint8_t *cert; /* ADD: certificate item with its padding, unchecked; else NULL */
    size_t cert_size;
    const uint8_t *signature; /* 512 bytes; NULL if unsigned */
    const uint8_t *signed_bytes;
    size_t signed_size; /* bytes from the start that a signature covers */
};

/* Parses strictly: fingerprint, items, their order, priorities, reserved bits, and no byte after
 * the last item. It does not look at the certificate. Errors: DPK_ERR_FORMAT with the offset. */
enum dpk_status dpk_container_parse(const void *bytes, size_t size, struct dpk_container *out,
                                    struct dpk_error *err);

/* Gets the certificate without its padding: exactly one well-formed DER certificate of allowed
 * size. */
enum dpk_status dpk_container_certificate(const struct dpk_container *c, const uint8_t **der,
                                          size_t *der_size, struct dpk_error *err);

/* Checks the certificate of a container that adds a certificate, by the conditions of every device,
 * independent of the container's signer: a certificate as above, self-signed, CA:TRUE, RSA-4096,
 * and marked by the metadata as root of trust (dpk_cert_check_root). A container that removes
 * certificates is always DPK_OK. */
enum dpk_status dpk_container_check_root(const struct dpk_container *c, struct dpk_error *err);

/* Settings for signing. These UUIDs replace the container's UUIDs, as with NVIDIA's tool. A zero
 * UUID keeps the container's UUID; a removal keeps its certificate's UUID in the same way. */
struct dpk_container_signing {
    const struct dpk_signer *signer; /* RSA-4096 */
    enum dpk_lifecycle priority;     /* must equal the container's */
    bool nvidia_signed_oem;          /* refuse a container that was not created with this flag */
    struct dpk_uuid cert_uuid, keypair_uuid;
};

/* Appends the container with its UUIDs set and its signature item (RSASSA-PKCS1-v1_5, SHA-512).
 * Errors: DPK_ERR_EXISTS if it is signed already, DPK_ERR_MISMATCH if the priority differs from the
 * container's, DPK_ERR_USAGE if a UUID is missing in both, DPK_ERR_UNSUPPORTED if the key is not
 * RSA-4096. */
enum dpk_status dpk_container_sign(const void *bytes, size_t size,
                                   const struct dpk_container_signing *how, struct dpk_buf *out,
                                   struct dpk_error *err);

/* These functions sign in two steps, for a key that is elsewhere. Prepare appends the container
 * with its UUIDs set: the exact bytes to sign. Attach takes the container, prepared or not, with
 * the same `how` (its signer is not used), and appends the signed container. Errors:
 * DPK_ERR_MISMATCH if the signature does not verify with the public key `key`. */
enum dpk_status dpk_container_prepare(const void *bytes, size_t size,
                                      const struct dpk_container_signing *how, struct dpk_buf *out,
                                      struct dpk_error *err);
enum dpk_status dpk_container_attach(const void *bytes, size_t size,
                                     const struct dpk_container_signing *how,
                                     const struct dpk_buf *signature, EVP_PKEY *key,
                                     struct dpk_buf *out, struct dpk_error *err);

/* Returns DPK_OK if the signature verifies with `key`. Errors: DPK_ERR_MISMATCH if it does not,
 * DPK_ERR_NOT_FOUND if the container is unsigned. */
enum dpk_status dpk_container_verify(const struct dpk_container *c, EVP_PKEY *key,
                                     struct dpk_error *err);

#endif
