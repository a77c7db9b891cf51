/*
 * Any program that steers frames: commands for receivers and counters, matchers, actions and rules
 * of mlx5dv, and frames in between. The input is a list of steps: kind, number of bytes, bytes.
 * Each frame and each copy of a frame must be counted once when it leaves, arrives or is dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "api/verbs/context.h"
#include "api/verbs/devx.h"
#include "api/verbs/steering.h"
#include "net/queues/model.h"
#include "queue_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RINGS = 0x1000, BUFFERS = 0x4000, KEPT = 8, QUEUES = 2, STEPS = 64 };
enum { LOG = 3, CQ_LOG = 3, DOMAINS = 3 };

struct program {
    struct context context;
    struct mlx5dv_dr_domain *domains[DOMAINS];
    struct mlx5dv_dr_table *tables[DOMAINS][2]; /* the root table, and another table */
    struct mlx5dv_devx_obj *objects[KEPT], receivers[QUEUES];
    struct mlx5dv_dr_matcher *matchers[KEPT];
    struct mlx5dv_dr_action *actions[KEPT];
    struct mlx5dv_dr_rule *rules[KEPT];
    struct dpk_queue *cq;
    uint64_t given, left; /* numbers of frames */
};

static uint8_t memory[MEMORY];

/* Some frames that leave come back in. */
static bool leaves(void *context, const uint8_t *frame, size_t size)
{
    struct program *p = context;
    if (size < DPK_FRAME_MIN || size > DPK_FRAME_MAX)
        abort();
    const bool out = frame[0] & 1;
    p->left += out;
    return out;
}

static void warn(void *context, const char *reason)
{
    (void)context, (void)reason;
}

/* ---- Steps; impossible steps are skipped ---- */

/* A step that uses a place again loses the old object. */
static unsigned place(unsigned index)
{
    return index % KEPT;
}

static void take_parameters(struct dpk_reader *r, size_t most, uint64_t buffer[65])
{
    struct mlx5dv_flow_match_parameters *p = (void *)buffer;
    const size_t left = dpk_reader_left(r), size = left < most ? left : most;
    memset(buffer, 0, 65 * sizeof *buffer);
    p->match_sz = size;
    if (size > 0)
        memcpy(p->match_buf, dpk_read_bytes(r, size), size);
}

static void make_object(struct program *p, struct dpk_reader *r)
{
    uint8_t out[64];
    struct mlx5dv_devx_obj **to = &p->objects[place(dpk_read_u8(r))];
    const size_t size = dpk_reader_left(r);
    if (!*to)
        *to = dpk_mlx5_devx_obj_create(&p->context.extended.context, dpk_read_bytes(r, size), size,
                                       out, 16);
}

static void use_object(struct program *p, struct dpk_reader *r, bool query)
{
    uint8_t out[80];
    struct mlx5dv_devx_obj *obj = p->objects[place(dpk_read_u8(r))];
    const size_t size = dpk_reader_left(r);
    if (query)
        dpk_mlx5_devx_obj_query(obj, dpk_read_bytes(r, size), size, out, sizeof out);
    else
        dpk_mlx5_devx_obj_modify(obj, dpk_read_bytes(r, size), size, out, 16);
}

static void make_matcher(struct program *p, struct dpk_reader *r)
{
    uint64_t mask[65];
    struct mlx5dv_dr_matcher **to = &p->matchers[place(dpk_read_u8(r))];
    const uint8_t domain = dpk_read_u8(r) % DOMAINS, table = dpk_read_u8(r) % 2;
    const uint8_t priority = dpk_read_u8(r), criteria = dpk_read_u8(r);
    take_parameters(r, 512, mask);
    if (!*to)
        *to =
            dpk_mlx5_dr_matcher_create(p->tables[domain][table], priority, criteria, (void *)mask);
}

