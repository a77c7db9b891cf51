/* Objects of steering, made by commands of the ConnectX PRM, which programs pass to mlx5dv_devx_obj_create.
 * Commands are big-endian and start with an opcode; answers start with a status. */
#include "devx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "match.h"

enum opcode {
    ALLOC_TRANSPORT_DOMAIN = 0x816,
    CREATE_TIR = 0x900,
    MODIFY_TIR = 0x901,
    CREATE_RQT = 0x916,
    MODIFY_RQT = 0x917,
    ALLOC_FLOW_COUNTER = 0x939,
    QUERY_FLOW_COUNTER = 0x93b,
};
enum status { BAD_OPERATION = 2, BAD_PARAMETER = 3, BAD_RESOURCE = 5, NO_RESOURCES = 15 };
enum { ANSWER = 16, CONTEXT = 32 }; /* bytes of an answer; offset of an object's context */

/* A command, and the place for its answer. */
struct command {
    const char *call;
    unsigned opcode;
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_size;
};

static const char *name_of(unsigned opcode)
{
    switch (opcode) {
    case ALLOC_TRANSPORT_DOMAIN:
        return "ALLOC_TRANSPORT_DOMAIN";
    case CREATE_TIR:
        return "CREATE_TIR";
    case MODIFY_TIR:
        return "MODIFY_TIR";
    case CREATE_RQT:
        return "CREATE_RQT";
    case MODIFY_RQT:
        return "MODIFY_RQT";
    case ALLOC_FLOW_COUNTER:
        return "ALLOC_FLOW_COUNTER";
    case QUERY_FLOW_COUNTER:
        return "QUERY_FLOW_COUNTER";
    default:
        return NULL;
    }
}

/* Reports the reason. Returns the errno. */
static int refuse(const struct command *c, enum status status, const char *reason)
{
    c->out[0] = (uint8_t)status;
    return verbs_match_refuse(status == BAD_OPERATION ? EOPNOTSUPP : EREMOTEIO, c->call, "%s: %s",
                              name_of(c->opcode), reason);
}

static int refused_by_port(const struct command *c, const struct dpk_error *err)
{
    switch (err->status) {
    case DPK_ERR_NOMEM:
        return refuse(c, NO_RESOURCES, err->message);
    case DPK_ERR_NOT_FOUND:
        return refuse(c, BAD_RESOURCE, err->message);
    default:
        return refuse(c, BAD_PARAMETER, err->message);
    }
}

/* Starts a command. Returns 0 or an errno. */
static int command_begin(struct command *c, const char *call, const void *in, size_t in_size,
                         void *out, size_t out_size)
{
    struct dpk_reader r = dpk_reader(in, in ? in_size : 0);
    *c = (struct command){
        .call = call, .in = in, .in_size = in_size, .out = out, .out_size = out_size};
    c->opcode = dpk_read_be16(&r);
    if (r.failed || !out || out_size < ANSWER)
        return verbs_match_refuse(EINVAL, call,
                                  "a command of %zu bytes, room for %zu of its answer",
                                  in ? in_size : 0, out ? out_size : 0);
    memset(out, 0, out_size);
    return 0;
}

static int not_emulated(const struct command *c)
{
    c->out[0] = BAD_OPERATION;
    return verbs_match_refuse(EOPNOTSUPP, c->call, "emulated devices do not have the command 0x%x",
                              c->opcode);
}

