/* JSON of device programs. */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#include "facts.h"
#include "fat/fat.h"

void program_digest(cJSON *o, const uint8_t *elf, size_t size, const struct dpk_report *report)
{
    char digest[65] = "";
    bool known = report && report->sha256[0];
    if (!known)
        dpk_sha256_text(elf, size, digest);
    dpk_json_text(o, "sha256", known ? report->sha256 : digest);
}

void program_chain(cJSON *o, const uint8_t *crypto, size_t size)
{
    struct dpk_crypto_view view;
    if (!crypto || dpk_crypto_view_open(crypto, size, &view, NULL) != DPK_OK)
        return;
    cJSON *chain = cJSON_AddArrayToObject(o, "chain");
    for (size_t i = 0; i < dpk_certchain_count(view.chain); i++)
        cJSON_AddItemToArray(chain, certificate_facts(dpk_certchain_cert(view.chain, i)));
    dpk_crypto_view_free(&view);
}

void program_crypto(cJSON *o, const uint8_t *crypto, size_t size, const struct dpk_report *report)
{
    struct dpk_crypto_view view;
    struct dpk_error err = {0};
    char text[300];
    cJSON_AddBoolToObject(o, "signed", crypto != NULL);
    if (!crypto)
        return;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->checks[i].name, "hash list") == 0)
            dpk_json_text(o, "hashes", report->checks[i].detail);
    if (dpk_crypto_view_open(crypto, size, &view, &err) != DPK_OK) {
        dpk_json_text(o, "crypto_data", err.message);
        return;
    }
    cJSON_AddStringToObject(o, "profile", view.profile == DPK_PROFILE_FULL ? "full" : "compact");
    snprintf(text, sizeof text, view.signature_type == 2 ? "RSASSA-PKCS1-v1_5, SHA-512" : "type %u",
             view.signature_type);
    dpk_json_text(o, "algorithm", text);
    dpk_cert_subject(dpk_certchain_leaf(view.chain), text, sizeof text);
    dpk_json_text(o, "signed_by", text);
    dpk_json_text(o, "signature",
                  dpk_crypto_view_check(&view, crypto, &err) == DPK_OK ? "right" : err.message);
    dpk_crypto_view_free(&view);
    program_chain(o, crypto, size);
}

static void show_one(const struct dpk_program *p, cJSON *o)
{
    struct dpk_report report = {0};
    const struct dpk_subject subject = dpk_program_subject(p);
    (void)dpk_verify(&subject, NULL, &report);
    program_digest(o, p->elf, p->elf_size, &report);
    program_crypto(o, p->crypto, p->crypto_size, &report);
}

static enum dpk_status show_member(const struct dpk_program *p, const struct dpk_fat_member *member,
                                   cJSON *targets, struct dpk_error *err)
{
    struct dpk_buf elf = {0};
    struct dpk_program one = *p;
    const char *name = dpk_target_name(member->target);
    enum dpk_status status = dpk_fat_elf(member, &elf, err);
    if (status != DPK_OK)
        goto out;
    one.elf = elf.data;
    one.elf_size = elf.size;
    if (p->crypto && dpk_fat_crypto(p->crypto, p->crypto_size, member->target, &one.crypto,
                                    &one.crypto_size, NULL) != DPK_OK) {
        /* Crypto data that is missing or cannot be read counts as unsigned. */
        one.crypto = NULL;
        one.crypto_size = 0;
    }
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "target", name ? name : "unknown target");
    cJSON_AddNumberToObject(o, "size", (double)elf.size);
    cJSON_AddItemToArray(targets, o);
    show_one(&one, o);
out:
    dpk_buf_free(&elf);
    return status;
}

enum dpk_status program_show(const struct dpk_program *p, cJSON *o, struct dpk_error *err)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK) {
        show_one(p, o);
        return DPK_OK;
    }
    enum dpk_status status = DPK_OK;
    cJSON *targets = cJSON_AddArrayToObject(o, "targets");
    for (size_t i = 0; i < fat.count && status == DPK_OK; i++)
        status = show_member(p, &fat.members[i], targets, err);
    return status;
}
