/* dpacc-extract: the device executable, and the crypto data, out of a host file. */
#include "base/base.h"
#include "elfcrypto/elfcrypto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EM_RISCV 243

struct request {
    const char *output, *app, *target, *signature;
    bool list, help, version;
};

static const char *const targets[] = {"nv-dpa-bf3", "nv-dpa-cx7", "nv-dpa-cx8", "nv-dpa-cx9", "bf3",
                                      "cx7",        "cx8",        "cx9",        NULL};

static void print_help(const struct dpk_option *options)
{
    fputs("Usage: dpacc-extract INPUT -o OUT.elf [options]\n"
          "       dpacc-extract INPUT --list\n"
          "Takes the device executable out of a host executable, library, object or archive.\n\n",
          stdout);
    dpk_options_help(options, stdout);
    fputs("\nOptions begin with one dash or two.\n"
          "Exit codes: 0 done, 1 failed, 2 wrong usage.\n",
          stdout);
}

static enum dpk_status check(const struct request *r, const struct dpk_args *args,
                             struct dpk_error *err)
{
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no input file given");
    if (args->count > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "one input file only, not also '%s'", args->words[1]);
    if (!r->list && !r->output)
        return dpk_fail(err, DPK_ERR_USAGE, "no output file given (option -o)");
    if (r->list && (r->output || r->signature))
        return dpk_fail(err, DPK_ERR_USAGE, "--list writes no file; leave -o and --signature out");
    if (!r->target)
        return DPK_OK;
    for (size_t i = 0; targets[i]; i++)
        if (strcmp(targets[i], r->target) == 0)
            return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE,
                    "-mcpu: unknown target '%s'; known: nv-dpa-bf3, nv-dpa-cx7, nv-dpa-cx8, "
                    "nv-dpa-cx9",
                    r->target);
}

static void list_programs(const struct dpk_hostfile *host)
{
    printf("%-5s %-32s %-12s %-10s %s\n", "Index", "Name", "Offset", "Size", "Signed");
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        char name[256];
        snprintf(name, sizeof name, "%s", p->name);
        printf("%-5u %-32s 0x%-10" PRIx64 " %-10zu %s\n", p->index, dpk_text_clean(name), p->offset,
               p->elf_size, p->crypto ? "yes" : "no");
    }
}

/* Only what a debugger or disassembler can open is handed out. */
static enum dpk_status check_program(const struct dpk_program *p, const char *input,
                                     struct dpk_error *err)
{
    struct dpk_reader r = dpk_reader(p->elf, p->elf_size);
    const uint8_t *magic = dpk_read_bytes(&r, 8);
    if (magic && memcmp(magic, "DPKFAT1\0", 8) == 0)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "%s: program '%s' is a fat file; this version takes programs of one "
                        "target apart",
                        input, p->name);
    dpk_read_skip(&r, 10);
    uint16_t machine = dpk_read_le16(&r);
    if (!magic || r.failed || memcmp(magic, "\177ELF\2\1", 6) != 0 || machine != EM_RISCV)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: program '%s' is not a device executable", input,
                        p->name);
    return DPK_OK;
}

static enum dpk_status extract(const struct request *r, const char *input,
                               const struct dpk_hostfile *host, struct dpk_error *err)
{
    const struct dpk_program *p = NULL;
    enum dpk_status status = dpk_hostfile_find(host, r->app, &p, err);
    if (status != DPK_OK)
        return status;
    if ((status = check_program(p, input, err)) != DPK_OK)
        return status;
    if (r->signature && strcmp(r->signature, r->output) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: given for two outputs", r->output);
    const char *const outputs[] = {r->output, r->signature};
    for (size_t i = 0; i < 2; i++)
        if ((status = dpk_file_apart(outputs[i], &input, 1, err)) != DPK_OK)
            return status;
    if (r->signature && !p->crypto)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: program '%s' is not signed", input, p->name);
    if (r->signature) {
        status = dpk_file_replace(r->signature, p->crypto, p->crypto_size, 0666, err);
        if (status != DPK_OK)
            return status;
    }
    status = dpk_file_replace(r->output, p->elf, p->elf_size, 0666, err);
    if (status != DPK_OK && r->signature)
        unlink(r->signature); /* both or none */
    return status;
}

static int answer(const struct request *r, const char *input, const struct dpk_hostfile *host,
                  struct dpk_error *err)
{
    if (!r->list)
        return extract(r, input, host, err) == DPK_OK ? 0 : dpk_tool_fail(err);
    list_programs(host);
    return 0;
}

int main(int argc, char **argv)
{
    struct request r = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    struct dpk_hostfile *host = NULL;
    int code = 0;
    const struct dpk_option options[] = {
        {.names = "o,output-file",
         .arg = "FILE",
         .value = &r.output,
         .help = "where the device executable goes"},
        {.names = "app-name",
         .arg = "NAME",
         .value = &r.app,
         .help = "which program, if there are several"},
        {.names = "mcpu",
         .arg = "TARGET",
         .value = &r.target,
         .help = "which target of the program"},
        {.names = "signature",
         .arg = "FILE",
         .value = &r.signature,
         .help = "where the program's crypto data goes"},
        {.names = "list", .flag = &r.list, .help = "print the programs in INPUT"},
        {.names = "h,help", .flag = &r.help, .help = "show this text"},
        {.names = "V,version", .flag = &r.version, .help = "show the version"},
        {0},
    };
    if (dpk_options_parse(options, true, argc, argv, &args, &err) != DPK_OK) {
        code = dpk_tool_fail(&err);
        goto out;
    }
    if (r.help) {
        print_help(options);
        goto out;
    }
    if (r.version) {
        printf("dpacc-extract dpakit %s\n", dpk_version);
        goto out;
    }
    if (check(&r, &args, &err) != DPK_OK || dpk_hostfile_open(args.words[0], &host, &err) != DPK_OK)
        code = dpk_tool_fail(&err);
    else
        code = answer(&r, args.words[0], host, &err);
out:
    if (code == 0 && dpk_tool_flush(&err) != DPK_OK)
        code = dpk_tool_fail(&err);
    if (host)
        dpk_hostfile_close(host);
    free(args.words);
    return code;
}
