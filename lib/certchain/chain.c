/* Reads the certificates of a chain, and sorts them. */
#include "chain.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

/* Returns true if OpenSSL's last call ran out of memory. The error queue is unchanged. */
static bool openssl_is_starved(void)
{
    return ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE ||
           ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE;
}

/* Encodes the certificate; release *out with OPENSSL_free. */
static int encoding(X509 *cert, unsigned char **out)
{
    *out = NULL;
    return i2d_X509(cert, out);
}

enum dpk_status certchain_read_der(struct dpk_reader *r, unsigned number, X509 **out,
                                   struct dpk_error *err)
{
    size_t left = dpk_reader_left(r), at = dpk_reader_offset(r);
    const unsigned char *p = r->pos;
    unsigned char *again = NULL;
    *out = NULL;
    enum dpk_status status = dpk_openssl_start(err);
    if (status != DPK_OK)
        return status;
    ERR_clear_error();
    X509 *cert = left <= LONG_MAX ? d2i_X509(NULL, &p, (long)left) : NULL;
    if (!cert && openssl_is_starved())
        return dpk_fail_nomem(err);
    if (!cert)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "certificate %u at offset %zu: not a DER certificate (%s)", number, at,
                        dpk_openssl_reason());
    /* OpenSSL also accepts BER, where one certificate has several encodings. */
    size_t size = (size_t)(p - r->pos);
    int length = encoding(cert, &again);
    bool same = length >= 0 && (size_t)length == size && memcmp(again, r->pos, size) == 0;
    OPENSSL_free(again);
    if (!same) {
        X509_free(cert);
        return dpk_fail(err, DPK_ERR_FORMAT, "certificate %u at offset %zu: not in DER", number,
                        at);
    }
    dpk_read_skip(r, size);
    *out = cert;
    return DPK_OK;
}

enum dpk_status certchain_append(struct dpk_certchain *chain, X509 *cert, struct dpk_error *err)
{
    unsigned char *der = NULL;
    if (chain->count == DPK_CHAIN_MAX_CERTS)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d certificates", DPK_CHAIN_MAX_CERTS);
    int length = encoding(cert, &der);
    if (length < 0)
        return dpk_fail_nomem(err);
    dpk_put(&chain->der, der, (size_t)length);
    OPENSSL_free(der);
    if (chain->der.failed)
        return dpk_fail_nomem(err);
    if (chain->der.size > DPK_CHAIN_MAX_BYTES)
        return dpk_fail(err, DPK_ERR_RANGE, "the certificates have more than %d bytes",
                        DPK_CHAIN_MAX_BYTES);
    chain->certs[chain->count++] = cert;
    return DPK_OK;
}

void dpk_certchain_free(struct dpk_certchain *chain)
{
    if (!chain)
        return;
    for (size_t i = 0; i < chain->count; i++)
        X509_free(chain->certs[i]);
    dpk_buf_free(&chain->der);
    dpk_buf_free(&chain->name);
    dpk_token_close(chain->token);
    free(chain);
}

size_t dpk_certchain_count(const struct dpk_certchain *chain)
{
    return chain->count;
}

X509 *dpk_certchain_cert(const struct dpk_certchain *chain, size_t index)
{
    return index < chain->count ? chain->certs[index] : NULL;
}

X509 *dpk_certchain_leaf(const struct dpk_certchain *chain)
{
    return chain->count ? chain->certs[chain->count - 1] : NULL;
}

/* ---- Order ---- */

bool certchain_issued(X509 *issuer, X509 *subject)
{
    if (X509_NAME_cmp(X509_get_subject_name(issuer), X509_get_issuer_name(subject)) != 0)
        return false;
    EVP_PKEY *key = X509_get0_pubkey(issuer);
    bool yes = key && X509_verify(subject, key) == 1;
    ERR_clear_error();
    return yes;
}

/* Extends order[0..n) downwards from the top, until all certificates are placed. */
static bool extend(const bool issues[DPK_CHAIN_MAX_CERTS][DPK_CHAIN_MAX_CERTS], size_t count,
                   size_t *order, size_t n, unsigned used)
{
    if (n == count)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (used & 1u << i || (n > 0 && !issues[order[n - 1]][i]))
            continue;
        order[n] = i;
        if (extend(issues, count, order, n + 1, used | 1u << i))
            return true;
    }
    return false;
}

