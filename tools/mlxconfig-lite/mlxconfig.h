/*
 * mlxconfig-lite: what its commands share. main.c parses every option into one struct; files.c has
 * the commands that work on files, device.c those that work on a device.
 */
#ifndef MLXCONFIG_H
#define MLXCONFIG_H

#include "base/base.h"
#include "nvconfig/nvconfig.h"

struct mlxconfig_options {
    const char *device;     /* -d */
    const char *key;        /* -p: PEM */
    const char *key_uuid;   /* -u */
    const char *passphrase; /* --passin, resolved, or NULL */
    bool all_attributes;    /* -a */
    bool show_default;      /* -e */
    bool read_only;         /* --read_only */
    bool yes;               /* -y */
    bool json;              /* --json */
    const char **words;     /* behind the command */
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
mlxconfig_command cmd_apply;
mlxconfig_command cmd_query;
mlxconfig_command cmd_set;
mlxconfig_command cmd_reset;

#endif
