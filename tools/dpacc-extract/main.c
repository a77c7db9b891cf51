/* dpacc-extract: the device executable, and the crypto data, out of a host file. */
#include "core.h"

#include "cli/cli.h"
#include "elf/elf.h"
#include "fat/fat.h"
#include "hostfile/hostfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH_PREFIX 8

struct request {
    const char *output, *app, *mcpu, *signature;
    bool list, json;
    uint32_t target; /* of mcpu */
};

/* The programs of the input, wherever they come from. */
struct source {
    struct dpk_buf file;
    struct dpk_hostfile *host; /* NULL: a core file */
    struct core core;
    struct dpk_program *of_core;
};

/* What goes to the outputs. */
struct piece {
    const uint8_t *elf, *crypto; /* crypto NULL: not signed */
    size_t elf_size, crypto_size;
    struct dpk_buf inflated;
};

static enum dpk_status check(struct request *r, struct dpk_error *err)
{
    if (!r->list && !r->output)
        return dpk_fail(err, DPK_ERR_USAGE, "no output file given (option -o)");
    if (r->list && (r->output || r->signature))
        return dpk_fail(err, DPK_ERR_USAGE, "--list writes no file; leave -o and --signature out");
    if (!r->mcpu)
        return DPK_OK;
    const char *name = strncmp(r->mcpu, "nv-dpa-", 7) == 0 ? r->mcpu + 7 : r->mcpu;
    if (dpk_target_find(name, &r->target) && r->target != DPK_TARGET_GENERIC)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "-mcpu: unknown target '%s'; known: nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, "
                    "nv-dpa-cx9",
                    r->mcpu);
}

/* ---- Programs ---- */

/* As a host file's reserved room holds it: a length, then the crypto data. */
static void find_crypto(const struct core_program *from, struct dpk_program *p)
{
    struct dpk_reader r = dpk_reader(from->room.data, from->room.size);
    uint64_t length = dpk_read_le64(&r);
    struct dpk_reader crypto = dpk_reader_slice(&r, LENGTH_PREFIX, length);
    if (crypto.failed || length == 0)
        return;
    p->crypto = crypto.begin;
    p->crypto_size = (size_t)length;
}

static enum dpk_status open_core(const char *path, struct source *s, struct dpk_error *err)
{
    enum dpk_status status = core_parse(path, &s->file, &s->core, err);
    if (status != DPK_OK)
        return status;
    s->of_core = calloc(s->core.count, sizeof *s->of_core);
    if (!s->of_core)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < s->core.count; i++) {
        const struct core_program *from = &s->core.programs[i];
        s->of_core[i] = (struct dpk_program){.index = (unsigned)i,
                                             .name = from->name,
                                             .offset = from->address,
                                             .elf = from->elf.data,
                                             .elf_size = from->elf.size};
        find_crypto(from, &s->of_core[i]);
    }
    return DPK_OK;
}

static enum dpk_status source_open(const char *path, struct source *s, struct dpk_error *err)
{
    enum dpk_status status = dpk_file_read(path, DPK_FILE_MAX, &s->file, err);
    if (status != DPK_OK)
        return status;
    return core_is(&s->file) ? open_core(path, s, err)
                             : dpk_hostfile_borrow(path, s->file.data, s->file.size, &s->host, err);
}

static void source_close(struct source *s)
{
    if (s->host)
        dpk_hostfile_close(s->host);
    free(s->of_core);
    core_free(&s->core);
    dpk_buf_free(&s->file);
}

static size_t source_count(const struct source *s)
{
    return s->host ? dpk_hostfile_count(s->host) : s->core.count;
}

static const struct dpk_program *source_program(const struct source *s, size_t index)
{
    return s->host ? dpk_hostfile_program(s->host, index) : &s->of_core[index];
}