static struct mlx5dv_dr_action *array_of(struct program *p, struct mlx5dv_dr_domain *domain,
                                         struct dpk_reader *r)
{
    struct mlx5dv_dr_action_dest_reformat reformats[4];
    struct mlx5dv_dr_action_dest_attr parts[4], *list[4];
    size_t count = 0;
    for (; count < 4 && dpk_reader_left(r) >= 2; count++) {
        const uint8_t to = dpk_read_u8(r), by = dpk_read_u8(r);
        reformats[count].dest = p->actions[place(to)];
        reformats[count].reformat = p->actions[place(by)];
        parts[count].type = by & 0x80 ? MLX5DV_DR_ACTION_DEST_REFORMAT : MLX5DV_DR_ACTION_DEST;
        if (by & 0x80)
            parts[count].dest_reformat = &reformats[count];
        else
            parts[count].dest = reformats[count].dest;
        list[count] = &parts[count];
    }
    return dpk_mlx5_dr_action_create_dest_array(domain, count, list);
}

static struct mlx5dv_dr_action *action_of(struct program *p, struct dpk_reader *r)
{
    const uint8_t kind = dpk_read_u8(r), with = dpk_read_u8(r);
    struct mlx5dv_dr_domain *domain = p->domains[with % DOMAINS];
    const size_t size = dpk_reader_left(r);
    uint8_t *bytes = size ? (uint8_t *)(uintptr_t)dpk_read_bytes(r, 0) : NULL;
    struct dpk_reader list = *r;
    __be64 fields[32] = {0};
    switch (kind % 9) {
    case 0:
        memcpy(fields, bytes ? bytes : (uint8_t *)fields, size < sizeof fields ? size : 0);
        return dpk_mlx5_dr_action_create_modify_header(domain, 0, size < sizeof fields ? size : 0,
                                                       fields);
    case 1:
        return dpk_mlx5_dr_action_create_packet_reformat(
            domain, 0, (enum mlx5dv_flow_action_packet_reformat_type)(with / DOMAINS % 4), size,
            bytes);
    case 2:
        memcpy(fields, bytes ? bytes : (uint8_t *)fields, size < 4 ? size : 4);
        return dpk_mlx5_dr_action_create_push_vlan(domain, (__be32)fields[0]);
    case 3:
        return dpk_mlx5_dr_action_create_flow_counter(p->objects[place(with)], dpk_read_u8(&list));
    case 4:
        return dpk_mlx5_dr_action_create_dest_devx_tir(p->objects[place(with)]);
    case 5:
        return dpk_mlx5_dr_action_create_dest_devx_tir(&p->receivers[with % QUEUES]);
    case 6:
        return dpk_mlx5_dr_action_create_dest_vport(domain, size ? UINT16_MAX : 0);
    case 7:
        return dpk_mlx5_dr_action_create_dest_table(p->tables[with % DOMAINS][1]);
    default:
        return array_of(p, domain, &list);
    }
}

/* Returns an action of the system's library, which is known only by its address. */
static struct mlx5dv_dr_action *noted(uint8_t which)
{
    static const uint64_t addresses[4];
    return (struct mlx5dv_dr_action *)(uintptr_t)&addresses[which % 4];
}

static void make_rule(struct program *p, struct dpk_reader *r)
{
    uint64_t value[65];
    struct mlx5dv_dr_action *actions[32];
    struct mlx5dv_dr_rule **to = &p->rules[place(dpk_read_u8(r))];
    struct mlx5dv_dr_matcher *m = p->matchers[place(dpk_read_u8(r))];
    const size_t count = dpk_read_u8(r) % 32;
    for (size_t i = 0; i < count; i++) {
        const uint8_t which = dpk_read_u8(r);
        actions[i] = which & 0x80 ? noted(which) : p->actions[place(which)];
        if (!actions[i])
            return;
    }
    take_parameters(r, 512, value);
    if (!*to)
        *to = dpk_mlx5_dr_rule_create(m, (void *)value, count, actions);
}

static void destroy(struct program *p, struct dpk_reader *r)
{
    const unsigned kind = dpk_read_u8(r), which = place(dpk_read_u8(r));
    if (kind % 4 == 0 && dpk_mlx5_dr_rule_destroy(p->rules[which]) == 0)
        p->rules[which] = NULL;
    if (kind % 4 == 1 && dpk_mlx5_dr_matcher_destroy(p->matchers[which]) == 0)
        p->matchers[which] = NULL;
    if (kind % 4 == 2 && dpk_mlx5_dr_action_destroy(p->actions[which]) == 0)
        p->actions[which] = NULL;
    if (kind % 4 == 3 && dpk_mlx5_devx_obj_destroy(p->objects[which]) == 0)
        p->objects[which] = NULL;
}

