/*
 * elfcrypto: the crypto data that proves a device ELF authentic (signing(7)): the subjects to sign,
 * crypto data made, and verified against trusted root certificates.
 *
 *     const struct dpk_subject subject = {
 *         .elf = dpk_elf(bytes, size), .crypto = crypto, .crypto_size = crypto_size};
 *     enum dpk_verdict v = dpk_verify(&subject, &trust, &report);
 *     for (size_t i = 0; i < report.count; i++)
 *         printf("%s: %s\n", report.checks[i].name, report.checks[i].detail);
 */
#ifndef DPK_ELFCRYPTO_ELFCRYPTO_H
#define DPK_ELFCRYPTO_ELFCRYPTO_H

#include "base/base.h"
#include "certchain/certchain.h"
#include "elf/elf.h"
#include "fat/fat.h"
#include "hashlist/hashlist.h"
#include "signer/signer.h"

/* Alignment of crypto data in sections that signing adds, and of its padded size, bytes. */
#define DPK_CRYPTO_ALIGNMENT 4

/* ---- Verdicts ---- */

/* A device's verdict on a program. Names and numbers are fixed: logs and exit codes use them. */
enum dpk_verdict {
    DPK_VERDICT_OK = 0,
    DPK_VERDICT_UNSIGNED = 1,           /* no crypto data */
    DPK_VERDICT_BAD_FORMAT = 2,         /* crypto data or hash list malformed */
    DPK_VERDICT_UNSUPPORTED = 3,        /* unknown signature type, version or profile */
    DPK_VERDICT_DIGEST_MISMATCH = 4,    /* a hash differs; the detail names the entry */
    DPK_VERDICT_CHAIN_FORMAT = 5,       /* wrong chain header, CRC, count or DER */
    DPK_VERDICT_UNKNOWN_CA = 6,         /* no trusted root at the top of the chain */
    DPK_VERDICT_CERT_INVALID = 7,       /* path validation failed; the detail has OpenSSL's
                                         * reason */
    DPK_VERDICT_KEY_NOT_APPLICABLE = 8, /* the leaf key is not RSA-4096 */
    DPK_VERDICT_AUTH_FAILED = 9,        /* the signature is wrong */
    DPK_VERDICT_NOT_LOADED = 10,        /* the device cannot load the program, signed or not */
};
const char *dpk_verdict_name(enum dpk_verdict v); /* "DIGEST_MISMATCH" */
/* Exit code of a tool that refuses a program with this verdict: 0, or 11 to 20 (mlxdpa(1), "EXIT
 * STATUS"). */
int dpk_verdict_exit_code(enum dpk_verdict v);

/* One check of a verification. */
struct dpk_check {
    const char *name;         /* "crypto data", "signature type", "hash list", "chain", ... */
    enum dpk_verdict verdict; /* OK, or the reason of the failure */
    bool warning;             /* passed, but the detail is worth showing */
    bool changed;             /* the detail names data that was changed after signing */
    char detail[256];         /* "segment 2", "CN=Leaf, valid until 2034-01-01" */
};

/* ---- Subjects of signing and verification ---- */

/* A program in a single-program container (signing(7)): the ELF as stored, app metadata, and
 * manifest (or NULL). `elf_size` is 0, or the ELF's decompressed size if it is stored
 * compressed. */
struct dpk_packed_program {
    struct dpk_hashed_parts parts;
    uint32_t elf_size;
};

/* One device ELF with its data, or a program in a container. All pointers are borrowed. */
struct dpk_subject {
    const char *name;             /* of the program; NULL if it has no name */
    char target[DPK_TARGET_TEXT]; /* target of a member of an area ("bf3"), else "" */
    uint32_t target_id;           /* target id in files */
    struct dpk_elf
        elf; /* the device ELF, described once, for verification and for running */
    const uint8_t *manifest; /* program attributes, which the compact profile hashes; or NULL */
    size_t manifest_size;
    const struct dpk_packed_program *packed; /* program in a container, instead of `elf` and
                                              * `manifest` */
    const uint8_t *crypto; /* crypto data without its length; NULL if not signed */
    size_t crypto_size;
    unsigned threads; /* threads that hash; 0: one for each core */
    /* A reason to refuse the subject regardless of its crypto data, found by the code that made the
     * subject. Without a name, there is no reason. */
    struct dpk_check fault;
    bool unmapped; /* as in its dpk_sections */
};

/* Contents of a program's sections (signing(7)), in a file or in memory. They are unchecked and
 * borrowed. NULL means absent. */
struct dpk_sections {
    const char *name;          /* of the program, or NULL */
    const uint8_t *elf;        /* .dpa_bin_<app>: the device ELF, or an area of several */
    const uint8_t *room;       /* .dpa_sig_<app>: a length and crypto data, or an area of them */
    const uint8_t *crypto;     /* crypto data in their own section, instead of `room` */
    const uint8_t *attributes; /* .dpa_proc_attr_<app>: an area, even for one target */
    size_t elf_size, room_size, crypto_size, attributes_size;
    bool unmapped; /* a process that runs the host file does not map these sections */
};
/* Makes the subjects of these sections: a single subject for a device ELF without area, else a
 * subject for each target. Damage is recorded in the subject's `fault`. A program with unreadable
 * targets becomes one subject. Returns the number of subjects, at least 1. */
