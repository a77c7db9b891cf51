/* Validates a chain against a device's root certificates. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "chain.h"

#define ROOT_KEY_BITS 4096
#define UNPROCESSED   "a critical extension that nothing here processes"

/* Writes a name for people. */
static void write_name(const X509_NAME *name, char *out, size_t size)
{
    if (size == 0)
        return;
    out[0] = 0;
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio && X509_NAME_print_ex(bio, name, 0,
                                  XN_FLAG_ONELINE & ~XN_FLAG_SPC_EQ & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        int n = BIO_read(bio, out, (int)(size - 1 < 4096 ? size - 1 : 4096));
        out[n > 0 ? n : 0] = 0;
        dpk_text_clean_in(out, size);
    }
    BIO_free(bio);
}

void dpk_cert_subject(const X509 *cert, char *out, size_t size)
{
    write_name(X509_get_subject_name(cert), out, size);
}

static enum dpk_path_result no(enum dpk_path_result result, const char *reason, const X509 *cert,
                               char *why, size_t size)
{
    char subject[256] = "";
    if (cert)
        dpk_cert_subject(cert, subject, sizeof subject);
    if (why && size)
        snprintf(why, size, "%s%s%s", reason, cert ? ": " : "", subject);
    return result;
}

/* Names the missing issuer: often a certificate between signer and root was not given for signing. */
static enum dpk_path_result no_issuer(const X509 *cert, char *why, size_t size)
{
    char subject[100], issuer[100]; /* of longer names the beginning */
    dpk_cert_subject(cert, subject, sizeof subject);
    write_name(X509_get_issuer_name(cert), issuer, sizeof issuer);
    if (why && size)
        snprintf(why, size, "%s, which issued %s, is neither in the chain nor trusted", issuer,
                 subject);
    return DPK_PATH_UNKNOWN_CA;
}

static bool self_issued(X509 *cert)
{
    return X509_NAME_cmp(X509_get_subject_name(cert), X509_get_issuer_name(cert)) == 0;
}

static bool is_root(X509 *cert, const struct dpk_der *roots, size_t count)
{
    unsigned char *der = NULL;
    bool found = false;
    int length = i2d_X509(cert, &der);
    for (size_t i = 0; i < count && length > 0; i++)
        found |= roots[i].size == (size_t)length && memcmp(roots[i].data, der, roots[i].size) == 0;
    OPENSSL_free(der);
    return found;
}

/* Signatures of an unsound key prove nothing: with exponent 1, any number is its own signature. */
static bool is_sound_key(X509 *cert)
{
    EVP_PKEY *key = X509_get0_pubkey(cert);
    BIGNUM *exponent = NULL;
    if (!key)
        return false;
    if (!EVP_PKEY_is_a(key, "RSA") && !EVP_PKEY_is_a(key, "RSA-PSS"))
        return true;
    bool sound = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 &&
                 BN_is_odd(exponent) && !BN_is_one(exponent);
    BN_free(exponent);
    return sound;
}

/* A certificate below the root that has an extended key usage must allow code signing. */
static bool is_for_code(X509 *cert)
{
    return !(X509_get_extension_flags(cert) & EXFLAG_XKUSAGE) ||
           (X509_get_extended_key_usage(cert) & (XKU_CODE_SIGN | XKU_ANYEKU));
}

/* OpenSSL refuses critical extensions that it does not know, but it accepts some, such as
 * certificate policies, without processing them. */
static bool has_unprocessed_extension(const X509 *cert)
{
    for (int i = 0; i < X509_get_ext_count(cert); i++) {
        X509_EXTENSION *e = X509_get_ext(cert, i);
        if (!X509_EXTENSION_get_critical(e))
            continue;
        switch (OBJ_obj2nid(X509_EXTENSION_get_object(e))) {
        case NID_basic_constraints:
        case NID_key_usage:
        case NID_ext_key_usage:
        case NID_name_constraints:
        case NID_subject_alt_name:
            break;
        default:
            return true;
        }
    }
    return false;
}

