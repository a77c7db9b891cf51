/* mlxdpa sign_dpa_apps: crypto data for every program of a host file. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "elfcrypto/elfcrypto.h"

#include "mlxdpa.h"

static enum dpk_status need_all(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "sign_dpa_apps";
    enum dpk_status status = mlxdpa_need(command, "-e HOST_ELF", o->host_elf, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-c CHAIN", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-p KEY", o->key, err);
    return status;
}

static enum dpk_status sign_options(const struct mlxdpa_options *o, struct dpk_sign_options *out,
                                    struct dpk_error *err)
{
    *out = (struct dpk_sign_options){.profile = DPK_PROFILE_FULL,
                                     .mft_compat = o->mft_compat,
                                     .mft_chain_count = o->chain_count};
    if (o->profile && strcmp(o->profile, "compact") == 0)
        out->profile = DPK_PROFILE_COMPACT;
    else if (o->profile && strcmp(o->profile, "full") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "--profile %s: give full or compact", o->profile);
    if (o->section_type && strcmp(o->section_type, "progbits") == 0)
        out->section_type = DPK_SECTION_PROGBITS;
    else if (o->section_type && strcmp(o->section_type, "cryptodata") == 0)
        out->section_type = DPK_SECTION_CRYPTODATA;
    else if (o->section_type)
        return dpk_fail(err, DPK_ERR_USAGE, "--section-type %s: give progbits or cryptodata",
                        o->section_type);
    return DPK_OK;
}

static enum dpk_status check_count(const struct mlxdpa_options *o,
                                   const struct dpk_certchain *chain, struct dpk_error *err)
{
    size_t found = dpk_certchain_count(chain);
    if (!o->has_chain_count || o->mft_compat || o->chain_count == found)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_MISMATCH,
                    "%s: %zu certificates, but --cert_chain_count is %u (--mft-compat stores it "
                    "all the same)",
                    o->cert, found, o->chain_count);
}

/* An executable stays one under another name. */
static unsigned mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0644;
}

enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct dpk_sign_options how;
    struct dpk_hostfile *host = NULL;
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_buf file = {0};
    const char *output = options->output ? options->output : options->host_elf;
    const char *const inputs[] = {options->cert, options->key};
    enum dpk_status status = need_all(options, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = sign_options(options, &how, err);
    if (status == DPK_OK)
        status = dpk_certchain_load(options->cert, &chain, err);
    if (status == DPK_OK)
        status = check_count(options, chain, err);
    if (status == DPK_OK)
        status = dpk_signer_open(options->key, options->passphrase, &signer, err);
    if (status == DPK_OK) {
        status = dpk_sign_check(chain, signer, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s, %s", options->cert, options->key);
    }
    if (status == DPK_OK)
        status = dpk_hostfile_open(options->host_elf, &host, err);
    if (status == DPK_OK)
        status = dpk_hostfile_sign(host, chain, signer, &how, &file, err);
    if (status == DPK_OK)
        status = dpk_file_replace(output, file.data, file.size, mode_of(options->host_elf), err);
    if (status == DPK_OK)
        puts("DPA apps signed successfully!");
    dpk_buf_free(&file);
    dpk_hostfile_close(host);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    return status;
}