static enum dpk_status source_find(const struct source *s, const char *input, const char *app,
                                   const struct dpk_program **out, struct dpk_error *err)
{
    if (s->host)
        return dpk_hostfile_find(s->host, app, out, err);
    struct dpk_buf names = {0};
    for (size_t i = 0; i < s->core.count; i++) {
        dpk_put_format(&names, "%s%s", i ? ", " : "", s->of_core[i].name);
        if (app ? strcmp(app, s->of_core[i].name) == 0 : s->core.count == 1)
            *out = &s->of_core[i];
    }
    dpk_put_u8(&names, 0);
    enum dpk_status status = DPK_OK;
    if (names.failed)
        status = dpk_fail_nomem(err);
    else if (!*out && app)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program %s; there are: %s", input,
                          app, (const char *)names.data);
    else if (!*out)
        status = dpk_fail(err, DPK_ERR_USAGE, "%s: several DPA programs, name one of: %s", input,
                          (const char *)names.data);
    dpk_buf_free(&names);
    return status;
}

/* "nv-dpa-bf3,nv-dpa-cx8", or "-" for a program of one target. */
static void print_targets(const struct dpk_program *p)
{
    struct dpk_fat fat;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK) {
        puts("-");
        return;
    }
    for (size_t i = 0; i < fat.count; i++) {
        const char *name = dpk_target_name(fat.members[i].target);
        printf("%s%s%s", i ? "," : "", name ? "nv-dpa-" : "", name ? name : "unknown");
    }
    putchar('\n');
}

static void add_digest(cJSON *o, const uint8_t *elf, size_t size)
{
    char digest[65];
    dpk_sha256_text(elf, size, digest);
    cJSON_AddStringToObject(o, "sha256", digest);
}

/* The members of a fat program, each with its digest; of any other program, its own. */
static enum dpk_status add_members(cJSON *o, const struct dpk_program *p, struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = DPK_OK;
    if (!dpk_fat_is(p->elf, p->elf_size) ||
        dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) != DPK_OK) {
        add_digest(o, p->elf, p->elf_size);
        return DPK_OK;
    }
    cJSON *targets = cJSON_AddArrayToObject(o, "targets");
    for (size_t i = 0; i < fat.count && status == DPK_OK; i++) {
        struct dpk_buf elf = {0};
        const char *name = dpk_target_name(fat.members[i].target);
        cJSON *member = cJSON_CreateObject();
        cJSON_AddStringToObject(member, "target", name ? name : "unknown");
        cJSON_AddItemToArray(targets, member);
        status = dpk_fat_elf(&fat.members[i], &elf, err);
        cJSON_AddNumberToObject(member, "size", (double)elf.size);
        add_digest(member, elf.data, elf.size);
        dpk_buf_free(&elf);
    }
    return status;
}

static enum dpk_status list_json(const struct source *s, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < source_count(s) && status == DPK_OK; i++) {
        const struct dpk_program *p = source_program(s, i);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddNumberToObject(o, "index", p->index);
        dpk_json_text(o, "name", p->name);
        cJSON_AddNumberToObject(o, "offset", (double)p->offset);
        cJSON_AddNumberToObject(o, "size", (double)p->elf_size);
        cJSON_AddBoolToObject(o, "signed", p->crypto != NULL);
        cJSON_AddItemToArray(list, o);
        status = add_members(o, p, err);
    }
    if (status == DPK_OK)
        return dpk_json_print(list, err);
    cJSON_Delete(list);
    return status;
}

static void list_programs(const struct source *s)
{
    printf("%-5s %-32s %-12s %-10s %-6s %s\n", "Index", "Name", "Offset", "Size", "Signed",
           "Targets");
    for (size_t i = 0; i < source_count(s); i++) {
        const struct dpk_program *p = source_program(s, i);
        char name[256];
        snprintf(name, sizeof name, "%s", p->name);
        printf("%-5u %-32s 0x%-10" PRIx64 " %-10zu %-6s ", p->index, dpk_text_clean(name),
               p->offset, p->elf_size, p->crypto ? "yes" : "no");
        print_targets(p);
    }
}

