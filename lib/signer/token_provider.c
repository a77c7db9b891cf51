/* Tokens through OpenSSL's provider pkcs11 (pkcs11-provider). Each signer has its own library
 * context, which OpenSSL's configuration file does not affect. */
#include <string.h>

#include <openssl/conf.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/store.h>
#include <openssl/ui.h>

#include "token.h"

/* ---- Loading the provider ---- */

/* Quotes a value for a configuration: only backslash and quote need a backslash. The value has no
 * line break. */
static void put_quoted(struct dpk_buf *out, const char *value)
{
    dpk_put_u8(out, '"');
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            dpk_put_u8(out, '\\');
        dpk_put_u8(out, (uint8_t)*value);
    }
    dpk_put_u8(out, '"');
}

/* OpenSSL 3.0 passes parameters to a provider only through a configuration. */
static bool configure(OSSL_LIB_CTX *context, const char *module)
{
    struct dpk_buf text = {0};
    dpk_put_format(&text, "openssl_conf = all\n[all]\nproviders = providers\n"
                          "[providers]\ndefault = usual\npkcs11 = token\n"
                          "[usual]\nactivate = 1\n[token]\n");
    if (module) {
        dpk_put_format(&text, "pkcs11-module-path = ");
        put_quoted(&text, module);
        dpk_put_u8(&text, '\n');
    }
    dpk_put_format(&text, "activate = 1\n");
    CONF *conf = NCONF_new_ex(context, NULL);
    BIO *bio = text.failed ? NULL : BIO_new_mem_buf(text.data, (int)text.size);
    OPENSSL_load_builtin_modules(); /* includes the module "providers" */
    bool done = conf && bio && NCONF_load_bio(conf, bio, NULL) == 1 &&
                CONF_modules_load(conf, NULL, 0) == 1 && OSSL_PROVIDER_available(context, "pkcs11");
    BIO_free(bio);
    NCONF_free(conf);
    dpk_buf_free(&text);
    return done;
}

static enum dpk_status start(struct dpk_signer *s, const char *module, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    s->context = OSSL_LIB_CTX_new();
    if (!s->context)
        return dpk_fail_nomem(err);
    ERR_clear_error();
    if (!configure(s->context, module)) {
        OSSL_LIB_CTX_free(s->context);
        s->context = NULL;
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "pkcs11: OpenSSL's provider pkcs11 is not installed (Debian package %s)",
                          signer_token_provider.package);
    }
    ERR_clear_error();
    return status;
}

static void stop(struct dpk_signer *s)
{
    OSSL_LIB_CTX_free(s->context);
}

/* ---- Key ---- */

struct answer {
    const char *pin;
    bool asked; /* the provider asked for the PIN, so there is a token */
    int limit;  /* maximum size of a PIN, if the PIN is longer; else 0 */
};

/* Gives the PIN to the provider. It is neither in a configuration nor in a URI, because those are
 * logged (PKCS11_PROVIDER_DEBUG). */
static int give_pin(UI *ui, UI_STRING *asked)
{
    struct answer *a = UI_get0_user_data(ui);
    if (UI_get_string_type(asked) != UIT_PROMPT)
        return 1;
    a->asked = true;
    int limit = UI_get_result_maxsize(asked);
    bool fits = limit > 0 && strlen(a->pin) <= (size_t)limit;
    if (!fits)
        a->limit = limit;
    /* An empty PIN ends the request; after a refusal the provider would ask on the terminal. */
    return UI_set_result(ui, asked, fits ? a->pin : "") == 0;
}

/* Explains why there is no key, because OpenSSL's error queue is empty then. */
static enum dpk_status explain_no_key(const char *uri, const struct answer *a,
                                      struct dpk_error *err)
{
    if (a->limit)
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "%s: the PIN has more than the %d bytes that OpenSSL's provider takes", uri,
                        a->limit);
    return dpk_fail(
        err, DPK_ERR_CRYPTO,
        "%s: OpenSSL's provider does not get the key%s (PKCS11_PROVIDER_DEBUG says more)", uri,
        a->asked ? "" : ", nor asks for the PIN");
}

/* Restricts the URI to private keys: without a type, OpenSSL also finds the public key. */
static void put_private(struct dpk_buf *out, const char *uri)
{
    size_t scheme = strlen("pkcs11:");
    dpk_put_format(out, "pkcs11:type=private");
    for (const char *p = uri + scheme; *p; p += *p == ';') {
        size_t length = strcspn(p, ";");
        if (length && strncmp(p, "type=", 5) != 0)
            dpk_put_format(out, ";%.*s", (int)length, p);
        p += length;
    }
    dpk_put_u8(out, 0);
}

/* Gets the single private key of the store. */
static enum dpk_status take_key(OSSL_STORE_CTX *store, const char *uri, EVP_PKEY **out,
                                struct dpk_error *err)
{
    while (!OSSL_STORE_eof(store)) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(store);
        EVP_PKEY *key = info ? OSSL_STORE_INFO_get1_PKEY(info) : NULL;
        OSSL_STORE_INFO_free(info);
        if (key && *out) {
            EVP_PKEY_free(key);
            return dpk_fail(err, DPK_ERR_CRYPTO, "%s: names more than one private key", uri);
        }
        if (key)
            *out = key;
        else if (OSSL_STORE_error(store))
            break;
    }
    return DPK_OK;
}

static enum dpk_status load(struct dpk_signer *s, const char *uri, const char *pin,
                            struct dpk_error *err)
{
    struct answer answer = {.pin = pin};
    struct dpk_buf private = {0};
    enum dpk_status status = DPK_OK;
    OSSL_STORE_CTX *store = NULL;
    UI_METHOD *method = UI_create_method("PIN");
    put_private(&private, uri);
    if (!method || private.failed || UI_method_set_reader(method, give_pin) != 0) {
        status = dpk_fail_nomem(err);
        goto out;
    }
    ERR_clear_error();
    /* The property stops OpenSSL from looking for a file of that name first. */
    store = OSSL_STORE_open_ex((const char *)private.data, s->context, "provider=pkcs11", method,
                               &answer, NULL, NULL, NULL);
    if (store && OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1)
        status = take_key(store, uri, &s->key, err);
    if (status == DPK_OK && !s->key)
        status = explain_no_key(uri, &answer, err);
out:
    OSSL_STORE_close(store);
    UI_destroy_method(method);
    dpk_buf_free(&private);
    ERR_clear_error();
    return status;
}

const struct token_way signer_token_provider = {
    .name = "provider",
    .module_variable = "PKCS11_PROVIDER_MODULE",
    .package = "pkcs11-provider",
    .start = start,
    .load = load,
    .stop = stop,
};
