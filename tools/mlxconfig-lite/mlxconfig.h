/*
 * Shared by the commands of mlxconfig-lite. files.c has the commands for files; query.c, set.c,
 * raw.c and show_confs.c have those for devices, each with its options; main.c lists them.
 */
#ifndef DPK_MLXCONFIG_LITE_MLXCONFIG_H
#define DPK_MLXCONFIG_LITE_MLXCONFIG_H

#include "cli/cli.h"
#include "device/admin/admin.h"
#include "nvconfig/nvconfig.h"
#include "signer/signer.h"

struct mlxconfig_options {
    const char *device;         /* -d */
    const char *database;       /* -b; NULL: the definitions of share/dpakit/nvconfig */
    struct dpk_key_options key; /* -p, --passin, --sign-command, --sign-timeout */
    const char *engine;         /* -eng */
    const char *key_id;         /* -k */
    struct dpk_uuid key_uuid;   /* -u; zero if absent */
    const char *tlvs;           /* --tlvs */
    bool all_attributes;        /* -a */
    bool show_default;          /* -e */
    bool read_only;             /* --read_only */
    bool yes;                   /* -y */
    const char *file;           /* -f: the raw file, instead of the word RAW */
    const char *json_file;      /* -j */
    unsigned device_type;       /* -t */
    bool with_default;          /* --with_default */
    unsigned host, function;    /* --host_id, --pf_index */
    bool json;                  /* --json */
    bool xml;                   /* --xml */
};

#define MLXCONFIG_AT(field) offsetof(struct mlxconfig_options, field)

/* A command. If it fails, it writes no file and changes no device. */
extern const struct dpk_command mlxconfig_create_conf_command;
extern const struct dpk_command mlxconfig_apply_command;
extern const struct dpk_command mlxconfig_query_command;
extern const struct dpk_command mlxconfig_set_command;
extern const struct dpk_command mlxconfig_reset_command;
extern const struct dpk_command mlxconfig_show_confs_command;
extern const struct dpk_command mlxconfig_backup_command;
extern const struct dpk_command mlxconfig_set_raw_command;
extern const struct dpk_command mlxconfig_get_raw_command;
extern const struct dpk_command mlxconfig_gen_tlvs_file_command;
extern const struct dpk_command mlxconfig_gen_xml_template_command;
extern const struct dpk_command mlxconfig_xml2raw_command;
extern const struct dpk_command mlxconfig_raw2xml_command;
extern const struct dpk_command mlxconfig_xml2bin_command;
extern const struct dpk_command mlxconfig_bin2xml_command;

/* Loads the definitions of -b, or the built-in ones. */
enum dpk_status mlxconfig_defs(const struct mlxconfig_options *options, struct dpk_nv_defs **out,
                               struct dpk_error *err);
/* Opens the device of -d. */
enum dpk_status mlxconfig_device(const struct mlxconfig_options *options, struct dpk_device **out,
                                 struct dpk_error *err);
/* Asks on the terminal. Errors: DPK_ERR_REFUSED if the answer is no or the input ends. */
enum dpk_status mlxconfig_confirm(const struct mlxconfig_options *options, const char *question,
                                  struct dpk_error *err);
/* Returns the file of backup, set_raw and get_raw: the word after the command, or -f, as in
 * NVIDIA's tool. NULL after a usage error. */
const char *mlxconfig_raw_file(const struct mlxconfig_options *options, const struct dpk_args *args,
                               struct dpk_error *err);
/* Returns NVIDIA's name of the device type: "BlueField3". Borrowed from `info`, or constant. */
const char *mlxconfig_device_type(const struct dpk_device_info *info);
/* Prints "Device #1: ...". */
enum dpk_status mlxconfig_print_device(struct dpk_device *dev, size_t number,
                                       struct dpk_error *err);

/* Prints that the result was written to the file `path`, or (NULL) applied to the device. */
void mlxconfig_print_saved(const char *path);
/* Prints that the settings take effect after a reboot. */
void mlxconfig_print_applied(void);

#endif
