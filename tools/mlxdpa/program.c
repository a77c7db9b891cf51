/* JSON of device programs. */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "facts.h"
#include "making.h"
#include "outcome.h"

void mlxdpa_program_digest(cJSON *o, const uint8_t *elf, size_t size,
                           const struct dpk_report *report)
{
    char digest[65] = "";
    bool known = report && report->sha256[0];
    if (!known)
        dpk_sha256_text(elf, size, digest);
    dpk_json_text(o, "sha256", known ? report->sha256 : digest);
}

void mlxdpa_program_chain(cJSON *o, const uint8_t *crypto, size_t size)
{
    struct dpk_crypto_view view;
    if (!crypto || dpk_crypto_view_open(crypto, size, &view, NULL) != DPK_OK)
        return;
    cJSON *chain = cJSON_AddArrayToObject(o, "chain");
    for (size_t i = 0; i < dpk_certchain_count(view.chain); i++)
        cJSON_AddItemToArray(chain, mlxdpa_certificate_facts(dpk_certchain_cert(view.chain, i)));
    dpk_crypto_view_free(&view);
}

/* Shows if the signed hashes match the program: only this proves that it is the signed program. */
static bool show_hashes(cJSON *o, const struct dpk_report *report)
{
    char text[300];
    bool right = false;
    for (size_t i = 0; i < report->count; i++) {
        const struct dpk_check *c = &report->checks[i];
        if (strcmp(c->name, "hash list") != 0)
            continue;
        right = c->verdict == DPK_VERDICT_OK;
        if (c->verdict == DPK_VERDICT_DIGEST_MISMATCH && !c->changed)
            snprintf(text, sizeof text, "WRONG: %s", c->detail);
        else
            mlxdpa_outcome_words(c->changed, c->detail, text, sizeof text);
        dpk_json_text(o, "hashes", text);
    }
    cJSON_AddBoolToObject(o, "hashes_ok", right);
    return right;
}

static void show_signature(cJSON *o, const struct dpk_crypto_view *view, const uint8_t *crypto,
                           bool hashes_right)
{
    char text[300];
    struct dpk_error err = {0};
    bool right = dpk_crypto_view_check(view, crypto, &err) == DPK_OK;
    if (!right)
        snprintf(text, sizeof text, "WRONG: %.250s", err.message);
    else
        snprintf(text, sizeof text, "right%s",
                 hashes_right ? "" : ", but over other hashes than this program's");
    dpk_json_text(o, "signature", text);
    cJSON_AddBoolToObject(o, "signature_ok", right);
    right = dpk_certchain_check(view->chain, &err) == DPK_OK;
    cJSON_AddBoolToObject(o, "chain_ok", right);
    if (!right) {
        snprintf(text, sizeof text, "WRONG: %.250s", err.message);
        dpk_json_text(o, "chain_fault", text);
    }
}

#define WARNING_DAYS 90

bool mlxdpa_program_leaf_ends(X509 *leaf, char *text, size_t size)
{
    struct dpk_cert_facts facts;
    int days = 0, seconds = 0;
    if (ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(leaf)) != 1 ||
        days >= WARNING_DAYS)
        return false;
    dpk_cert_describe(leaf, &facts);
    if (days < 0 || seconds < 0)
        snprintf(text, size, "the leaf ended on %.23s", facts.not_after);
    else
        snprintf(text, size,
                 "the leaf ends on %.23s, in %d days: sign again under a new leaf before then",
                 facts.not_after, days);
    return true;
}

void mlxdpa_program_crypto(cJSON *o, const uint8_t *crypto, size_t size,
                           const struct dpk_report *report)
{
    struct dpk_crypto_view view;
    struct dpk_error err = {0};
    char text[300];
    cJSON_AddBoolToObject(o, "signed", crypto != NULL);
    if (!crypto)
        return;
    bool hashes_right = show_hashes(o, report);
    if (dpk_crypto_view_open(crypto, size, &view, &err) != DPK_OK) {
        snprintf(text, sizeof text, "WRONG: %.250s", err.message);
        dpk_json_text(o, "crypto_data", text);
        cJSON_AddFalseToObject(o, "signature_ok");
        cJSON_AddFalseToObject(o, "chain_ok");
        return;
    }
    cJSON_AddStringToObject(o, "profile", view.profile == DPK_PROFILE_FULL ? "full" : "compact");
    snprintf(text, sizeof text, view.signature_type == 2 ? "RSASSA-PKCS1-v1_5, SHA-512" : "type %u",
             view.signature_type);
    dpk_json_text(o, "algorithm", text);
    dpk_cert_subject(dpk_certchain_leaf(view.chain), text, sizeof text);
    dpk_json_text(o, "signed_by", text);
    if (mlxdpa_program_leaf_ends(dpk_certchain_leaf(view.chain), text, sizeof text))
        dpk_json_text(o, "leaf_end", text);
    show_signature(o, &view, crypto, hashes_right);
    dpk_crypto_view_free(&view);
    mlxdpa_program_chain(o, crypto, size);
}

static void show_one(const struct dpk_subject *s, cJSON *o)
{
    struct dpk_report report = {0};
    (void)dpk_verify(s, NULL, &report);
    mlxdpa_program_digest(o, s->elf.file.begin, dpk_reader_left(&s->elf.file), &report);
    mlxdpa_making_show(&s->elf, s->target[0] != 0, o);
    mlxdpa_program_crypto(o, s->crypto, s->crypto_size, &report);
}

void mlxdpa_program_show(const struct dpk_program *p, cJSON *o)
{
    cJSON *targets = NULL;
    char text[300];
    for (size_t i = 0; i < p->subject_count; i++) {
        struct dpk_subject s = p->subjects[i];
        cJSON *at = o;
        if (s.target[0]) {
            if (!targets)
                targets = cJSON_AddArrayToObject(o, "targets");
            at = cJSON_CreateObject();
            cJSON_AddStringToObject(at, "target", s.target);
            cJSON_AddNumberToObject(at, "size", (double)dpk_reader_left(&s.elf.file));
            cJSON_AddItemToArray(targets, at);
        }
        if (s.fault.name) {
            snprintf(text, sizeof text, "WRONG: %s: %s", s.fault.name, s.fault.detail);
            dpk_json_text(at, "fault", text);
            s.fault.name = NULL; /* show the rest as well, because this proves nothing */
        }
        show_one(&s, at);
    }
}
