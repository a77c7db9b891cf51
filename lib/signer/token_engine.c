/* Tokens through OpenSSL's engine pkcs11 (libp11), which Debian 12 has. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/opensslconf.h>
#ifndef OPENSSL_NO_ENGINE
#include <openssl/engine.h>
#endif
#include <openssl/err.h>

#include "token.h"

static enum dpk_status not_installed(struct dpk_error *err)
{
    ERR_clear_error();
    return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                    "pkcs11: OpenSSL's engine pkcs11 is not installed (Debian package %s)",
                    signer_token_engine.package);
}

#ifdef OPENSSL_NO_ENGINE /* OpenSSL 4 has no engines */

static enum dpk_status start(struct dpk_signer *s, const char *module, struct dpk_error *err)
{
    (void)s;
    (void)module;
    return not_installed(err);
}

static enum dpk_status load(struct dpk_signer *s, const char *uri, const char *pin,
                            struct dpk_error *err)
{
    (void)s;
    (void)uri;
    (void)pin;
    return not_installed(err);
}

static void stop(struct dpk_signer *s)
{
    (void)s;
}

#else

static enum dpk_status start(struct dpk_signer *s, const char *module, struct dpk_error *err)
{
    ENGINE_load_dynamic();
    ENGINE *e = ENGINE_by_id("pkcs11");
    if (!e)
        return not_installed(err);
    /* The engine's own messages on standard error do not help users. */
    bool ready = ENGINE_ctrl_cmd_string(e, "QUIET", NULL, 0) == 1 &&
                 (!module || ENGINE_ctrl_cmd_string(e, "MODULE_PATH", module, 0) == 1);
    if (!ready) {
        ENGINE_free(e);
        ERR_clear_error();
        return dpk_fail(err, DPK_ERR_CRYPTO, "pkcs11: OpenSSL's engine pkcs11 does not start");
    }
    s->engine = e;
    return DPK_OK;
}

static enum dpk_status load(struct dpk_signer *s, const char *uri, const char *pin,
                            struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    ERR_clear_error();
    if (ENGINE_init(s->engine) != 1) {
        ERR_clear_error();
        return dpk_fail(err, DPK_ERR_CRYPTO, "pkcs11: OpenSSL's engine pkcs11 does not start");
    }
    if (ENGINE_ctrl_cmd_string(s->engine, "PIN", pin, 0) == 1)
        s->key = ENGINE_load_private_key(s->engine, uri, NULL, NULL);
    if (!s->key)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: OpenSSL's engine does not get the key (%s)",
                          uri, dpk_openssl_reason());
    if (!s->key)
        ENGINE_finish(s->engine);
    ERR_clear_error();
    return status;
}

static void stop(struct dpk_signer *s)
{
    if (s->key) /* load has initialised the engine */
        ENGINE_finish(s->engine);
    ENGINE_free(s->engine);
}

#endif

const struct token_way signer_token_engine = {
    .name = "engine",
    .package = "libengine-pkcs11-openssl",
    .start = start,
    .load = load,
    .stop = stop,
};
