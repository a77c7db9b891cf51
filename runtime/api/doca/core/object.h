/*
 * object: DOCA programs hold handles, which are numbers and not pointers to our objects. A handle is
 * never given twice. So NULL, a destroyed object and an object of another kind are recognized without
 * touching any memory that the program names.
 *
 *     struct dpk_dev *d = calloc(1, sizeof *d);
 *     struct doca_dev *dev = dpk_object_enter(&d->object, &dpk_dev_kind);  // the program's
 *     ...
 *     struct dpk_dev *d = dpk_object_pin(dev, &dpk_dev_kind);              // NULL: not a device
 *     ...
 *     dpk_object_drop(d);
 *
 * `struct dpk_object` is the first member of every kind, so a pointer to an object is also a pointer to
 * its struct dpk_object.
 */
#ifndef DPK_API_DOCA_CORE_OBJECT_H
#define DPK_API_DOCA_CORE_OBJECT_H

#include <doca_error.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

struct dpk_kind {
    /* Called when the object has left the table: releases the objects that it uses. Running calls may
     * still read it. May be NULL. */
    void (*left)(void *object);
    void (*release)(void *object); /* frees the object after the last reference */
    bool is_ctx;                   /* it starts with a struct dpk_ctx */
};

struct dpk_object {
    const struct dpk_kind *kind;
    void *handle;
    atomic_uint references; /* number of references */
    atomic_uint users;      /* number of objects that need it; it cannot be destroyed meanwhile */
    pthread_mutex_t lock;   /* for what the program sets */
    bool gone;              /* it left the table; with the lock */
    /* Kinds of failures that were reported (core.h): of the object, and reasons of tasks. */
    struct dpk_told told, failed;
};

/* Enters an object into the table, which owns its first reference. Returns NULL if memory is exhausted,
 * or a million objects exist; then the object is released. */
void *dpk_object_enter(void *object, const struct dpk_kind *kind);

/* Returns the object of a handle, with a reference for the caller, or NULL if the handle is not of that
 * kind. */
void *dpk_object_pin(const void *handle, const struct dpk_kind *kind);
/* As dpk_object_pin, for all kinds of contexts. */
void *dpk_object_pin_ctx(const void *handle);
/* Returns the object of a handle, pinned and locked, or NULL if the handle is not of that kind. */
void *dpk_object_lock(const void *handle, const struct dpk_kind *kind);
/* Unlocks and unpins the object. Returns `result`, or DOCA_ERROR_INVALID_VALUE for NULL. */
doca_error_t dpk_object_unlock(void *object, doca_error_t result);
/* Returns a number as a pointer: a handle from DPA code or a peer, or an address from a program. */
void *dpk_pointer(uint64_t number);

/* Add a reference, drop a reference. NULL is fine for the latter. */
void dpk_object_hold(void *object);
void dpk_object_drop(void *object);

/* Adds a reference that is also a use; while uses exist, dpk_object_leave returns IN_USE. */
void dpk_object_use(void *object);
void dpk_object_unuse(void *object);
/* Turns a use into a reference. NULL is ignored. */
void dpk_object_end_use(void *object);

/* Removes an object from the table. *object has the table's reference, which the caller drops. Errors:
 * INVALID_VALUE if the handle is not of that kind, IN_USE if it has users. */
doca_error_t dpk_object_leave(const void *handle, const struct dpk_kind *kind, void **object);
/* A complete simple destructor: removes the object from the table and drops it. */
doca_error_t dpk_object_destroy(const void *handle, const struct dpk_kind *kind);

#endif
