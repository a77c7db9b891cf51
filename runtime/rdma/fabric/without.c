/* The functions of this room when dpakit is built without the headers of UCX. */
#if !__has_include(<ucp/api/ucp.h>)
#include "fabric.h"

enum dpk_status dpk_fabric_open(const char *spec, const struct dpk_fabric_options *options,
                                struct dpk_fabric **out, struct dpk_error *err)
{
    (void)spec, (void)options;
    *out = NULL;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                    "dpakit was built without UCX (Debian: the package libucx-dev)");
}

/* No fabric ever exists: the other functions are never called. */
void dpk_fabric_close(struct dpk_fabric *f)
{
    (void)f;
}

const struct dpk_fabric_place *dpk_fabric_place(const struct dpk_fabric *f)
{
    (void)f;
    return NULL;
}

enum dpk_status dpk_fabric_listen(struct dpk_fabric *f, uint16_t port, struct dpk_error *err)
{
    (void)f, (void)port;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "dpakit was built without UCX");
}

const uint8_t *dpk_fabric_from(const struct dpk_fabric_link *link)
{
    (void)link;
    return NULL;
}

int dpk_fabric_fd(const struct dpk_fabric *f)
{
    (void)f;
    return -1;
}

void dpk_fabric_poll(struct dpk_fabric *f, bool polls)
{
    (void)f, (void)polls;
}

bool dpk_fabric_run(struct dpk_fabric *f)
{
    (void)f;
    return false;
}

uint64_t dpk_fabric_look(struct dpk_fabric *f)
{
    (void)f;
    return UINT64_MAX;
}

enum dpk_status dpk_fabric_link(struct dpk_fabric *f, const struct dpk_fabric_place *to, void *of,
                                struct dpk_fabric_link **out, struct dpk_error *err)
{
    (void)f, (void)to, (void)of;
    *out = NULL;
    return dpk_fail(err, DPK_ERR_UNSUPPORTED, "dpakit was built without UCX");
}

void dpk_fabric_own(struct dpk_fabric_link *link, void *of)
{
    (void)link, (void)of;
}

unsigned dpk_fabric_unsent(const struct dpk_fabric_link *link)
{
    (void)link;
    return 0;
}

uint8_t *dpk_fabric_room(struct dpk_fabric_link *link, uint32_t size)
{
    (void)link, (void)size;
    return NULL;
}

void dpk_fabric_send(struct dpk_fabric_link *link, const void *head, size_t head_size,
                     uint32_t size)
{
    (void)link, (void)head, (void)head_size, (void)size;
}

void dpk_fabric_drop(struct dpk_fabric_link *link)
{
    (void)link;
}
#endif
