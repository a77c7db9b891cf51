/*
 * appcontainer: single-program containers, which put one DPA program on a device or take it off
 * (signing(7)).
 *
 * Creates, signs, parses and verifies them as bytes, with the ELF as it is or compressed with xz.
 * Knows no device and no host file.
 *
 *     struct dpk_app app;
 *     if (dpk_app_parse(bytes, size, &app, &err) == DPK_OK && app.kind == DPK_APP_PROGRAM &&
 *         dpk_app_verify(&app, &trust, &report) == DPK_VERDICT_OK)
 *         dpk_app_elf(&app, &elf, &err);
 */
#ifndef DPK_APPCONTAINER_APPCONTAINER_H
#define DPK_APPCONTAINER_APPCONTAINER_H

#include "base/base.h"
#include "certchain/certchain.h"
#include "container/container.h"
#include "elfcrypto/elfcrypto.h"
#include "signer/signer.h"

#define DPK_APP_FINGERPRINT   "NV_DPA_APP.BIN!!"
#define DPK_APP_MAX           ((size_t)256 << 20) /* no container is larger */
#define DPK_APP_ELF_MAX       ((size_t)128 << 20) /* nor the ELF in it, however small compressed */
#define DPK_APP_METADATA_SIZE 104
#define DPK_APP_DESCRIPTION   33 /* 32 characters of ASCII and the NUL */

/* ---- App metadata ---- */

struct dpk_app_metadata {
    uint8_t type, subtype;
    uint32_t app_version, os_api_version, fw_api_version;
    struct dpk_uuid uuid;
    char description[DPK_APP_DESCRIPTION];
};

/* Reads metadata as YAML: one mapping of type, dpa_app_subtype (0 to 255), dpa_app_version,
 * dpa_os_api_version, dpa_fw_api_version (32 bits), dpa_app_description_string (1 to 32 printable
 * ASCII characters), all there, in any order and case. The UUID stays zero. Errors (DPK_ERR_FORMAT,
 * DPK_ERR_RANGE) say line and field. */
enum dpk_status dpk_app_metadata_yaml(const void *yaml, size_t size, struct dpk_app_metadata *out,
                                      struct dpk_error *err);

/* Appends the 104 bytes. The description is stored as the reference tool does it: in dwords, an
 * incomplete last one right-aligned. */
void dpk_app_metadata_encode(const struct dpk_app_metadata *m, struct dpk_buf *out);

/* ---- Containers ---- */

struct dpk_app_plan {
    enum dpk_lifecycle priority;
    const uint8_t *elf; /* device ELF: RISC-V, 64-bit little-endian */
    size_t elf_size;
    bool force;                       /* take an ELF for another machine, which no device runs */
    bool xz;                          /* store it compressed */
    struct dpk_app_metadata metadata; /* with its UUID */
    const uint8_t *manifest;          /* NULL: none */
    size_t manifest_size;
};

/* Appends an unsigned container. Compression is that of `xz -9 --check=crc64`: the same bytes from
 * the same liblzma, and the reference tool's with 5.4. DPK_ERR_FORMAT: no ELF;
 * DPK_ERR_REFUSED: one for another machine; DPK_ERR_RANGE: too large. */
enum dpk_status dpk_app_create(const struct dpk_app_plan *plan, struct dpk_buf *out,
                               struct dpk_error *err);

/* Appends an unsigned container that removes one program. Its key-pair UUID is zero; signing sets
 * it. */
enum dpk_status dpk_app_removal_create(enum dpk_lifecycle priority, const struct dpk_uuid *app,
                                       struct dpk_buf *out, struct dpk_error *err);

enum dpk_app_kind { DPK_APP_PROGRAM, DPK_APP_REMOVAL };

