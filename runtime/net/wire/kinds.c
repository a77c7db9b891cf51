/* The table of kinds: finds the kind of a specification, and checks, tries or opens a wire of that
 * kind. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct wire_ops *const kinds[] = {&wire_loop, &wire_none,   &wire_pcap,
                                               &wire_tap,  &wire_veth,   &wire_generate,
                                               &wire_dev,  &wire_switch, &wire_udp};
#define KINDS (sizeof kinds / sizeof *kinds)

static enum dpk_status fail_unknown(const char *spec, struct dpk_error *err)
{
    char usages[512] = "";
    for (size_t i = 0, at = 0; i < KINDS && at < sizeof usages; i++)
        at += (size_t)snprintf(usages + at, sizeof usages - at, "%s%s", i ? ", " : "",
                               kinds[i]->usage);
    return dpk_fail(err, DPK_ERR_USAGE, "'%.200s' is not a wire: %s", spec, usages);
}

/* Finds the kind and the argument of a specification. An absent argument is "". */
static enum dpk_status find_kind(const char *spec, const struct wire_ops **kind,
                                 const char **argument, struct dpk_error *err)
{
    const size_t length = strcspn(spec, ":");
    *argument = spec[length] ? spec + length + 1 : "";
    for (size_t i = 0; i < KINDS; i++) {
        if (strlen(kinds[i]->name) != length || memcmp(kinds[i]->name, spec, length) != 0)
            continue;
        *kind = kinds[i];
        if (!kinds[i]->check && spec[length])
            return dpk_fail(err, DPK_ERR_USAGE, "'%.200s': %s has no argument", spec,
                            kinds[i]->name);
        return DPK_OK;
    }
    return fail_unknown(spec, err);
}

enum dpk_status dpk_wire_check(const char *spec, char out[DPK_WIRE_SPEC_MAX], struct dpk_error *err)
{
    const struct wire_ops *kind = NULL;
    const char *argument = NULL;
    struct dpk_buf b = {0};
    enum dpk_status status = find_kind(spec, &kind, &argument, err);
    if (status != DPK_OK)
        return status;
    dpk_put_format(&b, "%s", kind->name);
    if (kind->check) {
        dpk_put_u8(&b, ':');
        status = kind->check(argument, &b, err);
    }
    dpk_put_u8(&b, 0);
    if (status == DPK_OK && b.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && b.size > DPK_WIRE_SPEC_MAX)
        status = dpk_fail(err, DPK_ERR_RANGE, "a wire of %zu characters, at most %d", b.size - 1,
                          DPK_WIRE_SPEC_MAX - 1);
    if (status == DPK_OK)
        memcpy(out, b.data, b.size);
    dpk_buf_free(&b);
    return status;
}

enum dpk_status dpk_wire_try(const char *spec, struct dpk_error *err)
{
    const struct wire_ops *kind = NULL;
    const char *argument = NULL;
    enum dpk_status status = find_kind(spec, &kind, &argument, err);
    return status == DPK_OK && kind->try ? kind->try(argument, err) : status;
}

enum dpk_status dpk_wire_open(const char *spec, const struct dpk_wire_sink *sink,
                              struct dpk_wire **out, struct dpk_error *err)
{
    const char *argument = NULL;
    struct dpk_wire *wire = calloc(1, sizeof *wire);
    *out = NULL;
    if (!wire)
        return dpk_fail_nomem(err);
    wire->sink = *sink;
    wire->owner = getpid();
    pthread_mutex_init(&wire->sends, NULL);
    wire->ends = -1;
    enum dpk_status status = find_kind(spec, &wire->ops, &argument, err);
    if (status == DPK_OK && !(wire->spec = strdup(spec)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && (wire->ends = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        status = dpk_fail_errno(err, "eventfd");
    if (status == DPK_OK && (status = wire->ops->open(wire, argument, err)) != DPK_OK)
        wire->ops->close(wire);
    if (status == DPK_OK) {
        *out = wire;
        return DPK_OK;
    }
    if (wire->ends >= 0)
        close(wire->ends);
    pthread_mutex_destroy(&wire->sends);
    free(wire->spec);
    free(wire);
    return status;
}