static const char *authority_fault(X509 *cert)
{
    uint32_t flags = X509_get_extension_flags(cert);
    if (flags & EXFLAG_INVALID)
        return "malformed extensions";
    if (!(flags & EXFLAG_BCONS) || !(flags & EXFLAG_CA))
        return "not a CA certificate";
    if (!(X509_get_key_usage(cert) & KU_KEY_CERT_SIGN)) /* absent extension: all bits are set */
        return "its key may not sign certificates";
    return NULL;
}

/* Checks the profile's rules that OpenSSL does not check; `path` is leaf first, root last. */
static enum dpk_path_result check_profile(const struct dpk_certchain *chain, STACK_OF(X509) * path,
                                          const struct dpk_path_rules *rules, char *why,
                                          size_t size)
{
    int length = sk_X509_num(path), given = (int)chain->count;
    if (length > DPK_CHAIN_MAX_CERTS)
        return no(DPK_PATH_INVALID, "more than 4 certificates with the root", NULL, why, size);
    for (int i = 0; i < given; i++) {
        X509 *cert = chain->certs[given - 1 - i];
        if (i >= length || X509_cmp(sk_X509_value(path, i), cert) != 0)
            return no(DPK_PATH_INVALID, "not in hierarchical order", cert, why, size);
    }
    if (length > given + 1)
        return no(DPK_PATH_INVALID, "certificates between chain and root are missing", NULL, why,
                  size);
    for (int i = 1; i < length; i++) {
        const char *fault = authority_fault(sk_X509_value(path, i));
        if (fault)
            return no(DPK_PATH_INVALID, fault, sk_X509_value(path, i), why, size);
    }
    for (int i = 0; i < length; i++) {
        X509 *cert = sk_X509_value(path, i);
        if (!is_sound_key(cert))
            return no(DPK_PATH_INVALID, "RSA key with a bad exponent", cert, why, size);
        if (has_unprocessed_extension(cert))
            return no(DPK_PATH_INVALID, UNPROCESSED, cert, why, size);
        if (i + 1 < length && certchain_crl_revokes(rules, cert, sk_X509_value(path, i + 1)))
            return no(DPK_PATH_INVALID, "certificate revoked", cert, why, size);
        if (i + 1 < length && !is_for_code(cert))
            return no(DPK_PATH_INVALID, "not for signing code", cert, why, size);
    }
    X509 *leaf = sk_X509_value(path, 0);
    if (!(X509_get_key_usage(leaf) & KU_DIGITAL_SIGNATURE))
        return no(DPK_PATH_INVALID, "its key may not sign data", leaf, why, size);
    return no(DPK_PATH_OK, "lead to", sk_X509_value(path, length - 1), why, size);
}

static bool means_unknown_ca(int error)
{
    return error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
           error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
           error == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
           error == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
           error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT || error == X509_V_ERR_CERT_UNTRUSTED;
}

/* Returns NULL for a damaged root certificate, which is not trusted. */
static X509 *root_of(const struct dpk_der *root)
{
    const unsigned char *p = root->data;
    return root->size <= LONG_MAX ? d2i_X509(NULL, &p, (long)root->size) : NULL;
}

/* Adds only lists of the issuers in this chain: of several lists with one issuer name, OpenSSL
 * takes one, by its dates and position. */
static bool add_lists(X509_STORE *store, const struct dpk_certchain *chain, X509 *top,
                      const struct dpk_path_rules *rules)
{
    bool done = true;
    for (size_t i = 0; done && rules && i < rules->crl_count; i++) {
        X509_CRL *crl = rules->crls[i];
        bool known = top && certchain_crl_is_of(crl, top);
        for (size_t k = 0; k < chain->count && !known; k++)
            known = certchain_crl_is_of(crl, chain->certs[k]);
        done = !known || X509_STORE_add_crl(store, crl) == 1;
    }
    return done;
}

