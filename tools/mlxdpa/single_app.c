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

enum dpk_status cmd_sign_single_dpa_app(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "sign_single_dpa_app";
    const struct dpk_sign_options how = {
        .mft_compat = o->mft_compat, .mft_chain_count = o->chain_count, .ignore_dates = o->force};
    const char *const inputs[] = {o->cert, o->key.key};
    const char *output = NULL;
    enum dpk_lifecycle priority;
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_buf file = {0}, made = {0};
    enum dpk_status status = NEED(command, {"-s CONTAINER", o->single_app}, {"-c CHAIN", o->cert});
    if (status == DPK_OK)
        status = mlxdpa_need_key(command, o, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_output(o, o->single_app, &output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer(o, &chain, &signer, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->single_app, DPK_APP_MAX, &file, err);
    if (status == DPK_OK)
        status =
            finish(dpk_app_sign(file.data, file.size, priority, chain, signer, &how, &made, err),
                   o->single_app, output, &made, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "%s was signed successfully.", output);
    dpk_buf_free(&made);
    dpk_buf_free(&file);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
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

enum dpk_status cmd_sign_dpa_app_removal(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "sign_dpa_app_removal";
    enum dpk_lifecycle priority;
    struct dpk_uuid keypair = {0};
    struct dpk_signer *signer = NULL;
    struct dpk_buf file = {0}, made = {0};
    enum dpk_status status =
        NEED(command, {"--dpa_app_removal_container", o->removal_container}, {"-o", o->output});
    if (status == DPK_OK)
        status = mlxdpa_need_key(command, o, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", o->keypair_uuid, &keypair, err);
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, &o->key.key, 1, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->removal_container, DPK_APP_MAX, &file, err);
    if (status == DPK_OK)
        status = dpk_signer_open_with(&o->key, &signer, err);
    if (status == DPK_OK) {
        status = dpk_app_removal_sign(file.data, file.size, priority, &keypair, signer, &made, err);
        status = finish(
            status, status == DPK_ERR_UNSUPPORTED ? dpk_signer_name(signer) : o->removal_container,
            o->output, &made, err);
    }
    if (status == DPK_OK)
        mlxdpa_say(o->output, "DPA removal container signed successfully!");
    dpk_buf_free(&made);
    dpk_buf_free(&file);
    dpk_signer_close(signer);
    return status;
}