static uint32_t read24(const uint8_t *at)
{
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static uint32_t read16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* ---- Indirection tables (struct rqtc) ---- */

enum { RQT_KIND = CONTEXT + 20, RQT_MAX = CONTEXT + 22, RQT_SIZE = CONTEXT + 26 };
enum { RQT_LIST = CONTEXT + 240, RQT_KIND_MASK = 7 };

/* Returns the receive queue numbers of a command. If it returns NULL, *why is the errno. */
static uint32_t *rqt_numbers(const struct command *c, uint32_t max, uint32_t *count, int *why)
{
    *count = c->in_size >= RQT_LIST ? read16(c->in + RQT_SIZE) : 0;
    if (*count == 0 || (c->in_size - RQT_LIST) / sizeof(uint32_t) < *count)
        *why = refuse(c, BAD_PARAMETER, "the list of receive queues is empty or cut off");
    else if (*count > max)
        *why = refuse(c, BAD_PARAMETER, "rqt_actual_size is more than rqt_max_size");
    else if (c->in[RQT_KIND] & RQT_KIND_MASK)
        *why = refuse(c, BAD_OPERATION, "list_q_type is not that of receive queues");
    else
        *why = 0;
    uint32_t *numbers = *why ? NULL : malloc(*count * sizeof *numbers);
    if (!*why && !numbers)
        *why = refuse(c, NO_RESOURCES, "out of memory");
    for (uint32_t i = 0; numbers && i < *count; i++)
        numbers[i] = read24(c->in + RQT_LIST + (size_t)i * 4 + 1);
    return numbers;
}

static int rqt_create(const struct command *c, struct dpk_steering *s, struct devx *d)
{
    struct dpk_error err = {0};
    uint32_t count;
    int why;
    d->size_max = c->in_size >= RQT_LIST ? read16(c->in + RQT_MAX) : 0;
    uint32_t *numbers = rqt_numbers(c, d->size_max, &count, &why);
    if (numbers && dpk_flow_rqt_new(s, numbers, count, &d->rqt, &err) != DPK_OK)
        why = refused_by_port(c, &err);
    free(numbers);
    if (why)
        return why;
    d->kind = DEVX_RQT;
    d->number = dpk_flow_rqt_number(d->rqt);
    return 0;
}

static int rqt_modify(const struct command *c, struct devx *d)
{
    enum { NUMBER = 9, BITMASK_END = 23, LIST = 1 };
    struct dpk_error err = {0};
    uint32_t count;
    int why;
    if (c->in_size < CONTEXT || read24(c->in + NUMBER) != d->number)
        return refuse(c, BAD_RESOURCE, "rqtn is not that of the object");
    if (!(c->in[BITMASK_END] & LIST))
        return 0; /* no change is requested */
    uint32_t *numbers = rqt_numbers(c, d->size_max, &count, &why);
    if (numbers && dpk_flow_rqt_set(d->rqt, numbers, count, &err) != DPK_OK)
        why = refused_by_port(c, &err);
    free(numbers);
    return why;
}

/* ---- Receivers (struct tirc) ---- */

enum { HASH_NONE, HASH_XOR8, HASH_TOEPLITZ };
enum {
    TIR_KIND = CONTEXT + 4, /* disp_type (4 bits), tls_en */
    TIR_QUEUE = CONTEXT + 29,
    TIR_FLAGS = CONTEXT + 32, /* rx_hash_symmetric, -, tunneled_offload_en */
    TIR_TABLE = CONTEXT + 33,
    TIR_HASH = CONTEXT + 36, /* rx_hash_fn (4 bits) */
    TIR_KEY = CONTEXT + 40,
    TIR_OUTER = CONTEXT + 80, /* l3_prot_type, l4_prot_type, selected_fields */
    TIR_INNER = CONTEXT + 84,
    TIR_END = CONTEXT + 88,
};
enum { DIRECT = 0, INDIRECT = 1, TLS = 8, SYMMETRIC = 0x80, IPV6 = 0x80, UDP = 0x40, FIELDS = 15 };

/* Returns why a receiver is not emulated, or NULL. */
static const char *tir_lacks(const struct command *c)
{
    const unsigned kind = c->in[TIR_KIND] >> 4, hash = c->in[TIR_HASH] >> 4;
    if (kind > INDIRECT)
        return "there is no such disp_type";
    if (c->in[TIR_KIND] & TLS)
        return "emulated devices do not have tls_en";
    if (hash > HASH_TOEPLITZ)
        return "there is no such rx_hash_fn";
    if (hash == HASH_XOR8 && (kind == INDIRECT || c->opcode == MODIFY_TIR))
        return "emulated devices do not have the rx_hash_fn INVERTED_XOR8";
    if (read24(c->in + TIR_INNER + 1) != 0)
        return "emulated devices do not have rx_hash_field_selector_inner";
    if (read24(c->in + TIR_OUTER + 1) & ~(uint32_t)FIELDS)
        return "rx_hash_field_selector_outer has other fields than addresses of IP and ports";
    return NULL;
}

static struct dpk_rss rss_of(const struct command *c)
{
    struct dpk_rss rss = {.hashes = c->in[TIR_HASH] >> 4 == HASH_TOEPLITZ,
                          .symmetric = c->in[TIR_FLAGS] & SYMMETRIC,
                          .ipv6 = c->in[TIR_OUTER] & IPV6,
                          .udp = c->in[TIR_OUTER] & UDP,
                          .fields = c->in[TIR_OUTER + 3] & FIELDS};
    memcpy(rss.key, c->in + TIR_KEY, DPK_RSS_KEY);
    return rss;
}

static int tir_create(const struct command *c, struct dpk_steering *s, struct devx *d)
{
    struct dpk_error err = {0};
    if (c->in_size < TIR_END)
        return refuse(c, BAD_PARAMETER, "the command is cut off");
    const char *lacks = tir_lacks(c);
    if (lacks)
        return refuse(c, BAD_OPERATION, lacks);
    const bool direct = c->in[TIR_KIND] >> 4 == DIRECT;
    const struct dpk_rss rss = rss_of(c);
    if (dpk_flow_tir_new(s, &rss, direct, read24(c->in + (direct ? TIR_QUEUE : TIR_TABLE)), &d->tir,
                         &err) != DPK_OK)
        return refused_by_port(c, &err);
    d->kind = DEVX_TIR;
    d->number = dpk_flow_tir_number(d->tir);
    return 0;
}

/* Bits of the command select the changes. Only the hash of a receiver can change. */
static int tir_modify(const struct command *c, const struct devx *d)
{
    enum { NUMBER = 9, BITMASK = 16, BITMASK_BYTES = 8, HASH = 4 };
    if (c->in_size < TIR_END || read24(c->in + NUMBER) != d->number)
        return refuse(c, BAD_RESOURCE, "tirn is not that of the object");
    struct dpk_reader r = dpk_reader(c->in + BITMASK, BITMASK_BYTES);
    const uint64_t changes = dpk_read_be64(&r);
    if (changes & ~(uint64_t)HASH)
        return refuse(c, BAD_OPERATION, "emulated devices change nothing but the hash");
    const char *lacks = tir_lacks(c);
    if (lacks)
        return refuse(c, BAD_OPERATION, lacks);
    const struct dpk_rss rss = rss_of(c);
    if (changes & HASH)
        dpk_flow_tir_set(d->tir, &rss);
    return 0;
}

/* ---- Flow counters ---- */

/* Makes one counter, or 2^flow_counter_bulk_log_size, or 128 for each unit of flow_counter_bulk. */
static int counters_create(const struct command *c, struct ibv_context *context, struct devx *d)
{
    enum { LOG = 14, BULK = 15, LOG_MASK = 31, LOG_MAX = 23, IN_BULK = 128 };
    const uint32_t bulk = c->in_size > BULK ? c->in[BULK] : 0;
    const uint32_t log = c->in_size > BULK ? c->in[LOG] & LOG_MASK : 0;
    if (log > LOG_MAX)
        return refuse(c, BAD_PARAMETER, "flow_counter_bulk_log_size is more than 23");
    d->kind = DEVX_COUNTERS;
    d->counter_count = log ? 1u << log : bulk ? bulk * IN_BULK : 1;
    d->counters = calloc(d->counter_count, sizeof *d->counters);
    if (!d->counters)
        return refuse(c, NO_RESOURCES, "out of memory");
    d->number = atomic_fetch_add(&context_of(context)->device.flow_counters, d->counter_count) + 1;
    return 0;
}

static uint64_t counter_value(atomic_uint_least64_t *value, bool clear)
{
    return clear ? atomic_exchange(value, 0) : atomic_load(value);
}

/* Gets packets and bytes of num_of_counters counters (0: one), starting with flow_counter_id. */
static int counters_query(const struct command *c, struct devx *d)
{
    enum { FLAGS = 24, END = 32, CLEAR = 0x80, TO_MEMORY = 0x40, SIZE = 16 };
    if (c->in_size < END)
        return refuse(c, BAD_PARAMETER, "the command is cut off");
    if (c->in[FLAGS] & TO_MEMORY)
        return refuse(c, BAD_OPERATION, "emulated devices do not have dump_to_memory");
    struct dpk_reader r = dpk_reader(c->in + FLAGS, END - FLAGS);
    const uint32_t asked = dpk_read_be32(&r) & 0x3fffffff, first = dpk_read_be32(&r) - d->number;
    const uint32_t count = asked ? asked : 1;
    if (first >= d->counter_count || d->counter_count - first < count)
        return refuse(c, BAD_RESOURCE, "flow_counter_id is not one of the object");
    if ((c->out_size - ANSWER) / SIZE < count)
        return refuse(c, BAD_PARAMETER, "the answer has no room for the counters");
    for (uint32_t i = 0; i < count; i++) {
        struct dpk_flow_counter *counter = &d->counters[first + i];
        uint8_t *at = c->out + ANSWER + (size_t)i * SIZE;
        dpk_store_be64(at, counter_value(&counter->packets, c->in[FLAGS] & CLEAR));
        dpk_store_be64(at + 8, counter_value(&counter->octets, c->in[FLAGS] & CLEAR));
    }
    return 0;
}

/* ---- Objects ---- */

struct devx *verbs_devx_of(struct mlx5dv_devx_obj *obj, enum devx_kind kind)
{
    struct devx *d = obj && obj->maker == DPK_DEVX_OF_STEERING ? (struct devx *)obj : NULL;
    return d && d->kind == kind ? d : NULL;
}

void verbs_devx_release(struct devx *d)
{
    if (atomic_fetch_sub(&d->users, 1) != 1)
        return;
    if (d->tir)
        dpk_flow_tir_free(d->tir);
    free(d->counters);
    free(d);
}

static int create(const struct command *c, struct ibv_context *context, struct devx *d)
{
    struct dpk_steering *s = dpk_verbs_device(context)->steering;
    switch (c->opcode) {
    case CREATE_RQT:
        return rqt_create(c, s, d);
    case CREATE_TIR:
        return tir_create(c, s, d);
    case ALLOC_FLOW_COUNTER:
        return counters_create(c, context, d);
    case ALLOC_TRANSPORT_DOMAIN: /* TIRs and TISs refer to it; it has no effect */
        d->kind = DEVX_TRANSPORT_DOMAIN;
        d->number = 1;
        return 0;
    default:
        return not_emulated(c);
    }
}

struct mlx5dv_devx_obj *dpk_verbs_devx_create(struct ibv_context *context, const void *in,
                                              size_t inlen, void *out, size_t outlen)
{
    enum { NUMBER = 8 }; /* in the answer */
    struct command c;
    int why = command_begin(&c, "mlx5dv_devx_obj_create", in, inlen, out, outlen);
    struct devx *d = why || !context ? NULL : calloc(1, sizeof *d);
    if (!why && !context)
        why = EINVAL;
    else if (!why)
        why = d ? create(&c, context, d) : ENOMEM;
    if (why) {
        free(d);
        errno = why;
        return NULL;
    }
    d->obj = (struct mlx5dv_devx_obj){.context = context, .maker = DPK_DEVX_OF_STEERING};
    atomic_init(&d->users, 1);
    dpk_store_be32(c.out + NUMBER, d->number);
    return &d->obj;
}

int dpk_verbs_devx_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                          size_t outlen)
{
    struct command c;
    const int why = command_begin(&c, "mlx5dv_devx_obj_modify", in, inlen, out, outlen);
    struct devx *rqt = verbs_devx_of(obj, DEVX_RQT), *tir = verbs_devx_of(obj, DEVX_TIR);
    if (why)
        return why;
    if (c.opcode == MODIFY_TIR && tir)
        return tir_modify(&c, tir);
    return c.opcode == MODIFY_RQT && rqt ? rqt_modify(&c, rqt) : not_emulated(&c);
}

