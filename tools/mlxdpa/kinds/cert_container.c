/* Certificate containers, which add a CA certificate to a device or remove it. */
#include <stdio.h>

#include "cli/cli.h"

#include "kinds.h"
#include "mlxdpa/facts.h"
#include "mlxdpa/signing.h"
#include "mlxdpa/tbs.h"

static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    struct dpk_container c;
    char uuid[DPK_UUID_TEXT];
    enum dpk_status status = dpk_container_parse(t->file.data, t->file.size, &c, err);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&c.cert_uuid, uuid);
    if (c.kind == DPK_CONTAINER_ADD)
        kinds_listing_add(l, t, uuid, c.cert, c.cert_size, "certificate");
    else
        kinds_listing_add(l, t, c.remove_all ? "all" : uuid, NULL, c.signed_size, "removal");
    if (c.signature)
        kinds_listing_add(l, t, "signature", c.signature, 512, "RSASSA-PKCS1-v1_5, SHA-512");
    return DPK_OK;
}

/* Returns the certificate of a container that adds one, or NULL with the reason. Release it with
 * X509_free. */
static X509 *certificate(const struct dpk_container *c, struct dpk_error *why)
{
    const uint8_t *der = NULL;
    size_t size = 0;
    if (dpk_container_certificate(c, &der, &size, why) != DPK_OK)
        return NULL;
    return d2i_X509(NULL, &(const unsigned char *){der}, (long)size);
}

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    struct dpk_container c;
    struct dpk_error why = {0};
    enum dpk_status status = dpk_container_parse(t->file.data, t->file.size, &c, err);
    if (status != DPK_OK)
        return status;
    cJSON_AddStringToObject(o, "action",
                            c.kind == DPK_CONTAINER_ADD ? "add"
                            : c.remove_all              ? "remove all"
                                                        : "remove");
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(c.priority));
    cJSON_AddBoolToObject(o, "nvidia_signed_oem", c.nvidia_signed_oem);
    mlxdpa_uuid_fact(o, "cert_uuid", &c.cert_uuid);
    mlxdpa_uuid_fact(o, "keypair_uuid", &c.keypair_uuid);
    cJSON_AddBoolToObject(o, "signed", c.signature != NULL);
    if (c.kind != DPK_CONTAINER_ADD)
        return DPK_OK;
    cJSON_AddBoolToObject(o, "keep_sig", c.keep_sig);
    cJSON_AddBoolToObject(o, "dpa_root_of_trust", c.dpa_root);
    X509 *cert = certificate(&c, &why);
    if (cert)
        cJSON_AddItemToObject(o, "certificate", mlxdpa_certificate_facts(cert));
    else
        dpk_json_text(o, "certificate", why.message);
    X509_free(cert);
    return DPK_OK;
}

/* Checks that devices would accept the container's certificate as root. */
static bool check_certificate(struct outcome *o, const struct dpk_container *c)
{
    struct dpk_error why = {0};
    enum dpk_status status = dpk_container_check_root(c, &why);
    if (status == DPK_OK && dpk_uuid_is_zero(&c->cert_uuid))
        status = dpk_fail(&why, DPK_ERR_FORMAT, "its UUID is zero");
    if (status == DPK_OK)
        mlxdpa_outcome_note(o, "certificate", "a root certificate of RSA-4096");
    else
        mlxdpa_refuse(o, "certificate", DPK_VERDICT_CERT_INVALID, why.message);
    return status == DPK_OK;
}

static enum dpk_status check_signature(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_container_verify(what, key, err);
}

static void judge(struct outcome *o, const struct dpk_container *c, const struct trust *t)
{
    if (!c->signature)
        mlxdpa_refuse(o, "signature", DPK_VERDICT_UNSIGNED, "the container is not signed");
    else if ((c->kind != DPK_CONTAINER_ADD || check_certificate(o, c)) &&
             mlxdpa_signed_by_key(o, t, &c->keypair_uuid, check_signature, c))
        mlxdpa_outcome_accept(o);
}

