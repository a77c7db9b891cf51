/*
 * certchain: X.509 certificate chains of programs (signing(7); guide, "Certificate Chain
 * Layout").
 *
 * This room reads certificates from DER or PEM, sorts them from root to leaf, encodes and decodes
 * the chain structure with its CRC, and validates a path up to a trusted root with OpenSSL. It does
 * not know ELF.
 *
 *     struct dpk_certchain *chain = NULL;
 *     dpk_certchain_load("chain.der", &chain, &err);
 *     dpk_certchain_encode(chain, NULL, &out, &err);
 */
#ifndef DPK_CERTCHAIN_CERTCHAIN_H
#define DPK_CERTCHAIN_CERTCHAIN_H

#include <openssl/x509.h>

#include "base/base.h"
#include "signer/signer.h"

struct dpk_der {
    const uint8_t *data;
    size_t size;
};

#define DPK_CHAIN_MAX_CERTS 4      /* root CA included (guide, "Verification of Authenticity") */
#define DPK_CHAIN_MAX_BYTES 0x1000 /* DER bytes after the 12-byte header */
#define DPK_ROOT_MAX_BYTES  1791   /* maximum DER size of a root on a device */

struct dpk_certchain;

/* Returns the CRC-16 of a chain header (signing(7)) over big-endian dwords. `size` is a multiple of
 * 4. */
uint16_t dpk_crc16(const uint8_t *dwords, size_t size);

/* Reads the certificates of a file (or of a token, see below): DER certificates in a row, a PEM bundle, or PKCS#7 (.p7b, DER
 * or PEM), in any order. It sorts them, top first, leaf last. Errors: no certificate, trailing
 * bytes, more than DPK_CHAIN_MAX_CERTS, certificates that do not form one chain, too many bytes. */
enum dpk_status dpk_certchain_load(const char *path, struct dpk_certchain **out,
                                   struct dpk_error *err);
/* Same. `where->key` may also be a PKCS#11 URI: the chain is then its certificate with the issuers
 * that the same token holds, up to the root (which is left out if it does not fit). PINs as for
 * dpk_token_certificate. A login that was needed lasts until the chain is freed. */
enum dpk_status dpk_certchain_load_from(const struct dpk_key_options *where,
                                        struct dpk_certchain **out, struct dpk_error *err);
/* Returns the path, or the URI without its PIN, for messages; "" for parsed bytes. */
const char *dpk_certchain_name(const struct dpk_certchain *chain);
enum dpk_status dpk_certchain_parse(const void *bytes, size_t size, struct dpk_certchain **out,
                                    struct dpk_error *err);
void dpk_certchain_free(struct dpk_certchain *chain);

size_t dpk_certchain_count(const struct dpk_certchain *chain);
X509 *dpk_certchain_cert(const struct dpk_certchain *chain, size_t index); /* borrowed; 0 = top */
X509 *dpk_certchain_leaf(const struct dpk_certchain *chain);               /* borrowed */

/* Appends header and certificates. `mft_count` NULL stores the real count and CRC (the way of
 * dpakit); else it is the count to store, with the CRC of MFT. */
enum dpk_status dpk_certchain_encode(const struct dpk_certchain *chain, const unsigned *mft_count,
                                     struct dpk_buf *out, struct dpk_error *err);

/* Decodes the structure at the reader, which moves past it. `*count_warning` is set if a count made
 * by MFT exceeds the certificates found. */
enum dpk_status dpk_certchain_decode(struct dpk_reader *r, struct dpk_certchain **out,
                                     bool *count_warning, struct dpk_error *err);

/* How path validation ended. */
enum dpk_path_result { DPK_PATH_OK, DPK_PATH_UNKNOWN_CA, DPK_PATH_INVALID };

/* Validates the chain up to one of the trusted roots, with the current date: dates, CA:TRUE and
 * keyCertSign above the leaf, digitalSignature on the leaf if it has a key usage, no critical
 * extension that is not processed, at most 4 certificates with the root. A self-signed top is
 * trusted only if it equals one of the roots byte for byte. `why` gets OpenSSL's reason and the
 * subject of the certificate. */
enum dpk_path_result dpk_certchain_validate(const struct dpk_certchain *chain,
                                            const struct dpk_der *roots, size_t root_count,
                                            char *why, size_t why_size);

/* Additional rules of path validation. */
struct dpk_path_rules {
    int64_t at;            /* time at which certificates must be valid, seconds since 1970; 0:
                            * now */
    /* borrowed. If there are any, each certificate below the root needs a list that its issuer
     * signed and that is valid at that time. One list of the issuer that revokes the certificate is
     * enough, whatever the dates and the order of the lists. */
    X509_CRL *const *crls;
    size_t crl_count;
};
/* Same with these rules. NULL: the current date, without revocation lists. */
enum dpk_path_result dpk_certchain_validate_by(const struct dpk_certchain *chain,
                                               const struct dpk_der *roots, size_t root_count,
                                               const struct dpk_path_rules *rules, char *why,
                                               size_t why_size);
