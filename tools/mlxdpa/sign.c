/* The commands that sign, export what is to be signed, attach signatures and take them out: the
 * file's kind knows how. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/evp.h>

#include "signing.h"
#include "target.h"

static bool can_tbs(const struct kind *k)
{
    return k->tbs != NULL;
}

static bool can_attach(const struct kind *k)
{
    return k->attach != NULL;
}

static bool can_strip(const struct kind *k)
{
    return k->strip != NULL;
}

/* ---- The file that is meant ---- */

/* Opens the one file that `command` is given, and asks for a kind that `can`. */
static enum dpk_status open_given(const char *command, const struct mlxdpa_options *o,
                                  bool (*can)(const struct kind *k), const char *lacks,
                                  struct target *t, struct dpk_error *err)
{
    const struct {
        const char *path;
        const struct kind *kind;
    } given[] = {
        {o->host_elf, &kind_host},
        {o->container, &kind_cert_container},
        {o->single_app, &kind_app},
        {o->removal_container, &kind_app},
        {o->file, NULL},
    };
    size_t count = 0, found = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i].path) {
            found = i;
            count++;
        }
    if (count != 1)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "%s needs one of -e HOST_ELF, --cert_container, -s, "
                        "--dpa_app_removal_container and FILE%s",
                        command, count ? ", not more" : "");
    enum dpk_status status = target_open(given[found].path, given[found].kind, t, err);
    return status == DPK_OK ? target_needs(t, can, lacks, err) : status;
}

/* ---- sign ---- */

/* `option` gives the file: `path`, of `kind`. */
static enum dpk_status sign_kind(const char *command, const char *option, const char *path,
                                 const struct kind *kind, const struct mlxdpa_options *o,
                                 struct dpk_error *err)
{
    struct target t = {0};
    enum dpk_status status = mlxdpa_need(command, option, path, err);
    if (status == DPK_OK)
        status = target_open(path, kind, &t, err);
    if (status == DPK_OK)
        status = kind->sign(command, &t, o, err);
    target_close(&t);
    return status;
}

enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *o, struct dpk_error *err)
{
    return sign_kind("sign_dpa_apps", "-e HOST_ELF", o->host_elf, &kind_host, o, err);
}

enum dpk_status cmd_sign_cert_container(const struct mlxdpa_options *o, struct dpk_error *err)
{
    return sign_kind("sign_cert_container", "--cert_container", o->container, &kind_cert_container,
                     o, err);
}

enum dpk_status cmd_sign_single_dpa_app(const struct mlxdpa_options *o, struct dpk_error *err)
{
    return sign_kind("sign_single_dpa_app", "-s CONTAINER", o->single_app, &kind_app, o, err);
}

enum dpk_status cmd_sign_dpa_app_removal(const struct mlxdpa_options *o, struct dpk_error *err)
{
    return sign_kind("sign_dpa_app_removal", "--dpa_app_removal_container", o->removal_container,
                     &kind_app, o, err);
}

/* ---- export_tbs ---- */

enum dpk_status tbs_add(struct tbs_list *l, const struct dpk_tbs *tbs, struct dpk_error *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    bool hashed = l->options->digest;
    struct tbs_item *items = realloc(l->items, (l->count + 1) * sizeof *items);
    if (!items)
        return dpk_fail_nomem(err);
    l->items = items;
    struct tbs_item *item = &items[l->count++];
    *item =
        (struct tbs_item){.path = signing_path(l->options->output, tbs, hashed ? "sha512" : "tbs")};
    if (hashed && EVP_Digest(tbs->bytes, tbs->size, digest, &length, EVP_sha512(), NULL) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "cannot hash");
    dpk_put(&item->bytes, hashed ? digest : tbs->bytes, hashed ? length : tbs->size);
    return item->path && !item->bytes.failed ? DPK_OK : dpk_fail_nomem(err);
}

static void tbs_free(struct tbs_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].path);
        dpk_buf_free(&l->items[i].bytes);
    }
    free(l->items);
}

enum dpk_status cmd_export_tbs(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "export_tbs";
    struct target t = {0};
    struct tbs_list list = {.options = o};
    enum dpk_status status =
        open_given(command, o, can_tbs, "cannot be signed elsewhere; these can", &t, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-o PREFIX", o->output, err);
    if (status == DPK_OK)
        status = t.kind->tbs(&t, o, &list, err);
    /* Written when all of them are known. */
    for (size_t i = 0; i < list.count && status == DPK_OK; i++) {
        const struct tbs_item *item = &list.items[i];
        status = dpk_file_replace(item->path, item->bytes.data, item->bytes.size, 0644, err);
        if (status == DPK_OK)
            printf("%s\n", item->path);
    }
    if (status == DPK_OK && list.note[0])
        printf("%s\n", list.note);
    tbs_free(&list);
    target_close(&t);
    return status;
}

/* ---- attach_signature, strip_signature ---- */

enum dpk_status cmd_attach_signature(const struct mlxdpa_options *o, struct dpk_error *err)
{
    static const char command[] = "attach_signature";
    struct target t = {0};
    enum dpk_status status =
        open_given(command, o, can_attach, "cannot be signed elsewhere; these can", &t, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "--signature PREFIX", o->signature, err);
    if (status == DPK_OK)
        status = t.kind->attach(&t, o, err);
    target_close(&t);
    return status;
}

enum dpk_status cmd_strip_signature(const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct target t = {0};
    enum dpk_status status = mlxdpa_need("strip_signature", "-e HOST_ELF", o->host_elf, err);
    if (status == DPK_OK)
        status = target_open(o->host_elf, &kind_host, &t, err);
    if (status == DPK_OK)
        status = target_needs(&t, can_strip, "has no signatures to take out; these have", err);
    if (status == DPK_OK)
        status = t.kind->strip(&t, o, err);
    target_close(&t);
    return status;
}
