/* mlxconfig-lite: makes NV configuration files, applies them to an emulated device, asks it. */
#include "mlxconfig.h"

#include <stdlib.h>
#include <string.h>

#define ANY_NUMBER 1000

struct command {
    const char *name;
    mlxconfig_command *run;
    size_t least, most; /* words behind it */
    const char *usage, *help;
};

static const struct command commands[] = {
    {"create_conf", cmd_create_conf, 2, 2, "XML BIN", "make a file from XML, signed with -p -u"},
    {"apply", cmd_apply, 1, 1, "BIN", "apply a file to a device (-d)"},
    {"query", cmd_query, 0, ANY_NUMBER, "[NAME...]", "show a device's parameters (-d), also q"},
    {"q", cmd_query, 0, ANY_NUMBER, NULL, NULL},
    {"set", cmd_set, 1, ANY_NUMBER, "NAME=VALUE...", "set parameters of a device (-d)"},
    {"reset", cmd_reset, 0, 0, "", "drop what was set on a device (-d)"},
    {"gen_tlvs_file", cmd_gen_tlvs_file, 1, 1, "TXT", "list the TLVs there are"},
    {"gen_xml_template", cmd_gen_xml_template, 2, 2, "TXT XML",
     "XML without values of the TLVs marked with 1"},
    {"xml2raw", cmd_xml2raw, 2, 2, "XML RAW", "write TLVs as hexadecimal dwords"},
    {"raw2xml", cmd_raw2xml, 2, 2, "RAW XML", "and back"},
    {"xml2bin", cmd_xml2bin, 2, 2, "XML BIN", "write the TLVs' data alone"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(const struct dpk_option *options)
{
    printf("Usage: mlxconfig-lite [OPTIONS] COMMAND [ARGUMENTS]\n\n"
           "Makes NV configuration files, applies them to an emulated device, asks and sets its\n"
           "parameters.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].help)
            printf("  %-16s %-14s %s\n", commands[i].name, commands[i].usage, commands[i].help);
    printf("\nOptions:\n");
    dpk_options_help(options, stdout);
}

static enum dpk_status choose_command(const struct dpk_args *args, const struct command **out,
                                      struct dpk_error *err)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    *out = NULL;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see mlxconfig-lite --help");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(commands[i].name, args->words[0]) == 0)
            *out = &commands[i];
    }
    if (!*out)
        return dpk_fail_command(err, "mlxconfig-lite", args->words[0], names);
    size_t given = args->count - 1;
    if (given < (*out)->least || given > (*out)->most)
        return dpk_fail(err, DPK_ERR_USAGE, "usage: %s %s", (*out)->name,
                        (*out)->usage ? (*out)->usage : "[NAME...]");
    return DPK_OK;
}

int main(int argc, char **argv)
{
    struct mlxconfig_options o = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    struct dpk_buf passphrase = {0};
    const struct command *command = NULL;
    const char *passin = NULL;
    bool help = false, version = false;
    const struct dpk_option options[] = {
        {.names = "d,dev", .arg = "DEVICE", .value = &o.device, .help = "name or path of a device"},
        {.names = "p,private_key",
         .arg = "FILE",
         .value = &o.key,
         .help = "private key to sign with (PEM)"},
        {.names = "u,key_uuid",
         .arg = "UUID",
         .value = &o.key_uuid,
         .help = "UUID of the key pair that signs"},
        {.names = "passin",
         .arg = "ARG",
         .value = &passin,
         .help = "passphrase of the key: pass:TEXT, env:NAME, file:PATH"},
        {.names = "a,all_attrs",
         .flag = &o.all_attributes,
         .help = "templates have every attribute"},
        {.names = "e,show_default",
         .flag = &o.show_default,
         .help = "show Default and Current next to Next Boot"},
        {.names = "read_only", .flag = &o.read_only, .help = "list read-only parameters too"},
        {.names = "y,yes", .flag = &o.yes, .help = "answer yes to every question"},
        {.names = "json", .flag = &o.json, .help = "query: print JSON"},
        {.names = "h,help", .flag = &help, .help = "show this text"},
        {.names = "v,version", .flag = &version, .help = "show the version"},
        {0},
    };
    enum dpk_status status = dpk_options_parse(options, false, argc, argv, &args, &err);
    if (status != DPK_OK)
        goto out;
    if (help) {
        print_help(options);
        goto out;
    }
    if (version) {
        printf("mlxconfig-lite dpakit %s\n", dpk_version);
        goto out;
    }
    status = choose_command(&args, &command, &err);
    if (status == DPK_OK && passin)
        status = dpk_passphrase_resolve(passin, &passphrase, &o.passphrase, &err);
    if (status != DPK_OK)
        goto out;
    o.words = args.words + 1;
    o.word_count = args.count - 1;
    status = command->run(&o, &err);
out:
    dpk_buf_wipe_free(&passphrase);
    free(args.words);
    return dpk_tool_end(status, &err);
}
