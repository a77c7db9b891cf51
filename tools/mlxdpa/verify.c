/* mlxdpa verify: what a device with these CA certificates and keys would say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#include "appcontainer/appcontainer.h"
#include "nvconfig/nvconfig.h"

#include "facts.h"
#include "outcome.h"
#include "target.h"
#include "trust.h"

struct verification {
    const struct target *target;
    const struct trust *trust;
    struct tally *tally;
    unsigned threads; /* 0: one for each core */
};

static void refuse(struct outcome *o, const char *check, enum dpk_verdict verdict,
                   const char *detail)
{
    outcome_refuse(o, check, dpk_verdict_name(verdict), (int)verdict, "%s", detail);
}

/* ---- Programs ---------------------------------------------------------------------------------
 */

/* What the device's own setting makes of it; it proves nothing. */
static void note_device(struct outcome *o, const struct trust *t)
{
    if (!t->device)
        return;
    outcome_note(o, "device", "%s: DPA_AUTHENTICATION is %s", dpk_device_name(t->device),
                 t->authentication ? "True" : "False, it runs any program");
    o->checks[o->count - 1].warning = !t->authentication;
}

/* Of one member of a fat program, or of a program. */
static cJSON *program_facts(const struct dpk_result *r)
{
    cJSON *facts = cJSON_CreateObject();
    const uint8_t *crypto = r->program->crypto;
    size_t size = r->program->crypto_size;
    uint32_t target;
    if (r->target && crypto &&
        (!dpk_target_find(r->target, &target) ||
         dpk_fat_crypto(crypto, size, target, &crypto, &size, NULL) != DPK_OK))
        crypto = NULL;
    if (!r->target || r->report.sha256[0])
        program_digest(facts, r->program->elf, r->program->elf_size, &r->report);
    chain_facts(facts, crypto, size);
    return facts;
}

static enum dpk_status verify_host(struct verification *v, struct dpk_error *err)
{
    const struct dpk_hostfile *host = v->target->host;
    struct dpk_result *results = NULL;
    size_t count = 0;
    if (dpk_hostfile_count(host) == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", v->target->path);
    enum dpk_status status =
        dpk_hostfile_verify(host, &v->trust->programs, v->threads, &results, &count, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        struct outcome o = outcome_start("program", v->target->path);
        o.name = results[i].program->name;
        o.target = results[i].target;
        note_device(&o, v->trust);
        outcome_report(&o, results[i].verdict, &results[i].report);
        o.facts = program_facts(&results[i]);
        status = tally_add(v->tally, &o, err);
    }
    free(results);
    return status;
}

/* ---- Signatures by a key ----------------------------------------------------------------------
 */

/* Tries every key; `check` says whether one is right. True if one is. */
static bool signed_by_key(struct outcome *o, const struct trust *t, const struct dpk_uuid *keypair,
                          enum dpk_status (*check)(const void *what, EVP_PKEY *key,
                                                   struct dpk_error *err),
                          const void *what)
{
    char uuid[DPK_UUID_TEXT];
    dpk_uuid_format(keypair, uuid);
    for (size_t i = 0; i < t->key_count; i++) {
        if (check(what, t->keys[i], NULL) != DPK_OK)
            continue;
        outcome_note(o, "signature", "by %s, key pair %s", t->key_names[i], uuid);
        return true;
    }
    outcome_refuse(o, "signature", "AUTH_FAILED", DPK_VERDICT_AUTH_FAILED,
                   "by none of the keys given; it names key pair %s", uuid);
    return false;
}

/* A device's word on it. */
static enum dpk_status rehearse(struct outcome *o, const struct verification *v,
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
        outcome_note(o, "device", "%s accepts it", name);
        outcome_accept(o);
    } else if (status == DPK_ERR_REFUSED) {
        outcome_refuse(o, "device", dpk_reject_name(reject), (int)reject, "%s: %s", name,
                       why.message);
    } else {
        return dpk_fail(err, status, "%s", why.message);
    }
    return DPK_OK;
}

static enum dpk_status check_container(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_container_verify(what, key, err);
}

static enum dpk_status check_removal(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_app_removal_verify(what, key, err);
}

static enum dpk_status check_nv(const void *what, EVP_PKEY *key, struct dpk_error *err)
{
    return dpk_nv_file_verify(what, key, err);
}

/* ---- Certificate containers -------------------------------------------------------------------
 */

/* What a container adds must be a root that devices take. */
static bool check_certificate(struct outcome *o, const struct dpk_container *c)
{
    struct dpk_error why = {0};
    const uint8_t *der = NULL;
    size_t size = 0;
    enum dpk_status status = dpk_container_certificate(c, &der, &size, &why);
    if (status == DPK_OK)
        status = dpk_cert_check_root(der, size, &why);
    if (status == DPK_OK && !c->dpa_root)
        status =
            dpk_fail(&why, DPK_ERR_FORMAT, "the metadata does not make it a DPA root of trust");
    if (status == DPK_OK && dpk_uuid_is_zero(&c->cert_uuid))
        status = dpk_fail(&why, DPK_ERR_FORMAT, "its UUID is zero");
    if (status == DPK_OK)
        outcome_note(o, "certificate", "%zu bytes, a root certificate of RSA-4096", size);
    else
        refuse(o, "certificate", DPK_VERDICT_CERT_INVALID, why.message);
    return status == DPK_OK;
}

