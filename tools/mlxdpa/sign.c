/* The commands that sign, export bytes to sign, attach signatures and strip them, with the
 * functions of the file's kind. */
#include <stdio.h>
#include <stdlib.h>

#include "kinds/kinds.h"
#include "signing.h"
#include "target.h"
#include "tbs.h"

static bool can_sign(const struct kind *k)
{
    return k->sign != NULL;
}

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

/* ---- The file ---- */

/* Opens the single file of `command`, and checks that its kind `can`. `change`: the command changes
 * the file; export_tbs only reads it. */
static enum dpk_status open_given(const char *command, const struct mlxdpa_options *o, bool change,
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
    const char *path = given[found].path;
    const struct kind *kind = given[found].kind;
    enum dpk_status status = change ? mlxdpa_target_open_to_change(path, kind, o, t, err)
                                    : mlxdpa_target_open(path, kind, t, err);
    return status == DPK_OK ? mlxdpa_target_needs(t, can, lacks, err) : status;
}

/* ---- sign ---- */

static enum dpk_status sign_kind(const char *command, const char *path, const struct kind *kind,
                                 const struct mlxdpa_options *o, struct dpk_error *err)
{
    struct target t = {0};
    enum dpk_status status = mlxdpa_target_open_to_change(path, kind, o, &t, err);
    if (status == DPK_OK)
        status = kind->sign(command, &t, o, err);
    mlxdpa_target_close(&t);
    return status;
}

/* Signs the file of -e, if any, and the files of `words`. */
static enum dpk_status sign_several(const struct mlxdpa_options *o, const char *const *words,
                                    size_t count, struct dpk_error *err)
{
    const size_t all = count + (o->host_elf != NULL);
    struct targets_to_sign list = {.at = calloc(all, sizeof *list.at),
                                   .outputs = calloc(all, sizeof *list.outputs)};
    enum dpk_status status = list.at && list.outputs ? DPK_OK : dpk_fail_nomem(err);
    for (size_t i = 0; i < all && status == DPK_OK; i++) {
        const char *path = o->host_elf ? (i ? words[i - 1] : o->host_elf) : words[i];
        status = mlxdpa_target_open_to_change(path, &kind_host, o, &list.at[list.count++], err);
    }
    if (status == DPK_OK)
        status = kinds_host_sign_all(&list, o, err);
    for (size_t i = 0; i < list.count; i++)
        mlxdpa_target_close(&list.at[i]);
    free(list.at);
    free(list.outputs);
    return status;
}

