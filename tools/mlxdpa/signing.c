#include "signing.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hashlist/hashlist.h"

enum dpk_status apps_sign_options(const struct mlxdpa_options *o, struct dpk_sign_options *out,
                                  struct dpk_error *err)
{
    *out = (struct dpk_sign_options){.profile = DPK_PROFILE_FULL,
                                     .mft_compat = o->mft_compat,
                                     .mft_chain_count = o->chain_count,
                                     .ignore_dates = o->force,
                                     .apps = o->app_count ? o->apps : NULL,
                                     .app_count = o->app_count,
                                     .threads = o->jobs};
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

enum dpk_status apps_load_chain(const struct mlxdpa_options *o, struct dpk_certchain **out,
                                struct dpk_error *err)
{
    enum dpk_status status = dpk_certchain_load(o->cert, out, err);
    if (status != DPK_OK)
        return status;
    size_t found = dpk_certchain_count(*out);
    if (!o->has_chain_count || o->mft_compat || o->chain_count == found)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_MISMATCH,
                    "%s: %zu certificates, but --cert_chain_count is %u (--mft-compat stores it "
                    "all the same)",
                    o->cert, found, o->chain_count);
}

enum dpk_status apps_check_chain(const struct mlxdpa_options *o, const struct dpk_certchain *chain,
                                 const struct dpk_signer *signer, struct dpk_error *err)
{
    struct dpk_error dates = {0};
    const struct dpk_sign_options how = {.ignore_dates = o->force};
    enum dpk_status status = dpk_sign_check_with(chain, signer, &how, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s%s%s", o->cert, signer ? ", " : "",
                                signer ? dpk_signer_name(signer) : "");
    if (o->force && dpk_certchain_check(chain, &dates) != DPK_OK)
        fprintf(stderr, "-W- %s: %s\n", o->cert, dates.message);
    return DPK_OK;
}

enum dpk_status mlxdpa_program_signer(const struct mlxdpa_options *o, struct dpk_certchain **chain,
                                      struct dpk_signer **signer, struct dpk_error *err)
{
    struct dpk_key_options key = o->key;
    enum dpk_status status = apps_load_chain(o, chain, err);
    if (status != DPK_OK)
        return status;
    /* A sign command's public key is the leaf's, unless -p says another, which is then refused. */
    key.public_key = X509_get0_pubkey(dpk_certchain_leaf(*chain));
    status = dpk_signer_open_with(&key, signer, err);
    return status == DPK_OK ? apps_check_chain(o, *chain, *signer, err) : status;
}

/* Says what a file without programs is, where we know. */
static enum dpk_status no_program(const char *path, struct dpk_error *err)
{
    struct dpk_buf file = {0};
    bool risc_v = dpk_file_read(path, DPK_FILE_MAX, &file, NULL) == DPK_OK &&
                  dpk_elf_is_riscv(file.data, file.size);
    dpk_buf_free(&file);
    if (risc_v)
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "%s: no DPA program in it: it is itself a RISC-V ELF, as device programs "
                        "are; embed it in a host file (dpacc), or make a single-program container",
                        path);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", path);
}

enum dpk_status apps_open_host(const struct mlxdpa_options *o, struct dpk_hostfile **out,
                               struct dpk_error *err)
{
    enum dpk_status status = dpk_hostfile_open(o->host_elf, out, err);
    if (status == DPK_OK && dpk_hostfile_count(*out) == 0)
        status = no_program(o->host_elf, err);
    return status;
}

/* An executable stays one under another name. */
static unsigned mode_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0644;
}

enum dpk_status apps_write(const struct mlxdpa_options *o, const char *output,
                           const struct dpk_edited *edited, struct dpk_error *err)
{
    size_t count = 0;
    const struct dpk_piece *pieces = dpk_edited_pieces(edited, &count);
    return dpk_file_replace_pieces(output, pieces, count, mode_of(o->host_elf), err);
}

static bool is_plain(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || (c == '.' && !first);
}

char *apps_file_name(const char *prefix, const struct dpk_tbs *tbs, const char *suffix)
{
    struct dpk_buf name = {0};
    dpk_put_format(&name, "%s.", prefix);
    for (const char *p = tbs->program; *p; p++)
        if (is_plain(*p, p == tbs->program))
            dpk_put_u8(&name, (uint8_t)*p);
        else
            dpk_put_format(&name, "%%%02X", (unsigned char)*p);
    if (tbs->target)
        dpk_put_format(&name, ".%s", tbs->target);
    dpk_put_format(&name, ".%s", suffix);
    dpk_put_u8(&name, 0);
    if (name.failed)
        dpk_buf_free(&name);
    return (char *)name.data;
}