static enum dpk_status verify(struct verification *v, struct dpk_error *err)
{
    struct dpk_container c;
    struct dpk_error why = {0};
    char uuid[DPK_UUID_TEXT];
    struct outcome o = mlxdpa_outcome_start(v->target->kind->name, v->target->path);
    enum dpk_status status =
        dpk_container_parse(v->target->file.data, v->target->file.size, &c, &why);
    if (status != DPK_OK) {
        mlxdpa_refuse(&o, "container", DPK_VERDICT_BAD_FORMAT, why.message);
        return mlxdpa_tally_add(v->tally, &o, err);
    }
    dpk_uuid_format(&c.cert_uuid, uuid);
    mlxdpa_outcome_note(&o, "container", "%s %s, priority %s%s",
                        c.kind == DPK_CONTAINER_ADD ? "adds certificate" : "removes",
                        c.remove_all ? "all certificates" : uuid, dpk_lifecycle_name(c.priority),
                        c.nvidia_signed_oem ? ", signed by NVIDIA" : "");
    X509 *cert = c.kind == DPK_CONTAINER_ADD ? certificate(&c, NULL) : NULL;
    if (cert) {
        o.facts = cJSON_CreateObject();
        cJSON_AddItemToObject(o.facts, "certificate", mlxdpa_certificate_facts(cert));
    }
    X509_free(cert);
    if (v->trust->device)
        status = mlxdpa_try_on_device(&o, v, dpk_device_try_burn, err);
    else
        judge(&o, &c, v->trust);
    if (status == DPK_OK)
        return mlxdpa_tally_add(v->tally, &o, err);
    cJSON_Delete(o.facts);
    return status;
}

/* ---- Signing ---- */

/* Parses the options of sign, tbs and attach. */
static enum dpk_status parse_ids(const char *command, const struct mlxdpa_options *o,
                                 struct dpk_container_signing *how, struct dpk_error *err)
{
    how->cert_uuid = o->cert_uuid;
    how->keypair_uuid = o->keypair_uuid;
    how->nvidia_signed_oem = o->nvidia_signed_oem;
    enum dpk_status status = mlxdpa_need(command, "-o", o->output, err);
    return status == DPK_OK ? mlxdpa_priority(command, o, &how->priority, err) : status;
}

/* Makes a UUID for a certificate if neither the container nor the user gave one. `fresh` gets it as
 * text. */
static void name_certificate(const struct dpk_buf *file, struct dpk_container_signing *how,
                             char fresh[DPK_UUID_TEXT])
{
    struct dpk_container c;
    if (!dpk_uuid_is_zero(&how->cert_uuid) ||
        dpk_container_parse(file->data, file->size, &c, NULL) != DPK_OK ||
        c.kind != DPK_CONTAINER_ADD || !dpk_uuid_is_zero(&c.cert_uuid))
        return;
    dpk_uuid_new_time(&how->cert_uuid);
    dpk_uuid_format(&how->cert_uuid, fresh);
}

/* Warns if a removal names another certificate than the options for signing. */
static void warn_of_removal(const char *path, const struct dpk_buf *file,
                            const struct dpk_uuid *cert_uuid)
{
    struct dpk_container c;
    char there[DPK_UUID_TEXT];
    if (dpk_uuid_is_zero(cert_uuid) ||
        dpk_container_parse(file->data, file->size, &c, NULL) != DPK_OK ||
        c.kind == DPK_CONTAINER_ADD || c.remove_all || dpk_uuid_equal(&c.cert_uuid, cert_uuid))
        return;
    dpk_uuid_format(&c.cert_uuid, there);
    fprintf(stderr, "-W- %s: it removes %s, whatever --cert_uuid says\n", path, there);
}

struct signing {
    const char *path;
    const struct mlxdpa_options *options;
    struct dpk_container_signing how;
    char fresh[DPK_UUID_TEXT]; /* UUID made for the certificate, or "" */
};

