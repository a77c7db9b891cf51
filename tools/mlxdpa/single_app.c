/* The commands that make single-program containers (signing(7)), and query_manifest. */
#include <stdio.h>

#include "appcontainer/appcontainer.h"
#include "mlxdpa.h"

#define METADATA_FILE_MAX ((size_t)1 << 16)

struct create_options {
    struct mlxdpa_options shared;
    const char *metadata, *manifest;
    bool xz, plain;
};

static enum dpk_status read_metadata(const char *path, struct dpk_app_metadata *out,
                                     struct dpk_error *err)
{
    struct dpk_buf yaml = {0};
    enum dpk_status status = dpk_file_read(path, METADATA_FILE_MAX, &yaml, err);
    if (status != DPK_OK)
        return status;
    status = dpk_app_metadata_yaml(yaml.data, yaml.size, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    dpk_buf_free(&yaml);
    return status;
}

/* Writes the result. After a failure, puts `error_path` before the error. */
static enum dpk_status finish(enum dpk_status status, const char *error_path, const char *output,
                              const struct dpk_buf *made, struct dpk_error *err)
{
    if (status != DPK_OK) {
        if (status != DPK_ERR_USAGE)
            dpk_error_prefix(err, "%s", error_path);
        return status;
    }
    return dpk_file_replace(output, made->data, made->size, 0644, err);
}

static enum dpk_status make_container(const struct create_options *create,
                                      struct dpk_app_plan *plan, struct dpk_error *err)
{
    const struct mlxdpa_options *o = &create->shared;
    struct dpk_buf elf = {0}, manifest = {0}, made = {0};
    enum dpk_status status = dpk_file_read(o->single_app, DPK_APP_ELF_MAX, &elf, err);
    if (status == DPK_OK && create->manifest)
        status = dpk_file_read(create->manifest, DPK_APP_MAX, &manifest, err);
    if (status == DPK_OK && create->manifest && manifest.size == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: empty file", create->manifest);
    if (status != DPK_OK)
        goto out;
    plan->elf = elf.data;
    plan->elf_size = elf.size;
    plan->manifest = manifest.data;
    plan->manifest_size = manifest.size;
    status = finish(dpk_app_create(plan, &made, err), o->single_app, o->output, &made, err);
out:
    dpk_buf_free(&made);
    dpk_buf_free(&manifest);
    dpk_buf_free(&elf);
    return status;
}

static enum dpk_status run_create_single_dpa_app(void *given, const struct dpk_args *args,
                                                 struct dpk_error *err)
{
    const struct create_options *create = given;
    const struct mlxdpa_options *o = &create->shared;
    struct dpk_app_plan plan = {.xz = create->xz, .force = o->force};
    struct dpk_uuid uuid = o->app_uuid;
    char text[DPK_UUID_TEXT];
    const char *const inputs[] = {o->single_app, create->metadata, create->manifest};
    enum dpk_status status = mlxdpa_priority(args->command, o, &plan.priority, err);
    if (status == DPK_OK && create->xz && create->plain)
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: --xz and --no_compression", args->command);
    if (dpk_uuid_is_zero(&uuid))
        dpk_uuid_new_time(&uuid);
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, inputs, 3, err);
    if (status == DPK_OK)
        status = read_metadata(create->metadata, &plan.metadata, err);
    plan.metadata.uuid = uuid;
    if (status == DPK_OK)
        status = make_container(create, &plan, err);
    dpk_uuid_format(&uuid, text);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "%s was created successfully with UUID: %s", o->output, text);
    return status;
}

#define AT(field) offsetof(struct create_options, field)

static const struct dpk_option create_options[] = {
    {"m,app_metadata,app-metadata", DPK_FILE, "FILE", AT(metadata),
     .help = "metadata of the program (YAML)"},
    {"manifest", DPK_FILE, "FILE", AT(manifest), .help = "manifest to include"},
    {"xz", .at = AT(xz), .help = "compress the program"},
    {"no_compression,no-compression", .at = AT(plain),
     .help = "do not compress the program (default)"},
    {0},
};

const struct dpk_command mlxdpa_create_single_dpa_app_command = {
    .names = "create_single_dpa_app",
    .help = "make a container with one program (-s -m [--manifest] -o)",
    .needs = "s,m,o,life_cycle_priority",
    .takes = "dpa_app_uuid,force",
    .options = create_options,
    .size = sizeof(struct create_options),
    .run = run_create_single_dpa_app};

static enum dpk_status run_query_manifest(void *given, const struct dpk_args *args,
                                          struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    (void)args;
    struct dpk_buf file = {0};
    struct dpk_app app;
    enum dpk_status status = dpk_file_apart(o->output, &o->single_app, 1, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->single_app, DPK_APP_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    status = dpk_app_parse(file.data, file.size, &app, err);
    if (status == DPK_OK && !app.manifest)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no manifest in it");
    const struct dpk_buf manifest = {.data = (uint8_t *)app.manifest, .size = app.manifest_size};
    status = finish(status, o->single_app, o->output, &manifest, err);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "%s was created successfully.", o->output);
    dpk_buf_free(&file);
    return status;
}

const struct dpk_command mlxdpa_query_manifest_command = {
    .names = "query_manifest",
    .help = "extract the manifest of a container with one program (-s -o)",
    .needs = "s,o",
    .run = run_query_manifest};

static enum dpk_status run_create_dpa_app_removal(void *given, const struct dpk_args *args,
                                                  struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    enum dpk_lifecycle priority;
    struct dpk_buf made = {0};
    enum dpk_status status = mlxdpa_priority(args->command, o, &priority, err);
    if (status == DPK_OK)
        status = dpk_app_removal_create(priority, &o->app_uuid, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(o->output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "DPA removal container created successfully!");
    /* Older scripts give the option here. Like NVIDIA's tool, accept it without storing it. */
    if (status == DPK_OK && !dpk_uuid_is_zero(&o->keypair_uuid))
        fprintf(stderr, "-W- %s: --keypair_uuid is not stored: give it to sign_dpa_app_removal\n",
                o->output);
    dpk_buf_free(&made);
    return status;
}

const struct dpk_command mlxdpa_create_dpa_app_removal_command = {
    .names = "create_dpa_app_removal",
    .help = "make a container that removes one program (--dpa_app_uuid -o)",
    .needs = "dpa_app_uuid,o,life_cycle_priority",
    .takes = "keypair_uuid",
    .run = run_create_dpa_app_removal};
