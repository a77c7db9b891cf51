/* Host files with DPA programs, and archives of such files. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "common/source.h"
#include "hostfile/hostfile.h"

#include "kinds.h"
#include "mlxdpa/program.h"
#include "mlxdpa/signing.h"
#include "mlxdpa/tbs.h"

static enum dpk_status open_host(struct target *t, struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    enum dpk_status status = dpk_hostfile_borrow(t->path, t->file.data, t->file.size, &host, err);
    t->opened = host;
    return status;
}

static void close_host(void *opened)
{
    dpk_hostfile_close(opened);
}

/* ---- list ---- */

static const char *placement_name(enum dpk_placement p)
{
    switch (p) {
    case DPK_PLACEMENT_RESERVED:
        return "reserved";
    case DPK_PLACEMENT_NAMED:
        return "named";
    case DPK_PLACEMENT_ADDED:
        return "added";
    case DPK_PLACEMENT_NONE:
        break;
    }
    return "none";
}

/* Returns the offset of a target's device ELF in the file. */
static uint64_t offset_of(const struct dpk_program *p, const struct dpk_subject *s)
{
    return p->offset + (uint64_t)(s->elf.file.begin - p->sections.elf);
}

static void list_targets(const struct dpk_program *p, cJSON *program)
{
    cJSON *targets = p->subjects[0].target[0] ? cJSON_AddArrayToObject(program, "targets") : NULL;
    for (size_t i = 0; targets && i < p->subject_count; i++) {
        const struct dpk_subject *s = &p->subjects[i];
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "target", s->target);
        cJSON_AddNumberToObject(o, "offset", (double)offset_of(p, s));
        cJSON_AddNumberToObject(o, "size", (double)dpk_reader_left(&s->elf.file));
        cJSON_AddBoolToObject(o, "signed", s->crypto != NULL);
        cJSON_AddItemToArray(targets, o);
    }
}

static void list_json(const struct dpk_hostfile *host, cJSON *list)
{
    char text[300];
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "index", p->index);
        cJSON_AddStringToObject(o, "name", mlxdpa_clean(p->name, text, sizeof text));
        if (p->member)
            cJSON_AddStringToObject(o, "member", mlxdpa_clean(p->member, text, sizeof text));
        cJSON_AddNumberToObject(o, "offset", (double)p->offset);
        cJSON_AddNumberToObject(o, "size", (double)p->sections.elf_size);
        cJSON_AddStringToObject(o, "crypto_section",
                                mlxdpa_clean(p->crypto_section, text, sizeof text));
        cJSON_AddStringToObject(o, "placement", placement_name(p->placement));
        cJSON_AddBoolToObject(o, "signed", p->is_signed);
        list_targets(p, o);
        cJSON_AddItemToArray(list, o);
    }
}

static void list_text(const struct dpk_hostfile *host)
{
    char name[256], section[300];
    int width = 4;
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        size_t length = strlen(dpk_hostfile_program(host, i)->name);
        if (length > (size_t)width)
            width = length < 64 ? (int)length : 64;
    }
    printf("%-5s  %-*s  %10s  %10s  %s\n", "Index", width, "Name", "Offset", "Size",
           "Crypto data section");
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        printf("%-5u  %-*s  %10" PRIu64 "  %10zu  %s\n", p->index, width,
               mlxdpa_clean(p->name, name, sizeof name), p->offset, p->sections.elf_size,
               mlxdpa_clean(p->crypto_section, section, sizeof section));
        for (size_t k = 0; p->subjects[0].target[0] && k < p->subject_count; k++)
            printf("%-5s  %-*s  %10" PRIu64 "  %10zu\n", "", width, p->subjects[k].target,
                   offset_of(p, &p->subjects[k]), dpk_reader_left(&p->subjects[k].elf.file));
    }
}

/* Lists a host file in the columns of NVIDIA's tool. */
static enum dpk_status list(const struct target *t, struct listing *l, struct dpk_error *err)
{
    if (dpk_hostfile_count(t->opened) == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "no DPA program in it");
    if (l->json)
        list_json(t->opened, l->json);
    else
        list_text(t->opened);
    return DPK_OK;
}

/* ---- show ---- */

static enum dpk_status show(const struct target *t, cJSON *o, struct dpk_error *err)
{
    const struct dpk_hostfile *host = t->opened;
    (void)err;
    cJSON *programs = cJSON_AddArrayToObject(o, "programs");
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        cJSON *program = cJSON_CreateObject();
        dpk_json_text(program, "name", p->name);
        if (p->member)
            dpk_json_text(program, "member", p->member);
        cJSON_AddNumberToObject(program, "offset", (double)p->offset);
        cJSON_AddNumberToObject(program, "size", (double)p->sections.elf_size);
        dpk_json_text(program, "crypto_section", p->crypto_section);
        cJSON_AddItemToArray(programs, program);
        mlxdpa_program_show(p, program);
    }
    return DPK_OK;
}

