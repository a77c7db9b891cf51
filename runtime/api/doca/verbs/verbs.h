/*
 * verbs: objects of DOCA Verbs. Those of the CPU are objects of libibverbs (runtime/api/verbs); those
 * of the DPA are a front end of rc of their own (dpa_qp.c, dpa_srq.c); those of a GPU are queues of the
 * port (gpu_cq.c, gpu_qp.c).
 *
 * An object that needs another object is its user, so the other object cannot be destroyed before it.
 * The lock of an object guards its settings.
 */
#ifndef DPK_API_DOCA_VERBS_VERBS_H
#define DPK_API_DOCA_VERBS_VERBS_H

#include <doca_verbs_bridge.h>
#include <sys/queue.h>

#include "api/doca/core/core.h"
#include "api/verbs/verbs.h"

/* The source of asynchronous events. */
struct event_source {
    LIST_ENTRY(event_source) link;
    const void *ib; /* object of libibverbs; NULL: not listed */
    const struct dpk_object *object;
};

struct context {
    struct dpk_object object;
    struct ibv_context *ib;
    bool borrowed; /* from the program */
    LIST_HEAD(, event_source) sources;
};

struct comp_channel {
    struct dpk_object object;
    struct context *context; /* a use */
    struct ibv_comp_channel *ib;
};

struct pd {
    struct dpk_object object;
    struct context *context; /* a use; NULL if the pd was borrowed */
    struct ibv_pd *ib;
};

struct cq {
    struct dpk_object object;
    struct context *context;      /* a use */
    struct comp_channel *channel; /* a use; or NULL */
    struct ibv_cq *ib;            /* of the CPU: its context is this object, */
    struct gpu_cq *gpu;           /* or of a GPU */
    void *cq_context;
    unsigned told; /* events that were taken and not acknowledged; with the lock of channels.c */
    struct event_source source;
};

struct dpa_qp;
struct dpa_srq;
struct gpu_cq;
struct gpu_qp;

extern const struct dpk_kind verbs_context_kind, verbs_pd_kind, verbs_comp_channel_kind,
    verbs_cq_kind, verbs_srq_kind, verbs_qp_kind;
extern const struct dpk_kind verbs_ah_attr_kind, verbs_qp_attr_kind, verbs_qp_init_attr_kind;

/* ---- Attributes of other objects ---- */

struct ah_attr {
    struct dpk_object object;
    struct doca_verbs_gid gid;
    enum doca_verbs_addr_type addr_type;
    uint32_t dlid;
    uint8_t sl, sgid_index, static_rate, hop_limit, traffic_class;
};

struct qp_attr {
    struct dpk_object object;
    enum doca_verbs_qp_state next_state, current_state;
    int allow_remote_write, allow_remote_read;
    enum doca_verbs_qp_atomic_mode atomic_mode;
    enum doca_mtu_size path_mtu;
    uint32_t rq_psn, sq_psn, dest_qp_num;
    struct doca_verbs_ah_attr *ah_attr;
    uint16_t pkey_index, port_num, ack_timeout, retry_cnt, rnr_retry, min_rnr_timer;
    uint8_t max_rd_atomic, max_dest_rd_atomic;
};

struct qp_init_attr {
    struct dpk_object object;
    struct doca_verbs_pd *pd;
    uint32_t qp_type, sq_wr, rq_wr, send_max_sges, receive_max_sges, max_inline_data, user_index;
    int sq_sig_all;
    void *qp_context;
    struct doca_verbs_cq *send_cq, *receive_cq;
    struct doca_verbs_srq *srq;
    uint8_t external_datapath_en;
    struct doca_uar *external_uar;
    struct doca_umem *external_umem, *external_dbr_umem;
    uint64_t external_umem_offset, external_dbr_umem_offset;
    struct doca_dpa_completion *send_dpa_completion, *receive_dpa_completion;
    struct doca_dpa *dpa;
    uint8_t core_direct_master;
    enum doca_verbs_qp_scatter_to_cqe cqe_inline;
    enum doca_verbs_qp_send_dbr_mode send_dbr_mode;
    uint32_t dbr_umem_id, wq_umem_id, uar_id, pdn;
    uint64_t dbr_umem_offset, wq_umem_offset;
};

/* Copies an object of `size` bytes except its first member, a struct dpk_object. */
void verbs_attr_copy(void *to, const void *from, size_t size);

struct qp {
    struct dpk_object object;
    struct context *context; /* a use, as are the next four; NULL: not set */
    struct pd *pd;
    struct cq *send_cq, *receive_cq;
    struct srq *srq;
    struct qp_init_attr made; /* the attributes of its creation; `object` is unused */
    struct ibv_qp *ib;        /* of the CPU, */
    struct dpa_qp *dpa;       /* of the DPA, */
    struct gpu_qp *gpu;       /* or of a GPU */
    struct event_source source;
};

