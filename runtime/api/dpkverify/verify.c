/* Verifies files and describes the result. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "appcontainer/appcontainer.h"
#include "elfcrypto/elfcrypto.h"
#include "hashlist/hashlist.h"
#include "hostfile/hostfile.h"

#include "inside.h"

struct dpkverify_result {
    struct dpk_buf content; /* the private copy */
    int code;               /* of the first refusal; finish() refuses a file without programs */
    char reason[DPKVERIFY_WHY];
    char *json;
    cJSON *programs; /* while it is built */
    size_t count;
    bool failed; /* there was no memory for the JSON */
};

/* ---- Results ---- */

static void put_text(struct dpkverify_result *r, cJSON *o, const char *key, const char *text)
{
    char *clean = dpk_text_cleaned(text);
    r->failed |= !clean || !cJSON_AddStringToObject(o, key, clean);
    free(clean);
}

static void refuse(struct dpkverify_result *r, int code, const char *name, const char *verdict,
                   const char *detail)
{
    if (r->code)
        return;
    r->code = code;
    snprintf(r->reason, sizeof r->reason, "%.200s%s%.40s: %.700s", name, name[0] ? ": " : "",
             verdict, detail);
    dpk_text_clean(r->reason);
}

/* A program's verdict, and the data that the policy needs. */
struct finding {
    const char *name, *target, *sha256;
    enum dpk_verdict verdict;
    const struct dpk_report *report;
    struct dpk_policy_subject about;
    const uint8_t *crypto;
    size_t crypto_size;
};

static int ask_policy(const struct dpkverify_trust *trust, const struct finding *f, char *why,
                      size_t size)
{
    struct dpk_crypto_view view;
    struct dpk_policy_subject about = f->about;
    if (dpk_crypto_view_open(f->crypto, f->crypto_size, &view, NULL) != DPK_OK) {
        snprintf(why, size, "its certificates cannot be read");
        return DPK_POLICY_SIGNER;
    }
    about.leaf = dpk_certchain_leaf(view.chain);
    int code = (int)dpk_policy_check(trust->policy, &about, why, size);
    dpk_crypto_view_free(&view);
    return code;
}

static void add_finding(struct dpkverify_result *r, const struct dpkverify_trust *trust,
                        const struct finding *f)
{
    char why[256];
    const struct dpk_check *last =
        f->report->count ? &f->report->checks[f->report->count - 1] : NULL;
    const char *verdict = dpk_verdict_name(f->verdict), *detail = last ? last->detail : "";
    int code = dpk_verdict_exit_code(f->verdict);
    if (!code && trust->policy) {
        code = ask_policy(trust, f, why, sizeof why);
        verdict = dpk_policy_reason_name((enum dpk_policy_reason)code);
        detail = why;
    }
    r->count++;
    if (code)
        refuse(r, code, f->name, verdict, detail);
    cJSON *o = cJSON_CreateObject();
    put_text(r, o, "name", f->name);
    put_text(r, o, "target", f->target);
    put_text(r, o, "sha256", f->sha256);
    r->failed |= !cJSON_AddNumberToObject(o, "code", code);
    put_text(r, o, "verdict", verdict);
    put_text(r, o, "detail", detail);
    if (!cJSON_AddItemToArray(r->programs, o)) {
        cJSON_Delete(o);
        r->failed = true;
    }
}

/* ---- Kinds of file ---- */

/* A program is accepted if the roots or any device accepts it. Without roots and devices, no
 * program is. */
static bool goes_by_roots(const struct dpkverify_trust *trust)
{
    return trust->count || !trust->device_count;
}

static const struct dpk_path_rules *rules_of(const struct dpkverify_trust *trust)
{
    return trust->policy ? dpk_policy_rules(trust->policy) : NULL;
}

static struct dpk_trust roots_of(const struct dpkverify_trust *trust)
{
    return (struct dpk_trust){
        .roots = trust->list, .count = trust->count, .rules = rules_of(trust)};
}

static enum dpk_verdict app_on_device(const struct dpk_app *app, const struct dpk_buf *elf,
                                      const struct dpk_load_terms *terms,
                                      const struct dpk_path_rules *rules, struct dpk_report *report)
{
    const struct dpk_trust anchors = {
        .roots = terms->cas.roots, .count = terms->cas.count, .rules = rules};
    enum dpk_verdict verdict = dpk_app_verify(app, &anchors, report);
    return verdict == DPK_VERDICT_OK ? dpk_load_examine(terms, elf->data, elf->size, report)
                                     : verdict;
}

