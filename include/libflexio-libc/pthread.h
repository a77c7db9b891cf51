/*
 * <pthread.h> of the DPA: the types, for headers that host and device share. The DPA has no POSIX
 * threads: a program that calls one of these functions there does not link.
 */
#ifndef FLEXIO_LIBC_PTHREAD_H
#define FLEXIO_LIBC_PTHREAD_H

#include <stddef.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef int pthread_spinlock_t;
/* As large as on a 64-bit host, since shared structures may contain them. */
#define FLEXIO_LIBC_OPAQUE(name, size)                                                             \
    typedef union {                                                                                \
        char bytes[size];                                                                          \
        long align;                                                                                \
    } name
FLEXIO_LIBC_OPAQUE(pthread_attr_t, 56);
FLEXIO_LIBC_OPAQUE(pthread_mutex_t, 40);
FLEXIO_LIBC_OPAQUE(pthread_mutexattr_t, 8);
FLEXIO_LIBC_OPAQUE(pthread_cond_t, 48);
FLEXIO_LIBC_OPAQUE(pthread_condattr_t, 8);
FLEXIO_LIBC_OPAQUE(pthread_rwlock_t, 56);
FLEXIO_LIBC_OPAQUE(pthread_rwlockattr_t, 8);
FLEXIO_LIBC_OPAQUE(pthread_barrier_t, 32);
FLEXIO_LIBC_OPAQUE(pthread_barrierattr_t, 8);
#undef FLEXIO_LIBC_OPAQUE

/* clang-format off */
#define PTHREAD_MUTEX_INITIALIZER  {{0}}
#define PTHREAD_COND_INITIALIZER   {{0}}
#define PTHREAD_RWLOCK_INITIALIZER {{0}}
#define PTHREAD_ONCE_INIT          0
/* clang-format on */

int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_detach(pthread_t);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
__attribute__((noreturn)) void pthread_exit(void *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_init(pthread_rwlock_t *, const pthread_rwlockattr_t *);
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_destroy(pthread_spinlock_t *);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_setspecific(pthread_key_t, const void *);
void *pthread_getspecific(pthread_key_t);

#ifdef __cplusplus
}
#endif

#endif
