/* UARs and outboxes. Nothing passes through them here, but programs must use them as on a card. */
#include "private.h"

/* ---- UARs ---- */

struct flexio_uar {
    struct flexio_process *process;
    struct ibv_context *context;
    uint32_t id;
};

static flexio_status uar_new(struct flexio_process *process, struct ibv_context *context,
                             const char *call, struct flexio_uar **out)
{
    struct flexio_uar *u = calloc(1, sizeof *u);
    if (u)
        u->id = table_add(process, &process->uars, u);
    if (!u || u->id == 0) {
        free(u);
        return failed_because("%s: out of memory, or of numbers", call);
    }
    u->process = process;
    u->context = context;
    *out = u;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_uar_create(struct flexio_process *process, struct flexio_uar **uar)
{
    if (uar)
        *uar = NULL;
    if (!process || !uar)
        return failed_because("flexio_uar_create: no process, or nowhere to put the UAR");
    return uar_new(process, process->context, "flexio_uar_create", uar);
}

flexio_status flexio_uar_extend(struct flexio_uar *in_uar, struct ibv_context *to_extend,
                                struct flexio_uar **extended)
{
    if (extended)
        *extended = NULL;
    if (!in_uar || !to_extend || !extended)
        return failed_because("flexio_uar_extend: no UAR or device, or nowhere to put the result");
    return uar_new(in_uar->process, to_extend, "flexio_uar_extend", extended);
}

flexio_status flexio_uar_destroy(struct flexio_uar *uar)
{
    if (!uar)
        return FLEXIO_STATUS_SUCCESS;
    if (uar == uar->process->uar)
        return failed_because("flexio_uar_destroy: the UAR is its process's own");
    table_remove(uar->process, &uar->process->uars, uar->id);
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

bool uar_is_known(struct flexio_process *p, uint32_t id)
{
    return id == 0 || table_has(p, &p->uars, id) ||
           (p->context && dpk_verbs_has_uar(dpk_verbs_device(p->context), id));
}

/* ---- Outboxes ---- */

struct flexio_outbox {
    struct flexio_process *process;
    struct flexio_uar *uar;
    uint32_t id;
};

flexio_status flexio_outbox_create(struct flexio_process *process, struct flexio_outbox_attr *attr,
                                   struct flexio_outbox **outbox)
{
    if (outbox)
        *outbox = NULL;
    if (!process || !attr || !outbox)
        return failed_because("flexio_outbox_create: no process or attributes, or nowhere to put "
                              "the outbox");
    if (attr->en_pcc)
        return failed_because("flexio_outbox_create: congestion control is not emulated");
    struct flexio_uar *uar = attr->uar ? attr->uar : process->uar;
    if (uar->process != process)
        return failed_because("flexio_outbox_create: no UAR of the process");
    struct flexio_outbox *o = calloc(1, sizeof *o);
    if (o)
        o->id = table_add(process, &process->outboxes, o);
    if (!o || o->id == 0) {
        free(o);
        return failed_because("flexio_outbox_create: out of memory, or of numbers");
    }
    o->process = process;
    o->uar = uar;
    *outbox = o;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_outbox_destroy(struct flexio_outbox *outbox)
{
    if (outbox)
        table_remove(outbox->process, &outbox->process->outboxes, outbox->id);
    free(outbox);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_outbox_get_id(struct flexio_outbox *outbox)
{
    return outbox ? outbox->id : UINT32_MAX;
}

struct flexio_uar *flexio_outbox_get_uar(struct flexio_outbox *outbox)
{
    return outbox ? outbox->uar : NULL;
}
