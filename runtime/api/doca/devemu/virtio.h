/* Inside libdoca_devemu: virtio devices. Their handles are those of contexts of functions (private.h), whose
 * struct pci_dev has a struct virtio_dev.
 *
 * Order of locks: the lock of a device, then the lock of one of its queues. */
#ifndef DPK_API_DOCA_DEVEMU_VIRTIO_H
#define DPK_API_DOCA_DEVEMU_VIRTIO_H

#include <doca_devemu_vfs_io.h>

#include "bus/virtio/virtio.h"
#include "private.h"

#define VIRTIO_QUEUE_SIZE 64u   /* default descriptors of a queue */
#define VFS_USER_DATA_MAX 4096u /* bytes of the program in a request */
#define VFS_QUEUES        2u    /* default queues: one of high priority, and one of requests */
#define VIRTIO_FEATURES   (UINT64_C(1) << 32 | UINT64_C(1) << 28) /* VERSION_1, INDIRECT_DESC */

struct virtio_queue_state {
    pthread_mutex_t lock; /* guards the members below */
    bool enabled;
    struct dpk_virtq ring;
    uint16_t vector;
    atomic_bool rung; /* the driver has notified the device; also read without the lock */
};

struct virtio_dev {
    /* Guarded by the object's lock, and constant while the context is not idle: */
    struct dpk_virtio_setup setup;
    uint32_t required; /* IO contexts that must run before the device runs */
    uint32_t user_data_size;
    char tag[DOCA_VFS_TAG_SIZE + 1];
    uint32_t request_queues;
    doca_devemu_virtio_dev_event_reset_handler_cb_t on_reset;
    union doca_data reset_data;
    atomic_uint contexts, running; /* IO contexts: all, and those that run */
    atomic_uint held;              /* requests that the program has */

    struct dpk_virtio registers; /* valid while the function is open */
    pthread_mutex_t lock;        /* guards the next members, and changes of `live` */
    uint32_t flr;                /* resets of the function that were seen */
    bool resetting, told;        /* a reset began; the program was told */
    atomic_bool live;            /* the driver may use the queues */
    atomic_uint run;             /* the number of times that it became live */
    struct virtio_queue_state queues[DPK_VIRTIO_QUEUES_MAX];
};

/* Makes the virtio part of a new context. Returns NULL if memory is exhausted. */
struct virtio_dev *devemu_virtio_new(void);
void devemu_virtio_free(struct virtio_dev *v);
/* The start of a context whose function is open, with its lock. Errors: BAD_CONFIG. Returns IN_PROGRESS if
 * IO contexts have to run first. */
doca_error_t devemu_virtio_start(struct pci_dev *d);
void devemu_virtio_stop(struct pci_dev *d);
/* The host gets the function: its registers have their first values. */
void devemu_virtio_plugged(struct pci_dev *d);
/* Follows the status that the driver wrote, and reports a reset to the program. Returns true if it reported or ended
 * a reset. Call this without a lock. */
bool devemu_virtio_progress(struct pci_dev *d);
bool devemu_virtio_is_ready(struct pci_dev *d);

/* Follows the status that the driver wrote: opens the queues of an enabled device, closes them at a reset. */
void devemu_virtio_follow(struct pci_dev *d);
/* Reports that the driver violates the specification, and asks it for a reset. Call this without a lock
 * of a queue. */
void devemu_virtio_break(struct pci_dev *d, const char *reason);
/* Returns true if the driver has written a status that devemu_virtio_follow has not seen. */
bool devemu_virtio_has_news(struct pci_dev *d);
/* Ends a reset that was reported to the program, if the program has no request: *held is the number of its
 * requests. Returns false if no reset was reported. */
bool devemu_virtio_complete_reset(struct pci_dev *d, unsigned *held);
/* Returns true if a driver notified a queue of a device whose queues it may use. */
bool devemu_virtio_has_work(struct pci_dev *d);
/* The memory of the driver, which cannot be accessed during a reset. The context is a struct pci_dev. */
bool devemu_virtio_read(void *context, uint64_t address, void *to, size_t size);
bool devemu_virtio_write(void *context, uint64_t address, const void *from, size_t size);

/* Returns a context of a virtio device as devemu_pci_dev_lock_idle does. devemu_virtio_lock returns it in
 * any state; with `running`, only from its start until its stop. */
struct pci_dev *devemu_virtio_lock_idle(const char *call, const void *handle, doca_error_t *result);
struct pci_dev *devemu_virtio_lock(const char *call, const void *handle, bool running,
                                   doca_error_t *result);
/* Returns true if a starting device has the IO contexts that it waits for. */
bool devemu_virtio_may_run(const struct pci_dev *d);
/* The size of requests' user data that new devices have (doca_devemu_vfs_init). */
uint32_t devemu_vfs_user_data_size(void);

struct vfs_io {
    struct dpk_dev_ctx base;
    struct pci_dev *dev; /* a reference, and a use while it runs */
    doca_devemu_vfs_io_event_vfs_req_notice_handler_cb_t handler;
    union doca_data data;
    unsigned next;          /* the queue that has the next turn */
    atomic_uint held;       /* its requests that the program has */
    struct doca_mmap *mmap; /* the memory of the driver, while it runs, as has the next */
    struct doca_buf_inventory *inventory;
};
extern const struct dpk_kind devemu_vfs_io_kind;

/* A request that the program has. */
struct vfs_req {
    struct dpk_object object;
    struct vfs_io *io; /* a reference */
    unsigned queue, run;
    uint16_t head;
    uint32_t readable_size, writable_size, readable, writable;
    struct doca_buf *in, *out; /* lists, or NULL */
    uint64_t user_data[];      /* of the program */
};

/* Makes a request of a chain, and returns its handle. Errors: NO_MEMORY and others, with a reason. */
doca_error_t devemu_vfs_req_new(struct vfs_io *io, unsigned queue, unsigned run,
                                const struct dpk_virtq_chain *chain,
                                struct doca_devemu_vfs_req **req, void **user_data);

#endif
