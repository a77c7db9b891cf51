/* Handles of memory of this process. */
#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "private.h"

/* Exported memory. Packing it again gives the same handle. */
struct exported {
    struct exported *next;
    ucp_mem_h memh;
    struct memh_handle handle;
};

/* Bytes that a program has got, until it releases them. */
struct packed {
    struct packed *next;
    struct dpk_buf bytes;
};

static struct {
    pthread_mutex_t lock;
    struct dpk_uuid identity;
    pid_t process; /* whose identity this is; a child of fork() makes its own */
    uint32_t last_key;
    struct exported *exported;
    struct packed *packed;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Call this with the lock. */
static void settle_process(void)
{
    if (own.process == getpid())
        return;
    own.process = getpid();
    dpk_uuid_new_time(&own.identity);
    for (struct exported *e; (e = own.exported);) { /* the parent's */
        own.exported = e->next;
        free(e);
    }
}

static ucs_status_t status_of(enum dpk_status status)
{
    return status == DPK_OK          ? UCS_OK
           : status == DPK_ERR_NOMEM ? UCS_ERR_NO_MEMORY
                                     : UCS_ERR_IO_ERROR;
}

/* Call this with the lock. */
static ucs_status_t export_new(ucp_mem_h memh, struct exported **out)
{
    ucp_mem_attr_t a = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH |
                                      UCP_MEM_ATTR_FIELD_MEM_TYPE};
    ucs_status_t status = memh_real.ucp_mem_query(memh, &a);
    if (status != UCS_OK)
        return status;
    if (a.mem_type != UCS_MEMORY_TYPE_HOST || a.length == 0)
        return UCS_ERR_UNSUPPORTED;
    struct exported *e = calloc(1, sizeof *e);
    if (!e)
        return UCS_ERR_NO_MEMORY;
    if (++own.last_key == 0)
        own.last_key = 1;
    e->memh = memh;
    e->handle.what = (struct dpk_export){
        .key = own.last_key, .rights = 1, .address = (uintptr_t)a.address, .size = a.length};
    status = status_of(dpk_export_add(&own.identity, &e->handle.what, &e->handle.who, NULL));
    if (status != UCS_OK) {
        free(e);
        return status;
    }
    e->next = own.exported;
    *out = own.exported = e;
    return UCS_OK;
}

/* Call this with the lock. */
static ucs_status_t export(ucp_mem_h memh, struct packed *p)
{
    ucs_status_t status = UCS_OK;
    settle_process();
    struct exported *e = own.exported;
    while (e && e->memh != memh)
        e = e->next;
    if (!e)
        status = export_new(memh, &e);
    if (status != UCS_OK)
        return status;
    memh_handle_write(&e->handle, &p->bytes);
    if (p->bytes.failed)
        return UCS_ERR_NO_MEMORY;
    p->next = own.packed;
    own.packed = p;
    return UCS_OK;
}

static ucs_status_t pack(ucp_mem_h memh, void **buffer_p, size_t *buffer_size_p)
{
    struct packed *p = calloc(1, sizeof *p);
    if (!p)
        return UCS_ERR_NO_MEMORY;
    pthread_mutex_lock(&own.lock);
    const ucs_status_t status = export(memh, p);
    pthread_mutex_unlock(&own.lock);
    if (status != UCS_OK) {
        dpk_buf_free(&p->bytes);
        free(p);
        return status;
    }
    *buffer_p = p->bytes.data;
    *buffer_size_p = p->bytes.size;
    return UCS_OK;
}

ucs_status_t memh_front_ucp_memh_pack(ucp_mem_h memh, const ucp_memh_pack_params_t *params,
                                      void **buffer_p, size_t *buffer_size_p)
{
    if (memh_is_import(memh))
        return UCS_ERR_UNSUPPORTED; /* its owner exports it */
    const ucs_status_t status = memh_real.ucp_memh_pack(memh, params, buffer_p, buffer_size_p);
    const bool wanted = params && params->field_mask & UCP_MEMH_PACK_PARAM_FIELD_FLAGS &&
                        params->flags & UCP_MEMH_PACK_FLAG_EXPORT;
    return status == UCS_ERR_UNSUPPORTED && wanted ? pack(memh, buffer_p, buffer_size_p) : status;
}

void memh_front_ucp_memh_buffer_release(void *buffer,
                                        const ucp_memh_buffer_release_params_t *params)
{
    pthread_mutex_lock(&own.lock);
    struct packed **at = &own.packed;
    while (*at && (*at)->bytes.data != buffer)
        at = &(*at)->next;
    struct packed *p = buffer ? *at : NULL;
    if (p)
        *at = p->next;
    pthread_mutex_unlock(&own.lock);
    if (p)
        dpk_buf_free(&p->bytes);
    else
        memh_real.ucp_memh_buffer_release(buffer, params);
    free(p);
}

void memh_export_end(ucp_mem_h memh)
{
    pthread_mutex_lock(&own.lock);
    settle_process();
    struct exported **at = &own.exported;
    while (*at && (*at)->memh != memh)
        at = &(*at)->next;
    struct exported *e = *at;
    if (e) {
        *at = e->next;
        dpk_export_remove(e->handle.what.key);
    }
    pthread_mutex_unlock(&own.lock);
    free(e);
}
#endif
