/* mlxconfig-lite: makes NV configuration files, applies them to an emulated device, asks it. */
#include "mlxconfig.h"

#include <stdlib.h>
#include <string.h>

#define ANY_NUMBER 1000

/* Which options belong to a command; --help and --version to all. */
enum {
    DEV = 1 << 0,  /* -d */
    DB = 1 << 1,   /* -b */
    SIGN = 1 << 2, /* -p, -k, -u, --sign-command and what goes with them */
    ATTR = 1 << 3, /* -a */
    SHOW = 1 << 4, /* -e, --read_only, --json */
    ASK = 1 << 5,  /* -y */
    LIST = 1 << 6, /* --tlvs */
    XML = 1 << 7,  /* --xml */
};

struct command {
    const char *name, *alias; /* alias NULL: none */
    mlxconfig_command *run;
    size_t least, most; /* words behind it */
    unsigned takes;
    const char *usage, *help;
};

static const struct command commands[] = {
    {"create_conf", NULL, cmd_create_conf, 2, 2, DB | SIGN, "XML BIN",
     "make a file from XML, signed with -p -u"},
    {"apply", NULL, cmd_apply, 1, 1, DEV, "BIN", "apply a file to a device (-d)"},
    {"query", "q", cmd_query, 0, ANY_NUMBER, DEV | DB | SHOW, "[NAME...]",
     "show a device's parameters (-d)"},
    {"set", "s", cmd_set, 1, ANY_NUMBER, DEV | DB | ASK, "NAME=VALUE...",
     "set parameters of a device (-d)"},
    {"reset", "r", cmd_reset, 0, 0, DEV | ASK, "", "drop what was set on a device (-d)"},
    {"show_confs", "i", cmd_show_confs, 0, 0, DEV | DB, "",
     "list parameters and their values (-d)"},
    {"backup", NULL, cmd_backup, 1, 1, DEV | DB | XML, "RAW", "save what a device has set (-d)"},
    {"set_raw", NULL, cmd_set_raw, 1, 1, DEV | ASK, "RAW", "set TLVs of a device (-d)"},
    {"get_raw", NULL, cmd_get_raw, 1, 1, DEV, "RAW", "show a device's TLVs of these types (-d)"},
    {"gen_tlvs_file", NULL, cmd_gen_tlvs_file, 1, 1, DEV | DB, "TXT", "list the TLVs there are"},
    {"gen_xml_template", NULL, cmd_gen_xml_template, 2, 2, DEV | DB | ATTR, "TXT XML",
     "XML without values of the TLVs marked with 1"},
    {"xml2raw", NULL, cmd_xml2raw, 2, 2, DB, "XML RAW", "write TLVs as hexadecimal dwords"},
    {"raw2xml", NULL, cmd_raw2xml, 2, 2, DB, "RAW XML", "and back"},
    {"xml2bin", NULL, cmd_xml2bin, 2, 2, DB, "XML BIN", "write the TLVs' data alone"},
    {"bin2xml", NULL, cmd_bin2xml, 2, 2, DB | LIST, "BIN XML",
     "and back (--tlvs), or from a file of create_conf"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(const struct dpk_option *options)
{
    printf("Usage: mlxconfig-lite [OPTIONS] COMMAND [ARGUMENTS]\n\n"
           "Makes NV configuration files, applies them to an emulated device, asks and sets its\n"
           "parameters.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char names[32];
        snprintf(names, sizeof names, "%s%s%s", commands[i].name, commands[i].alias ? "|" : "",
                 commands[i].alias ? commands[i].alias : "");
        printf("  %-17s %-14s %s\n", names, commands[i].usage, commands[i].help);
    }
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
        if (strcmp(commands[i].name, args->words[0]) == 0 ||
            (commands[i].alias && strcmp(commands[i].alias, args->words[0]) == 0))
            *out = &commands[i];
    }
    if (!*out)
        return dpk_fail_command(err, "mlxconfig-lite", args->words[0], names);
    size_t given = args->count - 1;
    if (given < (*out)->least || given > (*out)->most)
        return dpk_fail(err, DPK_ERR_USAGE, "usage: %s %s", (*out)->name, (*out)->usage);
    return DPK_OK;
}

/* An option that a command would ignore is a mistake of whoever gave it. */
static enum dpk_status check_options(const struct command *command,
                                     const struct dpk_option *options, const unsigned *belongs,
                                     struct dpk_error *err)
{
    for (size_t i = 0; options[i].names; i++) {
        bool given = options[i].value ? *options[i].value != NULL : *options[i].flag;
        if (!given || !belongs[i] || (command->takes & belongs[i]))
            continue;
        const char *name = strchr(options[i].names, ',');
        name = name ? name + 1 : options[i].names;
        return dpk_fail(err, DPK_ERR_USAGE, "%s has no option --%s", command->name, name);
    }
    return DPK_OK;
}

int main(int argc, char **argv)
{
    struct mlxconfig_options o = {.key.ask = dpk_ask_terminal};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    const struct command *command = NULL;
    bool help = false, version = false;
    const struct dpk_option options[] = {
        {.names = "d,dev", .arg = "DEVICE", .value = &o.device, .help = "name or path of a device"},
        {.names = "b,db",
         .arg = "FILE",
         .value = &o.database,
         .help = "TLV definitions: database of NVIDIA's tools"},
        DPK_KEY_OPTIONS(&o.key),
        {.names = "eng,openssl_engine",
         .arg = "ENGINE",
         .value = &o.engine,
         .help = "where the key of -k is: pkcs11"},
        {.names = "k,openssl_key_id",
         .arg = "URI",
         .value = &o.key_id,
         .help = "private key to sign with, instead of -p"},
        {.names = "u,key_uuid",
         .arg = "UUID",
         .value = &o.key_uuid,
         .help = "UUID of the key pair that signs"},
        {.names = "a,all_attrs",
         .flag = &o.all_attributes,
         .help = "templates have every attribute"},
        {.names = "e,show_default",
         .flag = &o.show_default,
         .help = "show Default and Current next to Next Boot"},
        {.names = "read_only", .flag = &o.read_only, .help = "list read-only parameters too"},
        {.names = "y,yes", .flag = &o.yes, .help = "answer yes to every question"},
        {.names = "json", .flag = &o.json, .help = "query: print JSON"},
        {.names = "tlvs",
         .arg = "FILE",
         .value = &o.tlvs,
         .help = "bin2xml: the TLVs in it, marked as in gen_tlvs_file's list"},
        {.names = "xml", .flag = &o.xml, .help = "backup: XML, to be signed and applied"},
        {.names = "h,help", .flag = &help, .help = "show this text"},
        {.names = "v,version", .flag = &version, .help = "show the version"},
        {0},
    };
    /* To which commands these options belong, in their order. */
    static const unsigned belongs[] = {DEV,  DB,   SIGN, SIGN, SIGN, SIGN, SIGN, SIGN, SIGN,
                                       ATTR, SHOW, SHOW, ASK,  SHOW, LIST, XML,  0,    0};
    _Static_assert(sizeof belongs / sizeof *belongs == sizeof options / sizeof *options - 1,
                   "an option without its commands");
    enum dpk_status status = dpk_options_parse(options, true, argc, argv, &args, &err);
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
    if (status == DPK_OK)
        status = check_options(command, options, belongs, &err);
    if (status != DPK_OK)
        goto out;
    o.words = args.words + 1;
    o.word_count = args.count - 1;
    status = command->run(&o, &err);
out:
    free(args.words);
    return dpk_tool_end(status, &err);
}
