/* create_cert_container: makes what adds a CA certificate to a device, or removes it. */
#include <strings.h>

#include "container/container.h"
#include "mlxdpa.h"

#define CERT_FILE_MAX ((size_t)1 << 20)

enum dpk_status mlxdpa_uuid(const char *option, const char *text, struct dpk_uuid *out,
                            struct dpk_error *err)
{
    return text ? dpk_uuid_option(option, text, out, err) : DPK_OK;
}

enum dpk_status mlxdpa_priority(const char *command, const struct mlxdpa_options *options,
                                enum dpk_lifecycle *out, struct dpk_error *err)
{
    if (options->nvidia_signed_oem && !options->priority) {
        *out = DPK_LIFECYCLE_OEM;
        return DPK_OK;
    }
    enum dpk_status status = mlxdpa_need(command, "--life_cycle_priority", options->priority, err);
    return status == DPK_OK ? dpk_lifecycle_parse(options->priority, out, err) : status;
}

static enum dpk_status parse_plan(const struct mlxdpa_options *options,
                                  struct dpk_container_plan *plan, struct dpk_error *err)
{
    static const char command[] = "create_cert_container";
    enum dpk_status status =
        mlxdpa_need(command, "--cert_container_type", options->container_type, err);
    if (status == DPK_OK)
        status = mlxdpa_need(command, "-o", options->output, err);
    if (status == DPK_OK)
        status = mlxdpa_priority(command, options, &plan->priority, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--cert_uuid", options->cert_uuid, &plan->cert_uuid, err);
    if (status == DPK_OK)
        status = mlxdpa_uuid("--keypair_uuid", options->keypair_uuid, &plan->keypair_uuid, err);
    if (status != DPK_OK)
        return status;
    if (strcasecmp(options->container_type, "add") == 0) {
        plan->kind = DPK_CONTAINER_ADD;
        status = mlxdpa_need("--cert_container_type add", "-c", options->cert, err);
    } else if (strcasecmp(options->container_type, "remove") == 0) {
        plan->kind = DPK_CONTAINER_REMOVE;
        if (options->cert)
            status = dpk_fail(err, DPK_ERR_USAGE, "--cert_container_type remove takes no -c");
    } else {
        status = dpk_fail(err, DPK_ERR_USAGE, "--cert_container_type '%s' is not add or remove",
                          options->container_type);
    }
    plan->keep_sig = options->keep_sig;
    plan->remove_all = options->remove_all_certs;
    plan->nvidia_signed_oem = options->nvidia_signed_oem;
    return status;
}

enum dpk_status cmd_create_cert_container(const struct mlxdpa_options *options,
                                          struct dpk_error *err)
{
    struct dpk_container_plan plan = {0};
    struct dpk_buf cert = {0}, made = {0};
    enum dpk_status status = parse_plan(options, &plan, err);
    if (status == DPK_OK)
        status = dpk_file_apart(options->output, &options->cert, 1, err);
    if (status != DPK_OK)
        return status;
    if (plan.kind == DPK_CONTAINER_ADD) {
        status = dpk_file_read(options->cert, CERT_FILE_MAX, &cert, err);
        if (status != DPK_OK)
            return status;
        /* An empty file leaves no bytes to point at. */
        plan.cert = cert.data ? cert.data : (const uint8_t *)"";
        plan.cert_size = cert.size;
    }
    status = dpk_container_create(&plan, &made, err);
    if (status != DPK_OK && status != DPK_ERR_USAGE && options->cert)
        dpk_error_prefix(err, "%s", options->cert);
    if (status == DPK_OK)
        status = dpk_file_replace(options->output, made.data, made.size, 0644, err);
    if (status == DPK_OK)
        mlxdpa_say(options->output, "Certificate container created successfully!");
    dpk_buf_free(&made);
    dpk_buf_free(&cert);
    return status;
}
