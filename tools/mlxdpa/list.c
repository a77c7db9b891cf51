/* mlxdpa list: the Applications list of the guide ("Crypto Signing Flow"). */
#include "cli/cli.h"

#include "target.h"

static bool can_list(const struct kind *k)
{
    return k->list != NULL;
}

static enum dpk_status list_one(const struct target *t, bool json, struct dpk_error *err)
{
    struct listing l = {0};
    enum dpk_status status =
        mlxdpa_target_needs(t, can_list, "has no parts to list; these have", err);
    if (status != DPK_OK)
        return status;
    if (json)
        l.json = cJSON_CreateArray();
    status = t->kind->list(t, &l, err);
    if (status != DPK_OK) {
        cJSON_Delete(l.json);
        return dpk_error_prefix(err, "%s", t->path);
    }
    return json ? dpk_json_print(l.json, err) : DPK_OK;
}

static enum dpk_status run_list(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    struct mlxdpa_options *options = given;
    options->file = args->words[0];
    struct targets targets;
    enum dpk_status status = mlxdpa_targets_open("list", options, &targets, err);
    for (size_t i = 0; i < targets.count && status == DPK_OK; i++)
        status = list_one(&targets.list[i], options->json, err);
    mlxdpa_targets_close(&targets);
    return status;
}

const struct dpk_command mlxdpa_list_command = {
    .names = "list",
    .words = "[FILE]",
    .help = "list the content of a file (FILE, -e, -s, ...)",
    .takes = "e,cert_container,s,nv_config,json",
    .run = run_list};
