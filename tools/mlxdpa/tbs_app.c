/* export_tbs and attach_signature of single-program containers, and of those that remove one. */
#include <stdio.h>

#include "appcontainer/appcontainer.h"

#include "signing.h"
#include "tbs.h"

/* Of -s, or of --dpa_app_removal_container. */
enum dpk_status tbs_export_app(const struct mlxdpa_options *o, struct dpk_error *err)
{
    enum dpk_lifecycle priority;
    struct dpk_uuid keypair = {0};
    struct dpk_buf file = {0}, tbs = {0};
    char path[PATH_MAX];
    const char *input = o->single_app ? o->single_app : o->removal_container;
    enum dpk_status status = mlxdpa_priority("export_tbs", o, &priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", o->keypair_uuid, &keypair, err);
    if (status == DPK_OK)
        status = tbs_path(o->output, tbs_ending(o), path, err);
    if (status == DPK_OK)
        status = dpk_file_read(input, DPK_APP_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    status = o->single_app
                 ? dpk_app_tbs(file.data, file.size, priority, &tbs, err)
                 : dpk_app_removal_prepare(file.data, file.size, priority, &keypair, &tbs, err);
    if (status == DPK_OK)
        status = tbs_write(o, path, tbs.data, tbs.size, err);
    else if (status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s", input);
    dpk_buf_free(&tbs);
    dpk_buf_free(&file);
    return status;
}

struct removal {
    enum dpk_lifecycle priority;
    struct dpk_uuid keypair;
};

static enum dpk_status attach_to_removal(const void *how, const struct dpk_buf *file,
                                         const struct dpk_buf *signature, EVP_PKEY *key,
                                         struct dpk_buf *made, struct dpk_error *err)
{
    const struct removal *r = how;
    return dpk_app_removal_attach(file->data, file->size, r->priority, &r->keypair, signature, key,
                                  made, err);
}

enum dpk_status tbs_attach_removal(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct removal how = {0};
    const struct tbs_attachment a = {.input = o->removal_container,
                                     .input_max = DPK_APP_MAX,
                                     .read_signature = tbs_read_signature,
                                     .attach = attach_to_removal,
                                     .how = &how};
    enum dpk_status status = mlxdpa_need(command, "-o", o->output, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, o, &how.priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", o->keypair_uuid, &how.keypair, err);
    return status == DPK_OK ? tbs_attach_under_key(o, &a, err) : status;
}

static enum dpk_status bring_signature(void *context, const struct dpk_tbs *tbs,
                                       struct dpk_buf *signature, struct dpk_error *err)
{
    (void)tbs;
    const struct dpk_buf *brought = context;
    dpk_put(signature, brought->data, brought->size);
    return signature->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status tbs_attach_app(const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct dpk_sign_options how;
    enum dpk_lifecycle priority;
    struct dpk_certchain *chain = NULL;
    struct dpk_buf file = {0}, signature = {0}, made = {0};
    char path[PATH_MAX];
    const char *output = NULL;
    const char *const inputs[] = {o->cert, path};
    enum dpk_status status = mlxdpa_priority("attach_signature", o, &priority, err);
    if (status == DPK_OK)
        status = apps_sign_options(o, &how, err);
    if (status == DPK_OK)
        status = tbs_path(o->signature, "sig", path, err);
    if (status == DPK_OK)
        status = mlxdpa_output(o, o->single_app, &output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = apps_load_chain(o, &chain, err);
    if (status == DPK_OK)
        status = apps_check_chain(o, chain, NULL, err);
    if (status == DPK_OK)
        status = tbs_read_signature(path, &signature, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->single_app, DPK_APP_MAX, &file, err);
    if (status != DPK_OK)
        goto out;
    how.proof = bring_signature;
    how.context = &signature;
    status = dpk_app_sign(file.data, file.size, priority, chain, NULL, &how, &made, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s, %s", o->single_app, path);
    else
        status = dpk_file_replace(output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures attached successfully!");
out:
    dpk_buf_free(&made);
    dpk_buf_free(&file);
    dpk_buf_free(&signature);
    dpk_certchain_free(chain);
    return status;
}
