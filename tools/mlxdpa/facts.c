#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "cli/cli.h"

cJSON *mlxdpa_certificate_facts(X509 *cert)
{
    char text[256];
    struct dpk_cert_facts facts;
    cJSON *o = cJSON_CreateObject();
    EVP_PKEY *key = X509_get0_pubkey(cert);
    const char *type = key ? EVP_PKEY_get0_type_name(key) : NULL;
    dpk_cert_describe(cert, &facts);
    dpk_json_text(o, "subject", facts.subject);
    char *issuer = dpk_cert_name_text(X509_get_issuer_name(cert));
    dpk_json_text(o, "issuer", issuer);
    free(issuer);
    dpk_json_text(o, "serial", facts.serial);
    dpk_json_text(o, "sha256", facts.sha256);
    if (facts.not_before[0])
        dpk_json_text(o, "not_before", facts.not_before);
    if (facts.not_after[0])
        dpk_json_text(o, "not_after", facts.not_after);
    bool now = X509_cmp_current_time(X509_get0_notBefore(cert)) < 0 &&
               X509_cmp_current_time(X509_get0_notAfter(cert)) > 0;
    cJSON_AddBoolToObject(o, "valid_now", now);
    snprintf(text, sizeof text, "%s-%d", type ? type : "unknown", key ? EVP_PKEY_get_bits(key) : 0);
    dpk_json_text(o, "key", text);
    dpk_json_text(o, "key_sha256", facts.key_sha256);
    const char *algorithm = OBJ_nid2ln(X509_get_signature_nid(cert));
    dpk_json_text(o, "algorithm", algorithm ? algorithm : "unknown");
    cJSON_AddBoolToObject(o, "self_signed", X509_self_signed(cert, 1) == 1);
    ERR_clear_error();
    return o;
}

void mlxdpa_uuid_fact(cJSON *o, const char *key, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    cJSON_AddStringToObject(o, key, dpk_uuid_is_zero(uuid) ? "not set" : text);
}

/* ---- Tree ---- */

static void print_label(const char *key, int depth)
{
    printf("%*s", 2 * depth, "");
    for (; *key; key++)
        putchar(*key == '_' ? ' ' : *key);
    putchar(':');
}

static void print_text(const char *text)
{
    bool wrong = strncmp(text, "WRONG", 5) == 0;
    printf(" %s%s%s\n", wrong ? dpk_red(stdout) : "", text, wrong ? dpk_red_end(stdout) : "");
}

static void print_texts(const cJSON *list)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        printf("%s%s", item != list->child ? ", " : " ", cJSON_GetStringValue(item));
    puts(list->child ? "" : " none");
}

static void print_value(const cJSON *v, int depth)
{
    print_label(v->string, depth);
    if (cJSON_IsArray(v) && (!v->child || cJSON_IsString(v->child))) {
        print_texts(v);
        return;
    }
    if (cJSON_IsArray(v) || cJSON_IsObject(v))
        putchar('\n');
    else if (cJSON_IsBool(v))
        puts(cJSON_IsTrue(v) ? " yes" : " no");
    else if (cJSON_IsNumber(v))
        printf(" %.0f\n", v->valuedouble);
    else
        print_text(cJSON_GetStringValue(v));
    if (cJSON_IsObject(v))
        mlxdpa_tree_print(v, depth + 1);
    const cJSON *item;
    if (cJSON_IsArray(v)) {
        cJSON_ArrayForEach(item, v)
        {
            /* The first field's value is the item's heading. */
            printf("%*s- %s\n", 2 * (depth + 1), "", cJSON_GetStringValue(item->child));
            for (const cJSON *field = item->child->next; field; field = field->next)
                print_value(field, depth + 2);
        }
    }
}

void mlxdpa_tree_print(const cJSON *o, int depth)
{
    const cJSON *v;
    cJSON_ArrayForEach(v, o) print_value(v, depth);
}
