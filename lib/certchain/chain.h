/* A chain in memory; private to this room. */
#ifndef DPK_CERTCHAIN_CHAIN_H
#define DPK_CERTCHAIN_CHAIN_H

#include "certchain/certchain.h"

struct dpk_certchain {
    size_t count;
    X509 *certs[DPK_CHAIN_MAX_CERTS]; /* top first */
    struct dpk_buf der;               /* their DER, back to back in the same order */
    struct dpk_buf name;              /* path or URI, NUL-terminated; empty: neither */
    struct dpk_token *token;          /* keeps the login until the chain is freed; or NULL */
};

/* Takes the certificate at the reader, which moves past it. Errors name its number (from 1) and
 * offset. */
enum dpk_status certchain_read_der(struct dpk_reader *r, unsigned number, X509 **out,
                                   struct dpk_error *err);
/* Returns true if the issuer's key signed the subject, which names it. */
bool certchain_issued(X509 *issuer, X509 *subject);
/* Appends `cert` after the leaf; the chain then owns it. Errors: too many certificates. */
enum dpk_status certchain_append(struct dpk_certchain *chain, X509 *cert, struct dpk_error *err);

/* Certificates in the order of their file. */
#define PILE_MAX 64
struct pile {
    X509 *certs[PILE_MAX];
    size_t count, max; /* max: how many are allowed, at most PILE_MAX */
};

/* Reads all certificates of DER or PEM bytes. Errors: no certificate. Release the pile with
 * certchain_pile_free, also on failure. */
enum dpk_status certchain_pile_read(struct pile *pile, const void *bytes, size_t size,
                                    struct dpk_error *err);
void certchain_pile_free(struct pile *pile);
/* Completes the error after certchain_pile_read of a file failed with `status`: puts the path before the
 * message, or says the file's actual content. `of_chain`: the caller wanted a chain, not a root.
 * Returns the status. */
enum dpk_status certchain_pile_refused(const char *path, const struct dpk_buf *file, bool of_chain,
                                       enum dpk_status status, struct dpk_error *err);

/* Reads the certificate that a PKCS#11 URI names, and (`with_issuers`) those above it in the same
 * token. Close `*out` with dpk_token_close and the pile with certchain_pile_free, also on failure. */
enum dpk_status certchain_token_pile(const struct dpk_key_options *where, bool with_issuers,
                                     struct pile *pile, struct dpk_token **out,
                                     struct dpk_error *err);
/* Appends the DER of the certificate alone. */
enum dpk_status certchain_token_cert(const struct dpk_key_options *where, struct dpk_buf *out,
                                     struct dpk_error *err);

#define CERT_FILE_MAX ((size_t)1 << 20) /* maximum size of a file with certificates */

/* Returns true if this certificate's key signed the list, and the list names it as issuer. */
bool certchain_crl_is_of(X509_CRL *crl, X509 *issuer);
/* Returns true if one of the lists that `issuer` signed revokes `cert`, whatever the list's dates
 * and scope: if lists contradict each other, the revocation counts. `rules` may be NULL. */
bool certchain_crl_revokes(const struct dpk_path_rules *rules, X509 *cert, X509 *issuer);

#endif