static enum dpk_status prepare(void *how, const struct dpk_buf *file, struct dpk_error *err)
{
    struct signing *s = how;
    struct dpk_buf made = {0};
    name_certificate(file, &s->how, s->fresh);
    warn_of_removal(s->path, file, &s->how.cert_uuid);
    enum dpk_status status = dpk_container_prepare(file->data, file->size, &s->how, &made, err);
    dpk_buf_free(&made);
    return status;
}

static enum dpk_status sign_with(void *how, const struct dpk_buf *file,
                                 const struct dpk_signer *signer, struct dpk_buf *made,
                                 struct dpk_error *err)
{
    struct signing *s = how;
    s->how.signer = signer;
    enum dpk_status status = dpk_container_sign(file->data, file->size, &s->how, made, err);
    return status == DPK_OK ? mlxdpa_check_container(s->path, made, s->options, err) : status;
}

static enum dpk_status sign(const char *command, struct target *t, const struct mlxdpa_options *o,
                            struct dpk_error *err)
{
    struct signing s = {.path = t->path, .options = o};
    enum dpk_status status = parse_ids(command, o, &s.how, err);
    if (status == DPK_OK)
        status = mlxdpa_sign_by_key(t, o, prepare, sign_with, &s, err);
    if (status == DPK_OK && s.fresh[0])
        mlxdpa_say(o->output, "Certificate UUID: %s", s.fresh);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "Certificate container signed successfully!");
    return status;
}

/* The bytes to sign are the unsigned container with its UUIDs. */
static enum dpk_status tbs(struct target *t, const struct mlxdpa_options *o, struct tbs_list *l,
                           struct dpk_error *err)
{
    struct dpk_container_signing how = {0};
    struct dpk_buf made = {0};
    char fresh[DPK_UUID_TEXT] = "";
    enum dpk_status status = parse_ids("export_tbs", o, &how, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status != DPK_OK)
        return status;
    name_certificate(&t->file, &how, fresh);
    warn_of_removal(t->path, &t->file, &how.cert_uuid);
    if (fresh[0])
        snprintf(l->note, sizeof l->note, "Certificate UUID: %s", fresh);
    status = dpk_container_prepare(t->file.data, t->file.size, &how, &made, err);
    if (status == DPK_OK)
        status = mlxdpa_check_container(t->path, &made, o, err);
    if (status == DPK_OK)
        status = mlxdpa_tbs_add(l, &(struct dpk_tbs){.bytes = made.data, .size = made.size}, err);
    else
        dpk_error_prefix(err, "%s", t->path);
    dpk_buf_free(&made);
    return status;
}

static enum dpk_status attach_to(const void *how, const struct dpk_buf *file,
                                 const struct dpk_buf *signature, EVP_PKEY *key,
                                 struct dpk_buf *made, struct dpk_error *err)
{
    const struct signing *s = how;
    enum dpk_status status =
        dpk_container_attach(file->data, file->size, &s->how, signature, key, made, err);
    return status == DPK_OK ? mlxdpa_check_container(s->path, made, s->options, err) : status;
}

static enum dpk_status attach(struct target *t, const struct mlxdpa_options *o,
                              struct dpk_error *err)
{
    struct signing s = {.path = t->path, .options = o};
    enum dpk_status status = parse_ids("attach_signature", o, &s.how, err);
    return status == DPK_OK ? mlxdpa_attach_by_key(t, o, true, attach_to, &s, err) : status;
}

const struct kind kind_cert_container = {.name = "certificate container",
                                         .magic = "CERTIFICATE.BIN!",
                                         .max = DPK_CONTAINER_MAX,
                                         .list = list,
                                         .show = show,
                                         .need_trust = mlxdpa_need_key,
                                         .verify = verify,
                                         .sign = sign,
                                         .tbs = tbs,
                                         .attach = attach};
