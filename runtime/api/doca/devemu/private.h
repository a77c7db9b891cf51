/* Inside libdoca_devemu: types, contexts of functions, doorbells and vectors.
 *
 * Locks: a completion's own lock comes before that of a context's doorbells, and an object's own one
 * before both; then those of the room dpa. That of registers is the last of all. */
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
};
extern const struct dpk_kind pci_type_kind;

/* Whether a device's card emulates functions for who asks. */
bool devemu_is_able(const struct dpk_device_info *card);
/* What a failure of the room pci is for a program. */
doca_error_t devemu_failed(const char *call, const struct dpk_error *err);

struct doorbell;

/* A program's callback for a region of registers, what it held when last looked at, and what it holds after it
 * was plugged in or reset; NULL: what it held before. */
struct stateful {
    doca_devemu_pci_dev_event_bar_stateful_region_driver_write_handler_cb_t handler;
    union doca_data data;
    uint8_t *seen, *defaults;
};

struct pci_dev {
    struct dpk_dev_ctx base;
    struct pci_type *type; /* a use */
    unsigned number;
    struct dpk_pci *f;   /* from the first start on: it stays mapped until it is released */
    bool claimed;        /* the DPU's side of it; with the lock */
    atomic_bool damaged; /* and that was said */
    doca_devemu_pci_dev_event_hotplug_state_change_handler_cb_t on_plug;
    doca_devemu_pci_dev_event_flr_handler_cb_t on_reset;
    union doca_data plug_data, reset_data;
    atomic_uint state, resets; /* that were told of */
    uint32_t resets_before;    /* the context started */
    uint16_t vectors, bells;   /* that it may have; with the lock */
    bool bells_set;            /* and numbers of doorbells are smaller */
    struct dpk_pci_identity identity;
    atomic_uint told;          /* the region whose handler was called last */
    pthread_mutex_t registers; /* for what `stateful` has seen; no lock is taken behind it */
    struct stateful stateful[DPK_PCI_REGIONS];
    struct listener {
        pthread_mutex_t lock; /* for the rest, and for what doorbells say */
        struct doorbell *first;
        pthread_t thread;
        bool runs;
        atomic_bool stop;
    } listener;
};
extern const struct dpk_kind pci_dev_kind;

/* A context that runs, locked, with its data path on the DPA if `dpa` is no NULL. NULL: *result says
 * why. */
struct pci_dev *pci_dev_lock_running(const void *handle, struct dpk_dpa **dpa,
                                     doca_error_t *result);

/* One that is idle, locked. */
struct pci_dev *pci_dev_lock_idle(const void *handle, doca_error_t *result);

/* Listens for the doorbells of a context, with a thread from the first one on. */
doca_error_t listener_add(struct pci_dev *d, struct doorbell *b);
/* Whether it was started. */
bool listener_remove(struct pci_dev *d, struct doorbell *b);
void listener_stop(struct pci_dev *d);

/* With the lock of the listener: gives a completion, if there is something to tell and somebody asked;
 * and one that was rung. */
void doorbell_tell(struct doorbell *b);
void doorbell_rung(struct doorbell *b);

struct db_completion {
    struct dpk_object object;
    struct doca_dpa_thread *thread; /* a handle */
    uint32_t max;                   /* with the lock, as the rest */
    struct dpk_dpa_queue on_dpa;    /* with a struct dpa_devemu_completion */
    void **doorbells;               /* handles, or NULL, `max` of them */
};
extern const struct dpk_kind db_completion_kind;

/* Whether a DPA context runs, the run of that number (0: any). */
bool devemu_dpa_runs(struct dpk_dpa *dpa, uint64_t run);
/* With the lock: whether it is started, and its DPA context was not stopped since. */
bool db_completion_runs(const struct db_completion *k);

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
extern const struct dpk_kind doorbell_kind;

struct vector {
    struct dpk_object object;
    struct pci_dev *dev; /* a use */
    struct dpk_dpa *dpa; /* a reference */
    unsigned vector;
    uint64_t user_data;
};
extern const struct dpk_kind vector_kind;

#endif
