/*
 * object: DOCA programs hold handles, which are numbers and not pointers to our objects. A handle
 * is never given twice. So NULL, a destroyed object and an object of another kind are recognized
 * without touching any memory that the program names.
 *
 *     struct dpk_dev *d = calloc(1, sizeof *d);
 *     struct doca_dev *dev = dpk_object_enter(&d->object, &dpk_dev_kind);  // the program's
 *     ...
 *     struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);              // NULL: not a device
 *     ...
 *     dpk_object_drop(d);
 *
 * `struct dpk_object` is the first member of every kind, so that pointers to both are the same.
 */
#ifndef DPK_API_DOCA_CORE_OBJECT_H
#define DPK_API_DOCA_CORE_OBJECT_H

#include <doca_error.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct dpk_kind {
    /* The object has left the table: gives up what it uses. Calls under way may still read it. Or
     * NULL. */
    void (*left)(void *object);
    void (*release)(void *object); /* frees it, as there is no reference any more */
    bool is_ctx;                   /* it begins with a struct dpk_ctx */
};

struct dpk_object {
    const struct dpk_kind *kind;
    void *handle;
    atomic_uint references; /* how many hold a pointer to it */
    atomic_uint users;      /* how many objects need it; it cannot be destroyed meanwhile */
    pthread_mutex_t lock;   /* for what the program sets */
    bool gone;              /* it left the table; with the lock */
    /* Kinds of trouble (core.h): of its own, reasons of tasks, places of calls. */
    struct dpk_told told, failed, refused;
};

/* Makes an object known; its first reference is the table's. NULL: out of memory, or there are a
 * million already; the object is released. */
void *dpk_object_enter(void *object, const struct dpk_kind *kind);

/* The object of a handle, with a reference for the caller; NULL: there is none of that kind. */
void *dpk_object_pin(const void *handle, const struct dpk_kind *kind);
/* The same with any kind that is a context. */
void *dpk_object_pin_ctx(const void *handle);
/* The object of a handle, pinned and locked; NULL: there is none of that kind. */
void *dpk_object_lock(const void *handle, const struct dpk_kind *kind);
/* Ends that. Returns `result`, and DOCA_ERROR_INVALID_VALUE for NULL. */
doca_error_t dpk_object_unlock(void *object, doca_error_t result);
/* The pointer that a number stands for: a handle that DPA code or a peer names, or an address that
 * a program gave as a pointer. */
void *dpk_pointer(uint64_t number);

/* One reference more, one less. NULL is fine for the latter. */
void dpk_object_hold(void *object);
void dpk_object_drop(void *object);

/* References that are users also; while there are any, dpk_object_leave says IN_USE. */
void dpk_object_use(void *object);
void dpk_object_unuse(void *object);
/* Turns a use into a reference. NULL is fine. */
void dpk_object_end_use(void *object);

/* Takes an object out of the table; *object has the table's reference, to be dropped.
 * INVALID_VALUE: not of that kind. IN_USE: it has users. */
doca_error_t dpk_object_leave(const void *handle, const struct dpk_kind *kind, void **object);
/* The whole of a simple destructor: leaves and drops. */
doca_error_t dpk_object_destroy(const void *handle, const struct dpk_kind *kind);

#endif
