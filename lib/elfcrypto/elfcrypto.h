/*
 * elfcrypto: the crypto data that vouches for a device ELF (signing(7)): what is to be signed,
 * made, verified against trusted root certificates.
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

/* Crypto data begins at a multiple of so many bytes in sections that signing adds, and is padded to
 * one. */
#define DPK_CRYPTO_ALIGNMENT 4

/* ---- Verdicts ---- */

/* What a device says of a program. Names and numbers are fixed: logs and exit texts use them. */
enum dpk_verdict {
    DPK_VERDICT_OK = 0,
    DPK_VERDICT_UNSIGNED = 1,           /* no crypto data */
    DPK_VERDICT_BAD_FORMAT = 2,         /* crypto data or hash list malformed */
    DPK_VERDICT_UNSUPPORTED = 3,        /* signature type, version or profile not known */
    DPK_VERDICT_DIGEST_MISMATCH = 4,    /* a hash differs; the detail names the entry */
    DPK_VERDICT_CHAIN_FORMAT = 5,       /* chain header, CRC, count or DER walk */
    DPK_VERDICT_UNKNOWN_CA = 6,         /* no trusted root at the top of the chain */
    DPK_VERDICT_CERT_INVALID = 7,       /* path validation failed, with OpenSSL's reason */
    DPK_VERDICT_KEY_NOT_APPLICABLE = 8, /* leaf key is not RSA-4096 */
    DPK_VERDICT_AUTH_FAILED = 9,        /* the signature is wrong */
    DPK_VERDICT_NOT_LOADED = 10,        /* signed or not, the device in question cannot load it */
};
const char *dpk_verdict_name(enum dpk_verdict v); /* "DIGEST_MISMATCH" */
/* What a tool that refuses a program for it exits with: 0, or 11 to 20 (mlxdpa(1), "EXIT STATUS"). */
int dpk_verdict_exit_code(enum dpk_verdict v);

/* One thing that verification looked at. */
struct dpk_check {
    const char *name;         /* "crypto data", "signature type", "hash list", "chain", ... */
    enum dpk_verdict verdict; /* OK, or why not */
    bool warning;             /* passed, but the detail is worth showing */
    bool changed;             /* the detail names what was changed after signing */
    char detail[256];         /* "segment 2", "CN=Leaf, valid until 2034-01-01" */
};

/* ---- What is signed and verified ---- */

/* A program as a single-program container holds it (signing(7)): the ELF as stored, app
 * metadata and manifest or NULL; `elf_size` is 0, or the ELF's own when it is stored compressed. */
struct dpk_packed_program {
    struct dpk_hashed_parts parts;
    uint32_t elf_size;
};

/* One device ELF with what belongs to it, or a program in a container. What it points to is
 * borrowed. */
struct dpk_subject {
    const char *name;             /* of the program; NULL where it has none */
    char target[DPK_TARGET_TEXT]; /* of a program for several targets: which ("bf3"), else "" */
    uint32_t target_id;           /* the same as it stands in files */
    struct dpk_elf
        elf; /* the device ELF: described once, for whoever verifies and whoever runs it */
    const uint8_t *manifest; /* its attributes, which the compact profile hashes; or NULL */
    size_t manifest_size;
    const struct dpk_packed_program *packed; /* in a container: instead of `elf` and `manifest` */
    const uint8_t *crypto; /* crypto data without a length before it; NULL: not signed */
    size_t crypto_size;
    unsigned threads; /* that hash; 0: one for each core */
    /* Why it is refused whatever its crypto data say, found by who made the subject; no name: it is
     * not. */
    struct dpk_check fault;
    bool unmapped; /* as that of its sections */
};

/* The contents of a program's sections (signing(7)), in a file or in memory: nothing of it is
 * checked. All is borrowed; NULL: not there. */
struct dpk_sections {
    const char *name;          /* of the program, or NULL */
    const uint8_t *elf;        /* .dpa_bin_<app>: the device ELF, or an area of several */
    const uint8_t *room;       /* .dpa_sig_<app>: a length and crypto data, or an area of these */
    const uint8_t *crypto;     /* crypto data in a section of their own; instead of `room` */
    const uint8_t *attributes; /* .dpa_proc_attr_<app>: an area, for one target too */
    size_t elf_size, room_size, crypto_size, attributes_size;
    bool unmapped; /* a process that runs the host file has not got them in its memory */
};
/* The subjects that these make: one of a program for one target, else one for each target. What is
 * damaged is the subject's `fault`; a program whose targets cannot be told is one subject. Returns
 * how many, at least 1. */
size_t dpk_subjects(const struct dpk_sections *sections, struct dpk_subject out[DPK_FAT_MAX]);

/* The instruction set that a device ELF was compiled for, "rv64i2p0_m2p0_a2p0_c2p0_zba1p0", borrowed; NULL:
 * it does not say. */
const char *dpk_isa_of(const struct dpk_elf *elf);
/* Is the extension ("zba") among those of `isa`? */
bool dpk_isa_has(const char *isa, const char *extension);