struct srq_init_attr {
    struct dpk_object object;
    struct doca_verbs_pd *pd;
    enum doca_verbs_srq_type type;
    uint32_t srq_wr, receive_max_sges;
    uint8_t external_datapath_en;
    struct doca_umem *external_umem, *external_dbr_umem;
    uint64_t external_umem_offset, external_dbr_umem_offset;
    struct doca_dpa *dpa;
};

struct srq {
    struct dpk_object object;
    struct pd *pd; /* a use; NULL on the DPA */
    uint32_t number;
    struct srq_init_attr made; /* the attributes of its creation; `object` is unused */
    struct ibv_srq *ib;        /* of the CPU, */
    struct dpa_srq *dpa;       /* or of the DPA */
};

/* Creates an object of a kind; *out is its handle. Errors: NO_MEMORY; INVALID_VALUE for NULL. */
doca_error_t verbs_attr_new(size_t size, const struct dpk_kind *kind, void **out);

/* doca_verbs_OBJECT_set_FIELD and doca_verbs_OBJECT_get_FIELD. The setter takes any value; or an
 * object of a kind, or NULL; or a value for which the expression `good` (which may name the field)
 * is true. */
#define FIELD(setter, getter, obj, type, field)                                                    \
    CHECKED_FIELD(setter, getter, obj, type, field, true)
#define OBJECT_FIELD(setter, getter, obj, type, field, kind)                                       \
    CHECKED_FIELD(setter, getter, obj, type, field, verbs_is_a(field, &(kind)))
