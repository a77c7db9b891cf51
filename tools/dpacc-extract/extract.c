/* The command: takes one program, and its crypto data, out of the input. */
#include <string.h>
#include <unistd.h>

#include "elf/elf.h"
#include "extract.h"
#include "fat/fat.h"

/* What goes to the outputs. */
struct piece {
    const uint8_t *elf, *crypto; /* crypto NULL: not signed */
    size_t elf_size, crypto_size;
    struct dpk_buf inflated;
};

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

static enum dpk_status fail_choice(const struct dpk_fat *fat, const struct dpk_program *p,
                                   const char *input, const char *wanted, struct dpk_error *err)
{
    char names[256] = "";
    for (size_t i = 0; i < fat->count; i++) {
        const char *name = dpk_target_name(fat->members[i].target);
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", nv-dpa-" : "nv-dpa-",
                 name ? name : "?");
    }
    if (wanted)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not for %s, but for: %s",
                        input, p->name, wanted, names);
    return dpk_fail(err, DPK_ERR_USAGE,
                    "%s: program '%s' is for several targets, choose one with -mcpu: %s", input,
                    p->name, names);
}

static enum dpk_status choose_target(const struct extract_options *o, const char *input,
                                     const struct dpk_program *p, struct piece *piece,
                                     struct dpk_error *err)
{
    struct dpk_fat fat;
    const struct dpk_fat_member *member = NULL;
    enum dpk_status status = dpk_fat_parse(p->elf, p->elf_size, &fat, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s: program '%s'", input, p->name);
        return status;
    }
    if (!o->mcpu && fat.count == 1)
        member = &fat.members[0];
    else if (!o->mcpu || dpk_fat_find(&fat, o->target, &member, NULL) != DPK_OK)
        return fail_choice(&fat, p, input, o->mcpu, err);
    if ((status = dpk_fat_elf(member, &piece->inflated, err)) != DPK_OK) {
        dpk_error_prefix(err, "%s: program '%s'", input, p->name);
        return status;
    }
    piece->elf = piece->inflated.data;
    piece->elf_size = piece->inflated.size;
    if (!dpk_fat_sigs_is(piece->crypto, piece->crypto_size))
        return DPK_OK;
    if (dpk_fat_crypto(piece->crypto, piece->crypto_size, member->target, &piece->crypto,
                       &piece->crypto_size, NULL) != DPK_OK)
        piece->crypto = NULL;
    return DPK_OK;
}

/* Only what a debugger or disassembler can open is handed out. */
static enum dpk_status check_program(const struct dpk_program *p, const struct piece *piece,
                                     const char *input, struct dpk_error *err)
{
    const struct dpk_elf elf = dpk_elf(piece->elf, piece->elf_size);
    if (elf.flaw != DPK_ELF_SOUND || elf.machine != EM_RISCV)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: program '%s' is not a device executable", input,
                        p->name);
    return DPK_OK;
}

static enum dpk_status write_piece(const struct extract_options *o, const char *input,
                                   const struct dpk_program *p, const struct piece *piece,
                                   struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (o->signature && strcmp(o->signature, o->output) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: given for two outputs", o->output);
    const char *const outputs[] = {o->output, o->signature};
    for (size_t i = 0; i < 2; i++)
        if ((status = dpk_file_apart(outputs[i], &input, 1, err)) != DPK_OK)
            return status;
    if (o->signature && !piece->crypto)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not signed", input, p->name);
    if (o->signature) {
        status = dpk_file_replace(o->signature, piece->crypto, piece->crypto_size, 0666, err);
        if (status != DPK_OK)
            return status;
    }
    status = dpk_file_replace(o->output, piece->elf, piece->elf_size, 0666, err);
    if (status != DPK_OK && o->signature)
        unlink(o->signature); /* both or none */
    return status;
}

static enum dpk_status extract(const struct extract_options *o, const char *input,
                               const struct source *s, struct dpk_error *err)
{
    const struct dpk_program *p = NULL;
    enum dpk_status status = source_find(s, input, o->app, &p, err);
    if (status != DPK_OK)
        return status;
    struct piece piece = {
        .elf = p->elf, .elf_size = p->elf_size, .crypto = p->crypto, .crypto_size = p->crypto_size};
    if (dpk_fat_is(p->elf, p->elf_size))
        status = choose_target(o, input, p, &piece, err);
    if (status == DPK_OK)
        status = check_program(p, &piece, input, err);
    if (status == DPK_OK)
        status = write_piece(o, input, p, &piece, err);
    dpk_buf_free(&piece.inflated);
    return status;
}

static enum dpk_status run_extract(void *options, const struct dpk_args *args,
                                   struct dpk_error *err)
{
    struct extract_options *o = options;
    const char *input = args->words[0];
    struct source source = {0};
    enum dpk_status status = check(o, err);
    if (status == DPK_OK)
        status = source_open(input, &source, err);
    if (status == DPK_OK)
        status = o->list ? list_programs(&source, o->json, err) : extract(o, input, &source, err);
    source_close(&source);
    return status;
}

static const struct dpk_option extract_options[] = {
    {"o,output-file", DPK_FILE, "FILE", offsetof(struct extract_options, output),
     .help = "where the device executable goes"},
    {"app-name", DPK_TEXT, "NAME", offsetof(struct extract_options, app),
     .help = "which program, if there are several"},
    {"mcpu", DPK_TEXT, "TARGET", offsetof(struct extract_options, mcpu),
     .help = "which target of a program for several"},
    {"signature", DPK_FILE, "FILE", offsetof(struct extract_options, signature),
     .help = "where the program's crypto data goes"},
    {"list", .at = offsetof(struct extract_options, list), .help = "print the programs in INPUT"},
    {"json", .at = offsetof(struct extract_options, json), .with = "list",
     .help = "with --list: as JSON, with the programs' SHA-256"},
    {0},
};
const struct dpk_command extract_command = {
    .words = "INPUT", .options = extract_options, .run = run_extract};
