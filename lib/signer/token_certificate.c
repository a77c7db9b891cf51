/* Certificates in PKCS#11 tokens, by PKCS#11 itself: most tokens show them to everybody. */
#include <stdlib.h>
#include <string.h>

#include "token.h"

#define CERTIFICATE_MAX ((CK_ULONG)1 << 20)

struct dpk_token {
    struct token_place place;
    struct token session;
};

/* Refuses the URI of something else, such as type=private. */
static enum dpk_status check_type(const struct token *t, struct dpk_error *err)
{
    CK_ATTRIBUTE *type = p11_kit_uri_get_attribute(t->uri, CKA_CLASS);
    CK_OBJECT_CLASS class = CKO_CERTIFICATE;
    if (type && type->ulValueLen == sizeof class)
        memcpy(&class, type->pValue, sizeof class);
    return class == CKO_CERTIFICATE
               ? DPK_OK
               : dpk_fail(err, DPK_ERR_USAGE,
                          "%s: names no certificate: say type=cert, or leave type= out", t->name);
}

/* Passes the bytes of a certificate on. A certificate may be elsewhere: the token has its URL. */
static enum dpk_status pass_on(struct token *t, CK_OBJECT_HANDLE object, dpk_token_take *take,
                               void *context, struct dpk_error *err)
{
    CK_ATTRIBUTE value = {CKA_VALUE, NULL, 0};
    CK_RV rv = t->module->C_GetAttributeValue(t->session, object, &value, 1);
    if (rv == CKR_OK && (value.ulValueLen == 0 || value.ulValueLen > CERTIFICATE_MAX))
        return dpk_fail(err, DPK_ERR_FORMAT, "a certificate of %lu bytes in the token",
                        value.ulValueLen);
    if (rv != CKR_OK)
        return signer_session_fail(t, "its certificate cannot be read", rv, err);
    enum dpk_status status = DPK_OK;
    value.pValue = malloc(value.ulValueLen);
    const CK_ULONG room = value.ulValueLen;
    if (!value.pValue)
        return dpk_fail_nomem(err);
    rv = t->module->C_GetAttributeValue(t->session, object, &value, 1);
    if (rv == CKR_OK && value.ulValueLen <= room)
        status = take(context, value.pValue, value.ulValueLen, err);
    else
        status = signer_session_fail(t, "its certificate cannot be read", rv, err);
    free(value.pValue);
    return status;
}

/* Logs in only if the certificate is not there for everybody. */
static enum dpk_status find(struct dpk_token *t, CK_OBJECT_HANDLE *out, struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_ULONG count = 0;
    struct token *s = &t->session;
    enum dpk_status status = signer_session_named(s, CKO_CERTIFICATE, objects, &count, err);
    if (status == DPK_OK && count == 0 && t->place.pin.size > 0) {
        status = signer_session_can_log_in(s, err);
        if (status == DPK_OK)
            status = signer_session_log_in(s, (const char *)t->place.pin.data, err);
    }
    return status == DPK_OK ? signer_session_one(s, CKO_CERTIFICATE, "certificate", out, err)
                            : status;
}

enum dpk_status dpk_token_certificate(const struct dpk_key_options *where, struct dpk_token **out,
                                      dpk_token_take *take, void *context, struct dpk_error *err)
{
    CK_OBJECT_HANDLE object;
    struct dpk_token *t = *out = calloc(1, sizeof *t);
    if (!t)
        return dpk_fail_nomem(err);
    struct token *s = &t->session;
    enum dpk_status status = signer_token_place_find(where, false, &t->place, err);
    if (status == DPK_OK)
        status = signer_session_find(s, (const char *)t->place.key.data,
                                     (const char *)t->place.module.data, "certificate", err);
    if (status == DPK_OK)
        status = check_type(s, err);
    if (status == DPK_OK)
        status = signer_session_open(s, false, err);
    if (status == DPK_OK)
        status = find(t, &object, err);
    if (status == DPK_OK)
        status = pass_on(s, object, take, context, err);
    if (status == DPK_ERR_FORMAT)
        dpk_error_prefix(err, "%s", s->name);
    dpk_buf_wipe_free(&t->place.pin);
    if (status != DPK_OK) {
        dpk_token_close(t);
        *out = NULL;
    }
    return status;
}

enum dpk_status dpk_token_certificates(struct dpk_token *t, const void *subject, size_t size,
                                       dpk_token_take *take, void *context, struct dpk_error *err)
{
    CK_OBJECT_HANDLE objects[HANDLES_MAX];
    CK_OBJECT_CLASS class = CKO_CERTIFICATE;
    CK_ULONG count = 0;
    CK_ATTRIBUTE sought[] = {{CKA_CLASS, &class, sizeof class},
                             {CKA_SUBJECT, (void *)subject, size}};
    struct token *s = &t->session;
    CK_RV rv = signer_session_search(s, sought, size ? 2 : 1, objects, &count);
    enum dpk_status status =
        rv == CKR_OK ? DPK_OK : signer_session_fail(s, "its objects cannot be listed", rv, err);
    for (CK_ULONG i = 0; i < count && status == DPK_OK; i++)
        status = pass_on(s, objects[i], take, context, err);
    return status;
}

const char *dpk_token_name(const struct dpk_token *t)
{
    return (const char *)t->place.key.data;
}

void dpk_token_close(struct dpk_token *t)
{
    if (!t)
        return;
    signer_session_end(&t->session);
    signer_token_place_free(&t->place);
    free(t);
}
