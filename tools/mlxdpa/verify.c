/* mlxdpa verify: what a device with these CA certificates would say of each program. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

/* The outcome over all programs. */
struct tally {
    size_t refused;
    char first[512]; /* the first one refused, and why */
};

static const struct dpk_check *deciding(const struct dpk_report *r)
{
    return &r->checks[r->count - 1];
}

static void count_refusal(struct tally *t, const struct dpk_program *p, const struct dpk_report *r)
{
    char name[256], detail[256];
    if (t->refused++ > 0)
        return;
    const struct dpk_check *c = deciding(r);
    snprintf(t->first, sizeof t->first, "%s: %s (%s)", mlxdpa_clean(p->name, name, sizeof name),
             dpk_verdict_name(c->verdict), mlxdpa_clean(c->detail, detail, sizeof detail));
}

static void print_program(const struct dpk_program *p, enum dpk_verdict v,
                          const struct dpk_report *r)
{
    char text[256];
    printf("%s:\n", mlxdpa_clean(p->name, text, sizeof text));
    for (size_t i = 0; i < r->count; i++) {
        const struct dpk_check *c = &r->checks[i];
        const char *state = c->verdict ? "refused" : c->warning ? "warning" : "OK";
        printf("  %-15s %-8s %s\n", c->name, state, mlxdpa_clean(c->detail, text, sizeof text));
    }
    if (v)
        printf("  => refused, %s (%d)\n", dpk_verdict_name(v), v);
    else
        printf("  => verified\n");
}

static cJSON *json_of(const struct dpk_program *p, enum dpk_verdict v, const struct dpk_report *r)
{
    char text[256];
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "name", mlxdpa_clean(p->name, text, sizeof text));
    cJSON_AddStringToObject(o, "verdict", dpk_verdict_name(v));
    cJSON_AddNumberToObject(o, "code", v);
    cJSON *checks = cJSON_AddArrayToObject(o, "checks");
    for (size_t i = 0; i < r->count; i++) {
        const struct dpk_check *c = &r->checks[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", c->name);
        cJSON_AddStringToObject(item, "verdict", dpk_verdict_name(c->verdict));
        cJSON_AddBoolToObject(item, "warning", c->warning);
        cJSON_AddStringToObject(item, "detail", mlxdpa_clean(c->detail, text, sizeof text));
        if (!cJSON_AddItemToArray(checks, item))
            cJSON_Delete(item);
    }
    return o;
}

static enum dpk_status verify_all(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                  bool as_json, struct tally *tally, struct dpk_error *err)
{
    cJSON *list = as_json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        struct dpk_report report;
        enum dpk_verdict v =
            dpk_verify(p->elf, p->elf_size, p->crypto, p->crypto_size, trust, &report);
        if (v)
            count_refusal(tally, p, &report);
        if (!as_json)
            print_program(p, v, &report);
        else
            cJSON_AddItemToArray(list, json_of(p, v, &report));
    }
    return as_json ? mlxdpa_print_json(list, err) : DPK_OK;
}

static enum dpk_status load_roots(const struct mlxdpa_options *options, struct dpk_roots **roots,
                                  struct dpk_error *err)
{
    enum dpk_status status =
        mlxdpa_need("verify", "--ca CERTIFICATE", options->ca_count ? "" : NULL, err);
    for (size_t i = 0; i < options->ca_count && status == DPK_OK; i++)
        status = dpk_roots_load(roots, options->ca[i], err);
    return status;
}

enum dpk_status cmd_verify(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    struct dpk_roots *roots = NULL;
    struct dpk_trust trust = {0};
    struct tally tally = {0};
    enum dpk_status status = mlxdpa_need("verify", "-e HOST_ELF", options->host_elf, err);
    if (status == DPK_OK)
        status = load_roots(options, &roots, err);
    if (status == DPK_OK)
        status = dpk_hostfile_open(options->host_elf, &host, err);
    if (status != DPK_OK)
        goto out;
    size_t count = dpk_hostfile_count(host);
    if (count == 0) {
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", options->host_elf);
        goto out;
    }
    trust.roots = dpk_roots_list(roots, &trust.count);
    status = verify_all(host, &trust, options->json, &tally, err);
    if (status == DPK_OK && tally.refused)
        status = dpk_fail(err, DPK_ERR_REFUSED, "%s: %zu of %zu DPA programs refused; %s",
                          options->host_elf, tally.refused, count, tally.first);
    else if (status == DPK_OK && !options->json)
        printf("%zu DPA program%s verified.\n", count, count == 1 ? "" : "s");
out:
    dpk_hostfile_close(host);
    dpk_roots_free(roots);
    return status;
}
