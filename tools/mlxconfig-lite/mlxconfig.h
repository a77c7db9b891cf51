/*
 * mlxconfig-lite: what its commands share. main.c parses every option into one struct; files.c has
 * the commands that work on files, query.c, set.c and raw.c those that work on a device.
 */
#ifndef MLXCONFIG_H
#define MLXCONFIG_H

#include "cli/cli.h"
#include "provision/provision.h"
#include "nvconfig/nvconfig.h"
#include "signer/signer.h"

struct mlxconfig_options {
    const char *device;         /* -d */
    const char *database;       /* -b, NULL: the definitions of share/dpakit/nvconfig */
    struct dpk_key_options key; /* -p, --passin, --sign-command, --sign-timeout */
    const char *engine;         /* -eng */
    const char *key_id;         /* -k */
    const char *key_uuid;       /* -u */
    const char *tlvs;           /* --tlvs */
    bool all_attributes;        /* -a */
    bool show_default;          /* -e */
    bool read_only;             /* --read_only */
    bool yes;                   /* -y */
    bool json;                  /* --json */
    bool xml;                   /* --xml */
    const char **words;         /* behind the command */
    size_t word_count;
};

/* Commands. On failure nothing is written or changed and `err` says why. */
typedef enum dpk_status mlxconfig_command(const struct mlxconfig_options *options,
                                          struct dpk_error *err);
mlxconfig_command cmd_create_conf;
mlxconfig_command cmd_gen_tlvs_file;
mlxconfig_command cmd_gen_xml_template;
mlxconfig_command cmd_xml2raw;
mlxconfig_command cmd_raw2xml;
mlxconfig_command cmd_xml2bin;
mlxconfig_command cmd_bin2xml;
mlxconfig_command cmd_apply;
mlxconfig_command cmd_show_confs;
mlxconfig_command cmd_query;
mlxconfig_command cmd_set;
mlxconfig_command cmd_reset;
mlxconfig_command cmd_backup;
mlxconfig_command cmd_get_raw;
mlxconfig_command cmd_set_raw;

/* The definitions of -b, or the built-in ones. */
enum dpk_status mlxconfig_defs(const struct mlxconfig_options *options, struct dpk_nv_defs **out,
                               struct dpk_error *err);
/* The device of -d. */
enum dpk_status mlxconfig_device(const struct mlxconfig_options *options, struct dpk_device **out,
                                 struct dpk_error *err);
/* Asks on the terminal; no answer is no: DPK_ERR_REFUSED. */
enum dpk_status mlxconfig_confirm(const struct mlxconfig_options *options, const char *question,
                                  struct dpk_error *err);
/* "Device #1: ..." */
enum dpk_status mlxconfig_print_device(struct dpk_device *dev, struct dpk_error *err);

/* What a command made is in the file `path` now, or (NULL) on the device: says so. */
void mlxconfig_print_saved(const char *path);
/* What was set counts after a reboot: says so. */
void mlxconfig_print_applied(void);

#endif
