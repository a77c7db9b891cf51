/* mlxdpa verify: what a device with these CA certificates and keys would say. */
#include <stdio.h>

#include "cli/cli.h"

#include "target.h"

/* "2 DPA programs verified." */
static void print_sum(const struct targets *t, size_t count)
{
    if (t->count > 1)
        printf("%zu files verified.\n", t->count);
    else if (t->list[0].kind->of_programs)
        printf("%zu DPA program%s verified.\n", count, count == 1 ? "" : "s");
    else
        printf("%s verified.\n", t->list[0].path);
}

static bool can_verify(const struct kind *k)
{
    return k->verify != NULL;
}

/* Can each file be verified, and was it said whom to trust with it? */
static enum dpk_status check_targets(const struct targets *t, const struct mlxdpa_options *o,
                                     struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < t->count && status == DPK_OK; i++) {
        const struct kind *k = t->list[i].kind;
        status = target_needs(&t->list[i], can_verify, "has no signature to verify; these have one",
                              err);
        if (status == DPK_OK && k->need_trust)
            status = k->need_trust(&t->list[i], o, err);
        if (status == DPK_OK && (o->policy || o->at) && k != &kind_host && k != &kind_app)
            status = dpk_fail(err, DPK_ERR_USAGE,
                              "--policy and --at are about programs, and %s "
                              "is a %s",
                              t->list[i].path, k->name);
    }
    return status;
}

static enum dpk_status verify_all(const struct targets *t, const struct trust *trust,
                                  const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct tally tally = {.json = o->json ? cJSON_CreateArray() : NULL};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < t->count && status == DPK_OK; i++)
        status = t->list[i].kind->verify(
            &(struct verification){&t->list[i], trust, &tally, o->jobs}, err);
    if (status != DPK_OK)
        cJSON_Delete(tally.json);
    else if (o->json)
        status = dpk_json_print(tally.json, err);
    if (status != DPK_OK)
        return status;
    dpk_tool_exit_with(tally.first_exit_code);
    if (tally.refused)
        return dpk_fail(err, DPK_ERR_REFUSED, "%s: %zu of %zu %s refused; %s", t->list[0].path,
                        tally.refused, tally.count,
                        t->count == 1 && t->list[0].kind->of_programs ? "DPA programs" : "checked",
                        tally.first);
    if (!o->json)
        print_sum(t, tally.count);
    return DPK_OK;
}

static enum dpk_status run_verify(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    struct mlxdpa_options *options = given;
    options->file = args->words[0];
    struct targets targets;
    struct trust trust = {0};
    enum dpk_status status = targets_open("verify", options, &targets, err);
    if (status == DPK_OK)
        status = check_targets(&targets, options, err);
    if (status == DPK_OK)
        status = trust_open(options, &trust, err);
    if (status == DPK_OK)
        status = verify_all(&targets, &trust, options, err);
    trust_close(&trust);
    targets_close(&targets);
    return status;
}

static const struct dpk_option trust_options[] = {
    {"policy", DPK_FILE, "FILE", MLXDPA_AT(policy),
     .help = "policy: allowed programs, signers, versions, revocation lists (YAML)"},
    {"at", DPK_TEXT, "DATE", MLXDPA_AT(at),
     .help = "date at which certificates must be valid (default: now)"},
    {"d,device", DPK_TEXT, "DEVICE", MLXDPA_AT(device), .help = "verify as this device would"},
    {0},
};

const struct dpk_command verify_command = {
    .names = "verify",
    .words = "[FILE]",
    .help = "check signatures and print every check (FILE, -e, -s, ...; --ca, --key, -d)",
    .takes = "e,cert_container,s,nv_config,ca,key,j,json",
    .options = trust_options,
    .run = run_verify};