/* ---- One program ---- */

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

static enum dpk_status choose_target(const struct request *r, const char *input,
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
    if (!r->mcpu && fat.count == 1)
        member = &fat.members[0];
    else if (!r->mcpu || dpk_fat_find(&fat, r->target, &member, NULL) != DPK_OK)
        return fail_choice(&fat, p, input, r->mcpu, err);
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

static enum dpk_status write_piece(const struct request *r, const char *input,
                                   const struct dpk_program *p, const struct piece *piece,
                                   struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (r->signature && strcmp(r->signature, r->output) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: given for two outputs", r->output);
    const char *const outputs[] = {r->output, r->signature};
    for (size_t i = 0; i < 2; i++)
        if ((status = dpk_file_apart(outputs[i], &input, 1, err)) != DPK_OK)
            return status;
    if (r->signature && !piece->crypto)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not signed", input, p->name);
    if (r->signature) {
        status = dpk_file_replace(r->signature, piece->crypto, piece->crypto_size, 0666, err);
        if (status != DPK_OK)
            return status;
    }
    status = dpk_file_replace(r->output, piece->elf, piece->elf_size, 0666, err);
    if (status != DPK_OK && r->signature)
        unlink(r->signature); /* both or none */
    return status;
}

static enum dpk_status extract(const struct request *r, const char *input, const struct source *s,
                               struct dpk_error *err)
{
    const struct dpk_program *p = NULL;
    enum dpk_status status = source_find(s, input, r->app, &p, err);
    if (status != DPK_OK)
        return status;
    struct piece piece = {
        .elf = p->elf, .elf_size = p->elf_size, .crypto = p->crypto, .crypto_size = p->crypto_size};
    if (dpk_fat_is(p->elf, p->elf_size))
        status = choose_target(r, input, p, &piece, err);
    if (status == DPK_OK)
        status = check_program(p, &piece, input, err);
    if (status == DPK_OK)
        status = write_piece(r, input, p, &piece, err);
    dpk_buf_free(&piece.inflated);
    return status;
}

static enum dpk_status answer(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct request *r = options;
    const char *input = args->words[0];
    struct source source = {0};
    enum dpk_status status = check(r, err);
    if (status == DPK_OK)
        status = source_open(input, &source, err);
    if (status == DPK_OK && r->json)
        status = list_json(&source, err);
    else if (status == DPK_OK && r->list)
        list_programs(&source);
    else if (status == DPK_OK)
        status = extract(r, input, &source, err);
    source_close(&source);
    return status;
}

static const struct dpk_option answer_options[] = {
    {"o,output-file", DPK_FILE, "FILE", offsetof(struct request, output),
     .help = "where the device executable goes"},
    {"app-name", DPK_TEXT, "NAME", offsetof(struct request, app),
     .help = "which program, if there are several"},
    {"mcpu", DPK_TEXT, "TARGET", offsetof(struct request, mcpu),
     .help = "which target of a program for several"},
    {"signature", DPK_FILE, "FILE", offsetof(struct request, signature),
     .help = "where the program's crypto data goes"},
    {"list", .at = offsetof(struct request, list), .help = "print the programs in INPUT"},
    {"json", .at = offsetof(struct request, json), .with = "list",
     .help = "with --list: as JSON, with the programs' SHA-256"},
    {0},
};
static const struct dpk_command answer_command = {
    .words = "INPUT", .options = answer_options, .run = answer};
static const struct dpk_tool tool = {
    .name = "dpacc-extract",
    .usage = "dpacc-extract INPUT -o OUT.elf [options]\n"
             "       dpacc-extract INPUT --list [--json]",
    .about = "Takes the device executable out of a host executable, library, object, archive or "
             "core file.",
    .notes = "Options begin with one dash or two.\n"
             "Exit codes: 0 done, 1 failed, 2 wrong usage.",
    .command = &answer_command,
    .size = sizeof(struct request),
    .large_version = true,
    .single_dash_names = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
