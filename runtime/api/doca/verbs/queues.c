/* Completion queues and shared receive queues. */
#include <endian.h>
#include <errno.h>

#include "api/doca/dpa/dpa.h"
#include "api/doca/memory/memory.h"
#include "gpu_queues.h"
#include "net/queues/queues.h"
#include "verbs.h"

/* ---- Completion queues ---- */

struct cq_attr {
    struct dpk_object object;
    uint32_t cq_size;
    void *cq_context;
    uint8_t external_datapath_en;
    struct doca_uar *external_uar;
    enum doca_verbs_cq_entry_size entry_size;
    uint8_t cq_overrun;
    struct doca_umem *external_umem;
    uint64_t external_umem_offset;
    uint32_t dpa_thread_id;
    struct doca_verbs_comp_channel *comp_channel;
};
LIFE(doca_verbs_cq_attr_create, doca_verbs_cq_attr_destroy, cq_attr)
FIELD(doca_verbs_cq_attr_set_cq_size, doca_verbs_cq_attr_get_cq_size, cq_attr, uint32_t, cq_size)
FIELD(doca_verbs_cq_attr_set_cq_context, doca_verbs_cq_attr_get_cq_context, cq_attr, void *,
      cq_context)
FIELD(doca_verbs_cq_attr_set_external_datapath_en, doca_verbs_cq_attr_get_external_datapath_en,
      cq_attr, uint8_t, external_datapath_en)
CHECKED_FIELD(doca_verbs_cq_attr_set_external_uar, doca_verbs_cq_attr_get_external_uar, cq_attr,
              struct doca_uar *, external_uar, !external_uar || dpk_is_uar(external_uar))
FIELD(doca_verbs_cq_attr_set_entry_size, doca_verbs_cq_attr_get_entry_size, cq_attr,
      enum doca_verbs_cq_entry_size, entry_size)
FIELD(doca_verbs_cq_attr_set_cq_overrun, doca_verbs_cq_attr_get_cq_overrun, cq_attr, uint8_t,
      cq_overrun)
PLACE_FIELD(doca_verbs_cq_attr_set_external_umem, doca_verbs_cq_attr_get_external_umem, cq_attr,
            external_umem)
FIELD(doca_verbs_cq_attr_set_dpa_thread_id, doca_verbs_cq_attr_get_dpa_thread_id, cq_attr, uint32_t,
      dpa_thread_id)
OBJECT_FIELD(doca_verbs_cq_attr_set_comp_channel, doca_verbs_cq_attr_get_comp_channel, cq_attr,
             struct doca_verbs_comp_channel *, comp_channel, verbs_comp_channel_kind)

static void cq_left(void *object)
{
    struct cq *q = object;
    verbs_source_remove(&q->source);
    if (q->ib)
        dpk_emulated_11.destroy_cq(q->ib);
    verbs_gpu_cq_free(q->gpu);
    q->ib = NULL;
    q->gpu = NULL;
    verbs_unuse(q->channel);
    verbs_unuse(q->context);
}

static void cq_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_cq_kind = {.left = cq_left, .release = cq_release};

static doca_error_t cpu_cq_new(struct context *c, const struct cq_attr *a, struct cq *q)
{
    q->channel = verbs_use(a->comp_channel, &verbs_comp_channel_kind);
    if (a->comp_channel && !q->channel)
        return DOCA_ERROR_INVALID_VALUE;
    q->ib =
        dpk_emulated_11.create_cq(c->ib, (int)a->cq_size, q, q->channel ? q->channel->ib : NULL, 0);
    if (!q->ib)
        return verbs_error_of(errno);
    verbs_source_add(c, &q->source, q->ib, &q->object);
    return DOCA_SUCCESS;
}

/* Judges the attributes. Errors, with the reason. */
static doca_error_t check_cq(const struct cq_attr *a)
{
    const bool on_gpu = a->external_datapath_en && a->external_umem;
    if (a->cq_size == 0 || a->cq_size > INT32_MAX)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE, "%u entries are not within 1 to %d",
                                a->cq_size, INT32_MAX);
    if (a->dpa_thread_id || a->entry_size != DOCA_VERBS_CQ_ENTRY_SIZE_64 ||
        (!on_gpu && (a->external_datapath_en || a->cq_overrun || a->external_umem)) ||
        (on_gpu && a->comp_channel))
        return dpk_doca_because(DOCA_ERROR_NOT_SUPPORTED,
                                "completion queues have entries of 64 bytes; those of the CPU do "
                                "not overrun, those of a GPU have external memory and no channel");
    return DOCA_SUCCESS;
}

