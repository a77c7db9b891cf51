/*
 * Shared by the commands of mlxdpa. main.c has the list of commands and their shared options; the
 * other files have the commands with their own options.
 */
#ifndef DPK_MLXDPA_MLXDPA_H
#define DPK_MLXDPA_MLXDPA_H

#include "cli/cli.h"
#include "container/container.h"
#include "signer/signer.h"

enum { PROFILE_FULL = 1, PROFILE_COMPACT };
enum { SECTION_PROGBITS = 1, SECTION_CRYPTODATA };

/* Options of several commands. NULL, false or zero: not given. */
struct mlxdpa_options {
    /* Files */
    const char *host_elf;          /* -e */
    const char *container;         /* --cert_container */
    const char *single_app;        /* -s: an ELF or a container */
    const char *removal_container; /* --dpa_app_removal_container */
    const char *nv_config;         /* --nv_config */
    const char *file;              /* FILE after the command: its content says its kind */
    const char *output;            /* -o */

    /* Signer */
    const char *cert;           /* -c: a chain, or the certificate of a container */
    struct dpk_key_options key; /* -p, --passin, --sign-command, --sign-timeout */
    const char *signature; /* --signature: prefix of the files with signatures made elsewhere */

    /* Signing of programs */
    unsigned chain_count;  /* --cert_chain_count */
    unsigned profile;      /* --profile */
    unsigned section_type; /* --section-type */
    bool mft_compat;       /* --mft-compat */
    bool force;            /* --force: also make files that no device accepts */
    struct dpk_list apps;  /* --app: only these */
    unsigned jobs;         /* -j: threads, 0: one for each core */

    /* The content of a container */
    const char *priority;         /* --life_cycle_priority */
    bool nvidia_signed_oem;       /* --nvidia_signed_oem */
    struct dpk_uuid keypair_uuid; /* --keypair_uuid */
    struct dpk_uuid cert_uuid;    /* --cert_uuid */
    struct dpk_uuid app_uuid;     /* --dpa_app_uuid */

    /* Trust */
    struct dpk_list ca;   /* --ca: DER, PEM or a directory of them */
    struct dpk_list keys; /* --key: public keys, PEM */
    const char *device;   /* -d */
    const char *policy;   /* --policy */
    const char *at;       /* --at */

    /* The content of a new certificate */
    const char *name;         /* --name */
    const char *organization; /* --organization */
    unsigned leaf_days;       /* --leaf-days; 0 if absent */

    bool digest; /* --digest: export digests */
    bool json;   /* --json */
};
#define MLXDPA_AT(field) offsetof(struct mlxdpa_options, field)

#define MLXDPA_LEAF_DAYS 730 /* how long a leaf is valid without --leaf-days */

/* The commands, with their functions beside them. If a command fails, it writes nothing. */
extern const struct dpk_command mlxdpa_keygen_command;
extern const struct dpk_command mlxdpa_renew_command;
extern const struct dpk_command mlxdpa_release_command;
extern const struct dpk_command mlxdpa_sign_dpa_apps_command;
extern const struct dpk_command mlxdpa_sign_command;
extern const struct dpk_command mlxdpa_export_tbs_command;
extern const struct dpk_command mlxdpa_attach_signature_command;
extern const struct dpk_command mlxdpa_strip_signature_command;
extern const struct dpk_command mlxdpa_verify_command;
extern const struct dpk_command mlxdpa_list_command;
extern const struct dpk_command mlxdpa_show_command;
extern const struct dpk_command mlxdpa_create_cert_container_command;
extern const struct dpk_command mlxdpa_sign_cert_container_command;
extern const struct dpk_command mlxdpa_create_single_dpa_app_command;
extern const struct dpk_command mlxdpa_sign_single_dpa_app_command;
extern const struct dpk_command mlxdpa_query_manifest_command;
extern const struct dpk_command mlxdpa_create_dpa_app_removal_command;
extern const struct dpk_command mlxdpa_sign_dpa_app_removal_command;

/* Gets the priority of --life_cycle_priority and --nvidia_signed_oem; the latter implies OEM. */
enum dpk_status mlxdpa_priority(const char *command, const struct mlxdpa_options *options,
                                enum dpk_lifecycle *out, struct dpk_error *err);

/* Checks whether devices accept the certificate of a container (dpk_container_check_root). With
 * --force, prints the reason for a refusal as a warning that names `path`. */
enum dpk_status mlxdpa_check_container(const char *path, const struct dpk_buf *container,
                                       const struct mlxdpa_options *options, struct dpk_error *err);

/* Returns DPK_ERR_USAGE "<command> needs <option>" if `value` is NULL. */
enum dpk_status mlxdpa_need(const char *command, const char *option, const char *value,
                            struct dpk_error *err);

/* Sets *out to the file that a command writes which changes `input`: -o, or `input` itself, which
 * must be a regular file then. */
enum dpk_status mlxdpa_output(const struct mlxdpa_options *o, const char *input, const char **out,
                              struct dpk_error *err);

/* Prints a message that `output` was written, with a line feed. */
void mlxdpa_say(const char *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copies `text` from a file, safe for a terminal and for JSON (dpk_text_clean). */
const char *mlxdpa_clean(const char *text, char *out, size_t size);

#endif