/* Reads a list of revoked certificates, DER or PEM; release it with X509_CRL_free. */
enum dpk_status dpk_crl_load(const char *path, X509_CRL **out, struct dpk_error *err);

/* Validates the chain by itself: it trusts the top, root or not, because a signer knows no roots. A
 * top that names itself as its issuer must have signed itself. Errors: DPK_ERR_CRYPTO with
 * OpenSSL's reason and the subject of the certificate. */
enum dpk_status dpk_certchain_check(const struct dpk_certchain *chain, struct dpk_error *err);
/* Same, but it ignores the dates and the signature of the top. */
enum dpk_status dpk_certchain_check_forced(const struct dpk_certchain *chain,
                                           struct dpk_error *err);

/* ---- Making certificates ---- */

enum dpk_cert_role {
    DPK_CERT_ROOT,         /* CA:TRUE, signed by its own key */
    DPK_CERT_INTERMEDIATE, /* CA:TRUE, signs leaves only */
    DPK_CERT_LEAF          /* signs programs: digitalSignature, codeSigning */
};
struct dpk_cert_plan {
    enum dpk_cert_role role;
    const char *organization, *name; /* O and CN of the subject, UTF-8; O may be NULL */
    EVP_PKEY *key;                   /* key that the certificate certifies */
    X509 *issuer;                    /* NULL for a root */
    unsigned days;                   /* validity from now */
};
/* Makes a certificate with a random serial number, signed by the issuer's key with SHA-256, like
 * the guide's example ("Generating DPA Root CA Certificate"). Release it with X509_free. Errors:
 * DPK_ERR_RANGE if a name is too long for X.509. */
enum dpk_status dpk_cert_issue(const struct dpk_cert_plan *plan, const struct dpk_signer *issuer,
                               X509 **out, struct dpk_error *err);
/* Appends a request for such a certificate (PKCS#10, PEM), signed by the certified key, for a CA
 * elsewhere. The plan's issuer and days are not used. */
enum dpk_status dpk_cert_request(const struct dpk_cert_plan *plan, const struct dpk_signer *key,
                                 struct dpk_buf *out, struct dpk_error *err);
/* Returns DPK_OK if a subject can have these names. Errors: DPK_ERR_RANGE as above. */
enum dpk_status dpk_cert_name_check(const char *organization, const char *name,
                                    struct dpk_error *err);
/* Appends the certificate as DER or as PEM. */
enum dpk_status dpk_cert_der(X509 *cert, struct dpk_buf *out, struct dpk_error *err);
enum dpk_status dpk_cert_pem(X509 *cert, struct dpk_buf *out, struct dpk_error *err);

/* Appends the DER of the single certificate of a file in PEM or PKCS#7, or of the certificate that a
 * PKCS#11 URI names. Bytes of an unknown form
 * are appended unchanged, for the caller to refuse. Errors name the path and the file's actual
 * content. */
enum dpk_status dpk_cert_read(const char *path, struct dpk_buf *out, struct dpk_error *err);

/* Trusted root certificates from files. */
struct dpk_roots;

/* Adds the root certificates of a file (DER, PEM or PKCS#7, any number), or the one that a PKCS#11
 * URI names, to `*roots`, which is made
 * if it is NULL. Errors name the file: no certificate, a certificate that no device accepts as root
 * (dpk_cert_check_root), more than 64 altogether. On failure `*roots` keeps its content. */
enum dpk_status dpk_roots_load(struct dpk_roots **roots, const char *path, struct dpk_error *err);
/* Returns all roots, borrowed; no roots if `roots` is NULL. */
const struct dpk_der *dpk_roots_list(const struct dpk_roots *roots, size_t *count);
void dpk_roots_free(struct dpk_roots *roots);

/* Identity of a certificate, as text for people and JSON. */
struct dpk_cert_facts {
    char subject[256];   /* "CN=..., O=..." */
    char serial[64];     /* hexadecimal, as OpenSSL prints it; long numbers are cut */
    char sha256[65];     /* fingerprint of the DER, hexadecimal */
    char key_sha256[65]; /* hash of its public key (DER of SubjectPublicKeyInfo), hexadecimal */
    char not_before[32]; /* "2026-01-31 12:00:00 UTC"; "" if it cannot be read */
    char not_after[32];
};
void dpk_cert_describe(X509 *cert, struct dpk_cert_facts *out);
/* Writes the certificate's subject as "CN=..., O=...", for people. */
void dpk_cert_subject(const X509 *cert, char *out, size_t size);
/* Returns a whole name of a certificate as one text: "O=Example, CN=Signer", parts in their order,
 * UTF-8. Separators within a part are quoted, bytes that are not characters are escaped. Allocated.
 * NULL if there is no memory or the name is empty. */
char *dpk_cert_name_text(const X509_NAME *name);
/* Checks that one DER certificate can be a device's root: exactly one certificate, self-signed (its
 * signature verified), CA:TRUE, RSA-4096, no critical extension that is not processed, at most
 * DPK_ROOT_MAX_BYTES. The error names the failed condition. */
enum dpk_status dpk_cert_check_root(const uint8_t *der, size_t size, struct dpk_error *err);

#endif
