/*
 * appcontainer: single-program containers, which put one DPA program on a device or take it off
 * (signing(7)).
 *
 * This room creates, signs, parses and verifies containers as bytes. The ELF in them is plain or
 * compressed with xz. This room does not know devices or host files.
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
#define DPK_APP_MAX           ((size_t)256 << 20) /* maximum size of a container, bytes */
#define DPK_APP_ELF_MAX       ((size_t)128 << 20) /* maximum size of its ELF, decompressed */
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
 * ASCII characters). All keys must be there, in any order and case. The UUID stays zero. Errors
 * (DPK_ERR_FORMAT, DPK_ERR_RANGE) say line and field. */
enum dpk_status dpk_app_metadata_yaml(const void *yaml, size_t size, struct dpk_app_metadata *out,
                                      struct dpk_error *err);

/* Appends the 104 bytes of metadata. The description is stored as the reference tool stores it: in
 * dwords, with an incomplete last dword right-aligned. */
void dpk_app_metadata_encode(const struct dpk_app_metadata *m, struct dpk_buf *out);

/* ---- Containers ---- */

struct dpk_app_plan {
    enum dpk_lifecycle priority;
    const uint8_t *elf; /* device ELF: RISC-V, 64-bit little-endian */
    size_t elf_size;
    bool force;                       /* accept an ELF for another machine, which devices cannot
                                       * run */
    bool xz;                          /* store the ELF compressed */
    struct dpk_app_metadata metadata; /* with its UUID */
    const uint8_t *manifest;          /* NULL if there is no manifest */
    size_t manifest_size;
};

/* Appends an unsigned container. It compresses like `xz -9 --check=crc64`: the same liblzma gives
 * the same bytes, and liblzma 5.4 gives those of the reference tool. Errors: DPK_ERR_FORMAT if
 * `elf` is not an ELF, DPK_ERR_REFUSED if it is for another machine, DPK_ERR_RANGE if it is too
 * large. */
enum dpk_status dpk_app_create(const struct dpk_app_plan *plan, struct dpk_buf *out,
                               struct dpk_error *err);

/* Appends an unsigned container that removes a program. Its key-pair UUID is zero until signing
 * sets it. */
enum dpk_status dpk_app_removal_create(enum dpk_lifecycle priority, const struct dpk_uuid *app,
                                       struct dpk_buf *out, struct dpk_error *err);

enum dpk_app_kind { DPK_APP_PROGRAM, DPK_APP_REMOVAL };

/* A parsed container; its pointers are borrowed from the bytes parsed. */
struct dpk_app {
    enum dpk_app_kind kind;
    enum dpk_lifecycle priority;
    /* of programs */
    bool xz;
    const uint8_t *stored; /* the ELF as stored */
    size_t stored_size;
    size_t elf_end;                /* offset of the ELF's end, where the crypto data is or would
                                    * go */
    const uint8_t *metadata_bytes; /* DPK_APP_METADATA_SIZE bytes */
    struct dpk_app_metadata metadata;
    const uint8_t *manifest; /* NULL if there is no manifest */
    size_t manifest_size;
    const uint8_t *crypto; /* NULL if unsigned */
    size_t crypto_size;
    /* of removals */
    struct dpk_uuid app_uuid, keypair_uuid;
    const uint8_t *signature; /* 512 bytes; NULL if unsigned */
    const uint8_t *signed_bytes;
    size_t signed_size; /* bytes from the start that the signature covers */
};

/* Returns true if the bytes start with the fingerprint. */
bool dpk_app_is(const void *bytes, size_t size);

/* Parses strictly: fingerprint, items, their order, priorities, reserved bits, and no byte after
 * the last item. It does not look into ELF, manifest and crypto data. Errors: DPK_ERR_FORMAT with
 * the offset. */
enum dpk_status dpk_app_parse(const void *bytes, size_t size, struct dpk_app *out,
                              struct dpk_error *err);

/* Appends the ELF, which it decompresses if necessary, to at most DPK_APP_ELF_MAX bytes. Free `out`
 * also after a failure. Errors: DPK_ERR_FORMAT if the ELF is damaged or bytes follow the compressed
 * stream, DPK_ERR_RANGE if the ELF is larger than the limit. */
enum dpk_status dpk_app_elf(const struct dpk_app *app, struct dpk_buf *out, struct dpk_error *err);

/* Appends the container with crypto data (compact profile) after the ELF. If `signer` is NULL,
 * options->proof brings the signature. Errors: DPK_ERR_EXISTS if the container is signed already,
 * DPK_ERR_MISMATCH if its priority differs, and the errors of dpk_sign_check. */
enum dpk_status dpk_app_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                             const struct dpk_certchain *chain, const struct dpk_signer *signer,
                             const struct dpk_sign_options *options, struct dpk_buf *out,
                             struct dpk_error *err);

/* Appends the bytes that the signature of a program's container covers: its crypto data up to the
 * signature. `force` and the errors are those of dpk_app_sign. */
enum dpk_status dpk_app_tbs(const void *bytes, size_t size, enum dpk_lifecycle priority, bool force,
                            struct dpk_buf *out, struct dpk_error *err);

/* Appends the removal with the UUID `keypair` (if it is zero, the UUID stays as it is) and its
 * signature: RSASSA-PKCS1-v1_5, SHA-512, RSA-4096. Errors: DPK_ERR_EXISTS, DPK_ERR_MISMATCH,
 * DPK_ERR_USAGE if there is no UUID at all, DPK_ERR_UNSUPPORTED if the key is of another kind. */
enum dpk_status dpk_app_removal_sign(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                     const struct dpk_uuid *keypair,
                                     const struct dpk_signer *signer, struct dpk_buf *out,
                                     struct dpk_error *err);

/* These two functions sign a removal in two steps, for a key that is elsewhere. Prepare appends the
 * removal with `keypair`: the exact bytes to sign. Attach takes the removal, prepared or not, with
 * the same `keypair`, and appends the signed removal. Errors: DPK_ERR_MISMATCH if the signature
 * does not verify with the public key `key`. */
enum dpk_status dpk_app_removal_prepare(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                        const struct dpk_uuid *keypair, struct dpk_buf *out,
                                        struct dpk_error *err);
enum dpk_status dpk_app_removal_attach(const void *bytes, size_t size, enum dpk_lifecycle priority,
                                       const struct dpk_uuid *keypair,
                                       const struct dpk_buf *signature, EVP_PKEY *key,
                                       struct dpk_buf *out, struct dpk_error *err);

/* Verifies a program's container, as dpk_verify does. The verdict on a removal is UNSUPPORTED. */
enum dpk_verdict dpk_app_verify(const struct dpk_app *app, const struct dpk_trust *trust,
                                struct dpk_report *report);

/* Returns DPK_OK if the removal's signature verifies with `key`. Errors: DPK_ERR_MISMATCH if it
 * does not, DPK_ERR_NOT_FOUND if the removal is unsigned. */
enum dpk_status dpk_app_removal_verify(const struct dpk_app *app, EVP_PKEY *key,
                                       struct dpk_error *err);

#endif