static void frame(struct program *p, struct dpk_queues *nic, struct dpk_reader *r, bool sent)
{
    const struct passage how = {.sent = sent, .metadata = dpk_read_be32(r)};
    const size_t size = dpk_reader_left(r);
    if (size < DPK_FRAME_MIN || size > DPK_FRAME_MAX)
        return;
    uint8_t *exact = malloc(size);
    if (!exact)
        abort();
    memcpy(exact, dpk_read_bytes(r, size), size);
    p->given++;
    dpk_rc_lock(nic->rc);
    queues_steering_pass(nic, exact, size, &how);
    dpk_rc_unlock(nic->rc);
    free(exact);
}

/* All given frames and all copies that rules made must be counted once. */
static void check_counters(const struct program *p, struct dpk_queues *nic,
                           struct dpk_counters *counters)
{
    static struct dpk_counters_seen seen;
    dpk_counters_read(counters, false, &seen);
    uint64_t ends = p->left + dpk_frames_waiting(nic) + seen.port[DPK_RECEIVED];
    for (unsigned i = DPK_FIRST_DROP; i < DPK_DROPS_END; i++)
        ends += seen.port[i];
    if (ends != p->given + seen.port[DPK_COPIED])
        abort();
}

static void step(struct program *p, struct dpk_queues *nic, uint8_t what, struct dpk_reader *r)
{
    struct mlx5dv_dr_action **to;
    switch (what % 9) {
    case 0:
        make_object(p, r);
        break;
    case 1:
    case 2:
        use_object(p, r, what % 9 == 2);
        break;
    case 3:
        make_matcher(p, r);
        break;
    case 4:
        to = &p->actions[place(dpk_read_u8(r))];
        if (!*to)
            *to = action_of(p, r);
        break;
    case 5:
        make_rule(p, r);
        break;
    case 6:
        destroy(p, r);
        break;
    default:
        frame(p, nic, r, what % 9 == 8);
    }
}

/* ---- The device ---- */

static struct dpk_queue *make(struct dpk_queues *nic, const struct dpk_queue_options *o)
{
    struct dpk_queue *q;
    if (dpk_queue_create(nic, o, &q, NULL) != DPK_OK)
        abort();
    return q;
}

/* Makes receive queues, each filled with receives. */
static void make_queues(struct program *p, struct dpk_queues *nic,
                        const struct dpk_memory_domain *domain, uint32_t key)
{
    p->cq = make(nic, &(struct dpk_queue_options){.kind = DPK_CQ,
                                                  .log_depth = CQ_LOG,
                                                  .ring = {memory, 0x400},
                                                  .record = {memory, 0},
                                                  .overrun_ignore = true});
    for (unsigned i = 0; i < QUEUES; i++) {
        const uint64_t ring = RINGS + i * 0x400, record = 8 + i * 8;
        for (unsigned n = 0; n < 1u << LOG; n++) {
            dpk_store_be32(memory + ring + n * 16, i ? 0x4000 : 64);
            dpk_store_be32(memory + ring + n * 16 + 4, key);
            dpk_store_be32(memory + ring + n * 16 + 12, BUFFERS);
        }
        dpk_store_be32(memory + record, 1u << LOG);
        p->receivers[i] = (struct mlx5dv_devx_obj){
            .context = &p->context.extended.context,
            .receiver = make(nic, &(struct dpk_queue_options){.kind = DPK_RQ,
                                                              .log_depth = LOG,
                                                              .log_stride = 4,
                                                              .ring = {memory, ring},
                                                              .record = {memory, record},
                                                              .receive_cq = p->cq,
                                                              .domain = domain})};
    }
}

static void make_tables(struct program *p)
{
    for (unsigned i = 0; i < DOMAINS; i++) {
        p->domains[i] =
            dpk_mlx5_dr_domain_create(&p->context.extended.context, (enum mlx5dv_dr_domain_type)i);
        for (unsigned level = 0; level < 2; level++)
            if (!p->domains[i] ||
                !(p->tables[i][level] = dpk_mlx5_dr_table_create(p->domains[i], level)))
                abort();
    }
}

