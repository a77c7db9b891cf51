/* Keys in PKCS#11 tokens: the key stays there, OpenSSL's engine pkcs11 (libp11) speaks to it. */
#define OPENSSL_SUPPRESS_DEPRECATED /* engines: the way to PKCS#11 that Debian 12 ships */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/engine.h>
#include <openssl/err.h>

#include "keys.h"

#define PIN_FILE_MAX 4096

/* A PKCS#11 URI (RFC 7512) taken apart. */
struct uri {
    struct dpk_buf key;    /* what names the key, NUL-terminated: fit for messages */
    struct dpk_buf pin;    /* pin-value, decoded */
    struct dpk_buf source; /* pin-source, decoded */
    struct dpk_buf module; /* module-path, decoded */
};

static void uri_free(struct uri *u)
{
    dpk_buf_free(&u->key);
    dpk_buf_wipe_free(&u->pin);
    dpk_buf_free(&u->source);
    dpk_buf_free(&u->module);
}

static int hex(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *p = c ? strchr(digits, c | 0x20) : NULL;
    return p ? (int)(p - digits) : -1;
}

/* Percent-decodes [p, end), and a NUL behind it. */
static bool decode(const char *p, const char *end, struct dpk_buf *out)
{
    for (; p < end; p++) {
        if (*p != '%') {
            dpk_put_u8(out, (uint8_t)*p);
            continue;
        }
        int high = end - p > 2 ? hex(p[1]) : -1, low = end - p > 2 ? hex(p[2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0))
            return false;
        dpk_put_u8(out, (uint8_t)(high << 4 | low));
        p += 2;
    }
    dpk_put_u8(out, 0);
    return true;
}

/* Sorts the attributes: those for us, those that name the key. */
static enum dpk_status uri_parse(const char *text, struct uri *u, struct dpk_error *err)
{
    const struct {
        const char *name;
        struct dpk_buf *to;
    } ours[] = {{"pin-value=", &u->pin}, {"pin-source=", &u->source}, {"module-path=", &u->module}};
    bool query = false, sound = true;
    text += strlen("pkcs11:");
    dpk_put_format(&u->key, "pkcs11:");
    size_t empty = u->key.size;
    while (*text) {
        const char *end = text + strcspn(text, query ? "&" : ";?");
        bool taken = query; /* what else a query says is not about the key */
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
            size_t n = strlen(ours[i].name);
            if (strncmp(text, ours[i].name, n) != 0)
                continue;
            dpk_buf_wipe_free(ours[i].to);
            sound = sound && decode(text + n, end, ours[i].to);
            taken = true;
        }
        if (!taken && end > text)
            dpk_put_format(&u->key, "%s%.*s", u->key.size > empty ? ";" : "", (int)(end - text),
                           text);
        query = query || *end == '?';
        text = end + (*end != 0);
    }
    dpk_put_u8(&u->key, 0);
    if (u->key.failed || u->pin.failed || u->source.failed || u->module.failed)
        return dpk_fail_nomem(err);
    if (!sound)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: a percent sign without its two digits",
                        (const char *)u->key.data);
    return DPK_OK;
}

/* pin-source: a path, or a file: URI. */
static enum dpk_status read_pin(const struct uri *u, struct dpk_buf *held, struct dpk_error *err)
{
    const char *path = (const char *)u->source.data;
    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    else if (strncmp(path, "file:", 5) == 0)
        path += 5;
    enum dpk_status status = dpk_file_read(path, PIN_FILE_MAX, held, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "pin-source");
        return status;
    }
    const uint8_t *line = held->size ? memchr(held->data, '\n', held->size) : NULL;
    if (line)
        held->size = (size_t)(line - held->data);
    dpk_put_u8(held, 0);
    return held->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* --passin wins over the URI, the URI over asking. */
static enum dpk_status find_pin(const struct uri *u, struct secret *secret, struct dpk_buf *held,
                                const char **out, struct dpk_error *err)
{
    char what[512];
    const char *name = (const char *)u->key.data;
    if (!secret->text && u->pin.data) {
        *out = (const char *)u->pin.data;
        return DPK_OK;
    }
    if (!secret->text && u->source.data) {
        enum dpk_status status = read_pin(u, held, err);
        *out = (const char *)held->data;
        return status;
    }
    snprintf(what, sizeof what, "PIN of %s: ", name);
    if (!secret_get(secret, what, err)) {
        if (secret->refused)
            return dpk_error_prefix(err, "%s", name);
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "%s: no PIN given (--passin, or pin-source=FILE in the URI)", name);
    }
    *out = secret->text;
    return DPK_OK;
}

static enum dpk_status engine_open(const struct uri *u, ENGINE **out, struct dpk_error *err)
{
    const char *named = (const char *)u->module.data;
    const char *module = named ? named : getenv("PKCS11_MODULE_PATH");
    void *code = module ? dlopen(module, RTLD_LAZY | RTLD_LOCAL) : NULL;
    *out = NULL;
    if (module && !code) /* libp11 would say so on standard error */
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "pkcs11: the module %s cannot be loaded (module-path in the URI, or "
                        "PKCS11_MODULE_PATH): %s",
                        module, dlerror());
    if (code)
        dlclose(code);
    ENGINE_load_dynamic();
    ENGINE *e = ENGINE_by_id("pkcs11");
    if (!e) {
        ERR_clear_error();
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "pkcs11: OpenSSL's engine pkcs11 is not installed (Debian package "
                        "libengine-pkcs11-openssl)");
    }
    /* Quiet: the engine's own words on standard error are no help to anybody. */
    bool ready = ENGINE_ctrl_cmd_string(e, "QUIET", NULL, 0) == 1 &&
                 (!named || ENGINE_ctrl_cmd_string(e, "MODULE_PATH", named, 0) == 1) &&
                 ENGINE_init(e) == 1;
    if (!ready) {
        ENGINE_free(e);
        ERR_clear_error();
        return dpk_fail(err, DPK_ERR_CRYPTO, "pkcs11: OpenSSL's engine pkcs11 does not start");
    }
    *out = e;
    return DPK_OK;
}

enum dpk_status token_open(const char *uri, struct secret *secret, struct dpk_signer *s,
                           struct dpk_error *err)
{
    struct uri u = {.key = {0}};
    struct dpk_buf held = {0};
    const char *pin = NULL;
    enum dpk_status status = uri_parse(uri, &u, err);
    if (status == DPK_OK && !(s->name = strdup((const char *)u.key.data)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = engine_open(&u, &s->engine, err);
    if (status == DPK_OK)
        status = find_pin(&u, secret, &held, &pin, err);
    if (status != DPK_OK)
        goto out;
    ERR_clear_error();
    if (ENGINE_ctrl_cmd_string(s->engine, "PIN", pin, 0) == 1)
        s->key = ENGINE_load_private_key(s->engine, (const char *)u.key.data, NULL, NULL);
    if (!s->key)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: no such private key, or a wrong PIN (%s)",
                          (const char *)u.key.data, signer_openssl_reason());
    ERR_clear_error();
out:
    dpk_buf_wipe_free(&held);
    uri_free(&u);
    return status;
}

void token_close(struct dpk_signer *s)
{
    if (!s->engine)
        return;
    ENGINE_finish(s->engine);
    ENGINE_free(s->engine);
}
