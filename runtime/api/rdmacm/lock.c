/* The lock of all identifiers and channels, and the errors of librdmacm functions. */
#include <errno.h>

#include "rdmacm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rdmacm_cm_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rdmacm_cm_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void rdmacm_cm_wait(pthread_cond_t *condition)
{
    pthread_cond_wait(condition, &lock);
}

int rdmacm_cm_failed(int why)
{
    errno = why;
    return -1;
}