static doca_error_t cq_new(struct context *c, const struct cq_attr *a, struct doca_verbs_cq **out)
{
    doca_error_t result = check_cq(a);
    if (result != DOCA_SUCCESS)
        return result;
    struct cq *q = calloc(1, sizeof *q);
    if (!q)
        return DOCA_ERROR_NO_MEMORY;
    q->cq_context = a->cq_context;
    result = a->external_datapath_en
                 ? verbs_gpu_cq_new(c->ib, a->cq_size, a->cq_overrun != 0, a->external_umem,
                                    a->external_umem_offset, &q->gpu)
                 : cpu_cq_new(c, a, q);
    if (result != DOCA_SUCCESS) {
        verbs_unuse(q->channel);
        free(q);
        return result;
    }
    dpk_object_use(q->context = c);
    if (!(*out = dpk_object_enter(q, &verbs_cq_kind)))
        return DOCA_ERROR_NO_MEMORY;
    return DOCA_SUCCESS;
}

doca_error_t doca_verbs_cq_create(struct doca_verbs_context *context,
                                  struct doca_verbs_cq_attr *attr, struct doca_verbs_cq **cq)
{
    if (cq)
        *cq = NULL;
    struct context *c = cq ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    struct cq_attr *a = c ? dpk_object_lock(attr, &verbs_cq_attr_kind) : NULL;
    const doca_error_t result = dpk_object_unlock(a, a ? cq_new(c, a, cq) : DOCA_SUCCESS);
    dpk_object_drop(c);
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_cq_destroy(struct doca_verbs_cq *cq)
{
    struct cq *q = dpk_object_pin(cq, &verbs_cq_kind);
    if (q && atomic_load(&q->object.users) == 0)
        verbs_await_acknowledgements(q);
    dpk_object_drop(q);
    return dpk_doca_destroy(cq, &verbs_cq_kind, __func__);
}

static void describe_gpu(const struct gpu_cq *q, struct mlx5dv_cq *out)
{
    const struct gpu_cq_facts f = verbs_gpu_cq_facts(q);
    *out = (struct mlx5dv_cq){.buf = dpk_pointer(f.ring),
                              .dbrec = dpk_pointer(f.record),
                              .cqe_cnt = f.entries,
                              .cqe_size = DPK_CQE,
                              .cqn = f.number};
}

/* Gets the properties of its ring. Returns false for queues without a ring. */
static bool describe(const struct doca_verbs_cq *cq, struct mlx5dv_cq *out)
{
    struct cq *q = dpk_object_pin(cq, &verbs_cq_kind);
    struct mlx5dv_obj o = {.cq = {.in = q ? q->ib : NULL, .out = out}};
    const bool of_gpu = q && q->gpu;
    if (of_gpu)
        describe_gpu(q->gpu, out);
    const bool good = of_gpu || (q && dpk_emulated_11.init_obj(&o, MLX5DV_OBJ_CQ) == 0);
    dpk_object_drop(q);
    return good;
}

uint32_t doca_verbs_cq_get_cqn(const struct doca_verbs_cq *cq)
{
    struct mlx5dv_cq d;
    return describe(cq, &d) ? d.cqn : 0;
}

void doca_verbs_cq_get_wq(struct doca_verbs_cq *cq, void **buf, uint32_t *num, uint8_t *entry_size)
{
    struct mlx5dv_cq d = {0};
    if (!buf || !num || !entry_size)
        return;
    describe(cq, &d);
    *buf = d.buf;
    *num = d.cqe_cnt;
    *entry_size = (uint8_t)d.cqe_size;
}

void doca_verbs_cq_get_dbr_addr(struct doca_verbs_cq *cq, uint64_t **uar, uint32_t **ci,
                                uint32_t **arm)
{
    struct mlx5dv_cq d = {0};
    if (!uar || !ci || !arm)
        return;
    describe(cq, &d);
    *uar = NULL;
    *ci = (uint32_t *)d.dbrec;
    *arm = NULL;
}

uint32_t doca_verbs_bridge_get_current_cq_ci(struct doca_verbs_cq *cq)
{
    struct mlx5dv_cq d;
    if (!describe(cq, &d))
        return 0;
    d.dbrec = dpk_gpu_bus(d.dbrec);
    return be32toh(__atomic_load_n(d.dbrec, __ATOMIC_ACQUIRE)) & 0xffffff;
}

int doca_verbs_bridge_set_wait_cq_pi_wr(struct doca_verbs_cq *cq, uint32_t wait_pi,
                                        struct ibv_send_wr *wr)
{
    struct mlx5dv_cq d;
    if (!wr || !describe(cq, &d))
        return EINVAL;
    dpk_verbs_set_wait(wr, d.cqn, wait_pi);
    return 0;
}

int doca_verbs_bridge_poll_cq(struct doca_verbs_cq *cq, int num_entries, struct ibv_wc *wc)
{
    struct cq *q = wc && num_entries >= 0 ? dpk_object_pin(cq, &verbs_cq_kind) : NULL;
    const int count = q && q->ib ? ibv_poll_cq(q->ib, num_entries, wc) : -1;
    dpk_object_drop(q);
    return count;
}

/* ---- Shared receive queues ---- */

LIFE(doca_verbs_srq_init_attr_create, doca_verbs_srq_init_attr_destroy, srq_init_attr)
OBJECT_FIELD(doca_verbs_srq_init_attr_set_pd, doca_verbs_srq_init_attr_get_pd, srq_init_attr,
             struct doca_verbs_pd *, pd, verbs_pd_kind)
FIELD(doca_verbs_srq_init_attr_set_type, doca_verbs_srq_init_attr_get_type, srq_init_attr,
      enum doca_verbs_srq_type, type)
FIELD(doca_verbs_srq_init_attr_set_srq_wr, doca_verbs_srq_init_attr_get_srq_wr, srq_init_attr,
      uint32_t, srq_wr)
FIELD(doca_verbs_srq_init_attr_set_receive_max_sges, doca_verbs_srq_init_attr_get_receive_max_sges,
      srq_init_attr, uint32_t, receive_max_sges)
FIELD(doca_verbs_srq_init_attr_set_external_datapath_en,
      doca_verbs_srq_init_attr_get_external_datapath_en, srq_init_attr, uint8_t,
      external_datapath_en)
OBJECT_FIELD(doca_verbs_srq_init_attr_set_dpa, doca_verbs_srq_init_attr_get_dpa, srq_init_attr,
             struct doca_dpa *, dpa, dpk_dpa_kind)
PLACE_FIELD(doca_verbs_srq_init_attr_set_external_umem, doca_verbs_srq_init_attr_get_external_umem,
            srq_init_attr, external_umem)
PLACE_FIELD(doca_verbs_srq_init_attr_set_external_dbr_umem,
            doca_verbs_srq_init_attr_get_external_dbr_umem, srq_init_attr, external_dbr_umem)

static void srq_left(void *object)
{
    struct srq *s = object;
    if (s->ib)
        dpk_emulated_11.destroy_srq(s->ib);
    verbs_dpa_srq_free(s->dpa);
    s->ib = NULL;
    s->dpa = NULL;
    verbs_unuse(s->pd);
}

static void srq_release(void *object)
{
    free(object);
}
const struct dpk_kind verbs_srq_kind = {.left = srq_left, .release = srq_release};

static doca_error_t cpu_srq_new(struct srq *s, const struct srq_init_attr *a)
{
    struct ibv_srq_init_attr init = {.attr = {.max_wr = a->srq_wr, .max_sge = a->receive_max_sges}};
    if (!s->pd || a->dpa || a->external_umem || a->external_dbr_umem)
        return dpk_doca_because(DOCA_ERROR_INVALID_VALUE,
                                "a shared receive queue of the CPU has a protection domain, and no "
                                "memory or context of the DPA");
    s->ib = dpk_emulated_11.create_srq(s->pd->ib, &init);
    if (!s->ib)
        return verbs_error_of(errno);
    s->made.srq_wr = init.attr.max_wr;
    return DOCA_SUCCESS;
}

static doca_error_t srq_new(const struct context *c, const struct srq_init_attr *a,
                            struct doca_verbs_srq **out)
{
    struct srq *s = calloc(1, sizeof *s);
    if (!s)
        return DOCA_ERROR_NO_MEMORY;
    s->number = verbs_srq_number_new();
    verbs_attr_copy(&s->made, a, sizeof *a);
    s->pd = verbs_use(a->pd, &verbs_pd_kind);
    doca_error_t result = DOCA_ERROR_INVALID_VALUE;
    if (s->pd ? s->pd->ib && s->pd->ib->context == c->ib : !a->pd)
        result =
            a->external_datapath_en ? verbs_dpa_srq_new(a, s->number, &s->dpa) : cpu_srq_new(s, a);
    if (result != DOCA_SUCCESS) {
        srq_left(s);
        free(s);
        return result;
    }
    *out = dpk_object_enter(s, &verbs_srq_kind);
    return *out ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

doca_error_t doca_verbs_srq_create(struct doca_verbs_context *context,
                                   struct doca_verbs_srq_init_attr *attr,
                                   struct doca_verbs_srq **srq)
{
    if (srq)
        *srq = NULL;
    struct context *c = srq ? dpk_object_pin(context, &verbs_context_kind) : NULL;
    struct srq_init_attr *a = c ? dpk_object_lock(attr, &verbs_srq_init_attr_kind) : NULL;
    const doca_error_t result = dpk_object_unlock(a, a ? srq_new(c, a, srq) : DOCA_SUCCESS);
    dpk_object_drop(c);
    return dpk_doca_end(context, __func__, result);
}

doca_error_t doca_verbs_srq_destroy(struct doca_verbs_srq *srq)
{
    return dpk_doca_destroy(srq, &verbs_srq_kind, __func__);
}

doca_error_t doca_verbs_srq_query(struct doca_verbs_srq *srq, struct doca_verbs_srq_init_attr *attr)
{
    struct srq *s = dpk_object_pin(srq, &verbs_srq_kind);
    struct srq_init_attr *a = s ? dpk_object_lock(attr, &verbs_srq_init_attr_kind) : NULL;
    if (a)
        verbs_attr_copy(a, &s->made, sizeof *a);
    dpk_object_drop(s);
    return dpk_doca_end(srq, __func__, dpk_object_unlock(a, DOCA_SUCCESS));
}

void doca_verbs_srq_get_wq(const struct doca_verbs_srq *srq, void **buf, uint32_t *num,
                           uint32_t *rwqe_size)
{
    (void)srq;
    if (buf && num && rwqe_size) {
        *buf = NULL;
        *num = *rwqe_size = 0;
    }
}

void *doca_verbs_srq_get_dbr_addr(const struct doca_verbs_srq *srq)
{
    (void)srq;
    return NULL;
}

uint32_t doca_verbs_srq_get_srqn(const struct doca_verbs_srq *srq)
{
    struct srq *s = dpk_object_pin(srq, &verbs_srq_kind);
    const uint32_t number = s ? s->number : 0;
    dpk_object_drop(s);
    return number;
}

doca_error_t doca_verbs_srq_get_dpa_handle(struct doca_verbs_srq *srq, struct doca_dpa *dpa,
                                           doca_dpa_dev_verbs_srq_t *srq_handle)
{
    struct srq *s = srq_handle ? dpk_object_lock(srq, &verbs_srq_kind) : NULL;
    return dpk_doca_end(
        srq, __func__,
        dpk_object_unlock(s, s && s->dpa ? verbs_dpa_srq_handle(s->dpa, dpa, srq_handle)
                                         : dpk_doca_because(DOCA_ERROR_BAD_STATE,
                                                            "the queue is not of the DPA")));
}

int doca_verbs_bridge_post_srq_recv(struct doca_verbs_srq *srq, struct ibv_recv_wr *wr,
                                    struct ibv_recv_wr **bad_wr)
{
    struct ibv_recv_wr *bad = wr;
    struct srq *s = wr ? dpk_object_pin(srq, &verbs_srq_kind) : NULL;
    const int why = s && s->ib ? ibv_post_srq_recv(s->ib, wr, &bad) : EINVAL;
    dpk_object_drop(s);
    if (why && bad_wr)
        *bad_wr = bad;
    return why;
}
