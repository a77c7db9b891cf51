/* Shared by the commands claim, trust and lock. Each command makes the files that NVIDIA's guide
 * makes by hand, applies them to the device, and prints equivalent commands. */
#ifndef DPK_DPADEV_OWN_H
#define DPK_DPADEV_OWN_H

#include "dpadev.h"

struct own_options {
    struct dpadev_options shared;
    struct dpk_uuid owner_uuid, nvidia_uuid; /* claim */
    struct dpk_uuid cert_uuid;               /* trust */
};

/* Options of the tool that each of the three commands takes. */
#define OWN_TAKES "o,dry-run,passin,sign-timeout"

/* State of one run of a command. */
struct own_work {
    const struct own_options *options;
    const struct dpk_args *args;
    struct dpk_device *dev;
    struct dpk_device_info info;
    struct dpk_key_options key; /* the key that signs */
    char test_key[PATH_MAX];    /* the path of NVIDIA's test key, if that is the key */
    struct dpk_uuid keypair;    /* the UUID of the key that signs */
    bool is_container;          /* the files are certificate containers, not configurations */
    char source_path[PATH_MAX]; /* the file with `source` */
    char signed_path[PATH_MAX]; /* the file with `signed_file` */
    struct dpk_buf source;      /* the XML file, or the unsigned container */
    struct dpk_buf signed_file; /* what the device gets */
    struct dpk_buf script;      /* equivalent shell commands */
    struct dpk_buf result;      /* the line that says what has changed */
};

/* Fills `keypair`, `source`, `script` and `result`, and `signed_file` unless --dry-run is given. */
typedef enum dpk_status own_make(struct own_work *w, struct dpk_error *err);

/* Runs a command on the device args->words[0]: calls `make`, writes the files, applies them and
 * prints the script and the result. With --dry-run it only prints the script. If the device refuses
 * the file, there are no files and no log entries. */
enum dpk_status dpadev_own_run(const struct own_options *o, const struct dpk_args *args,
                               own_make *make, struct dpk_error *err);

/* Names the two files: "mlx5_0.lock.xml" for the suffix "lock.xml", in the folder of -o. */
enum dpk_status dpadev_own_name_files(struct own_work *w, const char *source_suffix,
                                      const char *signed_suffix, struct dpk_error *err);

/* Errors: DPK_ERR_REFUSED if the device has no owner yet. */
enum dpk_status dpadev_own_need_owner(const struct own_work *w, struct dpk_error *err);

/* Reads the UUID of a key or certificate from the file beside it: a.uuid for a.pem. Errors:
 * DPK_ERR_NOT_FOUND if there is no such file. */
enum dpk_status dpadev_own_uuid_beside(const char *path, struct dpk_uuid *out,
                                       struct dpk_error *err);

/* ---- configuration.c: NV configurations, as `mlxconfig-lite create_conf` makes them ---- */

/* Starts the XML of an owner's configuration that leaves all other parameters unchanged. The caller
 * appends TLVs and "</config>". */
enum dpk_status dpadev_own_configuration_begin(struct own_work *w, struct dpk_error *err);
/* Adds the commands that make and apply the configuration to the script. Signs the configuration
 * unless --dry-run is given. */
enum dpk_status dpadev_own_configuration_end(struct own_work *w, struct dpk_error *err);

/* ---- shell.c: words of shell commands ---- */

/* Appends a space and the word, quoted if the shell needs that. */
void dpadev_own_put_word(struct dpk_buf *out, const char *word);
/* Appends the options that name the key. PINs in URIs and passphrases are left out: the printed
 * command asks for them. */
void dpadev_own_put_key(struct dpk_buf *out, const struct dpk_key_options *key);
void dpadev_own_put_uuid(struct dpk_buf *out, const char *option, const struct dpk_uuid *uuid);

#endif
