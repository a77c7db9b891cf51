/* Fields of registers. */
#include <string.h>

#include "private.h"

const struct register_field *register_find_field(const struct register_layout *layout,
                                                 const char *name)
{
    for (size_t i = 0; i < layout->field_count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return &layout->fields[i];
    return NULL;
}

static uint32_t mask_of(const struct register_field *f)
{
    return f->bits >= 32 ? UINT32_MAX : (1u << f->bits) - 1;
}

/* Returns the dword of a field, or 0 beyond the end. */
static uint32_t dword(const struct register_call *call, const struct register_field *f)
{
    struct dpk_reader r = dpk_reader(call->data, call->size);
    dpk_read_skip(&r, f->offset);
    return dpk_read_be32(&r);
}

uint32_t register_get(const struct register_call *call, const char *field)
{
    const struct register_field *f = register_find_field(call->layout, field);
    return f ? dword(call, f) >> f->low_bit & mask_of(f) : 0;
}

void register_put(struct register_call *call, const char *field, uint32_t value)
{
    const struct register_field *f = register_find_field(call->layout, field);
    if (!f || f->offset + 4u > call->size)
        return;
    const uint32_t others = dword(call, f) & ~(mask_of(f) << f->low_bit);
    dpk_store_be32(call->data + f->offset, others | (value & mask_of(f)) << f->low_bit);
}

void register_put_bytes(struct register_call *call, const char *field, const void *bytes,
                        size_t size)
{
    const struct register_field *f = register_find_field(call->layout, field);
    if (!f || f->offset + f->bits / 8u > call->size)
        return;
    const size_t room = f->bits / 8u;
    memset(call->data + f->offset, 0, room);
    memcpy(call->data + f->offset, bytes, size < room ? size : room);
}

void register_put_bits(struct register_call *call, const char *field, uint32_t bits)
{
    const struct register_field *f = register_find_field(call->layout, field);
    uint8_t low[4];
    dpk_store_be32(low, bits);
    if (!f || f->bits % 8u != 0 || f->bits < 32 || f->offset + f->bits / 8u > call->size)
        return;
    memset(call->data + f->offset, 0, f->bits / 8u - sizeof low);
    memcpy(call->data + f->offset + f->bits / 8u - sizeof low, low, sizeof low);
}

void register_put_registers(struct register_call *call, const char *field, unsigned first)
{
    uint8_t mask[REGISTER_GROUP / 8] = {0};
    for (size_t g = 0; g < call->group_count; g++)
        for (size_t i = 0; i < call->groups[g]->count; i++) {
            const unsigned bit = call->groups[g]->layouts[i].number - first;
            if (bit < REGISTER_GROUP)
                mask[sizeof mask - 1 - bit / 8] |= (uint8_t)(1u << bit % 8);
        }
    register_put_bytes(call, field, mask, sizeof mask);
}
