/* Sessions with PKCS#11 tokens through PKCS#11 itself: finds the token, logs in, and finds objects.
 * OpenSSL's ways report the same error for all failures. */
#include <stdlib.h>
#include <string.h>

#include "token.h"

#define SLOTS_MAX 256
#define SHOWN_MAX 8 /* maximum number of names in a message */

enum dpk_status signer_session_fail(const struct token *t, const char *what, CK_RV rv,
                                    struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_CRYPTO, "%s: %s: %s", t->name, what, p11_kit_strerror(rv));
}

/* ---- Token ---- */

static enum dpk_status load_modules(struct token *t, const char *path, struct dpk_error *err)
{
    if (!path) {
        t->all = p11_kit_modules_load_and_initialize(0);
        return t->all ? DPK_OK
                      : dpk_fail(err, DPK_ERR_CRYPTO,
                                 "%s: p11-kit has no modules: name the token's (module-path in the "
                                 "URI, or PKCS11_MODULE_PATH)",
                                 t->name);
    }
    t->own = p11_kit_module_load(path, 0);
    CK_RV rv = t->own ? p11_kit_module_initialize(t->own) : CKR_OK;
    if (t->own && rv == CKR_OK)
        return DPK_OK;
    if (t->own)
        p11_kit_module_release(t->own);
    t->own = NULL;
    return dpk_fail(err, DPK_ERR_CRYPTO, "pkcs11: the module %s cannot be loaded: %s", path,
                    p11_kit_message() ? p11_kit_message() : p11_kit_strerror(rv));
}

static void take_label(const CK_TOKEN_INFO *info, char out[33])
{
    size_t length = sizeof info->label;
    while (length > 0 && info->label[length - 1] == ' ')
        length--;
    memcpy(out, info->label, length);
    out[length] = 0;
}

/* Adds a name to the list for a message. */
static void put_shown(struct dpk_buf *list, unsigned number, char *name)
{
    if (number < SHOWN_MAX)
        dpk_put_format(list, "%s%s", number ? ", " : "", dpk_text_clean(name));
    else if (number == SHOWN_MAX)
        dpk_put_format(list, ", ...");
}

/* Searches the token in the slots of a module. Adds the number of matches to `found`, and the
 * labels of all tokens to `shown`. */
static void look_in(struct token *t, CK_FUNCTION_LIST *module, unsigned *found,
                    struct dpk_buf *shown, unsigned *tokens)
{
    CK_SLOT_ID slots[SLOTS_MAX];
    CK_ULONG count = SLOTS_MAX;
    CK_SLOT_ID wanted = p11_kit_uri_get_slot_id(t->uri);
    if (module->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK)
        return;
    for (CK_ULONG i = 0; i < count && i < SLOTS_MAX; i++) {
        CK_TOKEN_INFO info;
        char label[33];
        if (module->C_GetTokenInfo(slots[i], &info) != CKR_OK ||
            !(info.flags & CKF_TOKEN_INITIALIZED))
            continue;
        take_label(&info, label);
        if (p11_kit_uri_match_token_info(t->uri, &info) == 1 &&
            (wanted == (CK_SLOT_ID)-1 || wanted == slots[i])) {
            memcpy(t->label, label, sizeof label);
            t->module = module;
            t->slot = slots[i];
            t->flags = info.flags;
            ++*found;
        }
        put_shown(shown, (*tokens)++, label);
    }
}

/* Returns a hint for a URI whose attributes are separated by ',' or '&' instead of ';'. These
 * characters may be part of a value, so that such a URI is valid. */
static const char *separator_hint(const char *uri)
{
    static const char *const names[] = {"token=", "object=", "id=", "serial=", "type="};
    const size_t path = strcspn(uri, "?");
    for (size_t i = 0; i < path; i++)
        for (size_t j = 0; strchr(",&", uri[i]) && j < sizeof names / sizeof *names; j++)
            if (strncmp(uri + i + 1, names[j], strlen(names[j])) == 0)
                return "; ';' separates the attributes of a URI";
    return "";
}

