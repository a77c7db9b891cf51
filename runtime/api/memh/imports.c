/* Memory of other processes, by their handles. */
#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#endif

#if defined UCP_API_VERSION && UCP_API_VERSION >= UCP_VERSION(1, 16)
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static struct {
    pthread_mutex_t lock;
    struct memh_import *first;
    _Atomic size_t count; /* most programs have none, and need no lock */
} imports = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Call this with the lock. */
static struct memh_import *find(ucp_mem_h memh)
{
    struct memh_import *in = imports.first;
    while (in && (void *)in != (void *)memh)
        in = in->next;
    return in;
}

struct memh_import *memh_import_pin(ucp_mem_h memh)
{
    if (atomic_load(&imports.count) == 0)
        return NULL;
    pthread_mutex_lock(&imports.lock);
    struct memh_import *in = find(memh);
    if (in)
        in->users++;
    pthread_mutex_unlock(&imports.lock);
    return in;
}

void memh_import_unpin(struct memh_import *in)
{
    pthread_mutex_lock(&imports.lock);
    const bool last = --in->users == 0;
    pthread_mutex_unlock(&imports.lock);
    if (!last)
        return;
    dpk_import_close(in->import);
    free(in);
}

bool memh_is_import(ucp_mem_h memh)
{
    struct memh_import *in = memh_import_pin(memh);
    if (in)
        memh_import_unpin(in);
    return in;
}

/* ---- Handles ---- */

static ucs_status_t status_of(enum dpk_status status)
{
    switch (status) {
    case DPK_OK:
        return UCS_OK;
    case DPK_ERR_NOT_FOUND: /* the exporter has ended, runs another program, or exports no more */
        return UCS_ERR_NO_ELEM;
    case DPK_ERR_REFUSED:
        return UCS_ERR_REJECTED;
    case DPK_ERR_NOMEM:
        return UCS_ERR_NO_MEMORY;
    default:
        return UCS_ERR_INVALID_PARAM;
    }
}

static ucs_status_t open_import(struct memh_handle *h, struct memh_import *in)
{
    uint8_t byte;
    const ucs_status_t status = status_of(dpk_import_open(&h->who, &h->what, &in->import, NULL));
    if (status != UCS_OK)
        return status;
    if (h->what.rights == 0)
        return UCS_ERR_REJECTED; /* such memory is exported for other purposes than handles */
    /* Another import of the exporter may have outlived it. */
    return dpk_import_read(in->import, h->what.address, &byte, 1) ? UCS_OK : UCS_ERR_NO_ELEM;
}

static ucs_status_t import_new(struct memh_handle *h, ucp_mem_h *memh_p)
{
    struct memh_import *in = calloc(1, sizeof *in);
    if (!in)
        return UCS_ERR_NO_MEMORY;
    const ucs_status_t status = open_import(h, in);
    if (status != UCS_OK) {
        dpk_import_close(in->import);
        free(in);
        return status;
    }
    in->what = h->what;
    in->users = 1;
    pthread_mutex_lock(&imports.lock);
    in->next = imports.first;
    imports.first = in;
    atomic_fetch_add(&imports.count, 1);
    pthread_mutex_unlock(&imports.lock);
    *memh_p = (ucp_mem_h)in;
    return UCS_OK;
}

/* UCX's function takes no size of the bytes. They are trusted to be as many as ucp_memh_pack gave;
 * urom-worker has more bytes behind each command. */
static bool is_ours(const void *bytes)
{
    static const char name[] = "dpkmemh";
    return memcmp(bytes, name, sizeof name - 1) == 0;
}

ucs_status_t memh_front_ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t *params,
                                    ucp_mem_h *memh_p)
{
    struct memh_handle h;
    if (!params || !(params->field_mask & UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER) ||
        !params->exported_memh_buffer || !is_ours(params->exported_memh_buffer))
        return memh_real.ucp_mem_map(context, params, memh_p);
    struct dpk_reader r = dpk_reader(params->exported_memh_buffer, MEMH_HANDLE_SIZE);
    return memh_handle_read(&r, &h) ? import_new(&h, memh_p) : UCS_ERR_INVALID_PARAM;
}

/* Removes an import from the list. Returns false if the handle is UCX's. */
static bool remove_import(ucp_mem_h memh)
{
    if (atomic_load(&imports.count) == 0)
        return false;
    pthread_mutex_lock(&imports.lock);
    struct memh_import *in = find(memh);
    if (in) {
        struct memh_import **at = &imports.first;
        while (*at != in)
            at = &(*at)->next;
        *at = in->next;
        atomic_fetch_sub(&imports.count, 1);
    }
    pthread_mutex_unlock(&imports.lock);
    if (in)
        memh_import_unpin(in);
    return in;
}

ucs_status_t memh_front_ucp_mem_unmap(ucp_context_h context, ucp_mem_h memh)
{
    if (remove_import(memh))
        return UCS_OK;
    memh_export_end(memh); /* before the memory may be freed */
    return memh_real.ucp_mem_unmap(context, memh);
}

ucs_status_t memh_front_ucp_mem_query(const ucp_mem_h memh, ucp_mem_attr_t *attr)
{
    struct memh_import *in = memh_import_pin(memh);
    if (!in)
        return memh_real.ucp_mem_query(memh, attr);
    if (attr->field_mask & UCP_MEM_ATTR_FIELD_ADDRESS)
        attr->address = (void *)(uintptr_t)in->what.address;
    if (attr->field_mask & UCP_MEM_ATTR_FIELD_LENGTH)
        attr->length = in->what.size;
    if (attr->field_mask & UCP_MEM_ATTR_FIELD_MEM_TYPE)
        attr->mem_type = UCS_MEMORY_TYPE_HOST;
    memh_import_unpin(in);
    return UCS_OK;
}

ucs_status_t memh_front_ucp_mem_advise(ucp_context_h context, ucp_mem_h memh,
                                       ucp_mem_advise_params_t *params)
{
    return memh_is_import(memh) ? UCS_ERR_UNSUPPORTED
                                : memh_real.ucp_mem_advise(context, memh, params);
}

ucs_status_t memh_front_ucp_rkey_pack(ucp_context_h context, ucp_mem_h memh, void **rkey_buffer_p,
                                      size_t *size_p)
{
    return memh_is_import(memh) ? UCS_ERR_UNSUPPORTED
                                : memh_real.ucp_rkey_pack(context, memh, rkey_buffer_p, size_p);
}
#endif