/* ---- verify ---- */

/* Returns digest and chain of a program, or of one of its targets. */
static cJSON *program_facts(const struct dpk_result *r)
{
    const struct dpk_subject *s = r->subject;
    cJSON *facts = cJSON_CreateObject();
    mlxdpa_program_digest(facts, s->elf.file.begin, dpk_reader_left(&s->elf.file), &r->report);
    mlxdpa_program_chain(facts, s->crypto, s->crypto_size);
    return facts;
}

/* Returns true if the area has a member for a target that the program does not have. */
static bool has_others(const struct dpk_program *p, const uint8_t *area, size_t size)
{
    struct dpk_fat fat;
    if (!p->subjects[0].target[0] || dpk_fat_parse(area, size, &fat, NULL) != DPK_OK)
        return false;
    for (size_t i = 0; i < fat.count; i++) {
        size_t k = 0;
        while (k < p->subject_count && p->subjects[k].target_id != fat.members[i].target)
            k++;
        if (k == p->subject_count)
            return true;
    }
    return false;
}

/* A signature covers the device ELF, and in the compact profile its attributes, but not their
 * places. */
static void note_uncovered(struct outcome *o, const struct dpk_program *p)
{
    const struct dpk_sections *s = &p->sections;
    mlxdpa_outcome_uncovered(o, "the program's name, and the rest of the host file");
    if (p->subjects[0].target[0] || s->attributes)
        mlxdpa_outcome_uncovered(o,
                                 "targets and reserved words of the program's multi-target areas");
    if (has_others(p, s->attributes, s->attributes_size) || has_others(p, s->room, s->room_size))
        mlxdpa_outcome_uncovered(
            o, "attributes and crypto data for targets that the program is not for");
}

/* Adds the outcome of a program, or of one of its targets. */
static enum dpk_status add_result(struct verification *v, const struct dpk_result *r,
                                  struct dpk_error *err)
{
    struct outcome o = mlxdpa_outcome_start("program", v->target->path);
    o.name = r->program->name;
    o.target = r->subject->target[0] ? r->subject->target : NULL;
    mlxdpa_note_device(&o, v->trust);
    note_uncovered(&o, r->program);
    mlxdpa_outcome_report(&o, r->verdict, &r->report);
    mlxdpa_check_policy(&o, v->trust,
                        (struct dpk_policy_subject){.name = o.name, .sha256 = r->report.sha256},
                        r->subject->crypto, r->subject->crypto_size);
    o.facts = program_facts(r);
    return mlxdpa_tally_add(v->tally, &o, err);
}

/* Asks the device about each program. The device uses one target; the others are not examined. */
static enum dpk_status verify_on_device(struct verification *v, struct dpk_error *err)
{
    const struct dpk_hostfile *host = v->target->opened;
    const struct trust *t = v->trust;
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < dpk_hostfile_count(host) && status == DPK_OK; i++) {
        struct dpk_result r;
        status = dpk_load_ask_program(&t->terms, dpk_hostfile_program(host, i), t->programs.rules,
                                      &r, err);
        if (status == DPK_OK)
            status = add_result(v, &r, err);
    }
    return status;
}

static enum dpk_status verify(struct verification *v, struct dpk_error *err)
{
    const struct dpk_hostfile *host = v->target->opened;
    struct dpk_result *results = NULL;
    size_t count = 0;
    if (dpk_hostfile_count(host) == 0) {
        struct outcome o = mlxdpa_outcome_start(v->target->kind->name, v->target->path);
        mlxdpa_refuse(&o, "file", DPK_VERDICT_BAD_FORMAT, "no DPA program in it");
        return mlxdpa_tally_add(v->tally, &o, err);
    }
    if (v->trust->device)
        return verify_on_device(v, err);
    enum dpk_status status =
        dpk_hostfile_verify(host, &v->trust->programs, v->threads, &results, &count, err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        status = add_result(v, &results[i], err);
    free(results);
    return status;
}

/* ---- Signing ---- */

/* Reads the host file, and refuses a file without programs. */
static enum dpk_status read_programs(struct target *t, struct dpk_error *err)
{
    enum dpk_status status = kinds_target_read(t, err);
    if (status != DPK_OK || dpk_hostfile_count(t->opened) > 0)
        return status;
    if (dpk_elf_is_riscv(t->file.data, t->file.size))
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "%s: no DPA program in it: it is itself a RISC-V ELF, as device programs "
                        "are; embed it in a host file (dpacc), or make a single-program container",
                        t->path);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", t->path);
}

