/* Keys in PKCS#11 tokens: the key stays in the token, and OpenSSL's provider or engine pkcs11 uses
 * it. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "token.h"

#define PIN_FILE_MAX 4096

/* The parts of a PKCS#11 URI (RFC 7512). */
struct uri {
    struct dpk_buf key;    /* URI of the key only, NUL-terminated; safe for messages */
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

/* Percent-decodes [p, end), and appends a NUL. */
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

/* Returns true if dpk_text_clean would change the text. The text goes into messages and to other
 * parsers. */
static bool unfit(const struct dpk_buf *text)
{
    char *copy = text->data ? strdup((const char *)text->data) : NULL;
    bool found = text->data && (!copy || strcmp(dpk_text_clean(copy), (char *)text->data) != 0);
    free(copy);
    return found;
}

/* Separates the attributes for this room from those that name the key. */
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
        bool taken = query; /* other query attributes do not name the key */
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
    if (unfit(&u->key) || unfit(&u->source) || unfit(&u->module))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "pkcs11: a control character or invalid UTF-8 in the URI");
    if (!sound)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: a percent sign without its two digits",
                        (const char *)u->key.data);
    return DPK_OK;
}

/* Reads the PIN of pin-source: a path, or a file: URI. */
static enum dpk_status read_pin(const struct uri *u, struct dpk_buf *held, struct dpk_error *err)
{
    const char *path = (const char *)u->source.data;
    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    else if (strncmp(path, "file:", 5) == 0)
        path += 5;
    enum dpk_status status = dpk_file_read(path, PIN_FILE_MAX, held, err);
    if (status == DPK_OK)
        status = signer_secret_first_line(held, path, err);
    return status == DPK_OK ? DPK_OK : dpk_error_prefix(err, "pin-source");
}

/* Finds the PIN: first --passin, then the URI, then the user. */
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
    if (!signer_secret_get(secret, what, err)) {
        if (secret->refused)
            return dpk_error_prefix(err, "%s", name);
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "%s: no PIN given (--passin, or pin-source=FILE in the URI)", name);
    }
    *out = secret->text;
    return DPK_OK;
}

/* ---- The way ---- */

/* Gets the path of the module, or NULL if p11-kit finds it. The path is safe for a
 * configuration. */
static enum dpk_status name_module(const struct token_way *way, const struct uri *u,
                                   const char **out, struct dpk_error *err)
{
    const char *forced = way->module_variable ? getenv(way->module_variable) : NULL;
    const char *module = u->module.data ? (const char *)u->module.data : forced;
    struct dpk_buf text = {0};
    *out = module ? module : getenv("PKCS11_MODULE_PATH");
    if (*out)
        dpk_put(&text, *out, strlen(*out) + 1);
    bool bad = unfit(&text) || text.failed;
    dpk_buf_free(&text);
    if (bad)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "pkcs11: a control character or invalid UTF-8 in the module's path");
    return DPK_OK;
}

/* Loads the module as a test, because libp11 would print errors itself, and the provider would not
 * report them. `found` gets the path where the system found the module; p11-kit searches relative
 * paths elsewhere. */
static enum dpk_status try_module(const struct token_way *way, const char *module,
                                  struct dpk_buf *found, struct dpk_error *err)
{
    const char *forced = way->module_variable ? getenv(way->module_variable) : NULL;
    if (!module)
        return DPK_OK;
    if (forced && strcmp(module, forced) != 0)
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "pkcs11: %s names another module than module-path in the URI, and "
                        "OpenSSL's %s would take it",
                        way->module_variable, way->name);
    void *code = *module ? dlopen(module, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!code)
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "pkcs11: the module %s cannot be loaded (module-path in the URI, or "
                        "PKCS11_MODULE_PATH): %s",
                        module, *module ? dlerror() : "no path");
    struct link_map *map = NULL;
    const char *path =
        dlinfo(code, RTLD_DI_LINKMAP, &map) == 0 && *map->l_name ? map->l_name : module;
    char *whole = realpath(path, NULL);
    path = whole ? whole : path;
    dpk_put(found, path, strlen(path) + 1);
    free(whole);
    dlclose(code);
    return found->failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status start(const struct token_way *way, const struct uri *u, struct dpk_signer *s,
                             struct dpk_buf *found, struct dpk_error *err)
{
    const char *module = NULL;
    enum dpk_status status = name_module(way, u, &module, err);
    if (status == DPK_OK)
        status = way->start(s, module, err);
    if (status != DPK_OK)
        return status;
    s->token = way;
    return try_module(way, module, found, err);
}

