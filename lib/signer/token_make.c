/* Makes key pairs in PKCS#11 tokens through PKCS#11 itself, because OpenSSL's ways cannot do this
 * everywhere. */
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#include "token.h"

#define KEY_BITS 4096

/* A session that makes keys. */
struct making {
    struct token_place place;
    struct token token;
};

static void making_end(struct making *m)
{
    signer_session_end(&m->token);
    signer_token_place_free(&m->place);
}

static enum dpk_status making_begin(const struct dpk_key_options *where, struct making *m,
                                    struct dpk_error *err)
{
    if (!dpk_key_in_token(where->key))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s: not a pkcs11: URI of a token, such as pkcs11:token=LABEL",
                        where->key ? where->key : "");
    struct token *t = &m->token;
    enum dpk_status status = signer_token_place_find(where, true, &m->place, err);
    if (status != DPK_OK)
        return status;
    t->name = (const char *)m->place.key.data;
    if (strstr(t->name, "object=") || strstr(t->name, ";id=") || strstr(t->name, ":id="))
        return dpk_fail(err, DPK_ERR_USAGE, "%s: names a key; name the token alone", t->name);
    status = signer_session_find(t, t->name, (const char *)m->place.module.data, NULL, err);
    if (status == DPK_OK)
        status = signer_session_can_log_in(t, err);
    if (status == DPK_OK)
        status = signer_session_open(t, true, err);
    return status == DPK_OK ? signer_session_log_in(t, (const char *)m->place.pin.data, err)
                            : status;
}

/* ---- Keys ---- */

/* Finds the objects with this label, and with this id if `by_id` is set. The search is ended. */
static CK_RV find_objects(struct token *t, const struct dpk_token_key *k, bool by_id,
                          CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count)
{
    CK_ATTRIBUTE sought[] = {{CKA_LABEL, (void *)k->label, strlen(k->label)},
                             {CKA_ID, (void *)k->id, sizeof k->id}};
    return signer_session_search(t, sought, by_id ? 2 : 1, out, count);
}

static enum dpk_status check_free(struct token *t, const struct dpk_token_key *k,
                                  struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    CK_RV rv = find_objects(t, k, false, objects, &count);
    if (rv != CKR_OK)
        return signer_session_fail(t, "its objects cannot be listed", rv, err);
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
                                 {CKA_VERIFY_RECOVER, &no, sizeof no},
                                 {CKA_ENCRYPT, &no, sizeof no},
                                 {CKA_WRAP, &no, sizeof no},
                                 {CKA_DERIVE, &no, sizeof no},
                                 {CKA_MODULUS_BITS, &bits, sizeof bits},
                                 {CKA_PUBLIC_EXPONENT, exponent, sizeof exponent},
                                 {CKA_LABEL, (void *)k->label, strlen(k->label)},
                                 {CKA_ID, k->id, sizeof k->id}};
    /* The keys can only sign. The token may choose any attribute that the template omits. */
    CK_ATTRIBUTE private_has[] = {
        {CKA_TOKEN, &yes, sizeof yes},     {CKA_PRIVATE, &yes, sizeof yes},
        {CKA_SENSITIVE, &yes, sizeof yes}, {CKA_EXTRACTABLE, &no, sizeof no},
        {CKA_SIGN, &yes, sizeof yes},      {CKA_SIGN_RECOVER, &no, sizeof no},
        {CKA_DECRYPT, &no, sizeof no},     {CKA_UNWRAP, &no, sizeof no},
        {CKA_DERIVE, &no, sizeof no},      {CKA_LABEL, (void *)k->label, strlen(k->label)},
        {CKA_ID, k->id, sizeof k->id}};
    CK_RV rv = t->module->C_GenerateKeyPair(
        t->session, &mechanism, public_has, sizeof public_has / sizeof *public_has, private_has,
        sizeof private_has / sizeof *private_has, &public_key, &private_key);
    return rv == CKR_OK ? DPK_OK : signer_session_fail(t, "no key could be made", rv, err);
}

static enum dpk_status remove_key(struct token *t, const struct dpk_token_key *k,
                                  struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    CK_RV rv = find_objects(t, k, true, objects, &count);
    for (CK_ULONG i = 0; i < count && rv == CKR_OK; i++)
        rv = t->module->C_DestroyObject(t->session, objects[i]);
    return rv == CKR_OK ? DPK_OK : signer_session_fail(t, "a key cannot be removed", rv, err);
}

/* Makes the URI of the key, with the module if the user named it. */
static enum dpk_status name_key(const struct making *m, struct dpk_token_key *k,
                                struct dpk_error *err)
{
    const struct token *t = &m->token;
    CK_ATTRIBUTE label = {CKA_LABEL, (void *)k->label, strlen(k->label)};
    CK_TOKEN_INFO *info = p11_kit_uri_get_token_info(t->uri);
    char *text = NULL;
    memset(info->label, ' ', sizeof info->label);
    memcpy(info->label, t->label, strlen(t->label));
    if (m->place.module_given)
        p11_kit_uri_set_module_path(t->uri, (const char *)m->place.module.data);
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
    struct making m = {.place = {.module_given = false}};
    size_t made = 0;
    enum dpk_status status = making_begin(where, &m, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = check_free(&m.token, &keys[i], err);
    for (; made < count && status == DPK_OK; made++) {
        status = make_key(&m.token, &keys[made], err);
        if (status != DPK_OK)
            break;
        status = name_key(&m, &keys[made], err);
    }
    for (size_t i = 0; i < made && status != DPK_OK; i++)
        (void)remove_key(&m.token, &keys[i], NULL);
    making_end(&m);
    return status;
}

enum dpk_status dpk_token_remove(const struct dpk_key_options *where,
                                 const struct dpk_token_key *keys, size_t count,
                                 struct dpk_error *err)
{
    struct making m = {.place = {.module_given = false}};
    enum dpk_status status = making_begin(where, &m, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = remove_key(&m.token, &keys[i], err);
    making_end(&m);
    return status;
}
