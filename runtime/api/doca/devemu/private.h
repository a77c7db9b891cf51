/* Inside libdoca_devemu: types, contexts of functions, doorbells and vectors.
 *
 * Order of locks: an object's own lock, a completion's lock, the lock of a context's doorbells, the
 * locks of the room dpa, the lock of registers. */
#ifndef DPK_API_DOCA_DEVEMU_PRIVATE_H
#define DPK_API_DOCA_DEVEMU_PRIVATE_H

#include <doca_devemu_pci.h>
#include <doca_devemu_pci_type.h>

#include "api/doca/dpa/dpa.h"
#include "bus/pci/pci.h"

struct pci_type {
    struct dpk_object object;
    /* With the lock: */
    struct dpk_dev *dev; /* a use; or NULL */
    struct dpk_device_info card;
    struct dpk_pci_config config;
    bool started;
    bool is_vfs;             /* the default type of virtio-fs devices (vfs_type.c) */
    struct doca_dev *opened; /* its device; a handle, because nobody destroys this type */
    uint16_t bells;          /* for new contexts of functions, as are the next two */
    bool bells_set;
    uint8_t *defaults[DPK_PCI_REGIONS]; /* of started types; NULL: none */
};
extern const struct dpk_kind devemu_pci_type_kind;

/* Returns true if the card emulates functions for programs on this side. */
bool devemu_is_able(const struct dpk_device_info *card);
/* Answers `call`, which asks whether a device emulates functions for programs on this side. Errors: INVALID_VALUE. */
doca_error_t devemu_answer_able(const char *call, const struct doca_devinfo *devinfo,
                                uint8_t *able);
/* Returns the DOCA error for a failure of the room pci, and stores its reason. */
doca_error_t devemu_failed(const struct dpk_error *err);

/* Reports that `call` got no representor of an emulated function. Returns `result`. */
doca_error_t devemu_no_rep(const char *call, doca_error_t result);

struct doorbell;
struct virtio_dev;

/* A program's callback for a region of registers, its bytes at the last look, and its bytes after a
 * plug or reset (NULL: unchanged). */
struct stateful {
    doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t handler;
    union doca_data data;
    uint8_t *seen, *defaults;
};

struct pci_dev {
    struct dpk_dev_ctx base;
    struct pci_type *type; /* a use */
    unsigned number;
    struct virtio_dev *virtio; /* NULL: not a virtio device (virtio.h) */
    struct dpk_pci *f;         /* mapped from the first start until the release */
    bool claimed;              /* the DPU's side of it; with the lock */
    atomic_bool damaged;       /* the damage was reported */
    doca_devemu_pci_dev_event_hotplug_state_change_handler_cb_t on_plug;
    doca_devemu_pci_dev_event_flr_handler_cb_t on_reset;
    union doca_data plug_data, reset_data;
    atomic_uint state, resets; /* the values that were reported */
    uint32_t resets_before;    /* the number of resets when the context started */
    uint16_t vectors, bells;   /* largest numbers; with the lock */
    bool bells_set;            /* `bells` limits the doorbells */
    struct dpk_pci_identity identity;
    atomic_uint told;          /* the region whose handler was called last */
    pthread_mutex_t registers; /* guards the last bytes in `stateful`; no lock is taken after it */
    struct stateful stateful[DPK_PCI_REGIONS];
    struct listener {
        pthread_mutex_t lock; /* guards the members below, and the values of doorbells */
        struct doorbell *first;
        pthread_t thread;
        bool runs;
        atomic_bool stop;
    } listener;
};
extern const struct dpk_kind devemu_pci_dev_kind;

/* Makes a context of a function of a started type. `call` reports failures. */
doca_error_t devemu_pci_dev_new(const char *call, const struct doca_devemu_pci_type *pci_type,
                                bool is_vfs, const struct doca_dev_rep *dev_rep, struct doca_pe *pe,
                                struct doca_devemu_pci_dev **pci_dev);

/* Returns a running context, locked, with its data path on the DPA if `dpa` is not NULL. Returns NULL
 * with the error in *result, after a report for `call`. */
struct pci_dev *devemu_pci_dev_lock_running(const char *call, const void *handle,
                                            struct dpk_dpa **dpa, doca_error_t *result);

/* Returns an idle context, locked. Returns NULL with the error in *result, after a report for `call`. */
struct pci_dev *devemu_pci_dev_lock_idle(const char *call, const void *handle,
                                         doca_error_t *result);

/* Listens to a doorbell. The first doorbell of a context starts a thread. */
doca_error_t devemu_listener_add(struct pci_dev *d, struct doorbell *b);
/* Removes a doorbell. Returns true if it was started. */
bool devemu_listener_remove(struct pci_dev *d, struct doorbell *b);
void devemu_listener_stop(struct pci_dev *d);

/* Call these with the lock of the listener. The first gives a completion if a ring is pending and was
 * requested; the second records a ring. */
void devemu_doorbell_tell(struct doorbell *b);
void devemu_doorbell_rung(struct doorbell *b);

struct db_completion {
    struct dpk_object object;
    struct doca_dpa_thread *thread; /* a handle */
    uint32_t max;                   /* with the lock, as the rest */
    struct dpk_dpa_queue on_dpa;    /* with a struct dpa_devemu_completion */
    void **doorbells;               /* handles, or NULL, `max` of them */
};
extern const struct dpk_kind devemu_db_completion_kind;

/* Returns true if a DPA context runs, in the run with that number (0: any). */
bool devemu_dpa_runs(struct dpk_dpa *dpa, uint64_t run);
/* Returns true if the completion is started, and its DPA context was not stopped since. Call this with
 * the lock. */
bool devemu_db_completion_runs(const struct db_completion *k);

struct doorbell {
    struct dpk_object object;
    struct pci_dev *dev;              /* a use */
    struct db_completion *completion; /* a use */
    struct dpk_dpa_completion *queue; /* a reference: the completion's */
    uint32_t place;                   /* in the completion */
    unsigned region, id;
    uint64_t user_data;
    /* With the lock of the listener: */
    struct doorbell *next;
    uint32_t value;
    bool started;
    bool bound;
    bool asked; /* the next ring gives a completion */
    bool rung;  /* since the last completion */
};
extern const struct dpk_kind devemu_doorbell_kind;

struct vector {
    struct dpk_object object;
    struct pci_dev *dev; /* a use */
    struct dpk_dpa *dpa; /* a reference */
    unsigned vector;
    uint64_t user_data;
};
extern const struct dpk_kind devemu_vector_kind;

#endif
