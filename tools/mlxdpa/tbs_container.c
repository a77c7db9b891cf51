/* export_tbs and attach_signature of certificate containers: the guide's signing server. The bytes
 * to sign are the unsigned container itself, its UUIDs filled in. */
#include "tbs.h"

#define SIGNATURE_FILE_MAX ((size_t)65536)

static enum dpk_status parse(const char *command, const struct mlxdpa_options *o,
                             struct dpk_container_signing *how, struct dpk_error *err)
{
    enum dpk_status status = mlxdpa_need(command, "-o", o->output, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &how->priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--cert_uuid", o->cert_uuid, &how->cert_uuid, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", o->keypair_uuid, &how->keypair_uuid, err);
    how->nvidia_signed_oem = o->nvidia_signed_oem;
    return status;
}

enum dpk_status tbs_export_container(const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct dpk_container_signing how = {0};
    struct dpk_buf file = {0}, made = {0};
    char fresh[DPK_UUID_TEXT] = "", path[PATH_MAX];
    enum dpk_status status = parse("export_tbs", o, &how, err);
    if (status == DPK_OK)
        status = tbs_path(o->output, tbs_ending(o), path, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->container, DPK_CONTAINER_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    mlxdpa_fresh_cert_uuid(&file, &how, fresh);
    status = dpk_container_prepare(file.data, file.size, &how, &made, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", o->container);
    else
        status = tbs_write(o, path, made.data, made.size, err);
    if (status == DPK_OK && fresh[0])
        printf("Certificate UUID: %s\n", fresh);
    dpk_buf_free(&made);
    dpk_buf_free(&file);
    return status;
}

/* One of any size: what a key of another size made is told as such. */
static enum dpk_status read_signature(const char *path, struct dpk_buf *signature,
                                      struct dpk_error *err)
{
    return dpk_file_read(path, SIGNATURE_FILE_MAX, signature, err);
}

static enum dpk_status attach_to_container(const void *how, const struct dpk_buf *file,
                                           const struct dpk_buf *signature, EVP_PKEY *key,
                                           struct dpk_buf *made, struct dpk_error *err)
{
    return dpk_container_attach(file->data, file->size, how, signature, key, made, err);
}

enum dpk_status tbs_attach_container(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct dpk_container_signing how = {0};
    const struct tbs_attachment a = {.input = o->container,
                                     .input_max = DPK_CONTAINER_MAX,
                                     .read_signature = read_signature,
                                     .attach = attach_to_container,
                                     .how = &how};
    enum dpk_status status = parse(command, o, &how, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "--signature PREFIX", o->signature, err);
    return status == DPK_OK ? tbs_attach_under_key(o, &a, err) : status;
}