static cJSON *container_facts(const struct dpk_container *c)
{
    const uint8_t *der = NULL;
    size_t size = 0;
    X509 *cert =
        c->kind == DPK_CONTAINER_ADD && dpk_container_certificate(c, &der, &size, NULL) == DPK_OK
            ? d2i_X509(NULL, &(const unsigned char *){der}, (long)size)
            : NULL;
    cJSON *facts = cert ? cJSON_CreateObject() : NULL;
    if (facts)
        cJSON_AddItemToObject(facts, "certificate", certificate_facts(cert));
    X509_free(cert);
    return facts;
}

static void judge_container(struct outcome *o, const struct dpk_container *c, const struct trust *t)
{
    if (!c->signature)
        refuse(o, "signature", DPK_VERDICT_UNSIGNED, "the container is not signed");
    else if ((c->kind != DPK_CONTAINER_ADD || check_certificate(o, c)) &&
             signed_by_key(o, t, &c->keypair_uuid, check_container, c))
        outcome_accept(o);
}

static enum dpk_status verify_container(struct verification *v, struct dpk_error *err)
{
    struct dpk_container c;
    struct dpk_error why = {0};
    char uuid[DPK_UUID_TEXT];
    struct outcome o = outcome_start(target_kind_name(TARGET_CONTAINER), v->target->path);
    enum dpk_status status =
        dpk_container_parse(v->target->file.data, v->target->file.size, &c, &why);
    if (status != DPK_OK) {
        refuse(&o, "container", DPK_VERDICT_BAD_FORMAT, why.message);
        return tally_add(v->tally, &o, err);
    }
    dpk_uuid_format(&c.cert_uuid, uuid);
    outcome_note(&o, "container", "%s %s, priority %s%s",
                 c.kind == DPK_CONTAINER_ADD ? "adds certificate" : "removes",
                 c.remove_all ? "all certificates" : uuid, dpk_lifecycle_name(c.priority),
                 c.nvidia_signed_oem ? ", signed by NVIDIA" : "");
    o.facts = container_facts(&c);
    status = DPK_OK;
    if (v->trust->device)
        status = rehearse(&o, v, dpk_device_try_burn, err);
    else
        judge_container(&o, &c, v->trust);
    return status == DPK_OK ? tally_add(v->tally, &o, err) : status;
}

/* ---- Single-program containers ----------------------------------------------------------------
 */

static cJSON *app_facts(const struct dpk_app *app)
{
    struct dpk_buf elf = {0};
    cJSON *facts = cJSON_CreateObject();
    if (dpk_app_elf(app, &elf, NULL) == DPK_OK)
        program_digest(facts, elf.data, elf.size, NULL);
    dpk_buf_free(&elf);
    chain_facts(facts, app->crypto, app->crypto_size);
    return facts;
}

static enum dpk_status verify_app(struct verification *v, struct dpk_error *err)
{
    struct dpk_app app;
    struct dpk_error why = {0};
    struct dpk_report report;
    char uuid[DPK_UUID_TEXT];
    struct outcome o = outcome_start(target_kind_name(TARGET_APP), v->target->path);
    if (dpk_app_parse(v->target->file.data, v->target->file.size, &app, &why) != DPK_OK) {
        refuse(&o, "container", DPK_VERDICT_BAD_FORMAT, why.message);
        return tally_add(v->tally, &o, err);
    }
    dpk_uuid_format(&app.app_uuid, uuid);
    outcome_note(&o, "container", "%s program %s, priority %s",
                 app.kind == DPK_APP_PROGRAM ? "adds" : "removes", uuid,
                 dpk_lifecycle_name(app.priority));
    if (app.kind == DPK_APP_PROGRAM) {
        note_device(&o, v->trust);
        enum dpk_verdict verdict = dpk_app_verify(&app, &v->trust->programs, &report);
        outcome_report(&o, verdict, &report);
        o.facts = app_facts(&app);
    } else if (!app.signature) {
        refuse(&o, "signature", DPK_VERDICT_UNSIGNED, "the container is not signed");
    } else if (signed_by_key(&o, v->trust, &app.keypair_uuid, check_removal, &app)) {
        outcome_accept(&o);
    }
    return tally_add(v->tally, &o, err);
}

/* ---- NV configuration files -------------------------------------------------------------------
 */

