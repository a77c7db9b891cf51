/* The commands of single-program containers (signing(7)): with one program, or removing one. */
#include "appcontainer/appcontainer.h"
#include "mlxdpa.h"

#define METADATA_FILE_MAX ((size_t)1 << 16)

/* One option that a command needs, as --help has it. */
struct need {
    const char *option, *value;
};

static enum dpk_status need_all(const char *command, const struct need *needs, size_t count,
                                struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = mlxdpa_need(command, needs[i].option, needs[i].value, err);
    return status;
}
#define NEED(command, ...)                                                                         \
    need_all(command, (const struct need[]){__VA_ARGS__},                                          \
             sizeof((const struct need[]){__VA_ARGS__}) / sizeof(struct need), err)

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

/* Writes what was made; `error_path` is the input that errors before this are about. */
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

static enum dpk_status make_container(const struct mlxdpa_options *o, struct dpk_app_plan *plan,
                                      struct dpk_error *err)
{
    struct dpk_buf elf = {0}, manifest = {0}, made = {0};
    enum dpk_status status = dpk_file_read(o->single_app, DPK_APP_ELF_MAX, &elf, err);
    if (status == DPK_OK && o->manifest)
        status = dpk_file_read(o->manifest, DPK_APP_MAX, &manifest, err);
    if (status == DPK_OK && o->manifest && manifest.size == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: empty file", o->manifest);
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

enum dpk_status cmd_create_single_dpa_app(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "create_single_dpa_app";
    struct dpk_app_plan plan = {.xz = o->xz};
    struct dpk_uuid uuid = {{0}};
    char text[DPK_UUID_TEXT];
    const char *const inputs[] = {o->single_app, o->app_metadata, o->manifest};
    enum dpk_status status = NEED(command, {"-s DEVICE_ELF", o->single_app},
                                  {"-m METADATA", o->app_metadata}, {"-o", o->output});
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &plan.priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--dpa_app_uuid", o->app_uuid, &uuid, err);
    if (status == DPK_OK && !o->app_uuid)
        dpk_uuid_new_time(&uuid);
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, inputs, 3, err);
    if (status == DPK_OK)
        status = read_metadata(o->app_metadata, &plan.metadata, err);
    plan.metadata.uuid = uuid;
    if (status == DPK_OK)
        status = make_container(o, &plan, err);
    dpk_uuid_format(&uuid, text);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "%s was created successfully with UUID: %s", o->output, text);
    return status;
}

enum dpk_status cmd_query_manifest(const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct dpk_app app;
    enum dpk_status status =
        NEED("query_manifest", {"-s CONTAINER", o->single_app}, {"-o", o->output});
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, &o->single_app, 1, err);
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

enum dpk_status cmd_create_dpa_app_removal(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "create_dpa_app_removal";
    enum dpk_lifecycle priority;
    struct dpk_uuid app, keypair = {0};
    struct dpk_buf made = {0};
    enum dpk_status status = NEED(command, {"--dpa_app_uuid", o->app_uuid}, {"-o", o->output});
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--dpa_app_uuid", o->app_uuid, &app, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", o->keypair_uuid, &keypair, err);
    if (status == DPK_OK)
        status = dpk_app_removal_create(priority, &app, &keypair, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(o->output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "DPA removal container created successfully!");
    dpk_buf_free(&made);
    return status;
}