static enum dpk_status find_token(struct token *t, struct dpk_error *err)
{
    unsigned found = 0, tokens = 0;
    struct dpk_buf shown = {0};
    enum dpk_status status = DPK_OK;
    if (t->own)
        look_in(t, t->own, &found, &shown, &tokens);
    for (size_t i = 0; t->all && t->all[i]; i++)
        look_in(t, t->all[i], &found, &shown, &tokens);
    dpk_put_u8(&shown, 0);
    if (shown.failed)
        status = dpk_fail_nomem(err);
    else if (found > 1)
        status =
            dpk_fail(err, DPK_ERR_USAGE,
                     "%s: names more than one token: say which with token=LABEL (there are: %s)",
                     t->name, (char *)shown.data);
    else if (found == 0)
        status =
            dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no such token%s%s%s%s", t->name,
                     tokens ? " (there are: " : ", nor another: is it connected?",
                     tokens ? (char *)shown.data : "", tokens ? ")" : "", separator_hint(t->name));
    dpk_buf_free(&shown);
    return status;
}

static enum dpk_status parse_uri(struct token *t, const char *object, struct dpk_error *err)
{
    t->uri = p11_kit_uri_new();
    if (!t->uri)
        return dpk_fail_nomem(err);
    const P11KitUriType type =
        object ? P11_KIT_URI_FOR_OBJECT_ON_TOKEN : P11_KIT_URI_FOR_TOKEN;
    int result = p11_kit_uri_parse(t->name, type, t->uri);
    if (result != P11_KIT_URI_OK)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s: not a URI of a %s (RFC 7512: pkcs11:token=LABEL%s): %s", t->name,
                        object ? object : "token", object ? ";object=LABEL" : "",
                        p11_kit_uri_message(result));
    if (p11_kit_uri_any_unrecognized(t->uri))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s: not a URI of a %s: it has an attribute that RFC 7512 lacks (known are "
                        "token, object, id, type, serial, manufacturer, model, slot-id)",
                        t->name, object ? object : "token");
    return DPK_OK;
}

enum dpk_status signer_session_find(struct token *t, const char *name, const char *module,
                                    const char *object, struct dpk_error *err)
{
    t->name = name;
    enum dpk_status status = parse_uri(t, object, err);
    if (status == DPK_OK)
        status = load_modules(t, module, err);
    return status == DPK_OK ? find_token(t, err) : status;
}

/* ---- Login ---- */

static enum dpk_status fail_locked(const struct token *t, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_CRYPTO,
                    "%s: the PIN is locked after too many wrong ones: the token's security officer "
                    "sets a new one (pkcs11-tool --login --login-type so --init-pin)",
                    t->name);
}

static enum dpk_status explain_login(struct token *t, CK_RV rv, struct dpk_error *err)
{
    CK_TOKEN_INFO info = {.flags = 0};
    const char *left = "";
    (void)t->module->C_GetTokenInfo(t->slot, &info);
    if (rv == CKR_PIN_LOCKED || (info.flags & CKF_USER_PIN_LOCKED))
        return fail_locked(t, err);
    if (info.flags & CKF_USER_PIN_FINAL_TRY)
        left = "; ONE try is left before the token locks it";
    else if (info.flags & CKF_USER_PIN_COUNT_LOW)
        left = "; the token counts wrong ones, and locks";
    if (rv == CKR_PIN_INCORRECT)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: wrong PIN%s", t->name, left);
    if (rv == CKR_PIN_LEN_RANGE || rv == CKR_PIN_INVALID)
        return dpk_fail(err, DPK_ERR_CRYPTO,
                        "%s: wrong PIN: this token accepts no PIN of that length or with such "
                        "characters%s",
                        t->name, left);
    if (rv == CKR_USER_PIN_NOT_INITIALIZED)
        return dpk_fail(err, DPK_ERR_CRYPTO, "%s: no PIN was set in this token yet", t->name);
    return signer_session_fail(t, "the token does not let us in", rv, err);
}

enum dpk_status signer_session_can_log_in(const struct token *t, struct dpk_error *err)
{
    return t->flags & CKF_USER_PIN_LOCKED ? fail_locked(t, err) : DPK_OK;
}

enum dpk_status signer_session_open(struct token *t, bool write, struct dpk_error *err)
{
    const CK_FLAGS flags = CKF_SERIAL_SESSION | (write ? CKF_RW_SESSION : 0);
    CK_RV rv = t->module->C_OpenSession(t->slot, flags, NULL, NULL, &t->session);
    t->is_open = rv == CKR_OK;
    return rv == CKR_OK
               ? DPK_OK
               : signer_session_fail(t, write ? "no session to write in" : "no session", rv, err);
}

