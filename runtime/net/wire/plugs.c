/* The kinds without a medium: a loopback plug, and no plug. */
#include "kinds.h"

static enum dpk_status open_nothing(struct dpk_wire *wire, const char *argument,
                                    struct dpk_error *err)
{
    (void)wire, (void)argument, (void)err;
    return DPK_OK;
}

static bool send_back(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    (void)wire, (void)frame, (void)size;
    return false;
}

static bool send_nowhere(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    (void)frame, (void)size;
    wire_drop_sent(wire, DPK_WIRE_DOWN, 1);
    return true;
}

static void close_nothing(struct dpk_wire *wire)
{
    (void)wire;
}

const struct wire_ops wire_loop = {.name = "loop",
                                   .usage = "loop",
                                   .open = open_nothing,
                                   .send = send_back,
                                   .close = close_nothing};
const struct wire_ops wire_none = {.name = "none",
                                   .usage = "none",
                                   .open = open_nothing,
                                   .send = send_nowhere,
                                   .close = close_nothing};
