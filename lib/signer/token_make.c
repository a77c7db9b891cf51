/* New pairs in PKCS#11 tokens, by PKCS#11 itself: OpenSSL's ways there make none everywhere. */
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

#include "token.h"

#define KEY_BITS    4096
#define SLOTS_MAX   256
#define HANDLES_MAX 16

/* A session with the token that a URI names. */
struct token {
    struct token_place place;
    const char *name;       /* the URI, for messages */
    CK_FUNCTION_LIST *own;  /* the one module that was named, or NULL */
    CK_FUNCTION_LIST **all; /* those that p11-kit knows, or NULL */
    P11KitUri *uri;
    CK_FUNCTION_LIST *module; /* of the token */
    CK_SESSION_HANDLE session;
    bool is_open;
    bool shared;    /* somebody else in this process uses the module */
    char label[33]; /* of the token, without its padding */
};

static enum dpk_status fail_rv(const struct token *t, const char *what, CK_RV rv,
                               struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_CRYPTO, "%s: %s: %s", t->name, what, p11_kit_strerror(rv));
}

static enum dpk_status load_modules(struct token *t, struct dpk_error *err)
{
    const char *path = (const char *)t->place.module.data;
    if (!path) {
        t->all = p11_kit_modules_load_and_initialize(0);
        return t->all ? DPK_OK
                      : dpk_fail(err, DPK_ERR_CRYPTO, "%s: p11-kit has no modules", t->name);
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

/* Looks through the slots of a module for the token. How many fit is added to `found`. */
static void look_in(struct token *t, CK_FUNCTION_LIST *module, CK_SLOT_ID *slot, unsigned *found)
{
    CK_SLOT_ID slots[SLOTS_MAX];
    CK_ULONG count = SLOTS_MAX;
    if (module->C_GetSlotList(CK_TRUE, slots, &count) != CKR_OK)
        return;
    for (CK_ULONG i = 0; i < count && i < SLOTS_MAX; i++) {
        CK_TOKEN_INFO info;
        if (module->C_GetTokenInfo(slots[i], &info) != CKR_OK ||
            p11_kit_uri_match_token_info(t->uri, &info) != 1 ||
            !(info.flags & CKF_TOKEN_INITIALIZED))
            continue;
        size_t length = sizeof info.label;
        while (length > 0 && info.label[length - 1] == ' ')
            length--;
        memcpy(t->label, info.label, length);
        t->label[length] = 0;
        t->module = module;
        *slot = slots[i];
        ++*found;
    }
}

static enum dpk_status find_token(struct token *t, CK_SLOT_ID *slot, struct dpk_error *err)
{
    unsigned found = 0;
    if (t->own)
        look_in(t, t->own, slot, &found);
    for (size_t i = 0; t->all && t->all[i]; i++)
        look_in(t, t->all[i], slot, &found);
    if (found == 1)
        return DPK_OK;
    return found ? dpk_fail(err, DPK_ERR_USAGE, "%s: names more than one token", t->name)
                 : dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no such token", t->name);
}

static enum dpk_status log_in(struct token *t, CK_SLOT_ID slot, struct dpk_error *err)
{
    const CK_FLAGS flags = CKF_SERIAL_SESSION | CKF_RW_SESSION;
    CK_RV rv = t->module->C_OpenSession(slot, flags, NULL, NULL, &t->session);
    if (rv != CKR_OK)
        return fail_rv(t, "no session to write in", rv, err);
    t->is_open = true;
    CK_UTF8CHAR *pin = t->place.pin.data;
    rv = t->module->C_Login(t->session, CKU_USER, pin, strlen((const char *)pin));
    /* OpenSSL's engine has it for as long as the process lives. */
    t->shared = rv == CKR_USER_ALREADY_LOGGED_IN;
    return rv == CKR_OK || rv == CKR_USER_ALREADY_LOGGED_IN
               ? DPK_OK
               : fail_rv(t, "the token does not let us in", rv, err);
}

static void token_end(struct token *t)
{
    if (t->is_open) {
        if (!t->shared)
            t->module->C_Logout(t->session);
        t->module->C_CloseSession(t->session);
    }
    /* p11-kit leaves a module as it is that somebody else has initialized. */
    if (t->own) {
        p11_kit_module_finalize(t->own);
        p11_kit_module_release(t->own);
    }
    if (t->all)
        p11_kit_modules_finalize_and_release(t->all);
    p11_kit_uri_free(t->uri);
    token_place_free(&t->place);
}

static enum dpk_status token_begin(const struct dpk_key_options *where, struct token *t,
                                   struct dpk_error *err)
{
    CK_SLOT_ID slot = 0;
    if (!where->key || strncmp(where->key, "pkcs11:", 7) != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: no pkcs11: URI of a token",
                        where->key ? where->key : "");
    enum dpk_status status = token_place_find(where, &t->place, err);
    if (status != DPK_OK)
        return status;
    t->name = (const char *)t->place.key.data;
    if (strstr(t->name, "object=") || strstr(t->name, ";id=") || strstr(t->name, ":id="))
        return dpk_fail(err, DPK_ERR_USAGE, "%s: names a key; name the token alone", t->name);
    t->uri = p11_kit_uri_new();
    if (!t->uri)
        return dpk_fail_nomem(err);
    if (p11_kit_uri_parse(t->name, P11_KIT_URI_FOR_TOKEN, t->uri) != P11_KIT_URI_OK ||
        p11_kit_uri_any_unrecognized(t->uri))
        return dpk_fail(err, DPK_ERR_USAGE, "%s: no URI of a token (RFC 7512)", t->name);
    status = load_modules(t, err);
    if (status == DPK_OK)
        status = find_token(t, &slot, err);
    return status == DPK_OK ? log_in(t, slot, err) : status;
}

/* ---- Keys ---- */

/* Finds the objects with this label, and this id if there is one; the session searches no more
 * afterwards. */
static CK_RV find_objects(struct token *t, const struct dpk_token_key *k, bool by_id,
                          CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count)
{
    CK_ATTRIBUTE sought[] = {{CKA_LABEL, (void *)k->label, strlen(k->label)},
                             {CKA_ID, (void *)k->id, sizeof k->id}};
    CK_RV rv = t->module->C_FindObjectsInit(t->session, sought, by_id ? 2 : 1);
    *count = 0;
    if (rv != CKR_OK)
        return rv;
    rv = t->module->C_FindObjects(t->session, out, HANDLES_MAX, count);
    t->module->C_FindObjectsFinal(t->session);
    return rv;
}

static enum dpk_status check_free(struct token *t, const struct dpk_token_key *k,
                                  struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    CK_RV rv = find_objects(t, k, false, objects, &count);
    if (rv != CKR_OK)
        return fail_rv(t, "its objects cannot be listed", rv, err);
    return count ? dpk_fail(err, DPK_ERR_EXISTS,
                            "%s: an object %s is in the token already; nothing is overwritten",
                            t->name, k->label)
                 : DPK_OK;
}

static enum dpk_status make_key(struct token *t, struct dpk_token_key *k, struct dpk_error *err)
{
    static CK_BYTE exponent[] = {1, 0, 1};
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ULONG bits = KEY_BITS;
    CK_MECHANISM mechanism = {CKM_RSA_PKCS_KEY_PAIR_GEN, NULL, 0};
    CK_OBJECT_HANDLE public_key, private_key;
    if (RAND_bytes(k->id, sizeof k->id) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "no random numbers");
    CK_ATTRIBUTE public_has[] = {{CKA_TOKEN, &yes, sizeof yes},
                                 {CKA_VERIFY, &yes, sizeof yes},
                                 {CKA_MODULUS_BITS, &bits, sizeof bits},
                                 {CKA_PUBLIC_EXPONENT, exponent, sizeof exponent},
                                 {CKA_LABEL, (void *)k->label, strlen(k->label)},
                                 {CKA_ID, k->id, sizeof k->id}};
    CK_ATTRIBUTE private_has[] = {
        {CKA_TOKEN, &yes, sizeof yes},     {CKA_PRIVATE, &yes, sizeof yes},
        {CKA_SENSITIVE, &yes, sizeof yes}, {CKA_EXTRACTABLE, &no, sizeof no},
        {CKA_SIGN, &yes, sizeof yes},      {CKA_LABEL, (void *)k->label, strlen(k->label)},
        {CKA_ID, k->id, sizeof k->id}};
    CK_RV rv = t->module->C_GenerateKeyPair(
        t->session, &mechanism, public_has, sizeof public_has / sizeof *public_has, private_has,
        sizeof private_has / sizeof *private_has, &public_key, &private_key);
    return rv == CKR_OK ? DPK_OK : fail_rv(t, "no key could be made", rv, err);
}

static enum dpk_status remove_key(struct token *t, const struct dpk_token_key *k,
                                  struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    CK_RV rv = find_objects(t, k, true, objects, &count);
    for (CK_ULONG i = 0; i < count && rv == CKR_OK; i++)
        rv = t->module->C_DestroyObject(t->session, objects[i]);
    return rv == CKR_OK ? DPK_OK : fail_rv(t, "a key cannot be removed", rv, err);
}

/* The URI that finds the key again, with the module if it was named. */
static enum dpk_status name_key(const struct token *t, struct dpk_token_key *k,
                                struct dpk_error *err)
{
    CK_ATTRIBUTE label = {CKA_LABEL, (void *)k->label, strlen(k->label)};
    CK_TOKEN_INFO *info = p11_kit_uri_get_token_info(t->uri);
    char *text = NULL;
    memset(info->label, ' ', sizeof info->label);
    memcpy(info->label, t->label, strlen(t->label));
    if (t->place.module_given)
        p11_kit_uri_set_module_path(t->uri, (const char *)t->place.module.data);
    bool done = p11_kit_uri_set_attribute(t->uri, &label) == P11_KIT_URI_OK &&
                p11_kit_uri_format(t->uri, P11_KIT_URI_FOR_OBJECT_ON_TOKEN_AND_MODULE, &text) ==
                    P11_KIT_URI_OK;
    int n = done ? snprintf(k->uri, sizeof k->uri, "%s", text) : -1;
    free(text);
    return n > 0 && (size_t)n < sizeof k->uri
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_RANGE, "%s: no URI for the key %s", t->name, k->label);
}

enum dpk_status dpk_token_generate(const struct dpk_key_options *where, struct dpk_token_key *keys,
                                   size_t count, struct dpk_error *err)
{
    struct token t = {.name = ""};
    size_t made = 0;
    enum dpk_status status = token_begin(where, &t, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = check_free(&t, &keys[i], err);
    for (; made < count && status == DPK_OK; made++) {
        status = make_key(&t, &keys[made], err);
        if (status != DPK_OK)
            break;
        status = name_key(&t, &keys[made], err);
    }
    for (size_t i = 0; i < made && status != DPK_OK; i++)
        (void)remove_key(&t, &keys[i], NULL);
    token_end(&t);
    return status;
}

enum dpk_status dpk_token_remove(const struct dpk_key_options *where,
                                 const struct dpk_token_key *keys, size_t count,
                                 struct dpk_error *err)
{
    struct token t = {.name = ""};
    enum dpk_status status = token_begin(where, &t, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = remove_key(&t, &keys[i], err);
    token_end(&t);
    return status;
}