static enum dpk_verdict judge_app(const struct dpkverify_trust *trust, const struct dpk_app *app,
                                  const struct dpk_buf *elf, struct dpk_report *report)
{
    const struct dpk_trust roots = roots_of(trust);
    struct dpk_report other;
    enum dpk_verdict verdict = DPK_VERDICT_UNKNOWN_CA;
    bool first = !goes_by_roots(trust);
    if (!first)
        verdict = dpk_app_verify(app, &roots, report);
    for (size_t i = 0; i < trust->device_count && verdict != DPK_VERDICT_OK; i++) {
        enum dpk_verdict says =
            app_on_device(app, elf, &trust->devices[i], rules_of(trust), &other);
        if (!first && says != DPK_VERDICT_OK)
            continue; /* the first refusal has the reason */
        verdict = says;
        *report = other;
        first = false;
    }
    return verdict;
}

static void verify_app(struct dpkverify_result *r, const struct dpkverify_trust *trust)
{
    struct dpk_app app;
    struct dpk_error why = {0};
    struct dpk_report report = {0};
    struct dpk_buf elf = {0};
    char digest[65] = "", uuid[DPK_UUID_TEXT];
    if (dpk_app_parse(r->content.data, r->content.size, &app, &why) != DPK_OK) {
        refuse(r, dpk_verdict_exit_code(DPK_VERDICT_BAD_FORMAT), "", "BAD_FORMAT", why.message);
        return;
    }
    bool program = app.kind == DPK_APP_PROGRAM;
    if (program && dpk_app_elf(&app, &elf, NULL) == DPK_OK)
        dpk_sha256_text(elf.data, elf.size, digest);
    enum dpk_verdict verdict = judge_app(trust, &app, &elf, &report);
    dpk_buf_free(&elf);
    const struct dpk_uuid *id = program ? &app.metadata.uuid : &app.app_uuid;
    dpk_uuid_format(id, uuid);
    const struct finding f = {.name = uuid,
                              .target = "",
                              .sha256 = digest,
                              .verdict = verdict,
                              .report = &report,
                              .about = {.uuid = id,
                                        .sha256 = digest,
                                        .has_version = true,
                                        .version = program ? app.metadata.app_version : 0},
                              .crypto = app.crypto,
                              .crypto_size = app.crypto_size};
    add_finding(r, trust, &f);
}

static void add_result(struct dpkverify_result *r, const struct dpkverify_trust *trust,
                       const struct dpk_result *found)
{
    const struct dpk_subject *s = found->subject;
    const char *name = found->program->name, *digest = found->report.sha256;
    const struct finding f = {.name = name,
                              .target = s->target,
                              .sha256 = digest,
                              .verdict = found->verdict,
                              .report = &found->report,
                              .about = {.name = name, .sha256 = digest},
                              .crypto = s->crypto,
                              .crypto_size = s->crypto_size};
    add_finding(r, trust, &f);
}

/* Adds the result for a program: by the roots, for each of its targets, in `by_roots`; or of the
 * first device that accepts it; or, if no device does, of the first device that was asked. */
static enum dpk_status add_program(struct dpkverify_result *r, const struct dpkverify_trust *trust,
                                   const struct dpk_program *p, const struct dpk_result *by_roots,
                                   struct dpk_error *err)
{
    struct dpk_result best = {0}, says;
    bool right = by_roots != NULL;
    for (size_t i = 0; right && i < p->subject_count; i++)
        right = by_roots[i].verdict == DPK_VERDICT_OK;
    for (size_t i = 0; !right && i < trust->device_count; i++) {
        enum dpk_status status =
            dpk_load_ask_program(&trust->devices[i], p, rules_of(trust), &says, err);
        if (status != DPK_OK)
            return status;
        if (says.verdict == DPK_VERDICT_OK || (!best.program && !by_roots))
            best = says;
        if (says.verdict == DPK_VERDICT_OK)
            break;
    }
    if (best.program)
        add_result(r, trust, &best);
    for (size_t i = 0; !best.program && i < p->subject_count; i++)
        add_result(r, trust, &by_roots[i]);
    return DPK_OK;
}

