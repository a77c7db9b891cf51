#include "verification.h"

#include "kinds/kind.h"

enum dpk_status mlxdpa_need_certificate(const struct target *t, const struct mlxdpa_options *o,
                                        struct dpk_error *err)
{
    (void)t;
    return mlxdpa_need("verify", "--ca CERTIFICATE or -d DEVICE for programs",
                       o->device || o->ca.count ? "" : NULL, err);
}

enum dpk_status mlxdpa_need_key(const struct target *t, const struct mlxdpa_options *o,
                                struct dpk_error *err)
{
    (void)t;
    return mlxdpa_need("verify", "--key PUBLIC_KEY or -d DEVICE for files that a key signs",
                       o->device || o->keys.count ? "" : NULL, err);
}

void mlxdpa_refuse(struct outcome *o, const char *check, enum dpk_verdict verdict,
                   const char *detail)
{
    mlxdpa_outcome_refuse(o, check, dpk_verdict_name(verdict), (int)verdict, "%s", detail);
}

void mlxdpa_note_device(struct outcome *o, const struct trust *t)
{
    if (!t->device)
        return;
    mlxdpa_outcome_note(o, "device", "%s: DPA_AUTHENTICATION is %s", dpk_device_name(t->device),
                        t->terms.authentication ? "True" : "False, it runs any program");
    o->checks[o->count - 1].warning = !t->terms.authentication;
}

bool mlxdpa_signed_by_key(struct outcome *o, const struct trust *t, const struct dpk_uuid *keypair,
                          enum dpk_status (*check)(const void *what, EVP_PKEY *key,
                                                   struct dpk_error *err),
                          const void *what)
{
    char uuid[DPK_UUID_TEXT];
    dpk_uuid_format(keypair, uuid);
    for (size_t i = 0; i < t->key_count; i++) {
        if (check(what, t->keys[i], NULL) != DPK_OK)
            continue;
        mlxdpa_outcome_note(o, "signature", "by %s, key pair %s", t->key_names[i], uuid);
        return true;
    }
    mlxdpa_outcome_refuse(o, "signature", "AUTH_FAILED", DPK_VERDICT_AUTH_FAILED,
                          "by none of the keys given; it names key pair %s", uuid);
    return false;
}

enum dpk_status mlxdpa_try_on_device(struct outcome *o, const struct verification *v,
                                     enum dpk_status (*attempt)(struct dpk_device *, const void *,
                                                                size_t, enum dpk_reject *,
                                                                struct dpk_error *),
                                     struct dpk_error *err)
{
    struct dpk_error why = {0};
    enum dpk_reject reject;
    const struct dpk_buf *file = &v->target->file;
    const char *name = dpk_device_name(v->trust->device);
    enum dpk_status status = attempt(v->trust->device, file->data, file->size, &reject, &why);
    if (status == DPK_OK) {
        mlxdpa_outcome_note(o, "device", "%s accepts it", name);
        mlxdpa_outcome_accept(o);
    } else if (status == DPK_ERR_REFUSED) {
        mlxdpa_outcome_refuse(o, "device", dpk_reject_name(reject), (int)reject, "%s: %s", name,
                              why.message);
        o->exit_code = dpk_reject_exit_code(reject);
    } else {
        return dpk_fail(err, status, "%s", why.message);
    }
    return DPK_OK;
}

void mlxdpa_check_policy(struct outcome *o, const struct trust *t, struct dpk_policy_subject about,
                         const uint8_t *crypto, size_t crypto_size)
{
    char why[256];
    struct dpk_crypto_view view = {0};
    if (!t->policy || o->code != DPK_VERDICT_OK)
        return;
    if (crypto && dpk_crypto_view_open(crypto, crypto_size, &view, NULL) == DPK_OK)
        about.leaf = dpk_certchain_leaf(view.chain);
    enum dpk_policy_reason reason = dpk_policy_check(t->policy, &about, why, sizeof why);
    if (reason == DPK_POLICY_OK)
        mlxdpa_outcome_note(o, "policy", "%s", why);
    else
        mlxdpa_outcome_refuse(o, "policy", dpk_policy_reason_name(reason), (int)reason, "%s", why);
    if (about.leaf)
        dpk_crypto_view_free(&view);
}