static enum dpk_status run_sign_dpa_apps(void *given, const struct dpk_args *args,
                                         struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    const char *const *words = (const char *const *)args->words;
    size_t count = 0;
    while (words[count])
        count++;
    if (count + (o->host_elf != NULL) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -e", args->command);
    if (count + (o->host_elf != NULL) > 1)
        return sign_several(o, words, count, err);
    return sign_kind(args->command, o->host_elf ? o->host_elf : words[0], &kind_host, o, err);
}

const struct dpk_command mlxdpa_sign_dpa_apps_command = {
    .names = "sign_dpa_apps",
    .words = "[HOST_ELF...]",
    .help = "sign the programs in host files (-e -c -p [-o])",
    .needs = "c,p|sign-command",
    .takes = "e,o,profile,section-type,app,j,force,cert_chain_count,mft-compat,passin,sign-timeout",
    .run = run_sign_dpa_apps};

static enum dpk_status run_sign_cert_container(void *given, const struct dpk_args *args,
                                               struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    return sign_kind(args->command, o->container, &kind_cert_container, o, err);
}

const struct dpk_command mlxdpa_sign_cert_container_command = {
    .names = "sign_cert_container",
    .help = "sign a certificate container",
    .needs = "cert_container,p|sign-command,o,life_cycle_priority|nvidia_signed_oem",
    .takes = "keypair_uuid,cert_uuid,force,passin,sign-timeout",
    .run = run_sign_cert_container};

static enum dpk_status run_sign_single_dpa_app(void *given, const struct dpk_args *args,
                                               struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    return sign_kind(args->command, o->single_app, &kind_app, o, err);
}

const struct dpk_command mlxdpa_sign_single_dpa_app_command = {
    .names = "sign_single_dpa_app",
    .help = "sign a container with one program (-s -c -p -o)",
    .needs = "s,c,p|sign-command,life_cycle_priority",
    .takes = "o,force,cert_chain_count,mft-compat,passin,sign-timeout",
    .run = run_sign_single_dpa_app};

static enum dpk_status run_sign_dpa_app_removal(void *given, const struct dpk_args *args,
                                                struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    return sign_kind(args->command, o->removal_container, &kind_app, o, err);
}

const struct dpk_command mlxdpa_sign_dpa_app_removal_command = {
    .names = "sign_dpa_app_removal",
    .help = "sign such a container (--dpa_app_removal_container --keypair_uuid -p -o)",
    .needs = "dpa_app_removal_container,o,p|sign-command,life_cycle_priority",
    .takes = "keypair_uuid,passin,sign-timeout",
    .run = run_sign_dpa_app_removal};

static enum dpk_status run_sign(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    struct mlxdpa_options *o = given;
    o->file = args->words[0];
    struct target t = {0};
    enum dpk_status status =
        open_given(args->command, o, true, can_sign, "cannot be signed here; these can", &t, err);
    if (status == DPK_OK)
        status = t.kind->sign(args->command, &t, o, err);
    mlxdpa_target_close(&t);
    return status;
}

const struct dpk_command mlxdpa_sign_command = {
    .names = "sign",
    .words = "[FILE]",
    .help = "sign a file of any kind that can be signed (FILE, -e, ...; -p)",
    .needs = "p|sign-command",
    .takes =
        "e,c,o,profile,section-type,app,j,force,cert_chain_count,mft-compat,s,dpa_app_removal_"
        "container,cert_container,life_cycle_priority,keypair_uuid,cert_uuid,nvidia_signed_oem,"
        "passin,sign-timeout",
    .run = run_sign};

/* ---- export_tbs ---- */

static enum dpk_status run_export_tbs(void *given, const struct dpk_args *args,
                                      struct dpk_error *err)
{
    struct mlxdpa_options *o = given;
    o->file = args->words[0];
    struct target t = {0};
    struct tbs_list list = {.options = o};
    enum dpk_status status = open_given(args->command, o, false, can_tbs,
                                        "cannot be signed elsewhere; these can", &t, err);
    if (status == DPK_OK)
        status = t.kind->tbs(&t, o, &list, err);
    /* Write only after all of them were made. */
    for (size_t i = 0; i < list.count && status == DPK_OK; i++) {
        const struct tbs_item *item = &list.items[i];
        status = dpk_file_replace(item->path, item->bytes.data, item->bytes.size, 0644, err);
        if (status == DPK_OK)
            printf("%s\n", item->path);
    }
    if (status == DPK_OK && list.note[0])
        printf("%s\n", list.note);
    mlxdpa_tbs_free(&list);
    mlxdpa_target_close(&t);
    return status;
}

static const struct dpk_option export_options[] = {
    {"digest", .at = MLXDPA_AT(digest), .help = "export SHA-512 digests, not the bytes"},
    {0},
};

const struct dpk_command mlxdpa_export_tbs_command = {
    .names = "export_tbs",
    .words = "[FILE]",
    .help = "write the bytes to sign of each program or of a container (-e, --cert_container, "
            "-s; -o)",
    .needs = "o",
    .takes = "e,s,dpa_app_removal_container,profile,app,j,cert_container,life_cycle_priority,"
             "keypair_uuid,cert_uuid,nvidia_signed_oem,force",
    .options = export_options,
    .run = run_export_tbs};

/* ---- attach_signature, strip_signature ---- */

static enum dpk_status run_attach_signature(void *given, const struct dpk_args *args,
                                            struct dpk_error *err)
{
    struct mlxdpa_options *o = given;
    o->file = args->words[0];
    struct target t = {0};
    enum dpk_status status = open_given(args->command, o, true, can_attach,
                                        "cannot be signed elsewhere; these can", &t, err);
    if (status == DPK_OK)
        status = t.kind->attach(&t, o, err);
    mlxdpa_target_close(&t);
    return status;
}

static const struct dpk_option attach_options[] = {
    {"signature", DPK_TEXT, "PREFIX", MLXDPA_AT(signature),
     .help = "signatures to attach: PREFIX.APP.sig"},
    {0},
};

const struct dpk_command mlxdpa_attach_signature_command = {
    .names = "attach_signature",
    .words = "[FILE]",
    .help = "put signatures made elsewhere into a host file or container "
            "(-e -c, -s -c, --cert_container --key)",
    .needs = "signature",
    .takes =
        "e,c,o,profile,section-type,app,j,force,cert_chain_count,mft-compat,s,dpa_app_removal_"
        "container,key,cert_container,life_cycle_priority,keypair_uuid,cert_uuid,nvidia_signed_oem",
    .options = attach_options,
    .run = run_attach_signature};

static enum dpk_status run_strip_signature(void *given, const struct dpk_args *args,
                                           struct dpk_error *err)
{
    const struct mlxdpa_options *o = given;
    const char *word = args->words[0];
    if (!o->host_elf == !word)
        return dpk_fail(err, DPK_ERR_USAGE, "strip_signature needs -e HOST_ELF or HOST_ELF%s",
                        word ? ", not both" : "");
    struct target t = {0};
    enum dpk_status status =
        mlxdpa_target_open_to_change(word ? word : o->host_elf, &kind_host, o, &t, err);
    if (status == DPK_OK)
        status =
            mlxdpa_target_needs(&t, can_strip, "has no signatures to take out; these have", err);
    if (status == DPK_OK)
        status = t.kind->strip(&t, o, err);
    mlxdpa_target_close(&t);
    return status;
}

const struct dpk_command mlxdpa_strip_signature_command = {
    .names = "strip_signature",
    .words = "[HOST_ELF]",
    .help = "remove the signatures (HOST_ELF or -e; [-o])",
    .takes = "e,o,app",
    .run = run_strip_signature};