/* ---- Signing ---- */

/* The bytes that a signature is over: the crypto data up to it (signing(7)). */
struct dpk_tbs {
    const char *program; /* its name; NULL where it has none */
    const char *target;  /* of a program for several targets: which ("bf3"), else NULL */
    const uint8_t *bytes;
    size_t size;
};
/* Somebody who is shown such bytes; puts a signature of them, 512 bytes, where there is
 * `signature`. */
typedef enum dpk_status dpk_proof(void *context, const struct dpk_tbs *tbs,
                                  struct dpk_buf *signature, struct dpk_error *err);

struct dpk_sign_options {
    enum dpk_hash_profile profile;
    bool mft_compat;          /* chain header as NVIDIA's tool writes it (signing(7)) */
    unsigned mft_chain_count; /* with mft_compat: the count to store, as --cert_chain_count */
    bool force;               /* sign what no device takes too: see dpk_sign_check_with */
    /* With a signer NULL: who brings the signatures. Each is checked under the leaf's key. May be
     * called by several threads at once. */
    dpk_proof *proof;
    void *proof_context;
};

/* Can this key sign programs, with this chain? Leaf key RSA-4096, leaf and signer of one key, chain
 * valid by itself, now. The functions below refuse for the same reasons; asking first lets a tool
 * name the files concerned. */
enum dpk_status dpk_sign_check(const struct dpk_certchain *chain, const struct dpk_signer *signer,
                               struct dpk_error *err);

/* The same: with options->force whatever the date is, and if the root at the top is damaged;
 * `signer` NULL is not asked for. */
enum dpk_status dpk_sign_check_with(const struct dpk_certchain *chain,
                                    const struct dpk_signer *signer,
                                    const struct dpk_sign_options *options, struct dpk_error *err);

/* Crypto data of a subject: header, hash list, signature, chain, padding; appended to `out`. Of a
 * container in the compact profile whatever `options` says. Refused: leaf key not RSA-4096, leaf
 * and signer of different keys, chain that does not verify, an area of several ELFs, and without
 * options->force an ELF for another machine than RISC-V. */
enum dpk_status dpk_crypto_build(const struct dpk_subject *subject,
                                 const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                 const struct dpk_sign_options *options, struct dpk_buf *out,
                                 struct dpk_error *err);
/* The same, of many subjects: the caller has asked dpk_sign_check_with about chain and signer. */
enum dpk_status dpk_crypto_make(const struct dpk_subject *subject,
                                const struct dpk_certchain *chain, const struct dpk_signer *signer,
                                const struct dpk_sign_options *options, struct dpk_buf *out,
                                struct dpk_error *err);
/* What its signature is over, appended to `out`. Refused for the ELF's sake as above. */
enum dpk_status dpk_crypto_tbs(const struct dpk_subject *subject,
                               const struct dpk_sign_options *options, struct dpk_buf *out,
                               struct dpk_error *err);

/* ---- Verification ---- */

/* What crypto data says of itself, nothing of it proven: for people who want to look. */
struct dpk_crypto_view {
    enum dpk_hash_profile profile;
    uint32_t signature_type;  /* 2: RSA_SHA_512 */
    size_t signed_size;       /* bytes from the start that the signature is over */
    const uint8_t *signature; /* 512 bytes, borrowed */
    struct dpk_certchain *chain;
};
/* DPK_ERR_FORMAT: malformed. Release with dpk_crypto_view_free. */
enum dpk_status dpk_crypto_view_open(const uint8_t *crypto, size_t size,
                                     struct dpk_crypto_view *out, struct dpk_error *err);
/* DPK_OK if the signature is right under the chain's leaf, DPK_ERR_MISMATCH if not. */
enum dpk_status dpk_crypto_view_check(const struct dpk_crypto_view *view, const uint8_t *crypto,
                                      struct dpk_error *err);
void dpk_crypto_view_free(struct dpk_crypto_view *view);

#define DPK_CHECKS_MAX 16
struct dpk_report {
    struct dpk_check checks[DPK_CHECKS_MAX]; /* in the order they were made; the first that
                                                is not OK ended the verification */
    size_t count;
    char sha256[65]; /* of the device ELF, hexadecimal; "" where hashing was not reached */
};

/* Root certificates to trust: DER, borrowed. */
struct dpk_trust {
    const struct dpk_der *roots; /* {data, size} each */
    size_t count;
    const struct dpk_path_rules *rules; /* the date and revocation lists; NULL: now, none */
};

/* Verifies a subject, in the order of enum dpk_verdict, up to the first failure. Not signed:
 * UNSIGNED. `trust` NULL trusts nobody. `report` may be NULL; the last check in it that is not OK
 * is the one that decided. Never trusts a length. What no signature covers is a warning in the
 * report of a subject that is OK. */
enum dpk_verdict dpk_verify(const struct dpk_subject *subject, const struct dpk_trust *trust,
                            struct dpk_report *report);

#endif