int dpk_verbs_devx_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out,
                         size_t outlen)
{
    struct command c;
    const int why = command_begin(&c, "mlx5dv_devx_obj_query", in, inlen, out, outlen);
    struct devx *counters = verbs_devx_of(obj, DEVX_COUNTERS);
    if (why)
        return why;
    return c.opcode == QUERY_FLOW_COUNTER && counters ? counters_query(&c, counters)
                                                      : not_emulated(&c);
}

static int receiver_destroy(struct mlx5dv_devx_obj *obj)
{
    if (!obj->receiver)
        return EINVAL;
    if (dpk_flow_leads_to(dpk_verbs_device(obj->context)->steering, obj->receiver))
        return EBUSY;
    obj->receiver = NULL;
    return 0;
}

int dpk_verbs_devx_destroy(struct mlx5dv_devx_obj *obj)
{
    if (!obj)
        return EINVAL;
    if (obj->maker == DPK_DEVX_OF_QUEUE)
        return receiver_destroy(obj);
    struct devx *d = (struct devx *)obj;
    if ((d->tir && dpk_flow_tir_is_used(d->tir)) || (d->rqt && !dpk_flow_rqt_free(d->rqt)))
        return EBUSY;
    atomic_store(&d->gone, true);
    verbs_devx_release(d);
    return 0;
}