enum dpk_status signer_session_log_in(struct token *t, const char *pin, struct dpk_error *err)
{
    CK_RV rv = t->module->C_Login(t->session, CKU_USER, (CK_UTF8CHAR *)pin, strlen(pin));
    /* OpenSSL's engine stays logged in as long as the process lives. */
    return rv == CKR_OK || rv == CKR_USER_ALREADY_LOGGED_IN ? DPK_OK : explain_login(t, rv, err);
}

void signer_session_end(struct token *t)
{
    /* The token logs out with the last session of this process. */
    if (t->is_open)
        t->module->C_CloseSession(t->session);
    /* If another user initialised the module, p11-kit leaves it initialised. */
    if (t->own) {
        p11_kit_module_finalize(t->own);
        p11_kit_module_release(t->own);
    }
    if (t->all)
        p11_kit_modules_finalize_and_release(t->all);
    p11_kit_uri_free(t->uri);
    *t = (struct token){.name = t->name};
}

/* ---- Objects ---- */

CK_RV signer_session_search(struct token *t, CK_ATTRIBUTE *sought, CK_ULONG terms,
                            CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count)
{
    CK_RV rv = t->module->C_FindObjectsInit(t->session, sought, terms);
    *count = 0;
    if (rv != CKR_OK)
        return rv;
    rv = t->module->C_FindObjects(t->session, out, HANDLES_MAX, count);
    t->module->C_FindObjectsFinal(t->session);
    if (rv != CKR_OK || *count > HANDLES_MAX)
        *count = 0;
    return rv;
}

enum dpk_status signer_session_named(struct token *t, CK_OBJECT_CLASS class,
                                     CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count,
                                     struct dpk_error *err)
{
    CK_ATTRIBUTE sought[8] = {{CKA_CLASS, &class, sizeof class}};
    CK_ULONG terms = 1, given = 0;
    const CK_ATTRIBUTE *attributes = p11_kit_uri_get_attributes(t->uri, &given);
    for (CK_ULONG i = 0; i < given && terms < 8; i++)
        if (attributes[i].type != CKA_CLASS)
            sought[terms++] = attributes[i];
    CK_RV rv = signer_session_search(t, sought, terms, out, count);
    return rv == CKR_OK ? DPK_OK : signer_session_fail(t, "its objects cannot be listed", rv, err);
}

/* Lists the labels of the token's objects of a class: "leaf, other". */
static unsigned put_labels(struct token *t, CK_OBJECT_CLASS class, struct dpk_buf *shown)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    CK_ATTRIBUTE sought = {CKA_CLASS, &class, sizeof class};
    (void)signer_session_search(t, &sought, 1, objects, &count);
    unsigned number = 0;
    for (CK_ULONG i = 0; i < count; i++) {
        char label[65] = "";
        CK_ATTRIBUTE wanted = {CKA_LABEL, label, sizeof label - 1};
        if (t->module->C_GetAttributeValue(t->session, objects[i], &wanted, 1) == CKR_OK && *label)
            put_shown(shown, number++, label);
    }
    dpk_put_u8(shown, 0);
    return number;
}

enum dpk_status signer_session_one(struct token *t, CK_OBJECT_CLASS class, const char *what,
                                   CK_OBJECT_HANDLE *out, struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    struct dpk_buf shown = {0};
    enum dpk_status status = signer_session_named(t, class, objects, &count, err);
    if (status != DPK_OK)
        return status;
    if (count == 1) {
        *out = objects[0];
        return DPK_OK;
    }
    const unsigned there = put_labels(t, class, &shown);
    const char *labels = shown.failed || !there ? "none" : (char *)shown.data;
    if (count)
        status = dpk_fail(err, DPK_ERR_CRYPTO,
                          "%s: names more than one %s: say object=LABEL or id= (there are: %s)",
                          t->name, what, labels);
    else
        status = dpk_fail(err, DPK_ERR_CRYPTO, "%s: no such %s in the token (there are: %s)%s",
                          t->name, what, labels, separator_hint(t->name));
    dpk_buf_free(&shown);
    return status;
}
