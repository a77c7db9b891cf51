/* The command create_cert_container: makes a container that adds a CA certificate to a device or
 * removes it. */
#include <stdio.h>
#include <strings.h>

#include "certchain/certchain.h"
#include "container/container.h"
#include "mlxdpa.h"

enum dpk_status mlxdpa_check_container(const char *path, const struct dpk_buf *container,
                                       const struct mlxdpa_options *options, struct dpk_error *err)
{
    struct dpk_container c;
    struct dpk_error why = {0};
    enum dpk_status status = dpk_container_parse(container->data, container->size, &c, err);
    if (status != DPK_OK || dpk_container_check_root(&c, &why) == DPK_OK)
        return status;
    if (!options->force)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "no device takes it: %s (--force makes the container all the same)",
                        why.message);
    fprintf(stderr, "-W- %s: no device takes it: %s\n", path, why.message);
    return DPK_OK;
}

struct create_options {
    struct mlxdpa_options shared;
    const char *type;
    bool remove_all, keep_sig;
};

static enum dpk_status make_plan(const struct create_options *o, const char *command,
                                 struct dpk_container_plan *plan, struct dpk_error *err)
{
    *plan = (struct dpk_container_plan){.cert_uuid = o->shared.cert_uuid,
                                        .keypair_uuid = o->shared.keypair_uuid,
                                        .keep_sig = o->keep_sig,
                                        .remove_all = o->remove_all,
                                        .nvidia_signed_oem = o->shared.nvidia_signed_oem};
    enum dpk_status status = mlxdpa_priority(command, &o->shared, &plan->priority, err);
    if (status != DPK_OK)
        return status;
    if (strcasecmp(o->type, "add") == 0) {
        plan->kind = DPK_CONTAINER_ADD;
        return mlxdpa_need("--cert_container_type add", "-c", o->shared.cert, err);
    }
    plan->kind = DPK_CONTAINER_REMOVE;
    if (strcasecmp(o->type, "remove") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "--cert_container_type '%s' is not add or remove",
                        o->type);
    if (o->shared.cert)
        return dpk_fail(err, DPK_ERR_USAGE, "--cert_container_type remove takes no -c");
    return DPK_OK;
}

static enum dpk_status run_create_cert_container(void *given, const struct dpk_args *args,
                                                 struct dpk_error *err)
{
    const struct create_options *create = given;
    const struct mlxdpa_options *options = &create->shared;
    struct dpk_container_plan plan;
    struct dpk_buf cert = {0}, made = {0}, shown = {0};
    enum dpk_status status = make_plan(create, args->command, &plan, err);
    if (status == DPK_OK)
        status = dpk_file_apart(options->output, &options->cert, 1, err);
    if (status != DPK_OK)
        return status;
    if (plan.kind == DPK_CONTAINER_ADD) {
        status = dpk_cert_read(options->cert, &cert, err);
        if (status != DPK_OK)
            return status;
        /* dpk_file_read returns NULL for an empty file. */
        plan.cert = cert.data ? cert.data : (const uint8_t *)"";
        plan.cert_size = cert.size;
    }
    status = dpk_container_create(&plan, &made, err);
    if (status == DPK_OK)
        status = mlxdpa_check_container(dpk_key_shown(options->cert, &shown), &made, options, err);
    if (status != DPK_OK && status != DPK_ERR_USAGE && options->cert)
        dpk_error_prefix(err, "%s", dpk_key_shown(options->cert, &shown));
    if (status == DPK_OK)
        status = dpk_file_replace(options->output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(options->output, "Certificate container created successfully!");
    dpk_buf_free(&shown);
    dpk_buf_free(&made);
    dpk_buf_free(&cert);
    return status;
}

#define AT(field) offsetof(struct create_options, field)

static const struct dpk_option create_options[] = {
    {"cert_container_type", DPK_TEXT, "add|remove", AT(type), .help = "container to create"},
    {"remove_all_certs", .at = AT(remove_all), .help = "the container removes every certificate"},
    {"k,keep_sig", .at = AT(keep_sig), .help = "the device keeps the whole container"},
    {0},
};

const struct dpk_command mlxdpa_create_cert_container_command = {
    .names = "create_cert_container",
    .help = "make a container that adds or removes CA certificates of a device",
    .needs = "cert_container_type,o,life_cycle_priority|nvidia_signed_oem",
    .takes = "c,keypair_uuid,cert_uuid,force",
    .options = create_options,
    .size = sizeof(struct create_options),
    .run = run_create_cert_container};
