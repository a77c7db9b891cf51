/* mlxdpa: signs the DPA programs of host files, verifies and lists them, and makes the certificate
 * containers that provision a device. */
#include "mlxdpa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "signer/signer.h"

struct command {
    const char *name;
    enum dpk_status (*run)(const struct mlxdpa_options *options, struct dpk_error *err);
    const char *help;
};

static const struct command commands[] = {
    {"sign_dpa_apps", cmd_sign_dpa_apps, "sign every program in a host file (-e -c -p [-o])"},
    {"verify", cmd_verify, "check every program of a host file against CA certificates (-e --ca)"},
    {"list", cmd_list, "list the programs in a host file (-e)"},
    {"create_cert_container", cmd_create_cert_container,
     "make a container that adds or removes CA certificates of a device"},
    {"sign_cert_container", cmd_sign_cert_container, "sign a certificate container"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err)
{
    if (value)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "%s needs %s", command, option);
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

static enum dpk_status parse_ca(void *context, const char *arg, struct dpk_error *err)
{
    struct mlxdpa_options *o = context;
    if (o->ca_count == MLXDPA_MAX_CA)
        return dpk_fail(err, DPK_ERR_USAGE, "more than %d CA certificates", MLXDPA_MAX_CA);
    o->ca[o->ca_count++] = arg;
    return DPK_OK;
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

/* The one positional word. */
static enum dpk_status choose_command(const struct dpk_args *args, const struct command **out,
                                      struct dpk_error *err)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see mlxdpa --help");
    *out = find_command(args->words[0]);
    if (!*out)
        return dpk_fail_command(err, "mlxdpa", args->words[0], names);
    if (args->count > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s after %s", args->words[1],
                        args->words[0]);
    return DPK_OK;
}

int main(int argc, char **argv)
{
    struct mlxdpa_options o = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    struct dpk_buf passphrase = {0};
    const struct command *command = NULL;
    const char *passin = NULL;
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
        {.names = "p,private_key,private-key",
         .arg = "FILE",
         .value = &o.key,
         .help = "private key to sign with (PEM)"},
        {.names = "passin",
         .arg = "ARG",
         .value = &passin,
         .help = "passphrase of the key: pass:TEXT, env:NAME, file:PATH"},
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
         .help = "trusted root certificate (DER or PEM), repeatable"},
        {.names = "json", .flag = &o.json, .help = "print JSON"},
        {.names = "cert_container",
         .arg = "FILE",
         .value = &o.container,
         .help = "container to sign"},
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
        printf("mlxdpa dpakit %s\n", dpk_version);
        goto out;
    }
    status = choose_command(&args, &command, &err);
    if (status == DPK_OK && passin)
        status = dpk_passphrase_resolve(passin, &passphrase, &o.passphrase, &err);
    if (status == DPK_OK)
        status = command->run(&o, &err);
out:
    dpk_buf_wipe_free(&passphrase);
    free(args.words);
    return dpk_tool_end(status, &err);
}