size_t dpk_subjects(const struct dpk_sections *sections, struct dpk_subject out[DPK_FAT_MAX]);

/* Returns the instruction set for which a device ELF was compiled
 * ("rv64i2p0_m2p0_a2p0_c2p0_zba1p0"), borrowed; NULL if the ELF does not say. */
const char *dpk_isa_of(const struct dpk_elf *elf);
/* Returns true if `isa` has the extension ("zba"). */
bool dpk_isa_has(const char *isa, const char *extension);

/* ---- Signing ---- */

/* The bytes that a signature covers: the crypto data up to the signature (signing(7)). */
struct dpk_tbs {
    const char *program; /* name of the program, or NULL */
    const char *target;  /* target of a member of an area ("bf3"), else NULL */
    const uint8_t *bytes;
    size_t size;
};
/* A callback that gets these bytes. If `signature` is not NULL, it stores their signature there,
 * 512 bytes. */
typedef enum dpk_status dpk_proof(void *context, const struct dpk_tbs *tbs,
                                  struct dpk_buf *signature, struct dpk_error *err);

struct dpk_sign_options {
    enum dpk_hash_profile profile;
    bool mft_compat;          /* write the chain header like NVIDIA's tool (signing(7)) */
    unsigned mft_chain_count; /* with mft_compat: the count to store, from --cert_chain_count */
    bool force;               /* also sign subjects that no device accepts: see
                               * dpk_sign_check_with */
    /* Brings the signatures if the signer is NULL. Each signature is checked with the leaf's key.
     * Several threads may call it at once. */
    dpk_proof *proof;
    void *proof_context;
};

/* Returns DPK_OK if this key can sign programs with this chain: the leaf key is RSA-4096, leaf and
 * signer have the same key, and the chain is valid by itself, now. The functions below refuse for
 * the same reasons. A tool asks first so that it can name the files. */
enum dpk_status dpk_sign_check(const struct dpk_certchain *chain, const struct dpk_signer *signer,
                               struct dpk_error *err);

/* Same, but options->force ignores the dates and a damaged root at the top. `signer` may be NULL;
 * it is not checked then. */
enum dpk_status dpk_sign_check_with(const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_sign_options *options, struct dpk_error *err);

/* Appends the crypto data of a subject to `out`: header, hash list, signature, chain, padding. A
 * container always gets the compact profile, whatever `options` says. Errors: the leaf key is not
 * RSA-4096, leaf and signer have different keys, the chain does not verify, the subject is an area
 * of several ELFs, or (without options->force) the ELF is for another machine than RISC-V. */
enum dpk_status dpk_crypto_build(const struct dpk_subject *subject,
                                 const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                 const struct dpk_sign_options *options, struct dpk_buf *out,
                                 struct dpk_error *err);
/* Same, for one of many subjects: the caller has checked chain and signer with
 * dpk_sign_check_with. */
enum dpk_status dpk_crypto_make(const struct dpk_subject *subject,
                                const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                const struct dpk_sign_options *options, struct dpk_buf *out,
                                struct dpk_error *err);
/* Appends the bytes that the subject's signature covers to `out`. It refuses the same ELFs as
 * above. */
enum dpk_status dpk_crypto_tbs(const struct dpk_subject *subject,
                               const struct dpk_sign_options *options, struct dpk_buf *out,
                               struct dpk_error *err);

/* ---- Verification ---- */

/* Fields of crypto data, unverified, for display. */
struct dpk_crypto_view {
    enum dpk_hash_profile profile;
    uint32_t signature_type;  /* 2: RSA_SHA_512 */
    size_t signed_size;       /* bytes from the start that the signature covers */
    const uint8_t *signature; /* 512 bytes, borrowed */
    struct dpk_certchain *chain;
};
/* Parses crypto data. Errors: DPK_ERR_FORMAT if they are malformed. Release the view with
 * dpk_crypto_view_free. */
enum dpk_status dpk_crypto_view_open(const uint8_t *crypto, size_t size,
                                     struct dpk_crypto_view *out, struct dpk_error *err);
/* Returns DPK_OK if the signature verifies with the chain's leaf, DPK_ERR_MISMATCH if not. */
enum dpk_status dpk_crypto_view_check(const struct dpk_crypto_view *view, const uint8_t *crypto,
                                      struct dpk_error *err);
void dpk_crypto_view_free(struct dpk_crypto_view *view);

#define DPK_CHECKS_MAX 16
struct dpk_report {
    struct dpk_check checks[DPK_CHECKS_MAX]; /* in the order of verification; the first check that
                                              * is not OK ended it */
    size_t count;
    char sha256[65]; /* of the device ELF, hexadecimal; "" if hashing was not reached */
};

/* Trusted root certificates: DER, borrowed. */
struct dpk_trust {
    const struct dpk_der *roots; /* {data, size} each */
    size_t count;
    const struct dpk_path_rules *rules; /* date and revocation lists; NULL: now, without lists */
};

/* Verifies a subject, in the order of enum dpk_verdict, up to the first failure. An unsigned
 * subject is UNSIGNED. `trust` NULL trusts no root. `report` may be NULL; the last check in it that
 * is not OK decided the verdict. No length in the data is trusted. Data that no signature covers
 * cause a warning in the report of a subject that is OK. */
enum dpk_verdict dpk_verify(const struct dpk_subject *subject, const struct dpk_trust *trust,
                            struct dpk_report *report);

#endif
