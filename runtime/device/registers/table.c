/* Finds registers, and carries out accesses. */
#include <string.h>

#include "private.h"

static const struct register_group *const groups[] = {
    &registers_nv,    &registers_identity, &registers_reset,  &registers_components,
    &registers_ports, &registers_links,    &registers_pddr,   &registers_counters,
    &registers_qos,   &registers_ets,      &registers_stored, &registers_debug};

const struct register_layout *register_find(unsigned number)
{
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            if (groups[g]->layouts[i].number == number)
                return &groups[g]->layouts[i];
    return NULL;
}

const char *dpk_register_name(unsigned number)
{
    const struct register_layout *layout = register_find(number);
    return layout ? layout->name : NULL;
}

const struct register_group *const *register_groups(size_t *count)
{
    *count = sizeof groups / sizeof *groups;
    return groups;
}

enum dpk_register_status dpk_register_access(struct dpk_registers *r, unsigned number,
                                             unsigned method, uint8_t *data, size_t size)
{
    uint8_t copy[DPK_REGISTER_SIZE_MAX];
    const struct register_layout *layout = register_find(number);
    r->reason = (struct dpk_error){0};
    if (!layout)
        return DPK_REGISTER_NOT_SUPPORTED;
    if (method != DPK_REGISTER_GET && method != DPK_REGISTER_SET)
        return DPK_REGISTER_METHOD_NOT_SUPPORTED;
    register_access *access = method == DPK_REGISTER_SET ? layout->set : layout->get;
    if (!access)
        return DPK_REGISTER_METHOD_NOT_SUPPORTED;
    if (size < layout->size || size > sizeof copy)
        return size < layout->size ? DPK_REGISTER_TOO_SHORT : DPK_REGISTER_BAD_PARAMETER;
    memcpy(copy, data, size);
    struct register_call call = {.registers = r,
                                 .layout = layout,
                                 .groups = groups,
                                 .group_count = sizeof groups / sizeof *groups,
                                 .data = copy,
                                 .size = size,
                                 .set = method == DPK_REGISTER_SET};
    const enum dpk_register_status status = access(&call, &r->reason);
    if (status == DPK_REGISTER_OK || call.answered)
        memcpy(data, copy, size);
    return status;
}