static void end_tables(struct program *p)
{
    for (unsigned i = 0; i < DOMAINS; i++)
        if (dpk_mlx5_dr_table_destroy(p->tables[i][0]) ||
            dpk_mlx5_dr_table_destroy(p->tables[i][1]) || dpk_mlx5_dr_domain_destroy(p->domains[i]))
            abort();
}

/* Destroys everything: arrays before their parts, receivers before tables. */
static void end_program(struct program *p)
{
    for (unsigned i = 0; i < KEPT; i++)
        if (p->rules[i] && dpk_mlx5_dr_rule_destroy(p->rules[i]) != 0)
            abort();
    for (unsigned i = 0; i < 2 * KEPT; i++)
        if (p->actions[place(i)] && dpk_mlx5_dr_action_destroy(p->actions[place(i)]) == 0)
            p->actions[place(i)] = NULL;
    for (unsigned i = 0; i < 2 * KEPT; i++)
        if (p->objects[place(i)] && dpk_mlx5_devx_obj_destroy(p->objects[place(i)]) == 0)
            p->objects[place(i)] = NULL;
    for (unsigned i = 0; i < KEPT; i++)
        if (p->actions[i] || p->objects[i] ||
            (p->matchers[i] && dpk_mlx5_dr_matcher_destroy(p->matchers[i]) != 0))
            abort();
    end_tables(p);
}

static uint32_t begin_once(struct dpk_memory_domain *domain)
{
    static uint32_t key;
    if (key)
        return key;
    static const enum dpk_mlx5_noted kinds[] = {DPK_MLX5_DROPS, DPK_MLX5_MISSES, DPK_MLX5_TAGS,
                                                DPK_MLX5_POPS_VLAN};
    for (uint8_t i = 0; i < 4; i++)
        dpk_mlx5_dr_action_note(noted(i), kinds[i], 0x123456);
    stderr = fopen("/dev/null", "w"); /* hides reasons; a sanitizer writes to its own file */
    if (!stderr || dpk_memory_add(&(struct dpk_memory){.kind = DPK_MEMORY_HOST,
                                                       .rights = ~0u,
                                                       .size = MEMORY,
                                                       .host = memory,
                                                       .domains = {domain}},
                                  &key, NULL) != DPK_OK)
        abort();
    return key;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct dpk_queue_ops ops = {load,   store, completed, listens,
                                             leaves, waits, warn,      NULL};
    static struct dpk_memory_domain domain;
    static struct program p;
    const struct dpk_uuid identity = {{1}};
    const uint32_t key = begin_once(&domain);
    struct dpk_rc *rc;
    struct dpk_queues *nic;
    struct dpk_counters *counters;
    struct dpk_steering *s = dpk_steering_new();
    memset(&p, 0, sizeof p);
    memset(memory, 0, sizeof memory);
    p.context.device.steering = s;
    if (!s || dpk_rc_open(&identity, &rc, NULL) != DPK_OK ||
        dpk_counters_open(NULL, &counters, NULL) != DPK_OK ||
        dpk_queues_open(&ops, &p, rc, s, counters, &nic, NULL) != DPK_OK)
        abort();
    make_queues(&p, nic, &domain, key);
    make_tables(&p);
    struct dpk_reader r = dpk_reader(data, size);
    for (unsigned i = 0; i < STEPS && dpk_reader_left(&r) > 3; i++) {
        const uint8_t what = dpk_read_u8(&r);
        const size_t wanted = dpk_read_be16(&r), left = dpk_reader_left(&r);
        const size_t taken = wanted < left ? wanted : left;
        struct dpk_reader part = dpk_reader(dpk_read_bytes(&r, taken), taken);
        step(&p, nic, what, &part);
    }
    check_counters(&p, nic, counters);
    end_program(&p);
    dpk_queues_close(nic);
    dpk_counters_close(counters);
    dpk_steering_free(s);
    dpk_rc_close(rc);
    return 0;
}