/* Writes the changed host file. A new file gets the permissions of the original. */
static enum dpk_status write_edited(const struct target *t, const char *output,
                                    struct dpk_ahead *ahead, const struct dpk_edited *edited,
                                    struct dpk_error *err)
{
    struct stat st;
    size_t count = 0;
    const struct dpk_piece *pieces = dpk_edited_pieces(edited, &count);
    unsigned mode = stat(t->path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0644;
    return dpk_file_replace_ahead(output, ahead, pieces, count, mode, err);
}

static struct dpk_hostfile_options host_options(const struct mlxdpa_options *o)
{
    struct dpk_hostfile_options how = {.crypto = mlxdpa_signing_options(o),
                                       .apps = o->apps.at,
                                       .app_count = o->apps.count,
                                       .threads = o->jobs};
    if (o->section_type == SECTION_PROGBITS)
        how.section_type = DPK_SECTION_PROGBITS;
    else if (o->section_type == SECTION_CRYPTODATA)
        how.section_type = DPK_SECTION_CRYPTODATA;
    return how;
}

static void show_progress(void *context, size_t done, size_t total)
{
    dpk_progress_show(context, "signing", done, total, "");
}

static enum dpk_status no_signature(void *context, const struct dpk_tbs *tbs,
                                    struct dpk_buf *signature, struct dpk_error *err)
{
    (void)context;
    (void)tbs;
    (void)signature;
    (void)err;
    return DPK_OK;
}

/* Refuses files that cannot be signed or written. For a key in a token it also makes the bytes to
 * sign, so that a wrong --app is found before the PIN is sent. */
static enum dpk_status check_host(struct target *t, const struct mlxdpa_options *o,
                                  const char *output, struct dpk_error *err)
{
    const char *const inputs[] = {o->cert, o->key.key};
    struct dpk_hostfile_options how = host_options(o);
    enum dpk_status status = dpk_file_apart(output, inputs, 2, err);
    if (status == DPK_OK)
        status = read_programs(t, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_output(output, err);
    how.crypto.proof = no_signature;
    if (status == DPK_OK && dpk_key_in_token(o->key.key))
        status = dpk_hostfile_tbs(t->opened, &how, err);
    return status;
}

static enum dpk_status sign_one(struct target *t, const struct mlxdpa_options *o,
                                const struct program_signer *s, const char *output,
                                struct dpk_error *err)
{
    struct dpk_hostfile_options how = host_options(o);
    struct dpk_edited *edited = NULL;
    struct dpk_progress progress;
    struct dpk_ahead *ahead = dpk_ahead_begin(output, t->file.data, t->file.size);
    how.progress = show_progress;
    how.progress_context = &progress;
    dpk_progress_start(&progress);
    enum dpk_status status =
        dpk_hostfile_signed(t->opened, s->chain, s->signer, &how, &edited, err);
    dpk_progress_end(&progress);
    if (status == DPK_OK)
        status = write_edited(t, output, ahead, edited, err);
    dpk_ahead_end(ahead);
    dpk_edited_free(edited);
    return status;
}

static enum dpk_status sign(const char *command, struct target *t, const struct mlxdpa_options *o,
                            struct dpk_error *err)
{
    struct program_signer s = {0};
    enum dpk_status status = mlxdpa_need(command, "-c", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_prepare(o, t->path, &s, err);
    if (status == DPK_OK)
        status = check_host(t, o, s.output, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_open(o, &s, err);
    if (status == DPK_OK)
        status = sign_one(t, o, &s, s.output, err);
    if (status == DPK_OK) {
        mlxdpa_say(s.output, "DPA apps signed successfully!");
        mlxdpa_program_signer_warn(&s);
    }
    mlxdpa_program_signer_close(&s);
    return status;
}

/* Sets each file's output: in the folder -o, or the file itself. */
static enum dpk_status name_outputs(const struct targets_to_sign *list,
                                    const struct mlxdpa_options *o, struct dpk_error *err)
{
    const struct mlxdpa_options in_place = {.host_elf = NULL};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < list->count && status == DPK_OK; i++) {
        const char *path = list->at[i].path, *slash = strrchr(path, '/'), *unused;
        char *out = list->outputs[i];
        int n = o->output ? snprintf(out, PATH_MAX, "%s/%s", o->output, slash ? slash + 1 : path)
                          : snprintf(out, PATH_MAX, "%s", path);
        status = n > 0 && n < PATH_MAX ? DPK_OK
                                       : dpk_fail(err, DPK_ERR_RANGE, "%s: path too long", path);
        if (status == DPK_OK && !o->output)
            status = mlxdpa_output(&in_place, path, &unused, err);
        for (size_t k = 0; k < i && status == DPK_OK; k++)
            if (strcmp(out, list->outputs[k]) == 0)
                status =
                    dpk_fail(err, DPK_ERR_USAGE, "%s: two of the files would become this one", out);
    }
    return status;
}

enum dpk_status kinds_host_sign_all(struct targets_to_sign *list, const struct mlxdpa_options *o,
                                    struct dpk_error *err)
{
    struct program_signer s = {0};
    struct stat st;
    if (o->output && (stat(o->output, &st) != 0 || !S_ISDIR(st.st_mode)))
        return dpk_fail(err, DPK_ERR_USAGE, "-o %s: several files need a folder that is there",
                        o->output);
    enum dpk_status status = name_outputs(list, o, err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_prepare(o, list->at[0].path, &s, err);
    for (size_t i = 0; i < list->count && status == DPK_OK; i++)
        status = check_host(&list->at[i], o, list->outputs[i], err);
    if (status == DPK_OK)
        status = mlxdpa_program_signer_open(o, &s, err);
    for (size_t i = 0; i < list->count && status == DPK_OK; i++) {
        status = sign_one(&list->at[i], o, &s, list->outputs[i], err);
        if (status == DPK_OK)
            printf("%s: DPA apps signed successfully!\n", list->outputs[i]);
    }
    if (status == DPK_OK)
        mlxdpa_program_signer_warn(&s);
    mlxdpa_program_signer_close(&s);
    return status;
}

static enum dpk_status add_tbs(void *context, const struct dpk_tbs *tbs, struct dpk_buf *signature,
                               struct dpk_error *err)
{
    (void)signature;
    return mlxdpa_tbs_add(context, tbs, err);
}

static enum dpk_status tbs(struct target *t, const struct mlxdpa_options *o, struct tbs_list *l,
                           struct dpk_error *err)
{
    struct dpk_hostfile_options how = host_options(o);
    enum dpk_status status = read_programs(t, err);
    how.crypto.proof = add_tbs;
    how.crypto.proof_context = l;
    return status == DPK_OK ? dpk_hostfile_tbs(t->opened, &how, err) : status;
}

static enum dpk_status read_signature(void *context, const struct dpk_tbs *tbs,
                                      struct dpk_buf *signature, struct dpk_error *err)
{
    return mlxdpa_signature_read(context, tbs, signature, err);
}

static enum dpk_status attach(struct target *t, const struct mlxdpa_options *o,
                              struct dpk_error *err)
{
    struct dpk_hostfile_options how = host_options(o);
    struct dpk_certchain *chain = NULL;
    struct dpk_edited *edited = NULL;
    const char *output = NULL;
    enum dpk_status status = mlxdpa_need("attach_signature", "-c CHAIN", o->cert, err);
    if (status == DPK_OK)
        status = mlxdpa_output(o, t->path, &output, err);
    if (status == DPK_OK)
        status = dpk_file_apart(output, &o->cert, 1, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_chain(o, &chain, err);
    if (status == DPK_OK)
        status = mlxdpa_signing_check(o, chain, NULL, err);
    if (status == DPK_OK)
        status = read_programs(t, err);
    if (status != DPK_OK)
        goto out;
    how.crypto.proof = read_signature;
    how.crypto.proof_context = (void *)o;
    status = dpk_hostfile_signed(t->opened, chain, NULL, &how, &edited, err);
    if (status == DPK_OK)
        status = write_edited(t, output, NULL, edited, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures attached successfully!");
out:
    dpk_edited_free(edited);
    dpk_certchain_free(chain);
    return status;
}

static enum dpk_status strip(struct target *t, const struct mlxdpa_options *o,
                             struct dpk_error *err)
{
    struct dpk_edited *edited = NULL;
    const char *output = NULL;
    enum dpk_status status = mlxdpa_output(o, t->path, &output, err);
    if (status == DPK_OK)
        status = read_programs(t, err);
    if (status == DPK_OK)
        status = dpk_hostfile_stripped(t->opened, o->apps.at, o->apps.count, &edited, err);
    if (status == DPK_OK)
        status = write_edited(t, output, NULL, edited, err);
    if (status == DPK_OK)
        mlxdpa_say(output, "Signatures stripped successfully!");
    dpk_edited_free(edited);
    return status;
}

const struct kind kind_host = {.name = "host file",
                               .max = DPK_FILE_MAX,
                               .open = open_host,
                               .close = close_host,
                               .list = list,
                               .show = show,
                               .need_trust = mlxdpa_need_certificate,
                               .verify = verify,
                               .of_programs = true,
                               .sign = sign,
                               .tbs = tbs,
                               .attach = attach,
                               .strip = strip};
