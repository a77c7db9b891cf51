/* One object of every kind, in one of several states, and arguments made of them. */
#ifndef TESTS_HOST_MATRIX_WORLD_H
#define TESTS_HOST_MATRIX_WORLD_H

#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#ifndef DOCA_2_2_DPA_H
#include <doca_buf_array.h>
#include <doca_clock.h>
#include <doca_comch_msgq.h>
#include <doca_devemu_pci_ep.h>
#include <doca_devemu_vfs_io.h>
#include <doca_devemu_vfs_type.h>
#include <doca_dma.h>
#include <doca_eth_rxq_cpu_data_path.h>
#include <doca_eth_rxq_gpu_data_path.h>
#include <doca_eth_txq_cpu_data_path.h>
#include <doca_eth_txq_gpu_data_path.h>
#include <doca_flow.h>
#include <doca_graph.h>
#include <doca_mmap_advise.h>
#include <doca_pcc.h>
#include <doca_rdma.h>
#include <doca_rdma_bridge.h>
#include <doca_verbs_bridge.h>
#endif
#include <doca_sync_event.h>
#include <doca_version.h>

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #x);                      \
            exit(99);                                                                              \
        }                                                                                          \
    } while (0)
#define OK DOCA_SUCCESS

/* NEW: the DPA context is not started. IDLE: only the DPA context is started. RUNNING: all objects are
 * started. TWICE: as RUNNING, and the function is called twice. STOPPED: all objects except the context
 * were started and stopped. In the last three states, all objects were started; then FAULTED: a kernel
 * faulted; HALTED: the context was stopped; GONE: it was destroyed. The context of PCC is made only for
 * its own functions; it is started in the states where all objects are, and then follows the DPA
 * context. Objects that copy and send (from DMA to ADVICE, COMCH_SERVER to COMCH_RECEIVE) are made for
 * functions that take one of them. Queues of Ethernet, pipes, message queues, emulated PCI functions
 * and objects of DOCA Verbs are made for their own functions only, too. */
enum state { NEW, IDLE, RUNNING, TWICE, STOPPED, FAULTED, HALTED, GONE, STATES };

struct parameter {
    const char *type; /* without const */
    const char *name;
};

/* Kinds of objects, by the type of their handles. */
enum kind {
    DEVINFO,
    DEV,
    DPA,
    THREAD,
    COMPLETION,
    NOTIFICATION,
    AFFINITY,
    HASH_TABLE,
    EVENT,
    REMOTE_EVENT,
    TASK_GET, /* of an event that processes share, as the next four */
    TASK_SET,
    TASK_ADD,
    TASK_EQ,
    TASK_NEQ,
    TASK_GT,
    MMAP,
    BUF,
    INVENTORY,
    POOL,
    CTX,
    PE,
    PARAM,
    COMMAND,
    REP,
    DEV_REP,
    WORKER, /* of DOCA 2.2, as the next two */
    MEM,
    EP,
    RDMA,       /* of DOCA 3.x, as the next */
    CONNECTION, /* while the context runs */
    RDMA_ADDR,
    RDMA_RECEIVE, /* tasks of it, while it runs, as the next ten */
    RDMA_SEND,
    RDMA_SEND_IMM,
    RDMA_READ,
    RDMA_WRITE,
    RDMA_WRITE_IMM,
    RDMA_CMP_SWP,
    RDMA_FETCH_ADD,
    RDMA_EVENT_GET,
    RDMA_EVENT_NOTIFY_SET,
    RDMA_EVENT_NOTIFY_ADD,
    DMA,
    TASK, /* while it runs */
    GRAPH,
    NODE,
    INSTANCE, /* while it runs */
    CLOCK,
    ADVISE,
    ADVICE, /* while it runs */
    COMCH_SERVER,
    COMCH_CLIENT,
    COMCH_PRODUCER, /* while they run, as the next five */
    COMCH_CONSUMER,
    COMCH_CONNECTION,
    COMCH_SEND, /* tasks */
    COMCH_PRODUCE,
    COMCH_RECEIVE,
    COMCH_MSGQ,
    COMCH_COMPLETION,
    ETH_RXQ,
    ETH_TXQ,
    ETH_RECEIVE, /* while they run, as all until TASK_BATCH: tasks, */
    ETH_SEND,
    ETH_LARGE_SEND,
    ETH_EVENT, /* and events of functions that ask about them */
    ETH_BATCH_EVENT,
    TASK_BATCH,
    FLOW_PIPE, /* while the port runs, as the next two */
    FLOW_PIPE_CFG,
    FLOW_PORT,
    FLOW_PORT_CFG,
    FLOW_CFG,
    VERBS_QP, /* each before its parent */
    VERBS_SRQ,
    VERBS_CQ,
    VERBS_CHANNEL,
    VERBS_QP_ATTR,
    VERBS_QP_INIT_ATTR,
    VERBS_SRQ_ATTR,
    VERBS_CQ_ATTR,
    VERBS_CC_ATTR,
    VERBS_ETH_SQ_ATTR,
    VERBS_ETH_RQ_ATTR,
    VERBS_AH_ATTR,
    VERBS_DEVICE_ATTR,
    VERBS_PD,
    VERBS_CONTEXT,
    UMEM,
    UAR,
    PCI_TYPE,
    PCI_DEV,
    PCI_DB_COMPLETION,
    PCI_DB, /* while the context runs, as the next */
    PCI_MSIX,
    PCI_EVENT, /* in its handler alone */
    VFS_CFG,
    BUF_ARR,
    ASYNC_OPS,
    GROUP,
    PCC,
    BACKEND,
    SDK_BACKEND,
    KINDS
};

