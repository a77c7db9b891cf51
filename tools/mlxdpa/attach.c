/* mlxdpa export_tbs and attach_signature: signing on another machine (the guide's "signing
 * server"). One file for each program, as apps_file_name names it. */
#include <stdio.h>
#include <stdlib.h>

#include "signing.h"
#include "tbs.h"

/* Files that are to be written: only when all of them are known. */
struct exporting {
    const struct mlxdpa_options *options;
    bool write;
    size_t count;
};

static enum dpk_status export_one(void *context, const struct dpk_tbs *tbs,
                                  struct dpk_buf *signature, struct dpk_error *err)
{
    struct exporting *e = context;
    (void)signature;
    e->count++;
    if (!e->write)
        return DPK_OK;
    char *path = apps_file_name(e->options->output, tbs, tbs_ending(e->options));
    if (!path)
        return dpk_fail_nomem(err);
    enum dpk_status status = tbs_write(e->options, path, tbs->bytes, tbs->size, err);
    free(path);
    return status;
}

/* What of the four is to be signed elsewhere? */
static enum dpk_status need_one(const char *command, const struct mlxdpa_options *o,
                                struct dpk_error *err)
{
    int given = (o->host_elf != NULL) + (o->container != NULL) + (o->single_app != NULL) +
                (o->removal_container != NULL);
    if (given == 1)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "%s needs one of -e HOST_ELF, --cert_container, -s and "
                    "--dpa_app_removal_container%s",
                    command, given ? ", not more" : "");
}

enum dpk_status cmd_export_tbs(const struct mlxdpa_options *options, struct dpk_error *err)
{
    static const char command[] = "export_tbs";
    struct dpk_sign_options how;
    struct dpk_hostfile *host = NULL;
    struct exporting e = {.options = options};
    enum dpk_status status = need_one(command, options, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-o PREFIX", options->output, err);
    if (status == DPK_OK && options->container)
        return tbs_export_container(options, err);
    if (status == DPK_OK && (options->single_app || options->removal_container))
        return tbs_export_app(options, err);
    if (status == DPK_OK)
        status = apps_sign_options(options, &how, err);
    if (status == DPK_OK)
        status = apps_open_host(options, &host, err);
    how.proof = export_one;
    how.context = &e;
    for (int write = 0; write <= 1 && status == DPK_OK; write++) {
        e.write = write;
        status = dpk_hostfile_tbs(host, &how, err);
    }
    dpk_hostfile_close(host);
    return status;
}

static enum dpk_status read_signature(void *context, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err)
{
    const struct mlxdpa_options *o = context;
    char *path = apps_file_name(o->signature, tbs, "sig");
    if (!path)
        return dpk_fail_nomem(err);
    enum dpk_status status = tbs_read_signature(path, signature, err);
    free(path);
    return status;
}

enum dpk_status cmd_attach_signature(const struct mlxdpa_options *options, struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct dpk_sign_options how;
    struct dpk_hostfile *host = NULL;
    struct dpk_certchain *chain = NULL;
    struct dpk_edited *edited = NULL;
    const char *output = NULL;
    enum dpk_status status = need_one(command, options, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "--signature PREFIX", options->signature, err);
    if (status == DPK_OK && options->container)
        return tbs_attach_container(options, err);
    if (status == DPK_OK && options->removal_container)
        return tbs_attach_removal(options, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-c CHAIN", options->cert, err);
    if (status == DPK_OK && options->single_app)
        return tbs_attach_app(options, err);
    if (status == DPK_OK)
        status = mlxdpa_output(options, options->host_elf, &output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, &options->cert, 1, err);
    if (status == DPK_OK)
        status = apps_sign_options(options, &how, err);
    if (status == DPK_OK)
        status = apps_load_chain(options, &chain, err);
    if (status == DPK_OK)
        status = apps_check_chain(options, chain, NULL, err);
    if (status == DPK_OK)
        status = apps_open_host(options, &host, err);
    if (status != DPK_OK)
        goto out;
    how.proof = read_signature;
    how.context = (void *)options;
    status = dpk_hostfile_signed(host, chain, NULL, &how, &edited, err);
    if (status == DPK_OK)
        status = apps_write(options, output, edited, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures attached successfully!");
out:
    dpk_edited_free(edited);
    dpk_hostfile_close(host);
    dpk_certchain_free(chain);
    return status;
}