static enum dpk_path_result run(const struct dpk_certchain *chain, X509_STORE *store,
                                STACK_OF(X509) * above, unsigned long flags,
                                const struct dpk_path_rules *rules, char *why, size_t size)
{
    enum dpk_path_result result = DPK_PATH_INVALID;
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    if (!ctx || X509_STORE_CTX_init(ctx, store, dpk_certchain_leaf(chain), above) != 1) {
        no(result, "out of memory", NULL, why, size);
        goto out;
    }
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(ctx);
    X509_VERIFY_PARAM_set_auth_level(param, 2); /* 112 bits: no SHA-1, no RSA below 2048 bits */
    X509_VERIFY_PARAM_set_depth(param, DPK_CHAIN_MAX_CERTS);
    X509_VERIFY_PARAM_set_flags(param, flags);
    if (rules && rules->at)
        X509_VERIFY_PARAM_set_time(param, (time_t)rules->at);
    if (X509_verify_cert(ctx) == 1) {
        result = check_profile(chain, X509_STORE_CTX_get0_chain(ctx), rules, why, size);
        goto out;
    }
    int error = X509_STORE_CTX_get_error(ctx);
    const X509 *current = X509_STORE_CTX_get_current_cert(ctx);
    if (current && (error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
                    error == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY)) {
        result = no_issuer(current, why, size);
        goto out;
    }
    result = no(means_unknown_ca(error) ? DPK_PATH_UNKNOWN_CA : DPK_PATH_INVALID,
                X509_verify_cert_error_string(error), current, why, size);
out:
    X509_STORE_CTX_free(ctx);
    return result;
}

/* Trusts only `top`; NULL trusts no certificate. */
static enum dpk_path_result validate(const struct dpk_certchain *chain, X509 *top,
                                     unsigned long flags, const struct dpk_path_rules *rules,
                                     char *why, size_t size)
{
    X509_STORE *store = X509_STORE_new();
    STACK_OF(X509) *above = sk_X509_new_null();
    bool ready = store && above && (!top || X509_STORE_add_cert(store, top) == 1) &&
                 add_lists(store, chain, top, rules);
    if (rules && rules->crl_count)
        flags |= X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL;
    for (size_t i = 0; ready && i + 1 < chain->count; i++)
        ready = sk_X509_push(above, chain->certs[i]) > 0;
    enum dpk_path_result result = ready ? run(chain, store, above, flags, rules, why, size)
                                        : no(DPK_PATH_INVALID, "out of memory", NULL, why, size);
    sk_X509_free(above); /* the chain owns the certificates */
    X509_STORE_free(store);
    ERR_clear_error();
    return result;
}

enum dpk_path_result dpk_certchain_validate(const struct dpk_certchain *chain,
                                            const struct dpk_der *roots, size_t root_count,
                                            char *why, size_t why_size)
{
    return dpk_certchain_validate_by(chain, roots, root_count, NULL, why, why_size);
}

enum dpk_path_result dpk_certchain_validate_by(const struct dpk_certchain *chain,
                                               const struct dpk_der *roots, size_t root_count,
                                               const struct dpk_path_rules *rules, char *why,
                                               size_t why_size)
{
    if (chain->count == 0)
        return no(DPK_PATH_INVALID, "no certificate", NULL, why, why_size);
    if (self_issued(chain->certs[0]) && !is_root(chain->certs[0], roots, root_count))
        return no(DPK_PATH_UNKNOWN_CA, "root certificate that is not trusted", chain->certs[0], why,
                  why_size);
    /* Try each root alone: if two roots have one name, like a CA's old and new root, OpenSSL would
     * try only one of them. A fault found with the chain's own root counts more than an unknown
     * CA. */
    enum dpk_path_result result =
        no(DPK_PATH_UNKNOWN_CA, "no trusted root certificate", chain->certs[0], why, why_size);
    for (size_t i = 0; i < root_count && result != DPK_PATH_OK; i++) {
        char one[256] = "";
        X509 *top = root_of(&roots[i]);
        enum dpk_path_result r = validate(chain, top, 0, rules, one, sizeof one);
        X509_free(top);
        if (i > 0 && r == DPK_PATH_UNKNOWN_CA)
            continue;
        if (r == DPK_PATH_INVALID && result == DPK_PATH_INVALID)
            continue;
        result = no(r, one, NULL, why, why_size);
    }
    return result;
}

