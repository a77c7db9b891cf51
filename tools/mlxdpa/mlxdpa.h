/*
 * mlxdpa: what its commands share. main.c parses every option into one struct and hands it to the
 * command; the files next to it hold one command, or two that belong together.
 */
#ifndef MLXDPA_H
#define MLXDPA_H

#include "cli/cli.h"
#include "container/container.h"
#include "signer/signer.h"

#define MLXDPA_MAX_GIVEN 64 /* of an option that may be repeated */
#define MLXDPA_MAX_APPS  4096

/* Every option of every command, as given: NULL or false when it was not. */
struct mlxdpa_options {
    /* Programs in a host file */
    const char *host_elf;       /* -e, --host_elf */
    const char *cert;           /* -c, --certificate: a chain, or the certificate of a container */
    struct dpk_key_options key; /* -p, --passin, --sign-command, --sign-timeout */
    const char *output;         /* -o, --output_file */
    bool has_chain_count;       /* --cert_chain_count */
    unsigned chain_count;
    const char *profile;               /* --profile full|compact */
    const char *section_type;          /* --section-type progbits|cryptodata */
    bool mft_compat;                   /* --mft-compat */
    bool json;                         /* --json */
    const char *apps[MLXDPA_MAX_APPS]; /* --app, repeatable */
    size_t app_count;
    unsigned jobs;         /* -j: threads, 0: one for each core */
    bool force;            /* --force: dates of certificates do not count */
    bool digest;           /* --digest: export digests */
    const char *signature; /* --signature: prefix of signature files, or a container's signature */

    /* What to look at, and whom to trust */
    const char *file;                 /* FILE behind the command: kind found by its content */
    const char *nv_config;            /* --nv_config */
    const char *ca[MLXDPA_MAX_GIVEN]; /* --ca, repeatable: DER, PEM or a directory of them */
    size_t ca_count;
    const char *trusted_key[MLXDPA_MAX_GIVEN]; /* --key, repeatable: public, PEM */
    size_t trusted_key_count;
    const char *device; /* -d, --device */

    /* Certificate containers */
    const char *container;      /* --cert_container */
    const char *container_type; /* --cert_container_type add|remove */
    const char *priority;       /* --life_cycle_priority Nvidia|OEM|User */
    const char *keypair_uuid;   /* --keypair_uuid, text */
    const char *cert_uuid;      /* --cert_uuid, text */
    bool remove_all_certs;      /* --remove_all_certs */
    bool nvidia_signed_oem;     /* --nvidia_signed_oem */
    bool keep_sig;              /* -k, --keep_sig */

    /* Single-program containers */
    const char *single_app;        /* -s, --single_app: an ELF or a container */
    const char *app_metadata;      /* -m, --app_metadata: YAML */
    const char *manifest;          /* --manifest */
    const char *app_uuid;          /* --dpa_app_uuid, text */
    const char *removal_container; /* --dpa_app_removal_container */
    bool xz;                       /* --xz */
};

/* A command: prints its results on standard output. On failure nothing is written and `err` says
 * why; main.c prints it. DPK_ERR_USAGE becomes exit code 2, anything else 1. */
enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_strip_signature(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_export_tbs(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_attach_signature(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_verify(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_show(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_list(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_create_cert_container(const struct mlxdpa_options *options,
                                          struct dpk_error *err);
enum dpk_status cmd_sign_cert_container(const struct mlxdpa_options *options,
                                        struct dpk_error *err);
enum dpk_status cmd_create_single_dpa_app(const struct mlxdpa_options *options,
                                          struct dpk_error *err);
enum dpk_status cmd_sign_single_dpa_app(const struct mlxdpa_options *options,
                                        struct dpk_error *err);
enum dpk_status cmd_query_manifest(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_create_dpa_app_removal(const struct mlxdpa_options *options,
                                           struct dpk_error *err);
enum dpk_status cmd_sign_dpa_app_removal(const struct mlxdpa_options *options,
                                         struct dpk_error *err);

/* What signs programs: the chain of -c, its number of certificates checked against
 * --cert_chain_count, and the key, which must be its leaf's. Both are to be released, after a
 * failure too. */
struct dpk_certchain;
enum dpk_status mlxdpa_program_signer(const struct mlxdpa_options *o, struct dpk_certchain **chain,
                                      struct dpk_signer **signer, struct dpk_error *err);

/* dpk_uuid_option for an option that may be absent: `out` is then left alone. */
enum dpk_status mlxdpa_uuid(const char *option, const char *text, struct dpk_uuid *out,
                            struct dpk_error *err);

/* The priority that --life_cycle_priority and --nvidia_signed_oem mean: the latter implies OEM. */
enum dpk_status mlxdpa_priority(const char *command, const struct mlxdpa_options *options,
                                enum dpk_lifecycle *out, struct dpk_error *err);

/* DPK_ERR_USAGE "<command> needs <option>" if `value` is NULL. */
enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err);

/* The same for the key to sign with. */
enum dpk_status mlxdpa_need_key(const char *command, const struct mlxdpa_options *o,
                                struct dpk_error *err);

/* Where a command that changes `input` writes: to -o, or in place, which takes a regular file. */
enum dpk_status mlxdpa_output(const struct mlxdpa_options *o, const char *input, const char **out,
                              struct dpk_error *err);

/* Says that `output` was written, as printf and a line feed. */
void mlxdpa_say(const char *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `text` from a file, fit for a terminal and for JSON (dpk_text_clean). */
const char *mlxdpa_clean(const char *text, char *out, size_t size);

#endif
