/*
 * flow: pipes of doca_flow, which are tables of the device's steering (queues.h).
 *
 * A pipe (pipe.c) has templates of matches (match.c) and actions (actions.c). An entry (entry.c) fills the
 * templates, and makes rules that send frames to a destination (way.c). Operations of entries wait in
 * their port (port.c) for the program to ask for their callbacks (ops.c). A program of an earlier release
 * gives structures of other layouts, which are read first (releases.c).
 *
 * Order of locks: a pipe, then its port.
 */
#ifndef DPK_API_DOCA_FLOW_FLOW_H
#define DPK_API_DOCA_FLOW_FLOW_H

#include <doca_flow.h>
#include <stddef.h>
#include <sys/queue.h>

#include "api/doca/core/core.h"
#include "layout.h"
#include "net/queues/queues.h"

/* ---- library.c ---- */

/* Counters that entries share, by id. Ports hold them, too. */
struct flow_counters {
    atomic_uint references;
    uint32_t count;
    struct dpk_flow_counter counters[];
};
void flow_counters_drop(struct flow_counters *counters);

/* What doca_flow_init copied. */
struct flow_settings {
    uint16_t queues;
    doca_flow_entry_process_cb callback;
    struct flow_counters *shared;     /* NULL: none */
    const struct flow_layout *layout; /* of the program's structures; NULL: as here */
};
/* Starts the library for a program with structures of this layout (NULL: as here). */
doca_error_t flow_begin(struct doca_flow_cfg *cfg, const struct flow_layout *layout);
/* Copies the settings, with a reference of the shared counters. Returns false if the library was not
 * started. */
bool flow_settings_get(struct flow_settings *out);

