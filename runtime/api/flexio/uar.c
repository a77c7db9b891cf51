/* UARs and outboxes. An outbox reaches the queues of its own UAR only (guide 2.2.1, 1.3.2.3). */
#include "private.h"

/* ---- UARs ---- */

struct flexio_uar {
    struct flexio_process *process;
    uint32_t id;
    uint32_t page; /* its number for queues: `id`, or the number of the UAR of libmlx5 */
};

struct flexio_outbox {
    struct flexio_process *process;
    struct flexio_uar *uar; /* NULL: the program destroyed the UAR. Under objects_lock. */
    uint32_t id;
    uint32_t page; /* page of the UAR */
};

/* Removes a UAR from the outboxes that were made with it. They keep its page. */
static void outboxes_forget(struct flexio_process *p, const struct flexio_uar *uar)
{
    pthread_mutex_lock(&p->objects_lock);
    for (uint32_t id = 1; id <= p->outboxes.count; id++) {
        struct flexio_outbox *o = libflexio_table_find(&p->outboxes, id);
        if (o && o->uar == uar)
            o->uar = NULL;
    }
    pthread_mutex_unlock(&p->objects_lock);
}

/* `page`: the UAR of the device to use, or 0 for a new one. */
flexio_status libflexio_uar_new(struct flexio_process *process, uint32_t page, const char *call,
                                struct flexio_uar **out)
{
    struct flexio_uar *u = calloc(1, sizeof *u);
    if (u)
        u->id = libflexio_table_add(process, &process->uars, u);
    if (!u || u->id == 0) {
        free(u);
        return libflexio_failed_because("%s: out of memory, or of numbers", call);
    }
    u->process = process;
    u->page = page ? page : u->id;
    *out = u;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_uar_create(struct flexio_process *process, struct flexio_uar **uar)
{
    if (uar)
        *uar = NULL;
    if (!process || !uar)
        return libflexio_failed_because("flexio_uar_create: no process, or nowhere to put the UAR");
    return libflexio_uar_new(process, 0, "flexio_uar_create", uar);
}

flexio_status flexio_uar_create_devx(struct flexio_process *process,
                                     struct mlx5dv_devx_uar *devx_uar, struct flexio_uar **uar)
{
    if (uar)
        *uar = NULL;
    if (!process || !devx_uar || !uar)
        return libflexio_failed_because(
            "flexio_uar_create: no process, no UAR of its device, or nowhere to "
            "put the UAR");
    if (devx_uar->page_id == 0 || libflexio_uar_page(process, devx_uar->page_id) == 0)
        return libflexio_failed_because("flexio_uar_create: the process's device has no UAR 0x%x",
                                        devx_uar->page_id);
    return libflexio_uar_new(process, devx_uar->page_id, "flexio_uar_create", uar);
}

flexio_status flexio_uar_extend(struct flexio_uar *in_uar, struct ibv_context *to_extend,
                                struct flexio_uar **extended)
{
    if (extended)
        *extended = NULL;
    if (!in_uar || !to_extend || !extended)
        return libflexio_failed_because(
            "flexio_uar_extend: no UAR or device, or nowhere to put the result");
    return libflexio_uar_new(in_uar->process,
                             to_extend == in_uar->process->context ? in_uar->page : 0,
                             "flexio_uar_extend", extended);
}

flexio_status flexio_uar_destroy(struct flexio_uar *uar)
{
    if (!uar)
        return FLEXIO_STATUS_SUCCESS;
    if (uar == uar->process->uar)
        return libflexio_failed_because("flexio_uar_destroy: the UAR is its process's own");
    libflexio_table_remove(uar->process, &uar->process->uars, uar->id);
    outboxes_forget(uar->process, uar);
    free(uar);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_uar_get_id(struct flexio_uar *uar)
{
    return uar ? uar->id : UINT32_MAX;
}

uint32_t flexio_uar_get_extended_id(struct flexio_uar *uar)
{
    return flexio_uar_get_id(uar);
}

struct flexio_uar *flexio_process_get_uar(struct flexio_process *process)
{
    return process ? process->uar : NULL;
}

uint32_t libflexio_uar_page(struct flexio_process *p, uint32_t id)
{
    pthread_mutex_lock(&p->objects_lock);
    const struct flexio_uar *u = id == 0 ? p->uar : libflexio_table_find(&p->uars, id);
    const uint32_t page = u ? u->page : 0;
    pthread_mutex_unlock(&p->objects_lock);
    if (u || !p->context || !dpk_verbs_has_uar(dpk_verbs_device(p->context), id))
        return page;
    return id;
}

/* ---- Outboxes ---- */

uint32_t libflexio_outbox_page(struct flexio_process *p, uint32_t id)
{
    pthread_mutex_lock(&p->objects_lock);
    const struct flexio_outbox *o = libflexio_table_find(&p->outboxes, id);
    const uint32_t page = o ? o->page : 0;
    pthread_mutex_unlock(&p->objects_lock);
    return page;
}

flexio_status libflexio_outbox_new(struct flexio_process *process, struct flexio_uar *uar,
                                   uint32_t page, struct flexio_outbox **outbox)
{
    struct flexio_outbox *o = calloc(1, sizeof *o);
    if (o) {
        *o = (struct flexio_outbox){.process = process, .uar = uar, .page = page};
        o->id = libflexio_table_add(process, &process->outboxes, o);
    }
    if (!o || o->id == 0) {
        free(o);
        return libflexio_failed_because("flexio_outbox_create: out of memory, or of numbers");
    }
    *outbox = o;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_outbox_create(struct flexio_process *process, struct flexio_outbox_attr *attr,
                                   struct flexio_outbox **outbox)
{
    if (outbox)
        *outbox = NULL;
    if (!process || !attr || !outbox)
        return libflexio_failed_because(
            "flexio_outbox_create: no process or attributes, or nowhere to put "
            "the outbox");
    if (attr->en_pcc)
        return libflexio_failed_because("flexio_outbox_create: congestion control is not emulated");
    struct flexio_uar *uar = attr->uar ? attr->uar : process->uar;
    if (uar->process != process)
        return libflexio_failed_because("flexio_outbox_create: no UAR of the process");
    return libflexio_outbox_new(process, uar, uar->page, outbox);
}

flexio_status flexio_outbox_destroy(struct flexio_outbox *outbox)
{
    if (outbox)
        libflexio_table_remove(outbox->process, &outbox->process->outboxes, outbox->id);
    free(outbox);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_outbox_get_id(struct flexio_outbox *outbox)
{
    return outbox ? outbox->id : UINT32_MAX;
}

struct flexio_uar *flexio_outbox_get_uar(struct flexio_outbox *outbox)
{
    if (!outbox)
        return NULL;
    pthread_mutex_lock(&outbox->process->objects_lock);
    struct flexio_uar *uar = outbox->uar;
    pthread_mutex_unlock(&outbox->process->objects_lock);
    return uar;
}
