/*
 * mlxdpa: what its commands share. main.c parses every option into one struct and hands it to the
 * command; the files next to it hold one command, or two that belong together.
 */
#ifndef MLXDPA_H
#define MLXDPA_H

#include "base/base.h"

#define MLXDPA_MAX_CA 64

/* Every option of every command, as given: NULL or false when it was not. */
struct mlxdpa_options {
    /* Programs in a host file */
    const char *host_elf;   /* -e, --host_elf */
    const char *cert;       /* -c, --certificate: a chain, or the certificate of a container */
    const char *key;        /* -p, --private_key: PEM */
    const char *passphrase; /* --passin, resolved: the passphrase itself, or NULL */
    const char *output;     /* -o, --output_file */
    bool has_chain_count;   /* --cert_chain_count */
    unsigned chain_count;
    const char *profile;           /* --profile full|compact */
    const char *section_type;      /* --section-type progbits|cryptodata */
    bool mft_compat;               /* --mft-compat */
    const char *ca[MLXDPA_MAX_CA]; /* --ca, repeatable: DER or PEM */
    size_t ca_count;
    bool json; /* --json */

    /* Certificate containers */
    const char *container;      /* --cert_container */
    const char *container_type; /* --cert_container_type add|remove */
    const char *priority;       /* --life_cycle_priority Nvidia|OEM|User */
    const char *keypair_uuid;   /* --keypair_uuid, text */
    const char *cert_uuid;      /* --cert_uuid, text */
    bool remove_all_certs;      /* --remove_all_certs */
    bool nvidia_signed_oem;     /* --nvidia_signed_oem */
    bool keep_sig;              /* -k, --keep_sig */
};

/* A command: prints its results on standard output. On failure nothing is written and `err` says
 * why; main.c prints it. DPK_ERR_USAGE becomes exit code 2, anything else 1. */
enum dpk_status cmd_sign_dpa_apps(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_verify(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_list(const struct mlxdpa_options *options, struct dpk_error *err);
enum dpk_status cmd_create_cert_container(const struct mlxdpa_options *options,
                                          struct dpk_error *err);
enum dpk_status cmd_sign_cert_container(const struct mlxdpa_options *options,
                                        struct dpk_error *err);

/* DPK_ERR_USAGE "<command> needs <option>" if `value` is NULL. */
enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err);

/* `text` from a file, fit for a terminal and for JSON (dpk_text_clean). */
const char *mlxdpa_clean(const char *text, char *out, size_t size);

/* Prints and frees a JSON value (struct cJSON *); NULL stands for out of memory. */
struct cJSON;
enum dpk_status mlxdpa_print_json(struct cJSON *value, struct dpk_error *err);

#endif
