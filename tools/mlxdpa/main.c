/* mlxdpa: signs the DPA programs of host files, verifies and lists them, and makes the certificate
 * containers that provision a device. */
#include "cli/cli.h"
#include "mlxdpa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct command {
    const char *name;
    enum dpk_status (*run)(const struct mlxdpa_options *options, struct dpk_error *err);
    const char *help;
    const char *takes; /* first names of the options that belong to it */
    bool takes_file;   /* FILE may stand behind it */
};

#define KEY_OPTIONS  "p,passin,sign-command,sign-timeout"
#define FILE_OPTIONS "e,cert_container,s,nv_config"
#define CONTAINER_OPTIONS                                                                          \
    "cert_container,life_cycle_priority,keypair_uuid,cert_uuid,nvidia_signed_oem"
#define CHAIN_OPTIONS "c,cert_chain_count,mft-compat"
#define HOST_OPTIONS  "e,o,profile,section-type,app,j,force," CHAIN_OPTIONS

static const struct command commands[] = {
    {"sign_dpa_apps", cmd_sign_dpa_apps, "sign the programs in a host file (-e -c -p [-o])",
     HOST_OPTIONS "," KEY_OPTIONS, false},
    {"export_tbs", cmd_export_tbs,
     "write what is to be signed of each program or of a container (-e, --cert_container, -s; -o)",
     "e,s,dpa_app_removal_container,o,profile,app,j,digest," CONTAINER_OPTIONS, true},
    {"attach_signature", cmd_attach_signature,
     "put signatures made elsewhere into a host file or container (-e -c, -s -c, "
     "--cert_container --key; --signature -o)",
     HOST_OPTIONS ",s,dpa_app_removal_container,signature,key," CONTAINER_OPTIONS, true},
    {"strip_signature", cmd_strip_signature, "take the signatures out again (-e [-o])", "e,o,app",
     false},
    {"verify", cmd_verify,
     "check signatures and say every check (FILE, -e, -s, ...; --ca, --key, -d)",
     FILE_OPTIONS ",ca,key,d,j,json", true},
    {"list", cmd_list, "list what is in a file (FILE, -e, -s, ...)", FILE_OPTIONS ",json", true},
    {"show", cmd_show, "show everything about it as a tree", FILE_OPTIONS ",json", true},
    {"create_cert_container", cmd_create_cert_container,
     "make a container that adds or removes CA certificates of a device",
     "c,o,cert_container_type,life_cycle_priority,keypair_uuid,cert_uuid,remove_all_certs,"
     "nvidia_signed_oem,k",
     false},
    {"sign_cert_container", cmd_sign_cert_container, "sign a certificate container",
     "o," CONTAINER_OPTIONS "," KEY_OPTIONS, false},
    {"create_single_dpa_app", cmd_create_single_dpa_app,
     "make a container with one program (-s -m [--manifest] -o)",
     "s,m,manifest,xz,dpa_app_uuid,life_cycle_priority,o", false},
    {"sign_single_dpa_app", cmd_sign_single_dpa_app,
     "sign a container with one program (-s -c -p -o)",
     "s,o,force,life_cycle_priority," CHAIN_OPTIONS "," KEY_OPTIONS, false},
    {"query_manifest", cmd_query_manifest, "take the manifest out of such a container (-s -o)",
     "s,o", false},
    {"create_dpa_app_removal", cmd_create_dpa_app_removal,
     "make a container that removes one program (--dpa_app_uuid -o)",
     "dpa_app_uuid,keypair_uuid,life_cycle_priority,o", false},
    {"sign_dpa_app_removal", cmd_sign_dpa_app_removal,
     "sign it (--dpa_app_removal_container --keypair_uuid -p -o)",
     "dpa_app_removal_container,keypair_uuid,life_cycle_priority,o," KEY_OPTIONS, false},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err)
{
    if (value)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "%s needs %s", command, option);
}

enum dpk_status mlxdpa_need_key(const char *command, const struct mlxdpa_options *o,
                                struct dpk_error *err)
{
    return mlxdpa_need(command, "-p KEY", dpk_key_given(&o->key) ? "" : NULL, err);
}

