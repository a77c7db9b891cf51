/* mlxdpa verify: predicts the verdict of a device with these CA certificates and keys. */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#include "kinds/kinds.h"
#include "target.h"
#include "walk.h"

struct run {
    const struct mlxdpa_options *options;
    const struct trust *trust;
    struct tally tally;
    size_t files;     /* files verified or refused */
    size_t skipped;   /* files of folders that have nothing to verify */
    bool of_programs; /* the outcomes of the last file are about programs */
};

static bool can_verify(const struct kind *k)
{
    return k->verify != NULL;
}

/* ---- One file ---- */

/* Can the file be verified, and do the options say whom to trust? */
static enum dpk_status check_target(const struct target *t, const struct mlxdpa_options *o,
                                    bool in_folder, struct dpk_error *err)
{
    const struct kind *k = t->kind;
    enum dpk_status status =
        mlxdpa_target_needs(t, can_verify, "has no signature to verify; these have one", err);
    if (status == DPK_OK && k->need_trust)
        status = k->need_trust(t, o, err);
    const bool policy_applies = k == &kind_host || k == &kind_app;
    if (status == DPK_OK && !in_folder && (o->policy || o->at) && !policy_applies)
        status = dpk_fail(err, DPK_ERR_USAGE,
                          "--policy and --at are about programs, and %s is a %s", t->path, k->name);
    return status;
}

/* Refuses a file that cannot be read as a file of its kind. */
static enum dpk_status refuse_file(struct run *r, const struct target *t,
                                   const struct dpk_error *why, struct dpk_error *err)
{
    const struct kind *kind = t->kind ? t->kind : &kind_host;
    size_t length = strlen(t->path);
    bool named =
        strncmp(why->message, t->path, length) == 0 && strncmp(why->message + length, ": ", 2) == 0;
    struct outcome o = mlxdpa_outcome_start(kind->name, t->path);
    mlxdpa_refuse(&o, "file", DPK_VERDICT_BAD_FORMAT, why->message + (named ? length + 2 : 0));
    r->files++;
    return mlxdpa_tally_add(&r->tally, &o, err);
}

/* For a file in a folder: does it have nothing to verify? It was opened with `status`. An ELF file
 * of an unsupported kind has nothing; an archive with such a member may have something. */
static bool has_nothing(const struct target *t, enum dpk_status status)
{
    if (status == DPK_ERR_UNSUPPORTED)
        return t->file.size > 0 && t->file.data[0] == 0x7f;
    return status == DPK_OK &&
           (!can_verify(t->kind) || (t->kind == &kind_host && dpk_hostfile_count(t->opened) == 0));
}

static enum dpk_status verify_target(struct run *r, const struct target *t, bool in_folder,
                                     struct dpk_error *err)
{
    enum dpk_status status = check_target(t, r->options, in_folder, err);
    if (status != DPK_OK)
        return status;
    r->files++;
    r->of_programs = t->kind->of_programs;
    return t->kind->verify(&(struct verification){t, r->trust, &r->tally, r->options->jobs}, err);
}

static enum dpk_status verify_file(struct run *r, const struct target_name *name, bool in_folder,
                                   struct dpk_error *err)
{
    struct target t = {0};
    struct dpk_error why = {0};
    enum dpk_status status = mlxdpa_target_open(name->path, name->kind, &t, &why);
    if (status == DPK_OK)
        status = kinds_target_read(&t, &why);
    if (in_folder && has_nothing(&t, status)) {
        r->skipped++;
        status = DPK_OK;
    } else if (status == DPK_ERR_FORMAT || status == DPK_ERR_UNSUPPORTED ||
               status == DPK_ERR_RANGE) {
        status = refuse_file(r, &t, &why, err);
    } else if (status != DPK_OK) {
        status = dpk_fail(err, status, "%s", why.message);
    } else {
        status = verify_target(r, &t, in_folder, err);
    }
    mlxdpa_target_close(&t);
    return status;
}

/* ---- Folders ---- */

/* May a file with these first bytes have something to verify, perhaps before it was damaged? */
static bool may_be_verified(const uint8_t *head, size_t size)
{
    if ((size >= 4 && memcmp(head, "\177ELF", 4) == 0) ||
        (size >= 8 && memcmp(head, "!<arch>\n", 8) == 0))
        return true;
    for (size_t i = 0; kinds[i]; i++)
        if (can_verify(kinds[i]) && kinds[i]->magic && size >= KIND_MAGIC_SIZE &&
            memcmp(head, kinds[i]->magic, KIND_MAGIC_SIZE) == 0)
            return true;
    return false;
}

static enum dpk_status verify_found(void *context, const char *path, const uint8_t *head,
                                    size_t head_size, struct dpk_error *err)
{
    struct run *r = context;
    if (may_be_verified(head, head_size))
        return verify_file(r, &(struct target_name){.path = path}, true, err);
    r->skipped++;
    return DPK_OK;
}

