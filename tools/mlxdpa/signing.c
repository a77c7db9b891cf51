#include "signing.h"

#include <stdio.h>
#include <stdlib.h>

#include "kinds/kind.h"
#include "program.h"
#include "tbs.h"

struct dpk_sign_options mlxdpa_signing_options(const struct mlxdpa_options *o)
{
    bool compact = o->profile == PROFILE_COMPACT;
    return (struct dpk_sign_options){.profile = compact ? DPK_PROFILE_COMPACT : DPK_PROFILE_FULL,
                                     .mft_compat = o->mft_compat,
                                     .mft_chain_count = o->chain_count,
                                     .force = o->force};
}

enum dpk_status mlxdpa_signing_chain(const struct mlxdpa_options *o, struct dpk_certchain **out,
                                     struct dpk_error *err)
{
    /* --passin is the passphrase of a key in a file, or the PIN of a token. */
    const char *passin = dpk_key_in_token(o->key.key) ? o->key.passin : NULL;
    const struct dpk_key_options where = {.key = o->cert, .passin = passin};
    enum dpk_status status = dpk_certchain_load_from(&where, out, err);
    if (status != DPK_OK)
        return status;
    size_t found = dpk_certchain_count(*out);
    if (!o->chain_count || o->mft_compat || o->chain_count == found)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_MISMATCH,
                    "%s: %zu certificates, but --cert_chain_count is %u (--mft-compat stores it "
                    "all the same)",
                    dpk_certchain_name(*out), found, o->chain_count);
}

enum dpk_status mlxdpa_signing_check(const struct mlxdpa_options *o,
                                     const struct dpk_certchain *chain,
                                     const struct dpk_signer *signer, struct dpk_error *err)
{
    struct dpk_error dates = {0};
    const struct dpk_sign_options how = {.force = o->force};
    enum dpk_status status = dpk_sign_check_with(chain, signer, &how, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "%s%s%s", dpk_certchain_name(chain), signer ? ", " : "",
                                signer ? dpk_signer_name(signer) : "");
    if (o->force && dpk_certchain_check(chain, &dates) != DPK_OK)
        fprintf(stderr, "-W- %s: %s\n", dpk_certchain_name(chain), dates.message);
    return DPK_OK;
}

enum dpk_status mlxdpa_signing_output(const char *output, struct dpk_error *err)
{
    struct dpk_staged *staged = NULL;
    enum dpk_status status = dpk_file_stage(output, NULL, 0, 0600, &staged, err);
    if (status == DPK_OK)
        dpk_staged_drop(staged);
    return status;
}

enum dpk_status mlxdpa_program_signer_prepare(const struct mlxdpa_options *o, const char *path,
                                              struct program_signer *s, struct dpk_error *err)
{
    const char *const inputs[] = {o->cert, o->key.key};
    *s = (struct program_signer){0};
    enum dpk_status status = mlxdpa_output(o, path, &s->output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(s->output, inputs, 2, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_chain(o, &s->chain, err);
    return status == DPK_OK ? mlxdpa_signing_check(o, s->chain, NULL, err) : status;
}

enum dpk_status mlxdpa_program_signer_open(const struct mlxdpa_options *o, struct program_signer *s,
                                           struct dpk_error *err)
{
    struct dpk_key_options key = o->key;
    const struct dpk_sign_options how = {.force = o->force};
    /* With --sign-command and without -p, the leaf's public key is used. */
    key.public_key = X509_get0_pubkey(dpk_certchain_leaf(s->chain));
    enum dpk_status status = dpk_signer_open_with(&key, &s->signer, err);
    if (status != DPK_OK)
        return status;
    status = dpk_sign_check_with(s->chain, s->signer, &how, err);
    return status == DPK_OK ? DPK_OK
                            : dpk_error_prefix(err, "%s, %s", dpk_certchain_name(s->chain),
                                               dpk_signer_name(s->signer));
}

void mlxdpa_program_signer_warn(const struct program_signer *s)
{
    char text[160];
    if (mlxdpa_program_leaf_ends(dpk_certchain_leaf(s->chain), text, sizeof text))
        fprintf(stderr, "-W- %s: %s\n", dpk_certchain_name(s->chain), text);
}

void mlxdpa_program_signer_close(struct program_signer *s)
{
    dpk_signer_close(s->signer);
    dpk_certchain_free(s->chain);
}

enum dpk_status mlxdpa_sign_by_key(struct target *t, const struct mlxdpa_options *o,
                                   prepare_fn *prepare, sign_fn *sign, void *how,
                                   struct dpk_error *err)
{
    struct dpk_signer *signer = NULL;
    struct dpk_buf made = {0};
    enum dpk_status status = dpk_file_apart(o->output, &o->key.key, 1, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_output(o->output, err);
    /* Report errors in the file before asking for a key. */
    if (status == DPK_OK && prepare) {
        status = prepare(how, &t->file, err);
        if (status != DPK_OK && status != DPK_ERR_USAGE)
            dpk_error_prefix(err, "%s", t->path);
    }
    if (status == DPK_OK)
        status = dpk_signer_open_with(&o->key, &signer, err);
    if (status != DPK_OK)
        goto out;
    status = sign(how, &t->file, signer, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(o->output, made.data, made.size, 0644, err);
    else if (status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s",
                         status == DPK_ERR_UNSUPPORTED ? dpk_signer_name(signer) : t->path);
out:
    dpk_signer_close(signer);
    dpk_buf_free(&made);
    return status;
}

enum dpk_status mlxdpa_attach_by_key(struct target *t, const struct mlxdpa_options *o,
                                     bool any_size, attach_fn *attach, const void *how,
                                     struct dpk_error *err)
{
    struct dpk_buf signature = {0}, made = {0};
    EVP_PKEY *key = NULL;
    char *path = mlxdpa_signing_path(o->signature, &(struct dpk_tbs){0}, "sig");
    enum dpk_status status = path ? DPK_OK : dpk_fail_nomem(err);
    const char *public_key = o->keys.count == 1 ? o->keys.at[0] : NULL;
    if (status == DPK_OK)
        status = mlxdpa_need("attach_signature", "--key PUBLIC_KEY", public_key, err);
    const char *const inputs[] = {path, public_key};
    if (status == DPK_OK)
        status = dpk_file_apart(o->output, inputs, 2, err);
    if (status == DPK_OK)
        status = kinds_target_read(t, err);
    if (status == DPK_OK)
        status = mlxdpa_signature_read_file(path, any_size, &signature, err);
    if (status == DPK_OK)
        status = dpk_public_key_read(public_key, &key, err);
    if (status != DPK_OK)
        goto out;
    status = attach(how, &t->file, &signature, key, &made, err);
    if (status == DPK_OK)
        status = dpk_file_replace(o->output, made.data, made.size, 0644, err);
    else if (status != DPK_ERR_USAGE)
        dpk_error_prefix(err, "%s, %s", t->path, path);
    if (status == DPK_OK)
        mlxdpa_say(o->output, "Signatures attached successfully!");
out:
    EVP_PKEY_free(key);
    dpk_buf_free(&made);
    dpk_buf_free(&signature);
    free(path);
    return status;
}