/* Returns NOT_SUPPORTED with the reason "... is not emulated" (dpk_doca_because). */
doca_error_t flow_cannot(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Return whether all bits are 0, or 1. */
bool flow_is_empty(const void *bytes, size_t size);
bool flow_is_full(const void *bytes, size_t size);

/* A field of struct doca_flow_match or doca_flow_actions. */
struct flow_field {
    const char *name;
    uint16_t offset, size; /* in the structure */
    uint16_t number;       /* its place in a match, or its number in a modification (queues.h) */
    enum flow_when when;
};
#define FLOW_FIELD(structure, name, number, when)                                                  \
    {                                                                                              \
#name, offsetof(struct structure, name), sizeof(((struct structure *)0)->name), (number),  \
            (when)                                                                                 \
    }
/* Returns whether a field is valid with these headers, in frames that are sent or received. */
bool flow_field_is_valid(enum flow_when when, const struct doca_flow_header_format *outer,
                         enum doca_flow_tun_type tunnel, bool sent);
/* Reads a counter for the program. */
void flow_counter_read(const struct dpk_flow_counter *counter,
                       struct doca_flow_resource_query *out);

/* ---- releases.c ---- */

/* Read structures of a program that have another layout than here. They return the argument if `layout` or
 * the argument is NULL, and else `out`. `like`: a structure of DOCA 3 whose types of headers count where the
 * argument has none, or NULL. A result before the call that is not SUCCESS stays. Errors: NOT_SUPPORTED with
 * the name of a field. */
const struct doca_flow_match *flow_match_read(const struct flow_layout *layout,
                                              const struct doca_flow_match *match,
                                              const struct doca_flow_match *like, bool is_mask,
                                              struct doca_flow_match *out, doca_error_t *result);
const struct doca_flow_actions *flow_actions_read(const struct flow_layout *layout,
                                                  const struct doca_flow_actions *actions,
                                                  const struct doca_flow_actions *like,
                                                  bool is_mask, struct doca_flow_actions *out,
                                                  doca_error_t *result);
const struct doca_flow_fwd *flow_fwd_read(const struct flow_layout *layout,
                                          const struct doca_flow_fwd *fwd,
                                          struct doca_flow_fwd *out);
const struct doca_flow_monitor *flow_monitor_read(const struct flow_layout *layout,
                                                  const struct doca_flow_monitor *monitor,
                                                  struct doca_flow_monitor *out);
/* Returns NULL for descriptors that only say the layer of a tunnel, which becomes that of `actions`, and else
 * the argument. */
const struct doca_flow_action_descs *flow_descs_read(const struct flow_layout *layout,
                                                     const struct doca_flow_action_descs *descs,
                                                     struct doca_flow_actions *actions);

/* ---- port.c ---- */

struct flow_entry;
/* An operation of an entry whose callback was not called yet. */
struct flow_op {
    TAILQ_ENTRY(flow_op) next;
    struct flow_entry *entry; /* a reference */
    enum doca_flow_entry_op op;
    uint16_t queue;
};

struct flow_port {
    struct dpk_object object;
    struct dpk_dev *dev; /* a use */
    struct dpk_steering *steering;
    struct flow_settings settings;
    uint16_t id;
    uint8_t *priv;                     /* the program's */
    LIST_HEAD(, flow_pipe) pipes;      /* guarded by the lock, like `ops` */
    TAILQ_HEAD(flow_ops, flow_op) ops; /* in their order */
};
extern const struct dpk_kind flow_port_kind;

/* Returns the handles of the port's pipes, the newest first; the caller frees them. NULL with *count 0: there
 * is none, or memory is exhausted. */
struct doca_flow_pipe **flow_port_pipes(struct flow_port *port, size_t *count);

/* ---- ops.c ---- */

extern const struct dpk_kind flow_entry_kind;
/* Queues the callback of an operation. Without a callback, the operation ends at once. Returns false if
 * memory is exhausted. Call with the lock of the pipe. */
bool flow_port_tell(struct flow_port *port, struct flow_entry *entry, enum doca_flow_entry_op op,
                    uint16_t queue);
/* Drops the operations of a port that is destroyed. */
void flow_ops_end(struct flow_port *port);

/* ---- match.c ---- */

/* The match of a pipe: bits that are the same for all entries, and bits that each entry has. */
struct flow_template {
    struct dpk_match fixed; /* its mask has both */
    uint8_t changeable[DPK_MATCH_BYTES];
    struct doca_flow_match layers; /* which headers the match names */
    bool sent;                     /* true: for sent frames */
};
/* Makes a template. `match` NULL: the match is empty. `mask` NULL: the mask follows from the match.
 * With `own`, a field with all bits set is this value and not a changeable field. Errors:
 * NOT_SUPPORTED and INVALID_VALUE. */
doca_error_t flow_template_make(const struct doca_flow_match *match,
                                const struct doca_flow_match *mask, bool own, bool sent,
                                struct flow_template *out);
/* Returns the match of an entry. `match` may be NULL. */
struct dpk_match flow_template_fill(const struct flow_template *t,
                                    const struct doca_flow_match *match);
/* Gets the bytes of the fields of `match` that are not 0, without the types of headers. Errors:
 * NOT_SUPPORTED with the name of a field. */
doca_error_t flow_fields_get(const struct doca_flow_match *match, bool sent,
                             uint8_t out[DPK_MATCH_BYTES]);

/* ---- actions.c ---- */

#define FLOW_SETS    32
#define FLOW_HEADERS 128 /* bytes that are put before a frame */

/* The changes of a rule. They outlive the rule. */
struct flow_changes {
    struct dpk_flow_modification sets[FLOW_SETS];
    size_t set_count;
    bool pops, pushes, unwraps;
    uint32_t tag;
    uint8_t header[FLOW_HEADERS];
    size_t header_size;
    struct dpk_flow_counter *counter;
};
/* Checks that actions are emulated. Errors: NOT_SUPPORTED. */
doca_error_t flow_actions_check(const struct doca_flow_actions *actions,
                                const struct doca_flow_actions *mask,
                                const struct doca_flow_action_descs *descs);
/* Adds the changes of an entry. `actions`: the template. `own`: the actions of the entry, or NULL.
 * With `literal`, the template has no changeable fields. Errors: FULL if the rule would have too
 * many changes. */
doca_error_t flow_actions_fill(const struct doca_flow_actions *actions,
                               const struct doca_flow_actions *mask,
                               const struct doca_flow_actions *own, bool literal, bool sent,
                               struct flow_changes *out);

/* ---- encap.c ---- */

/* Checks headers, and makes their bytes. Errors: NOT_SUPPORTED. */
doca_error_t flow_encap_check(const struct doca_flow_encap_action *encap);
size_t flow_encap_make(const struct doca_flow_encap_action *encap, uint8_t out[FLOW_HEADERS]);

/* ---- pipe.c ---- */

#define FLOW_ACTIONS 64 /* templates of a pipe */

struct flow_actions {
    struct doca_flow_actions actions, mask;
    bool has_mask;
};

/* What a program sets before it creates a pipe. */
struct flow_pipe_settings {
    char name[64];
    enum doca_flow_pipe_type type;
    bool is_root, sent, counts_misses;
    uint32_t entries_max; /* 0: no limit */
    struct doca_flow_match match, mask;
    bool has_mask;
    uint32_t algorithms; /* of a hash pipe: enum doca_flow_pipe_hash_map_algorithm; 0: HASH */
    struct doca_flow_monitor monitor;
    size_t action_count;
};

/* What only a hash pipe has. */
struct flow_hash {
    struct dpk_flow_table *entrance; /* its only rule spreads frames over the pipe's table */
    struct dpk_flow_rule *rule;
    struct dpk_flow_spread spread;
    bool taken[]; /* numbers that have an entry */
};

struct flow_pipe {
    struct dpk_object object;
    LIST_ENTRY(flow_pipe) in_port;
    struct flow_port *port;       /* a use */
    struct dpk_flow_table *table; /* of its entries */
    struct flow_hash *hash;       /* NULL: frames go to `table` */
    struct flow_pipe_settings settings;
    struct flow_template match;
    struct flow_actions *actions;
    bool has_fwd;
    struct doca_flow_fwd fwd; /* of entries without their own; the pipe owns its list */
    struct flow_way *miss;    /* the way of frames that do not match; NULL: the table's default */
    struct dpk_flow_counter misses;
    LIST_HEAD(, flow_entry) entries;
    uint32_t entry_count;
};
extern const struct dpk_kind flow_pipe_kind;

/* Checks a monitor. Errors: NOT_SUPPORTED. */
doca_error_t flow_monitor_check(const struct doca_flow_monitor *monitor);

/* ---- hash.c: pipes that choose the number of an entry for each frame ---- */

#define FLOW_FLOOD_MAX 32u        /* entries that get a copy of each frame */
#define FLOW_HASH_MAX  (1u << 20) /* entries */

/* Checks algorithms. Errors: INVALID_VALUE, NOT_SUPPORTED. */
doca_error_t flow_hash_check(uint32_t algorithms);
/* Describes how a hash pipe with these settings chooses an entry, by the first of `algorithms`. Errors:
 * INVALID_VALUE, NOT_SUPPORTED. */
doca_error_t flow_hash_spread(const struct flow_pipe_settings *s, uint32_t algorithms,
                              struct dpk_flow_spread *out);
/* Makes p->hash of a pipe that has its table. */
doca_error_t flow_hash_open(struct flow_pipe *p);
/* Frees p->hash. */
void flow_hash_close(struct flow_pipe *p);
/* Returns the match of the entry with a number. */
struct dpk_match flow_hash_match(uint32_t number);

/* ---- entry.c ---- */

struct flow_entry {
    struct dpk_object object;
    LIST_ENTRY(flow_entry) in_pipe;
    struct doca_flow_pipe *pipe; /* its handle */
    uint16_t queue;
    void *usr_ctx;
    _Atomic(enum doca_flow_entry_status) status;
    struct dpk_match match;
    unsigned priority;
    uint32_t number; /* in a hash pipe */
    /* With the lock of the pipe, while the entry is in the pipe: */
    bool in; /* true: the entry is in the pipe */
    struct flow_way *way;
    bool counts;                      /* the program may ask for `counter` */
    struct dpk_flow_counter *counter; /* the entry's own counter, or a shared counter */
    struct dpk_flow_counter own;
    uint32_t aging; /* seconds; 0: it does not age */
    bool aged;
    uint64_t seen; /* packets that were counted at the time `since` */
    int64_t since; /* time of `seen`, in nanoseconds */
};
/* Removes all entries from a pipe that is destroyed. */
void flow_entries_end(struct flow_pipe *pipe);

/* ---- way.c: destinations of frames ---- */

/* The rules of a table that send some of its frames to a destination; RSS needs several rules. */
struct flow_way;
/* Frames of the table that match go to `fwd`, after the changes. The lowest priority counts first. */
struct flow_rule {
    struct dpk_match match;
    unsigned priority;
    struct flow_changes changes;
};
#define FLOW_PRIORITY_MAX  0x0fffffffu
#define FLOW_PRIORITY_LAST 0x1fffffffu /* after all entries */

/* Checks a destination of a port. `sent`: for frames that are sent. Errors: NOT_SUPPORTED with the reason
 * in the log, NOT_FOUND if a receive queue does not exist. */
doca_error_t flow_way_check(struct flow_port *port, const struct doca_flow_fwd *fwd, bool sent);
/* Puts the rules into the table of a pipe. `fwd` NULL: as if no rule matched. */
doca_error_t flow_way_new(struct flow_pipe *pipe, const struct doca_flow_fwd *fwd,
                          const struct flow_rule *rule, struct flow_way **out);
/* NULL is ignored. */
void flow_way_free(struct flow_way *way);

#endif
