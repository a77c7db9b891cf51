/* The port that an access names. */
#include <stdarg.h>
#include <string.h>

#include "private.h"

/* Maps the settings of the device, for this wire. */
static enum dpk_status map_settings(struct dpk_registers *r, const char *wire,
                                    struct dpk_error *err)
{
    char directory[PATH_MAX];
    if (r->port && strcmp(r->port_wire, wire) == 0)
        return DPK_OK;
    dpk_port_close(r->port);
    r->port = NULL;
    snprintf(r->port_wire, sizeof r->port_wire, "%s", wire);
    enum dpk_status status = dpk_device_directory(r->device, directory, err);
    return status == DPK_OK ? dpk_port_open(directory, wire, &r->port, err) : status;
}

/* Finds the settings of a port. Of a device that this user can only read, and of another port than
 * the function's own, nothing was set, and nothing can be set. */
static enum dpk_status find_settings(struct register_call *call, struct registers_port *port,
                                     struct dpk_error *err)
{
    struct dpk_registers *r = call->registers;
    struct dpk_error ignored;
    enum dpk_status status = DPK_ERR_REFUSED;
    if (port->number == 1)
        status = map_settings(r, port->wire, call->set ? err : &ignored);
    else if (call->set)
        (void)dpk_fail(err, DPK_ERR_REFUSED, "port %u is not the function's own", port->number);
    if (status != DPK_OK && !call->set)
        status = r->no_port ? DPK_OK : dpk_port_open(NULL, NULL, &r->no_port, err);
    port->settings = port->number == 1 && r->port ? r->port : r->no_port;
    return status;
}

enum dpk_register_status registers_find_port(struct register_call *call, unsigned number,
                                             struct registers_port *port, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    *port = (struct registers_port){.number = number, .wire = "none"};
    if (number < 1 || number > DPK_SHOWN_PORTS) {
        (void)dpk_fail(err, DPK_ERR_USAGE, "no port %u", number);
        return DPK_REGISTER_BAD_PARAMETER;
    }
    enum dpk_status status = registers_need_device(call->registers, &device, err);
    if (status == DPK_OK && number == 1)
        status = dpk_device_wire(device, port->wire, err);
    if (status == DPK_OK)
        status = find_settings(call, port, err);
    if (status == DPK_ERR_REFUSED)
        return DPK_REGISTER_BAD_PARAMETER;
    if (status != DPK_OK)
        return registers_status(status);
    port->plugged = strcmp(port->wire, "none") != 0;
    if (port->plugged || (number == 1 && dpk_port_loops(port->settings)))
        port->link = dpk_port_link(port->settings);
    return DPK_REGISTER_OK;
}

enum dpk_register_status registers_named_port(struct register_call *call,
                                              struct registers_port *port, struct dpk_error *err)
{
    return registers_find_port(
        call, register_get(call, "lp_msb") << 8 | register_get(call, "local_port"), port, err);
}

enum dpk_register_status registers_answer_port(struct register_call *call, size_t answer,
                                               struct registers_port *port, struct dpk_error *err)
{
    const enum dpk_register_status status = registers_named_port(call, port, err);
    if (status == DPK_REGISTER_OK)
        memset(call->data + answer, 0, call->size - answer);
    return status;
}

enum dpk_register_status registers_log_port(struct register_call *call, struct dpk_error *err,
                                            const char *format, ...)
{
    char detail[128];
    va_list list;
    va_start(list, format);
    vsnprintf(detail, sizeof detail, format, list);
    va_end(list);
    return registers_status(dpk_device_log(call->registers->device, "port", "OK", detail, err));
}