#define CHECKED_FIELD(setter, getter, obj, type, field, good)                                      \
    doca_error_t setter(struct doca_verbs_##obj *obj, type field)                                  \
    {                                                                                              \
        struct obj *a = (good) ? dpk_object_lock(obj, &verbs_##obj##_kind) : NULL;                 \
        if (a)                                                                                     \
            a->field = field;                                                                      \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }                                                                                              \
    GETTER(getter, obj, type, field)
#define GETTER(getter, obj, type, field)                                                           \
    type getter(const struct doca_verbs_##obj *obj)                                                \
    {                                                                                              \
        struct obj *a = dpk_object_lock(obj, &verbs_##obj##_kind);                                 \
        type field = (type){0};                                                                    \
        if (a)                                                                                     \
            field = a->field;                                                                      \
        dpk_object_unlock(a, DOCA_SUCCESS);                                                        \
        return field;                                                                              \
    }

/* A field for ring memory with an offset. */
#define PLACE_FIELD(setter, getter, obj, field)                                                    \
    doca_error_t setter(struct doca_verbs_##obj *obj, struct doca_umem *umem, uint64_t offset)     \
    {                                                                                              \
        struct obj *a =                                                                            \
            verbs_is_umem_or_null(umem) ? dpk_object_lock(obj, &verbs_##obj##_kind) : NULL;        \
        if (a) {                                                                                   \
            a->field = umem;                                                                       \
            a->field##_offset = offset;                                                            \
        }                                                                                          \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }                                                                                              \
    doca_error_t getter(const struct doca_verbs_##obj *obj, struct doca_umem **umem,               \
                        uint64_t *offset)                                                          \
    {                                                                                              \
        struct obj *a = umem && offset ? dpk_object_lock(obj, &verbs_##obj##_kind) : NULL;         \
        if (a) {                                                                                   \
            *umem = a->field;                                                                      \
            *offset = a->field##_offset;                                                           \
        }                                                                                          \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }

/* A field for an object's number. */
#define NUMBERED_PLACE_FIELD(setter, id_getter, offset_getter, obj, field)                         \
    doca_error_t setter(struct doca_verbs_##obj *obj, uint32_t id, uint64_t offset)                \
    {                                                                                              \
        struct obj *a = dpk_object_lock(obj, &verbs_##obj##_kind);                                 \
        if (a) {                                                                                   \
            a->field##_id = id;                                                                    \
            a->field##_offset = offset;                                                            \
        }                                                                                          \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }                                                                                              \
    GETTER(id_getter, obj, uint32_t, field##_id)                                                   \
    GETTER(offset_getter, obj, uint64_t, field##_offset)

/* A field for a page of doorbells. */
#define UAR_FIELD(setter, getter, obj, field)                                                      \
    doca_error_t setter(struct doca_verbs_##obj *obj, struct doca_uar *uar)                        \
    {                                                                                              \
        struct obj *a =                                                                            \
            !uar || dpk_is_uar(uar) ? dpk_object_lock(obj, &verbs_##obj##_kind) : NULL;            \
        if (a)                                                                                     \
            a->field = uar;                                                                        \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }                                                                                              \
    doca_error_t getter(const struct doca_verbs_##obj *obj, struct doca_uar **uar)                 \
    {                                                                                              \
        struct obj *a = uar ? dpk_object_lock(obj, &verbs_##obj##_kind) : NULL;                    \
        if (a)                                                                                     \
            *uar = a->field;                                                                       \
        return dpk_doca_end(obj, __func__, dpk_object_unlock(a, DOCA_SUCCESS));                    \
    }

/* Defines the functions that create and destroy an object that is only a structure. */
#define LIFE(create, destroy, obj)                                                                 \
    static void obj##_release(void *object)                                                        \
    {                                                                                              \
        free(object);                                                                              \
    }                                                                                              \
    const struct dpk_kind verbs_##obj##_kind = {.release = obj##_release};                         \
    doca_error_t create(struct doca_verbs_##obj **obj)                                             \
    {                                                                                              \
        return dpk_doca_end(                                                                       \
            NULL, __func__,                                                                        \
            verbs_attr_new(sizeof(struct obj), &verbs_##obj##_kind, (void **)obj));                \
    }                                                                                              \
    doca_error_t destroy(struct doca_verbs_##obj *obj)                                             \
    {                                                                                              \
        return dpk_doca_destroy(obj, &verbs_##obj##_kind, __func__);                               \
    }

/* Returns true if a handle is NULL, or of that kind. */
bool verbs_is_a(const void *handle, const struct dpk_kind *kind);
bool verbs_is_umem_or_null(const struct doca_umem *umem);
/* Returns the DOCA error for an errno of libibverbs. */
doca_error_t verbs_error_of(int why);
/* Pins an object of a kind and adds a use; returns NULL if the handle is not of the kind. unuse is
 * its opposite; of NULL too. */
void *verbs_use(const void *handle, const struct dpk_kind *kind);
void verbs_unuse(void *object);
/* Converts a change to a queue pair to the attributes of libibverbs, and their mask. Errors:
 * INVALID_VALUE if a value is invalid, NOT_SUPPORTED for a group of congestion control. */
doca_error_t verbs_change_of(const struct qp_attr *a, int mask, struct ibv_qp_attr *out,
                             int *out_mask);
/* Converts attributes of libibverbs back, except the address. */
void verbs_change_tell(const struct ibv_qp_attr *from, struct qp_attr *to);
#define CHANGES      (2 * DOCA_VERBS_QP_ATTR_MAX_DEST_RD_ATOMIC - 1)
#define CHANGES_TOLD (CHANGES & ~DOCA_VERBS_QP_ATTR_AH_ATTR)

/* ---- Events: channels.c ---- */

void verbs_source_add(struct context *c, struct event_source *s, const void *ib,
                      const struct dpk_object *object);
/* Removes an object. The object need not have been added. */
void verbs_source_remove(struct event_source *s);
/* Waits until the program has acknowledged all events that it took of a completion queue. */
void verbs_await_acknowledgements(const struct cq *q);

/* ---- Ethernet queues ---- */

#define ETH_ENTRIES_MAX 32768u   /* the port's counters have 16 bits */
#define NANOSECONDS_KHZ 1000000u /* the clock of timestamps */
/* Returns true if completions can have times of that clock. */
bool verbs_eth_has_clock(uint8_t ts_source_type);

/* ---- Queue pairs of the DPA: dpa_qp.c ---- */

/* `shared`: NULL, or where it takes its receives. INVALID_VALUE, BAD_STATE, NO_MEMORY,
 * NOT_SUPPORTED: as doca_verbs_qp_create says. */
doca_error_t verbs_dpa_qp_new(struct ibv_pd *pd, const struct qp_init_attr *init,
                              struct dpa_srq *shared, struct dpa_qp **out);
void verbs_dpa_qp_free(struct dpa_qp *q);
doca_error_t verbs_dpa_qp_modify(struct dpa_qp *q, const struct ibv_qp_attr *a, int mask);
uint32_t verbs_dpa_qp_number(const struct dpa_qp *q);
doca_error_t verbs_dpa_qp_handle(const struct dpa_qp *q, const struct doca_dpa *dpa,
                                 uint64_t *handle);

/* ---- Shared receive queues of the DPA: dpa_srq.c ---- */

/* Returns a number that no other shared receive queue of this process has. */
uint32_t verbs_srq_number_new(void);
/* Errors: as of doca_verbs_srq_create. */
doca_error_t verbs_dpa_srq_new(const struct srq_init_attr *init, uint32_t number,
                               struct dpa_srq **out);
void verbs_dpa_srq_free(struct dpa_srq *s);
doca_error_t verbs_dpa_srq_handle(const struct dpa_srq *s, const struct doca_dpa *dpa,
                                  uint64_t *handle);

#endif