static enum dpk_status verify_host(struct dpkverify_result *r, const struct dpkverify_trust *trust,
                                   struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    struct dpk_result *results = NULL;
    const struct dpk_trust roots = roots_of(trust);
    struct dpk_error why = {0};
    size_t count = 0, at = 0;
    enum dpk_status status = dpk_hostfile_borrow(
        "", r->content.data ? r->content.data : (const uint8_t *)"", r->content.size, &host, &why);
    if (status == DPK_ERR_NOMEM)
        return dpk_fail_nomem(err);
    if (status != DPK_OK) {
        const char *text = strncmp(why.message, ": ", 2) == 0 ? why.message + 2 : why.message;
        refuse(r, dpk_verdict_exit_code(DPK_VERDICT_BAD_FORMAT), "", "BAD_FORMAT", text);
        return DPK_OK;
    }
    if (goes_by_roots(trust))
        status = dpk_hostfile_verify(host, &roots, 1, &results, &count, err);
    for (size_t i = 0; i < dpk_hostfile_count(host) && status == DPK_OK; i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        status = add_program(r, trust, p, results ? results + at : NULL, err);
        at += p->subject_count;
    }
    free(results);
    dpk_hostfile_close(host);
    return status;
}

/* ---- Public functions ---- */

static enum dpk_status finish(struct dpkverify_result *r, struct dpk_error *err)
{
    cJSON *o = cJSON_CreateObject();
    if (r->count == 0)
        refuse(r, dpk_verdict_exit_code(DPK_VERDICT_BAD_FORMAT), "", "BAD_FORMAT",
               "no DPA program in it");
    r->failed |= !cJSON_AddNumberToObject(o, "code", r->code);
    put_text(r, o, "reason", r->reason);
    if (!cJSON_AddItemToObject(o, "programs", r->programs))
        r->failed = true;
    else
        r->programs = NULL;
    char *text = r->failed ? NULL : cJSON_PrintUnformatted(o);
    r->json = text ? strdup(text) : NULL;
    cJSON_free(text);
    cJSON_Delete(o);
    return r->json ? DPK_OK : dpk_fail_nomem(err);
}

/* Verifies a file. Takes ownership of the content. */
static int verify(const struct dpkverify_trust *trust, struct dpk_buf *content,
                  struct dpkverify_result **out, char *why)
{
    struct dpk_error err = {0};
    struct dpkverify_result *r = calloc(1, sizeof *r);
    if (r)
        r->programs = cJSON_CreateArray();
    enum dpk_status status = r && r->programs ? dpk_openssl_start(&err) : dpk_fail_nomem(&err);
    if (r) {
        r->content = *content;
        *content = (struct dpk_buf){0};
    }
    if (status == DPK_OK && dpk_app_is(r->content.data, r->content.size))
        verify_app(r, trust);
    else if (status == DPK_OK)
        status = verify_host(r, trust, &err);
    if (status == DPK_OK)
        status = finish(r, &err);
    if (status == DPK_OK) {
        *out = r;
    } else {
        dpk_buf_free(content);
        dpkverify_result_free(r);
    }
    return dpkverify_say(&err, status, why);
}

int dpkverify_file(const struct dpkverify_trust *trust, const char *path,
                   struct dpkverify_result **result, char *why)
{
    struct dpk_error err = {0};
    struct dpk_buf content = {0};
    *result = NULL;
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &content, &err);
    return status == DPK_OK ? verify(trust, &content, result, why)
                            : dpkverify_say(&err, status, why);
}

int dpkverify_bytes(const struct dpkverify_trust *trust, const void *bytes, size_t size,
                    struct dpkverify_result **result, char *why)
{
    struct dpk_error err = {0};
    struct dpk_buf content = {0};
    *result = NULL;
    if (size > DPK_FILE_MAX)
        return dpkverify_say(&err, dpk_fail(&err, DPK_ERR_RANGE, "more than 4 GiB"), why);
    if (size)
        dpk_put(&content, bytes, size);
    if (content.failed)
        return dpkverify_say(&err, dpk_fail_nomem(&err), why);
    return verify(trust, &content, result, why);
}

void dpkverify_result_free(struct dpkverify_result *result)
{
    if (!result)
        return;
    dpk_buf_free(&result->content);
    cJSON_Delete(result->programs);
    free(result->json);
    free(result);
}

int dpkverify_code(const struct dpkverify_result *result)
{
    return result->code;
}

const char *dpkverify_reason(const struct dpkverify_result *result)
{
    return result->reason;
}

const char *dpkverify_json(const struct dpkverify_result *result)
{
    return result->json;
}

const void *dpkverify_content(const struct dpkverify_result *result, size_t *size)
{
    *size = result->content.size;
    return result->content.data;
}