enum dpk_status mlxdpa_output(const struct mlxdpa_options *o, const char *input, const char **out,
                              struct dpk_error *err)
{
    struct stat st;
    *out = o->output ? o->output : input;
    if (!o->output && stat(input, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return dpk_fail(err, DPK_ERR_USAGE, "%s: not a regular file: give -o too", input);
    return DPK_OK;
}

static enum dpk_status parse_chain_count(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    char *end = NULL;
    errno = 0;
    unsigned long n = strtoul(arg, &end, 0);
    if (errno || end == arg || *end || arg[0] == '-' || n < 1 || n > 15)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a number from 1 to 15", arg);
    o->chain_count = (unsigned)n;
    o->has_chain_count = true;
    return DPK_OK;
}

static enum dpk_status add_given(const char **list, size_t *count, const char *arg,
                                 struct dpk_error *err)
{
    if (*count == MLXDPA_MAX_GIVEN)
        return dpk_fail(err, DPK_ERR_USAGE, "given more than %d times", MLXDPA_MAX_GIVEN);
    list[(*count)++] = arg;
    return DPK_OK;
}

static enum dpk_status parse_jobs(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    char *end = NULL;
    unsigned long n = strtoul(arg, &end, 10);
    if (arg[0] < '0' || arg[0] > '9' || *end || n < 1 || n > 256)
        return dpk_fail(err, DPK_ERR_USAGE, "'%s' is not a number from 1 to 256", arg);
    o->jobs = (unsigned)n;
    return DPK_OK;
}

static enum dpk_status parse_app(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    if (o->app_count == MLXDPA_MAX_APPS)
        return dpk_fail(err, DPK_ERR_USAGE, "given more than %d times", MLXDPA_MAX_APPS);
    o->apps[o->app_count++] = arg;
    return DPK_OK;
}

static enum dpk_status parse_ca(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    return add_given(o->ca, &o->ca_count, arg, err);
}

static enum dpk_status parse_trusted_key(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    return add_given(o->trusted_key, &o->trusted_key_count, arg, err);
}

static void print_help(const struct dpk_option *options)
{
    printf("Usage: mlxdpa [OPTIONS] COMMAND\n\n"
           "Signs the DPA programs of a host file, verifies them, and makes the certificate\n"
           "containers that provision a device.\n\nCommands:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-22s %s\n", commands[i].name, commands[i].help);
    printf("\nOptions:\n");
    dpk_options_help(options, stdout);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* The first positional word, or the last: the command. Some take a file beside it. */
static enum dpk_status choose_command(const struct dpk_args *args, const struct command **out,
                                      const char **file, struct dpk_error *err)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see mlxdpa --help");
    bool first = find_command(args->words[0]) || args->count == 1;
    size_t at = first ? 0 : args->count - 1;
    *out = find_command(args->words[at]);
    if (!*out)
        return dpk_fail_command(err, "mlxdpa", args->words[0], names);
    size_t allowed = (*out)->takes_file ? 2 : 1;
    if (args->count > allowed)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s %s %s",
                        args->words[first ? allowed : 0], first ? "after" : "before", (*out)->name);
    *file = args->count == 2 ? args->words[first ? 1 : 0] : NULL;
    return DPK_OK;
}

int main(int argc, char **argv)
{
    struct mlxdpa_options o = {.key.ask = dpk_ask_terminal};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    const struct command *command = NULL;
    bool help = false, version = false;
    const struct dpk_option options[] = {
        {.names = "e,host_elf,host-elf",
         .arg = "FILE",
         .value = &o.host_elf,
         .help = "host file with the programs"},
        {.names = "c,certificate,cert",
         .arg = "FILE",
         .value = &o.cert,
         .help = "certificate chain (DER or PEM), or the certificate of a container"},
        DPK_KEY_OPTIONS(&o.key),
        {.names = "o,output_file,output",
         .arg = "FILE",
         .value = &o.output,
         .help = "where to write (sign_dpa_apps: default is in place)"},
        {.names = "cert_chain_count",
         .arg = "N",
         .parse = parse_chain_count,
         .context = &o,
         .help = "number of certificates in the chain"},
        {.names = "profile",
         .arg = "full|compact",
         .value = &o.profile,
         .help = "hash list to write (default full)"},
        {.names = "section-type,section_type",
         .arg = "progbits|cryptodata",
         .value = &o.section_type,
         .help = "type of the section with the crypto data"},
        {.names = "mft-compat,mft_compat",
         .flag = &o.mft_compat,
         .help = "write the chain header as NVIDIA's tool does"},
        {.names = "ca",
         .arg = "FILE",
         .parse = parse_ca,
         .context = &o,
         .help = "trusted root certificate (DER, PEM, directory), repeatable"},
        {.names = "key",
         .arg = "FILE",
         .parse = parse_trusted_key,
         .context = &o,
         .help = "trusted public key (PEM), repeatable"},
        {.names = "d,device",
         .arg = "DEVICE",
         .value = &o.device,
         .help = "verify as this device would"},
        {.names = "nv_config,nv-config",
         .arg = "FILE",
         .value = &o.nv_config,
         .help = "NV configuration file"},
        {.names = "app",
         .arg = "NAME",
         .parse = parse_app,
         .context = &o,
         .help = "only this program, repeatable (default: all)"},
        {.names = "j,jobs",
         .arg = "N",
         .parse = parse_jobs,
         .context = &o,
         .help = "threads to work with (default: one for each core)"},
        {.names = "force",
         .flag = &o.force,
         .help = "sign though a certificate is out of its dates"},
        {.names = "digest", .flag = &o.digest, .help = "export SHA-512 digests, not the bytes"},
        {.names = "signature",
         .arg = "PREFIX",
         .value = &o.signature,
         .help = "signatures to attach: PREFIX.APP.sig"},
        {.names = "json", .flag = &o.json, .help = "print JSON"},
        {.names = "cert_container",
         .arg = "FILE",
         .value = &o.container,
         .help = "certificate container"},
        {.names = "cert_container_type",
         .arg = "add|remove",
         .value = &o.container_type,
         .help = "container to create"},
        {.names = "life_cycle_priority",
         .arg = "Nvidia|OEM|User",
         .value = &o.priority,
         .help = "priority of the container"},
        {.names = "keypair_uuid",
         .arg = "UUID",
         .value = &o.keypair_uuid,
         .help = "UUID of the key pair that signs"},
        {.names = "cert_uuid",
         .arg = "UUID",
         .value = &o.cert_uuid,
         .help = "UUID of the certificate"},
        {.names = "remove_all_certs",
         .flag = &o.remove_all_certs,
         .help = "the container removes every certificate"},
        {.names = "nvidia_signed_oem",
         .flag = &o.nvidia_signed_oem,
         .help = "an OEM certificate that NVIDIA signs"},
        {.names = "k,keep_sig",
         .flag = &o.keep_sig,
         .help = "the device keeps the whole container"},
        {.names = "s,single_app,single-app",
         .arg = "FILE",
         .value = &o.single_app,
         .help = "device ELF, or single-program container"},
        {.names = "m,app_metadata,app-metadata",
         .arg = "FILE",
         .value = &o.app_metadata,
         .help = "metadata of the program (YAML)"},
        {.names = "manifest", .arg = "FILE", .value = &o.manifest, .help = "manifest to put in"},
        {.names = "xz", .flag = &o.xz, .help = "compress the program"},
        {.names = "dpa_app_uuid",
         .arg = "UUID",
         .value = &o.app_uuid,
         .help = "UUID of the program"},
        {.names = "dpa_app_removal_container",
         .arg = "FILE",
         .value = &o.removal_container,
         .help = "removal to sign"},
        {.names = "h,help", .flag = &help, .help = "show this text"},
        {.names = "v,version", .flag = &version, .help = "show the version"},
        {0},
    };
    dpk_json_start();
    enum dpk_status status = dpk_options_parse(options, false, argc, argv, &args, &err);
    if (status != DPK_OK)
        goto out;
    if (help) {
        print_help(options);
        goto out;
    }
    if (version) {
        printf("mlxdpa dpakit %s\n", dpk_version);
        goto out;
    }
    status = choose_command(&args, &command, &o.file, &err);
    if (status == DPK_OK)
        status = dpk_options_only(options, &args, command->name, command->takes, &err);
    if (status == DPK_OK)
        status = command->run(&o, &err);
out:
    free(args.words);
    return dpk_tool_end(status, &err);
}