struct world {
    void *objects[KINDS];         /* NULL: cannot be in this state */
    struct doca_devinfo **infos;  /* the list of the device's */
    struct doca_devinfo **listed; /* what the function made */
    struct doca_devinfo_rep **reps, **listed_reps;
    doca_dpa_dev_uintptr_t memory;
    const uint8_t *event_export, *pci_export;
    const void *map_export;
    size_t event_export_size, pci_export_size, map_export_size;
    struct doca_sync_event *helper_event; /* it has the tasks */
    struct doca_pe *helper_pe;
    uint64_t foreign[64]; /* a pointer to something else; to be left alone */
    uint64_t scratch[1024];
    char text[1024];
    uint64_t mapped[64];
    FILE *null;
    void *address, *made_address; /* of an endpoint */
    void *made;                   /* by the function: one handle */
    struct doca_mmap *helper_map;
    struct doca_dpa_completion *rdma_queue;
    struct doca_pe *dma_pe, *comch_pe;
    struct doca_rdma *peer; /* has a connection; details describe it */
    uint8_t details[512];
    size_t details_size;
    struct doca_buf_inventory *helper_inventory;
#ifndef DOCA_2_2_DPA_H
    struct doca_comch_msgq *msgq_back;
    void *pipes[2]; /* of COMCH_CONNECTION, while the pipes of a message queue are in their
                       places */
    struct doca_gather_list headers; /* of a task of ETH_TXQ */
    struct doca_flow_fwd fwd;
    struct doca_flow_actions action, *actions;
    struct ibv_context *ib; /* of VERBS_CONTEXT and VERBS_PD */
    struct ibv_pd *ib_pd;
    struct doca_dev_rep
        *card_rep; /* of DEV_REP, while the representor of an emulated function is in its place */
    bool has_copies, has_eth, has_msgq, has_devemu;
#endif
};

/* The world for a call of this function with parameters: the last one, if it is alike and nobody left it. Scratch
 * and text are as in a new one. */
struct world *world_for(enum state state, const char *function, const struct parameter *parameters,
                        unsigned count);
/* Ends the world, which a function changed. */
void world_leave(void);
/* Whether the function made objects. */
bool has_made(const struct world *w);
/* Frees the objects that the function made. */
void world_forget_made(struct world *w);
/* An object of the parameter's kind that was destroyed. */
uint64_t destroyed(const struct world *w, const struct parameter *p);

/* matrix_event.c */
void make_event_tasks(struct world *w, struct doca_dev *dev);
void destroy_event_tasks(struct world *w);

/* matrix_dma.c */
void make_dma(struct world *w, struct doca_dev *dev);
void start_dma(struct world *w);
void stop_dma(struct world *w);
void destroy_dma(struct world *w);

/* matrix_comch.c */
void make_comch(struct world *w, struct doca_dev *dev);
void start_comch(struct world *w);
void stop_comch(struct world *w);
void destroy_comch(struct world *w);
void destroy_comch_object(void *object);

/* matrix_eth.c; `function` NULL: for all */
void make_eth(struct world *w, struct doca_dev *dev, enum state state, const char *function);
void stop_eth(struct world *w);
void destroy_eth(struct world *w);
void destroy_eth_object(void *object);

/* matrix_msgq.c; as make_eth */
void make_msgq(struct world *w, struct doca_dev *dev, enum state state, const char *function);
void destroy_msgq(struct world *w);
void destroy_msgq_object(void *object);

/* matrix_devemu.c; as make_eth. Starts of the function's regions; doorbells start at 0. */
enum { PCI_TABLE = 0x1000, PCI_PENDING = 0x2000, PCI_STATEFUL = 0x3000 };
void make_devemu(struct world *w, struct doca_dev *dev, enum state state, const char *function);
void destroy_devemu(struct world *w);
void destroy_devemu_object(void *object);

/* matrix_verbs.c. The attributes that change a new queue pair to INIT: */
#define INIT_MASK                                                                                  \
    (DOCA_VERBS_QP_ATTR_NEXT_STATE | DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_WRITE |                       \
     DOCA_VERBS_QP_ATTR_ALLOW_REMOTE_READ | DOCA_VERBS_QP_ATTR_PKEY_INDEX |                        \
     DOCA_VERBS_QP_ATTR_PORT_NUM)
void make_verbs(struct world *w, enum state state, const char *function);
void destroy_verbs(struct world *w);
void destroy_verbs_object(void *object);

/* matrix_graph.c: after DMA, and before it at the end */
void make_graph(struct world *w, struct doca_dev *dev);
void start_graph(struct world *w);
void stop_graph(struct world *w);
void destroy_graph(struct world *w);
void destroy_graph_object(void *object);

/* matrix_memory.c */
void make_memory(struct world *w);
void start_memory(struct world *w);
void stop_memory(struct world *w);
void destroy_memory(struct world *w);

/* matrix_pcc.c */
void make_pcc(struct world *w, struct doca_dev *dev, enum state state);

/* matrix_rdma.c */
void make_rdma(struct world *w, struct doca_dev *dev);
void start_rdma(struct world *w);
void stop_rdma(struct world *w);
void destroy_rdma(struct world *w);

/* matrix_arguments.c */
doca_error_t do_nothing(void *param, void *config);
enum kind kind_of(const struct parameter *p); /* KINDS: not a handle */
bool is_pointer(const struct parameter *p);
bool is_handle(const struct parameter *p);
uint64_t good_argument(struct world *w, const char *function, const struct parameter *p);
uint64_t other_kind(const struct world *w, const struct parameter *p);
/* Returns true for functions that are not tried: they end the program or free plain memory. */
bool is_left_out(const char *function);

#endif