/* Moves the pile's certificates into the chain, top first. */
static enum dpk_status put_in_order(struct pile *pile, struct dpk_certchain *chain,
                                    struct dpk_error *err)
{
    bool issues[DPK_CHAIN_MAX_CERTS][DPK_CHAIN_MAX_CERTS] = {{false}};
    size_t order[DPK_CHAIN_MAX_CERTS] = {0};
    for (size_t i = 0; i < pile->count; i++) {
        for (size_t j = 0; j < pile->count; j++)
            issues[i][j] = i != j && certchain_issued(pile->certs[i], pile->certs[j]);
    }
    if (!extend(issues, pile->count, order, 0, 0))
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "the %zu certificates do not form one chain, each issued by the one above",
                        pile->count);
    for (size_t i = 0; i < pile->count; i++) {
        enum dpk_status status = certchain_append(chain, pile->certs[order[i]], err);
        if (status != DPK_OK)
            return status;
        pile->certs[order[i]] = NULL;
    }
    return DPK_OK;
}

static enum dpk_status chain_of(struct pile *pile, struct dpk_certchain **out,
                                struct dpk_error *err)
{
    struct dpk_certchain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return dpk_fail_nomem(err);
    enum dpk_status status = put_in_order(pile, chain, err);
    if (status == DPK_OK) {
        *out = chain;
        chain = NULL;
    }
    dpk_certchain_free(chain);
    return status;
}

enum dpk_status dpk_certchain_parse(const void *bytes, size_t size, struct dpk_certchain **out,
                                    struct dpk_error *err)
{
    struct pile pile = {.max = DPK_CHAIN_MAX_CERTS};
    *out = NULL;
    enum dpk_status status = certchain_pile_read(&pile, bytes, size, err);
    if (status == DPK_OK)
        status = chain_of(&pile, out, err);
    certchain_pile_free(&pile);
    return status;
}

/* ---- Where they are ---- */

static enum dpk_status load_file(const char *path, struct dpk_certchain **out,
                                 struct dpk_error *err)
{
    struct dpk_buf file = {0};
    enum dpk_status status = dpk_file_read(path, CERT_FILE_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    status = dpk_certchain_parse(file.data, file.size, out, err);
    if (status != DPK_OK)
        status = certchain_pile_refused(path, &file, true, status, err);
    dpk_buf_wipe_free(&file);
    return status;
}

static enum dpk_status load_token(const struct dpk_key_options *where, struct dpk_certchain **out,
                                  struct dpk_error *err)
{
    struct pile pile = {.max = DPK_CHAIN_MAX_CERTS};
    struct dpk_token *token = NULL;
    enum dpk_status status = certchain_token_pile(where, true, &pile, &token, err);
    if (status == DPK_OK && chain_of(&pile, out, err) != DPK_OK)
        status = dpk_error_prefix(err, "%s", dpk_token_name(token));
    if (status == DPK_OK) {
        (*out)->token = token;
        token = NULL;
    }
    dpk_token_close(token);
    certchain_pile_free(&pile);
    return status;
}

enum dpk_status dpk_certchain_load_from(const struct dpk_key_options *where,
                                        struct dpk_certchain **out, struct dpk_error *err)
{
    struct dpk_buf held = {0};
    *out = NULL;
    enum dpk_status status = dpk_key_in_token(where->key) ? load_token(where, out, err)
                                                          : load_file(where->key, out, err);
    if (status != DPK_OK)
        return status;
    const char *name = dpk_key_shown(where->key, &held);
    dpk_put(&(*out)->name, name, strlen(name) + 1);
    dpk_buf_free(&held);
    if (!(*out)->name.failed)
        return DPK_OK;
    dpk_certchain_free(*out);
    *out = NULL;
    return dpk_fail_nomem(err);
}

enum dpk_status dpk_certchain_load(const char *path, struct dpk_certchain **out,
                                   struct dpk_error *err)
{
    return dpk_certchain_load_from(&(struct dpk_key_options){.key = path}, out, err);
}

const char *dpk_certchain_name(const struct dpk_certchain *chain)
{
    return chain->name.data ? (const char *)chain->name.data : "";
}