static void judge_nv(struct outcome *o, const struct dpk_nv_file *f, const struct trust *t)
{
    if (f->has_digest && !f->digest_right)
        refuse(o, "digest", DPK_VERDICT_DIGEST_MISMATCH, "the SHA-256 digest is wrong");
    else if (f->signature_kind == DPK_NV_UNSIGNED_FILE)
        refuse(o, "signature", DPK_VERDICT_UNSIGNED, "there is a digest, but no signature");
    else if (signed_by_key(o, t, &f->keypair, check_nv, f))
        outcome_accept(o);
}

static enum dpk_status verify_nv(struct verification *v, struct dpk_error *err)
{
    struct dpk_nv_file f = {0};
    struct dpk_error why = {0};
    struct outcome o = outcome_start(target_kind_name(TARGET_NV), v->target->path);
    enum dpk_status status =
        dpk_nv_file_parse(v->target->file.data, v->target->file.size, &f, &why);
    if (status != DPK_OK) {
        refuse(&o, "file", DPK_VERDICT_BAD_FORMAT, why.message);
        return tally_add(v->tally, &o, err);
    }
    outcome_note(&o, "file", "version %u, %zu TLVs, %s%s%s", f.version, f.tlvs.count,
                 f.mlnx ? "NVIDIA's" : "a vendor's", f.psid[0] ? ", for PSID " : "", f.psid);
    status = DPK_OK;
    if (v->trust->device)
        status = rehearse(&o, v, dpk_device_try_apply, err);
    else
        judge_nv(&o, &f, v->trust);
    dpk_nv_file_free(&f);
    return status == DPK_OK ? tally_add(v->tally, &o, err) : status;
}

/* ---- All together -----------------------------------------------------------------------------
 */

/* Programs are proven by certificates, the rest by keys; a removal of a program by a key alone. */
static enum dpk_status need_trust(const struct target *t, const struct mlxdpa_options *o,
                                  struct dpk_error *err)
{
    struct dpk_app app;
    bool removal = t->kind == TARGET_APP &&
                   dpk_app_parse(t->file.data, t->file.size, &app, NULL) == DPK_OK &&
                   app.kind == DPK_APP_REMOVAL;
    bool program = t->kind == TARGET_HOST || (t->kind == TARGET_APP && !removal);
    if (removal)
        return mlxdpa_need("verify", "--key PUBLIC_KEY for a removal",
                           o->trusted_key_count ? "" : NULL, err);
    if (o->device)
        return DPK_OK;
    if (program)
        return mlxdpa_need("verify", "--ca CERTIFICATE or -d DEVICE for programs",
                           o->ca_count ? "" : NULL, err);
    return mlxdpa_need("verify", "--key PUBLIC_KEY or -d DEVICE for what a key signs",
                       o->trusted_key_count ? "" : NULL, err);
}

static enum dpk_status verify_target(struct verification *v, struct dpk_error *err)
{
    switch (v->target->kind) {
    case TARGET_HOST:
        return verify_host(v, err);
    case TARGET_CONTAINER:
        return verify_container(v, err);
    case TARGET_APP:
        return verify_app(v, err);
    case TARGET_NV:
        return verify_nv(v, err);
    case TARGET_DEVICE_ELF:
        break;
    }
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: a %s has no signature to verify", v->target->path,
                    target_kind_name(v->target->kind));
}

/* "2 DPA programs verified." */
static void print_sum(const struct targets *t, size_t count)
{
    bool programs = t->count == 1 && t->list[0].kind == TARGET_HOST;
    if (programs)
        printf("%zu DPA program%s verified.\n", count, count == 1 ? "" : "s");
    else if (t->count == 1)
        printf("%s verified.\n", t->list[0].path);
    else
        printf("%zu files verified.\n", t->count);
}

static enum dpk_status verify_all(const struct targets *t, const struct trust *trust,
                                  const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct tally tally = {0};
    enum dpk_status status = DPK_OK;
    if (o->json && !(tally.json = cJSON_CreateArray()))
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < t->count && status == DPK_OK; i++)
        status = verify_target(&(struct verification){&t->list[i], trust, &tally, o->jobs}, err);
    if (status != DPK_OK)
        cJSON_Delete(tally.json);
    else if (o->json)
        status = dpk_json_print(tally.json, err);
    if (status != DPK_OK)
        return status;
    bool programs = t->count == 1 && t->list[0].kind == TARGET_HOST;
    if (tally.refused)
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: %zu of %zu %s refused; %s", t->list[0].path,
                        tally.refused, tally.count, programs ? "DPA programs" : "checked",
                        tally.first);
    if (!o->json)
        print_sum(t, tally.count);
    return DPK_OK;
}

enum dpk_status cmd_verify(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct targets targets;
    struct trust trust = {0};
    enum dpk_status status = targets_open("verify", options, &targets, err);
    for (size_t i = 0; i < targets.count && status == DPK_OK; i++)
        status = need_trust(&targets.list[i], options, err);
    if (status == DPK_OK)
        status = trust_open(options, &trust, err);
    if (status == DPK_OK)
        status = verify_all(&targets, &trust, options, err);
    trust_close(&trust);
    targets_close(&targets);
    return status;
}