/* Starts the way in DPAKIT_PKCS11, else the first way that is installed. */
static enum dpk_status start_any(const struct uri *u, struct dpk_signer *s, struct dpk_buf *found,
                                 struct dpk_error *err)
{
    static const struct token_way *const ways[] = {&signer_token_provider, &signer_token_engine};
    const char *wanted = getenv("DPAKIT_PKCS11");
    enum dpk_status status = DPK_ERR_UNSUPPORTED;
    for (size_t i = 0; i < 2; i++)
        if (wanted && strcmp(wanted, ways[i]->name) == 0)
            return start(ways[i], u, s, found, err);
    if (wanted)
        return dpk_fail(err, DPK_ERR_USAGE, "DPAKIT_PKCS11: '%.40s' is neither provider nor engine",
                        wanted);
    for (size_t i = 0; i < 2 && status == DPK_ERR_UNSUPPORTED; i++)
        status = start(ways[i], u, s, found, err);
    if (status == DPK_ERR_UNSUPPORTED)
        return dpk_fail(err, status,
                        "pkcs11: OpenSSL has neither its provider nor its engine pkcs11 (Debian "
                        "package %s or %s)",
                        signer_token_provider.package, signer_token_engine.package);
    return status;
}

/* Finds the token before it asks for the PIN. The PIN is sent once; OpenSSL's way then finds the
 * process logged in. */
static enum dpk_status log_in(const struct uri *u, const char *module, struct secret *secret,
                              struct dpk_signer *s, struct dpk_buf *held, const char **pin,
                              struct dpk_error *err)
{
    CK_OBJECT_HANDLE key;
    struct token *t = s->session = calloc(1, sizeof *t);
    enum dpk_status status =
        t ? signer_session_find(t, s->name, module, "key", err) : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = signer_session_can_log_in(t, err);
    if (status == DPK_OK)
        status = find_pin(u, secret, held, pin, err);
    if (status == DPK_OK)
        status = signer_session_open(t, false, err);
    if (status == DPK_OK)
        status = signer_session_log_in(t, *pin, err);
    return status == DPK_OK ? signer_session_one(t, CKO_PRIVATE_KEY, "private key", &key, err)
                            : status;
}

enum dpk_status signer_token_open(const char *uri, struct secret *secret, struct dpk_signer *s,
                                  struct dpk_error *err)
{
    struct uri u = {.key = {0}};
    struct dpk_buf held = {0}, module = {0};
    const char *pin = NULL;
    enum dpk_status status = uri_parse(uri, &u, err);
    if (status == DPK_OK && !(s->name = strdup((const char *)u.key.data)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = start_any(&u, s, &module, err);
    if (status == DPK_OK)
        status = log_in(&u, (const char *)module.data, secret, s, &held, &pin, err);
    if (status == DPK_OK)
        status = s->token->load(s, s->name, pin, err);
    dpk_buf_free(&module);
    dpk_buf_wipe_free(&held);
    uri_free(&u);
    return status;
}

/* Whether a PIN is there without anybody being asked. */
static bool pin_given(const struct uri *u, const struct dpk_key_options *where)
{
    return where->passin || u->pin.data || u->source.data;
}

static void put_text(struct dpk_buf *out, const char *text)
{
    if (text)
        dpk_put(out, text, strlen(text) + 1);
}

enum dpk_status signer_token_place_find(const struct dpk_key_options *where, bool need_pin,
                                        struct token_place *out, struct dpk_error *err)
{
    static const struct token_way direct = {.name = "p11-kit"};
    struct uri u = {.key = {0}};
    struct secret secret = {.options = where};
    struct dpk_buf held = {0};
    const char *pin = NULL, *module = NULL;
    enum dpk_status status = uri_parse(where->key, &u, err);
    if (status == DPK_OK && where->passin && (need_pin || !(u.pin.data || u.source.data)))
        status = dpk_passphrase_resolve(where->passin, &secret.held, &secret.text, err);
    if (status == DPK_OK)
        status = name_module(&direct, &u, &module, err);
    if (status == DPK_OK && (need_pin || pin_given(&u, where)))
        status = find_pin(&u, &secret, &held, &pin, err);
    if (status == DPK_OK) {
        put_text(&out->key, (const char *)u.key.data);
        put_text(&out->pin, pin);
        put_text(&out->module, module);
        out->module_given = u.module.data != NULL;
        if (out->key.failed || out->pin.failed || out->module.failed)
            status = dpk_fail_nomem(err);
    }
    dpk_buf_wipe_free(&secret.held);
    dpk_buf_wipe_free(&held);
    uri_free(&u);
    return status;
}

const char *dpk_key_shown(const char *key, struct dpk_buf *held)
{
    struct uri u = {.key = {0}};
    if (!dpk_key_in_token(key))
        return key;
    held->size = 0;
    if (uri_parse(key, &u, NULL) == DPK_OK)
        put_text(held, (const char *)u.key.data);
    uri_free(&u);
    return held->data && !held->failed ? (const char *)held->data : "pkcs11:...";
}

void signer_token_place_free(struct token_place *p)
{
    dpk_buf_free(&p->key);
    dpk_buf_free(&p->module);
    dpk_buf_wipe_free(&p->pin);
}

void signer_token_close(struct dpk_signer *s)
{
    if (s->token)
        s->token->stop(s);
    if (s->session)
        signer_session_end(s->session);
    free(s->session);
}