/* A parsed container; its pointers are borrowed from the bytes parsed. */
struct dpk_app {
    enum dpk_app_kind kind;
    enum dpk_lifecycle priority;
    /* Programs */
    bool xz;
    const uint8_t *stored; /* the ELF as it is stored */
    size_t stored_size;
    size_t elf_end;                /* where the crypto data goes, or is: offset behind the ELF */
    const uint8_t *metadata_bytes; /* DPK_APP_METADATA_SIZE of them */
    struct dpk_app_metadata metadata;
    const uint8_t *manifest; /* NULL: none */
    size_t manifest_size;
    const uint8_t *crypto; /* NULL: unsigned */
    size_t crypto_size;
    /* Removals */
    struct dpk_uuid app_uuid, keypair_uuid;
    const uint8_t *signature; /* NULL: unsigned; else 512 bytes */
    const uint8_t *signed_bytes;
    size_t signed_size; /* bytes from the start that the signature is over */
};

/* True if the bytes start with the fingerprint. */
bool dpk_app_is(const void *bytes, size_t size);

/* Parses strictly: fingerprint, items, their order, priorities and reserved bits, no byte behind.
 * ELF, manifest and crypto data are not looked into. DPK_ERR_FORMAT with the offset otherwise. */
enum dpk_status dpk_app_parse(const void *bytes, size_t size, struct dpk_app *out,
                              struct dpk_error *err);

/* The ELF, decompressed if need be into at most DPK_APP_ELF_MAX bytes; appended. Free `out` after a
 * failure, too. DPK_ERR_FORMAT: damaged, or bytes behind the compressed stream. DPK_ERR_RANGE: it
 * would grow beyond. */
enum dpk_status dpk_app_elf(const struct dpk_app *app, struct dpk_buf *out, struct dpk_error *err);

/* Appends the container with crypto data (compact profile) behind the ELF. DPK_ERR_EXISTS: signed
 * already; DPK_ERR_MISMATCH: another priority, or as dpk_sign_check refuses. `signer` NULL: as
 * options->proof brings the signature. */
enum dpk_status dpk_app_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                             const struct dpk_certchain *chain, const struct dpk_signer *signer,
                             const struct dpk_sign_options *options, struct dpk_buf *out,
                             struct dpk_error *err);

/* Appends what the signature of a program's container is over: its crypto data up to there. Refused
 * as dpk_app_sign does; `force` as in its options. */
enum dpk_status dpk_app_tbs(const void *bytes, size_t size, enum dpk_lifecycle priority, bool force,
                            struct dpk_buf *out, struct dpk_error *err);

/* Appends the removal with `keypair` (zero: the one that is there) and its signature: RSASSA-
 * PKCS1-v1_5, SHA-512, RSA-4096. DPK_ERR_EXISTS, DPK_ERR_MISMATCH, DPK_ERR_USAGE (no UUID at all),
 * DPK_ERR_UNSUPPORTED (another kind of key). */
enum dpk_status dpk_app_removal_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                     const struct dpk_uuid *keypair,
                                     const struct dpk_signer *signer, struct dpk_buf *out,
                                     struct dpk_error *err);

/* The same in two steps, for a key that is elsewhere. Prepare appends the removal with `keypair`:
 * the exact bytes to sign. Attach takes the removal, prepared or not, with the same `keypair`, and
 * appends it signed. DPK_ERR_MISMATCH: the signature is not right under `key`, the public one. */
enum dpk_status dpk_app_removal_prepare(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                        const struct dpk_uuid *keypair, struct dpk_buf *out,
                                        struct dpk_error *err);
enum dpk_status dpk_app_removal_attach(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                       const struct dpk_uuid *keypair,
                                       const struct dpk_buf *signature, EVP_PKEY *key,
                                       struct dpk_buf *out, struct dpk_error *err);

/* As dpk_verify, for a program's container; a removal is UNSUPPORTED. */
enum dpk_verdict dpk_app_verify(const struct dpk_app *app, const struct dpk_trust *trust,
                                struct dpk_report *report);

/* DPK_OK if the removal's signature is right under `key`; DPK_ERR_MISMATCH if not,
 * DPK_ERR_NOT_FOUND if there is none. */
enum dpk_status dpk_app_removal_verify(const struct dpk_app *app, EVP_PKEY *key,
                                       struct dpk_error *err);

#endif
