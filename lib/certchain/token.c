/* Chains and certificates from PKCS#11 tokens: the certificate that a URI names, and above it the
 * issuers that the same token holds. */
#include <string.h>

#include <openssl/err.h>

#include "chain.h"

/* A search for the issuer of a certificate. */
struct search {
    X509 *below, *found;
    bool is_valid; /* `found` is, by its dates */
};

static enum dpk_status read_one(const uint8_t *bytes, size_t size, X509 **out,
                                struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(bytes, size);
    enum dpk_status status = certchain_read_der(&r, 1, out, err);
    if (status != DPK_OK || dpk_reader_left(&r) == 0)
        return status;
    X509_free(*out);
    *out = NULL;
    return dpk_fail(err, DPK_ERR_FORMAT, "bytes after the end of the certificate");
}

static enum dpk_status take_named(void *context, const uint8_t *bytes, size_t size,
                                  struct dpk_error *err)
{
    return read_one(bytes, size, context, err);
}

static bool is_current(X509 *cert)
{
    return X509_cmp_current_time(X509_get0_notBefore(cert)) < 0 &&
           X509_cmp_current_time(X509_get0_notAfter(cert)) > 0;
}

/* Keeps the first issuer, or the first that has not expired. What else the token holds, in whatever
 * form, is passed over. */
static enum dpk_status take_issuer(void *context, const uint8_t *bytes, size_t size,
                                   struct dpk_error *err)
{
    struct search *s = context;
    X509 *cert = NULL;
    enum dpk_status status = read_one(bytes, size, &cert, err);
    if (status == DPK_ERR_NOMEM)
        return status;
    if (cert && certchain_issued(cert, s->below) &&
        (!s->found || (!s->is_valid && is_current(cert)))) {
        X509_free(s->found);
        s->found = cert;
        s->is_valid = is_current(cert);
        cert = NULL;
    }
    X509_free(cert);
    return DPK_OK;
}

/* Finds the issuer by its subject; a token may have stored none. NULL: the token has no issuer. */
static enum dpk_status find_issuer(struct dpk_token *t, X509 *below, X509 **out,
                                   struct dpk_error *err)
{
    struct search s = {.below = below};
    unsigned char *name = NULL;
    *out = NULL;
    const int size = i2d_X509_NAME(X509_get_issuer_name(below), &name);
    if (size <= 0)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_token_certificates(t, name, (size_t)size, take_issuer, &s, err);
    OPENSSL_free(name);
    if (status == DPK_OK && !s.found)
        status = dpk_token_certificates(t, NULL, 0, take_issuer, &s, err);
    if (status == DPK_OK)
        *out = s.found;
    else
        X509_free(s.found);
    return status;
}

static size_t size_of(X509 *cert)
{
    const int size = i2d_X509(cert, NULL);
    return size > 0 ? (size_t)size : 0;
}

/* Collects the certificates from the leaf upwards. Devices hold the root: it is left out where it
 * does not fit. */
static enum dpk_status climb(struct dpk_token *t, struct pile *pile, struct dpk_error *err)
{
    size_t bytes = size_of(pile->certs[0]);
    for (;;) {
        X509 *below = pile->certs[pile->count - 1], *above = NULL;
        if (X509_NAME_cmp(X509_get_subject_name(below), X509_get_issuer_name(below)) == 0)
            return DPK_OK;
        enum dpk_status status = find_issuer(t, below, &above, err);
        if (status != DPK_OK || !above)
            return status;
        const bool is_root =
            X509_NAME_cmp(X509_get_subject_name(above), X509_get_issuer_name(above)) == 0;
        bytes += size_of(above);
        if (pile->count == DPK_CHAIN_MAX_CERTS || (is_root && bytes > DPK_CHAIN_MAX_BYTES)) {
            X509_free(above);
            return is_root ? DPK_OK
                           : dpk_fail(err, DPK_ERR_RANGE, "more than %d certificates",
                                      DPK_CHAIN_MAX_CERTS);
        }
        pile->certs[pile->count++] = above;
    }
}

enum dpk_status certchain_token_pile(const struct dpk_key_options *where, bool with_issuers,
                                     struct pile *pile, struct dpk_token **out,
                                     struct dpk_error *err)
{
    enum dpk_status status = dpk_token_certificate(where, out, take_named, &pile->certs[0], err);
    if (status != DPK_OK)
        return status;
    pile->count = 1;
    if (with_issuers && climb(*out, pile, err) != DPK_OK)
        status = dpk_error_prefix(err, "%s", dpk_token_name(*out));
    return status;
}

enum dpk_status certchain_token_cert(const struct dpk_key_options *where, struct dpk_buf *out,
                                     struct dpk_error *err)
{
    struct pile pile = {.max = 1};
    struct dpk_token *token = NULL;
    enum dpk_status status = certchain_token_pile(where, false, &pile, &token, err);
    if (status == DPK_OK)
        status = dpk_cert_der(pile.certs[0], out, err);
    dpk_token_close(token);
    certchain_pile_free(&pile);
    return status;
}