static enum dpk_status check(const struct dpk_certchain *chain, unsigned long flags,
                             struct dpk_error *err)
{
    char why[256] = "";
    if (validate(chain, chain->certs[0], X509_V_FLAG_PARTIAL_CHAIN | flags, NULL, why,
                 sizeof why) != DPK_PATH_OK)
        return dpk_fail(err, DPK_ERR_CRYPTO, "certificate chain: %s", why);
    return DPK_OK;
}

/* Devices compare a root with their own byte for byte. OpenSSL does not check the signature of a
 * trusted certificate. */
static enum dpk_status check_top(const struct dpk_certchain *chain, struct dpk_error *err)
{
    char subject[256];
    X509 *top = chain->certs[0];
    if (!self_issued(top) || X509_self_signed(top, 1) == 1)
        return DPK_OK;
    ERR_clear_error();
    dpk_cert_subject(top, subject, sizeof subject);
    return dpk_fail(err, DPK_ERR_CRYPTO,
                    "certificate chain: the root certificate is damaged, its own signature is "
                    "wrong: %s",
                    subject);
}

enum dpk_status dpk_certchain_check(const struct dpk_certchain *chain, struct dpk_error *err)
{
    enum dpk_status status = check(chain, 0, err);
    return status == DPK_OK ? check_top(chain, err) : status;
}

enum dpk_status dpk_certchain_check_forced(const struct dpk_certchain *chain, struct dpk_error *err)
{
    return check(chain, X509_V_FLAG_NO_CHECK_TIME, err);
}

enum dpk_status dpk_cert_check_root(const uint8_t *der, size_t size, struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(der, size);
    X509 *cert = NULL;
    enum dpk_status status = certchain_read_der(&r, 1, &cert, err);
    if (status != DPK_OK)
        return status;
    EVP_PKEY *key = X509_get0_pubkey(cert);
    const char *fault = authority_fault(cert);
    if (dpk_reader_left(&r) > 0)
        status =
            dpk_fail(err, DPK_ERR_FORMAT, "%zu bytes after the certificate", dpk_reader_left(&r));
    else if (X509_self_signed(cert, 1) != 1)
        status = dpk_fail(err, DPK_ERR_REFUSED,
                          "the certificate is not self-signed, as that of a root CA is");
    else if (!is_sound_key(cert))
        status = dpk_fail(err, DPK_ERR_REFUSED, "its RSA key has a bad exponent");
    else if (fault)
        status = dpk_fail(err, DPK_ERR_REFUSED, "%s (CA:TRUE and keyCertSign are needed)", fault);
    else if (has_unprocessed_extension(cert))
        status = dpk_fail(err, DPK_ERR_REFUSED, UNPROCESSED);
    else if (!key || !EVP_PKEY_is_a(key, "RSA"))
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "the certificate's key is not an RSA key");
    else if (EVP_PKEY_get_bits(key) != ROOT_KEY_BITS)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "the certificate's key is RSA-%d, not RSA-%d",
                          EVP_PKEY_get_bits(key), ROOT_KEY_BITS);
    else if (size > DPK_ROOT_MAX_BYTES)
        status = dpk_fail(err, DPK_ERR_RANGE, "the certificate has %zu bytes, more than %d", size,
                          DPK_ROOT_MAX_BYTES);
    X509_free(cert);
    ERR_clear_error();
    return status;
}
