/* mlxdpa sign_dpa_apps and strip_signature: crypto data of a host file's programs, put and taken.
 */
#include <stdio.h>

#include "signing.h"
#include "progress.h"

static enum dpk_status need_all(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "sign_dpa_apps";
    enum dpk_status status = mlxdpa_need(command, "-e HOST_ELF", o->host_elf, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-c CHAIN", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_need_key(command, o, err);
    return status;
}

static void show(void *context, size_t done, size_t total)
{
    progress_show(context, "signing", done, total);
}

enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct dpk_sign_options how;
    struct dpk_hostfile *host = NULL;
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_edited *edited = NULL;
    struct progress progress;
    const char *output = NULL;
    const char *const inputs[] = {options->cert, options->key.key};
    enum dpk_status status = need_all(options, err);
    if (status == DPK_OK)
        status = mlxdpa_output(options, options->host_elf, &output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = apps_sign_options(options, &how, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer(options, &chain, &signer, err);
    if (status == DPK_OK)
        status = apps_open_host(options, &host, err);
    if (status != DPK_OK)
        goto out;
    how.progress = show;
    how.context = &progress;
    progress_start(&progress);
    status = dpk_hostfile_signed(host, chain, signer, &how, &edited, err);
    progress_end(&progress);
    if (status == DPK_OK)
        status = apps_write(options, output, edited, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "DPA apps signed successfully!");
out:
    dpk_edited_free(edited);
    dpk_hostfile_close(host);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    return status;
}

enum dpk_status cmd_strip_signature(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    struct dpk_edited *edited = NULL;
    const char *output = NULL;
    enum dpk_status status = mlxdpa_need("strip_signature", "-e HOST_ELF", options->host_elf, err);
    if (status == DPK_OK)
        status = mlxdpa_output(options, options->host_elf, &output, err);
    if (status == DPK_OK)
        status = apps_open_host(options, &host, err);
    if (status == DPK_OK)
        status = dpk_hostfile_stripped(host, options->app_count ? options->apps : NULL,
                                       options->app_count, &edited, err);
    if (status == DPK_OK)
        status = apps_write(options, output, edited, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures stripped successfully!");
    dpk_edited_free(edited);
    dpk_hostfile_close(host);
    return status;
}
