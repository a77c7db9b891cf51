/* The command: extracts a program and its crypto data from the input. */
#include <string.h>

#include "elf/elf.h"
#include "extract.h"

static enum dpk_status check(struct extract_options *o, struct dpk_error *err)
{
    if (!o->list && !o->output)
        return dpk_fail(err, DPK_ERR_USAGE, "no output file given (option -o)");
    if (o->list && (o->output || o->signature))
        return dpk_fail(err, DPK_ERR_USAGE, "--list writes no file; leave -o and --signature out");
    if (!o->mcpu)
        return DPK_OK;
    const char *name = strncmp(o->mcpu, "nv-dpa-", 7) == 0 ? o->mcpu + 7 : o->mcpu;
    if (dpk_target_find(name, &o->target) && o->target != DPK_TARGET_GENERIC)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "-mcpu: unknown target '%s'; known: nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, "
                    "nv-dpa-cx9",
                    o->mcpu);
}

const char *extract_target_name(const struct dpk_subject *s, char out[EXTRACT_TARGET_TEXT])
{
    bool known = s->target[0] && dpk_target_name(s->target_id);
    snprintf(out, EXTRACT_TARGET_TEXT, "%s%s", known ? "nv-dpa-" : "",
             s->target[0] ? s->target : "-");
    return out;
}

static enum dpk_status fail_choice(const struct dpk_program *p, const char *input,
                                   const char *wanted, struct dpk_error *err)
{
    char names[DPK_FAT_MAX * (EXTRACT_TARGET_TEXT + 2)] = "", name[EXTRACT_TARGET_TEXT];
    for (size_t i = 0; i < p->subject_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                 extract_target_name(&p->subjects[i], name));
    }
    if (wanted)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not for %s, but for: %s",
                        input, p->name, wanted, names);
    return dpk_fail(err, DPK_ERR_USAGE,
                    "%s: program '%s' is for several targets, choose one with -mcpu: %s", input,
                    p->name, names);
}

/* Chooses the target of -mcpu. A program without an area does not say which target it is for. */
static enum dpk_status choose(const struct extract_options *o, const char *input,
                              const struct dpk_program *p, const struct dpk_subject **out,
                              struct dpk_error *err)
{
    bool several = p->subjects[0].target[0];
    *out = !several || (!o->mcpu && p->subject_count == 1) ? &p->subjects[0] : NULL;
    for (size_t i = 0; !*out && o->mcpu && i < p->subject_count; i++)
        if (p->subjects[i].target_id == o->target)
            *out = &p->subjects[i];
    return *out ? DPK_OK : fail_choice(p, input, o->mcpu, err);
}

/* Refuses programs that debuggers and disassemblers cannot open. */
static enum dpk_status check_program(const struct dpk_program *p, const struct dpk_subject *s,
                                     const char *input, struct dpk_error *err)
{
    if (dpk_fat_is(s->elf.file.begin, dpk_reader_left(&s->elf.file)) && s->fault.name)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: program '%s': %s", input, p->name,
                        s->fault.detail);
    if (s->elf.flaw != DPK_ELF_SOUND || s->elf.machine != EM_RISCV)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: program '%s' is not a device executable", input,
                        p->name);
    return DPK_OK;
}

static enum dpk_status check_outputs(const struct extract_options *o, const char *input,
                                     struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (o->signature && strcmp(o->signature, o->output) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: given for two outputs", o->output);
    const char *const outputs[] = {o->output, o->signature};
    for (size_t i = 0; i < 2 && status == DPK_OK; i++)
        status = dpk_file_apart(outputs[i], &input, 1, err);
    return status;
}

/* Both files are written before the first file gets its name: an error of writing leaves old files
 * as they were. */
static enum dpk_status write_subject(const struct extract_options *o, const char *input,
                                     const struct dpk_program *p, const struct dpk_subject *s,
                                     struct dpk_error *err)
{
    const struct dpk_piece program = {s->elf.file.begin, dpk_reader_left(&s->elf.file)};
    const struct dpk_piece crypto = {s->crypto, s->crypto_size};
    struct dpk_staged *output = NULL, *signature = NULL;
    enum dpk_status status = check_outputs(o, input, err);
    if (status == DPK_OK && o->signature && !s->crypto)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not signed", input, p->name);
    if (status == DPK_OK && o->signature)
        status = dpk_file_stage(o->signature, &crypto, 1, 0666, &signature, err);
    if (status == DPK_OK)
        status = dpk_file_stage(o->output, &program, 1, 0666, &output, err);
    if (status == DPK_OK && signature) {
        status = dpk_staged_put(signature, err);
        signature = NULL;
    }
    if (status == DPK_OK)
        return dpk_staged_put(output, err);
    dpk_staged_drop(signature);
    dpk_staged_drop(output);
    return status;
}

static enum dpk_status extract(const struct extract_options *o, const char *input,
                               const struct source *s, struct dpk_error *err)
{
    const struct dpk_program *p = NULL;
    const struct dpk_subject *subject = NULL;
    enum dpk_status status = extract_source_find(s, input, o->app, &p, err);
    if (status == DPK_OK)
        status = choose(o, input, p, &subject, err);
    if (status == DPK_OK)
        status = check_program(p, subject, input, err);
    return status == DPK_OK ? write_subject(o, input, p, subject, err) : status;
}

static enum dpk_status run_extract(void *options, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    struct extract_options *o = options;
    const char *input = args->words[0];
    struct source source = {0};
    enum dpk_status status = check(o, err);
    if (status == DPK_OK)
        status = extract_source_open(input, &source, err);
    if (status == DPK_OK && source.area.count > 0)
        status = o->list ? extract_area_list(&source, o->json, err)
                         : extract_area_extract(o, input, &source, err);
    else if (status == DPK_OK)
        status = o->list ? extract_list_programs(&source, o->json, err)
                         : extract(o, input, &source, err);
    extract_source_close(&source);
    return status;
}

static const struct dpk_option extract_options[] = {
    {"o,output-file", DPK_FILE, "FILE", offsetof(struct extract_options, output),
     .help = "file for the device executable"},
    {"app-name", DPK_TEXT, "NAME", offsetof(struct extract_options, app),
     .help = "the program, if there are several"},
    {"mcpu", DPK_TEXT, "TARGET", offsetof(struct extract_options, mcpu),
     .help = "the target, for a program for several targets"},
    {"signature", DPK_FILE, "FILE", offsetof(struct extract_options, signature),
     .help = "file for the program's crypto data"},
    {"list", .at = offsetof(struct extract_options, list), .help = "print the programs in INPUT"},
    {"json", .at = offsetof(struct extract_options, json), .with = "list",
     .help = "with --list: as JSON, with the programs' SHA-256"},
    {0},
};
const struct dpk_command extract_command = {
    .words = "INPUT", .options = extract_options, .run = run_extract};