/* Verifies the files of a folder. A folder without a file to verify is refused. */
static enum dpk_status verify_folder(struct run *r, const char *path, struct dpk_error *err)
{
    size_t before = r->files;
    enum dpk_status status = mlxdpa_walk_folder(path, verify_found, r, err);
    if (status != DPK_OK || r->files != before)
        return status;
    struct outcome o = mlxdpa_outcome_start("folder", path);
    mlxdpa_refuse(&o, "folder", DPK_VERDICT_BAD_FORMAT,
                  "no DPA program, container or NV configuration file in it");
    return mlxdpa_tally_add(&r->tally, &o, err);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- All files ---- */

/* Writes ", 2 other files skipped", or nothing. */
static const char *skipped_words(const struct run *r, char out[64])
{
    snprintf(out, 64, ", %zu other file%s skipped", r->skipped, r->skipped == 1 ? "" : "s");
    return r->skipped ? out : "";
}

static void print_sum(const struct run *r, const char *path)
{
    char skipped[64];
    size_t count = r->tally.count;
    if (r->tally.with_paths)
        fprintf(r->tally.json ? stderr : stdout, "%s%zu file%s verified%s.\n",
                r->tally.json ? "-I- " : "", r->files, r->files == 1 ? "" : "s",
                skipped_words(r, skipped));
    else if (r->of_programs && !r->tally.json)
        printf("%zu DPA program%s verified.\n", count, count == 1 ? "" : "s");
    else if (!r->tally.json)
        printf("%s verified.\n", path);
}

static enum dpk_status refusal(const struct run *r, const char *path, struct dpk_error *err)
{
    char skipped[64];
    const struct tally *t = &r->tally;
    dpk_tool_exit_with(t->first_exit_code);
    if (t->with_paths)
        return dpk_fail(err, DPK_ERR_REFUSED, "%zu of %zu checked refused%s; %s", t->refused,
                        t->count, skipped_words(r, skipped), t->first);
    return dpk_fail(err, DPK_ERR_REFUSED, "%s: %zu of %zu %s refused; %s", path, t->refused,
                    t->count, r->of_programs ? "DPA programs" : "checked", t->first);
}

static enum dpk_status verify_names(struct run *r, const struct target_name *names, size_t count,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    r->tally.with_paths = count > 1 || (!names[0].kind && is_folder(names[0].path));
    r->tally.json = r->options->json ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = !names[i].kind && is_folder(names[i].path) ? verify_folder(r, names[i].path, err)
                                                            : verify_file(r, &names[i], false, err);
    if (status == DPK_OK && r->tally.refused == 0)
        print_sum(r, names[0].path);
    if (status != DPK_OK)
        cJSON_Delete(r->tally.json);
    else if (r->options->json)
        status = dpk_json_print(r->tally.json, err);
    return status == DPK_OK && r->tally.refused ? refusal(r, names[0].path, err) : status;
}

/* Lists the files of options, or of words. A missing file is an error before the first file is
 * read. */
static enum dpk_status name_files(const struct mlxdpa_options *o, const struct dpk_args *args,
                                  struct target_name *names, size_t *count, struct dpk_error *err)
{
    struct stat st;
    *count = mlxdpa_targets_by_option(o, names);
    enum dpk_status status =
        mlxdpa_targets_named("verify", *count, args->count, args->count ? args->words[0] : "", err);
    for (size_t i = 0; i < args->count && status == DPK_OK; i++) {
        names[(*count)++] = (struct target_name){.path = args->words[i]};
        if (stat(args->words[i], &st) != 0)
            status = dpk_fail_errno(err, "%s", args->words[i]);
    }
    return status;
}

static enum dpk_status run_verify(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    size_t count = 0;
    struct trust trust = {0};
    struct run run = {.options = options, .trust = &trust};
    struct target_name *names = calloc(args->count + TARGETS_MAX, sizeof *names);
    enum dpk_status status =
        names ? name_files(options, args, names, &count, err) : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = mlxdpa_trust_open(options, &trust, err);
    if (status == DPK_OK)
        status = verify_names(&run, names, count, err);
    mlxdpa_trust_close(&trust);
    free(names);
    return status;
}

static const struct dpk_option trust_options[] = {
    {"policy", DPK_FILE, "FILE", MLXDPA_AT(policy),
     .help = "policy: allowed programs, signers, versions, revocation lists (YAML)"},
    {"at", DPK_TEXT, "DATE", MLXDPA_AT(at),
     .help = "date at which certificates must be valid (default: now)"},
    {"d,device", DPK_TEXT, "DEVICE", MLXDPA_AT(device), .help = "verify as this device would"},
    {0},
};

const struct dpk_command mlxdpa_verify_command = {
    .names = "verify",
    .words = "[FILE...]",
    .help = "check signatures and print every check (FILE or folder, -e, -s, ...; --ca, --key, -d)",
    .takes = "e,cert_container,s,nv_config,ca,key,j,json",
    .options = trust_options,
    .run = run_verify};
