/* mlxdpa show: prints everything that a file claims, as a tree. It proves nothing; verify does. */
#include "cli/cli.h"

#include "facts.h"
#include "target.h"

static bool can_show(const struct kind *k)
{
    return k->show != NULL;
}

static enum dpk_status show_one(const struct target *t, bool json, struct dpk_error *err)
{
    enum dpk_status status =
        mlxdpa_target_needs(t, can_show, "has nothing to show; these have", err);
    if (status != DPK_OK)
        return status;
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "file", t->path);
    cJSON_AddStringToObject(o, "kind", t->kind->name);
    status = t->kind->show(t, o, err);
    if (status != DPK_OK) {
        cJSON_Delete(o);
        return dpk_error_prefix(err, "%s", t->path);
    }
    if (json)
        return dpk_json_print(o, err);
    mlxdpa_tree_print(o, 0);
    cJSON_Delete(o);
    return DPK_OK;
}

static enum dpk_status run_show(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    struct mlxdpa_options *options = given;
    options->file = args->words[0];
    struct targets targets;
    enum dpk_status status = mlxdpa_targets_open("show", options, &targets, err);
    for (size_t i = 0; i < targets.count && status == DPK_OK; i++)
        status = show_one(&targets.list[i], options->json, err);
    mlxdpa_targets_close(&targets);
    return status;
}

const struct dpk_command mlxdpa_show_command = {.names = "show",
                                                .words = "[FILE]",
                                                .help = "show everything about a file as a tree",
                                                .takes = "e,cert_container,s,nv_config,json",
                                                .run = run_show};
