/* The shared struct dpk_rc of a process, and the identity of the process. */
#include <limits.h>
#include <unistd.h>

#include "transport.h"

static struct {
    pthread_mutex_t lock;
    struct dpk_rc *rc;
    unsigned users;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct dpk_uuid *dpk_rc_identity(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct dpk_uuid identity;
    static pid_t whose;
    pthread_mutex_lock(&lock);
    if (whose != getpid()) {
        dpk_uuid_new_time(&identity);
        whose = getpid();
    }
    pthread_mutex_unlock(&lock);
    return &identity;
}

/* Without a runtime directory the process still has queue pairs; but their numbers are not
 * published. */
static enum dpk_status open_shared(struct dpk_error *err)
{
    char directory[PATH_MAX];
    enum dpk_status status = dpk_rc_open(dpk_rc_identity(), &shared.rc, err);
    if (status == DPK_OK && dpk_runtime_directory(directory, sizeof directory, NULL) == DPK_OK)
        dpk_rc_publish(shared.rc, directory, NULL);
    return status;
}

enum dpk_status dpk_rc_enter(struct dpk_rc **out, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    pthread_mutex_lock(&shared.lock);
    if (shared.rc && shared.rc->owner != getpid()) {
        shared.rc = NULL; /* the parent's identity */
        shared.users = 0;
    }
    if (!shared.rc)
        status = open_shared(err);
    if (status == DPK_OK)
        shared.users++;
    *out = shared.rc;
    pthread_mutex_unlock(&shared.lock);
    return status;
}

void dpk_rc_leave(struct dpk_rc *rc)
{
    pthread_mutex_lock(&shared.lock);
    if (rc == shared.rc && --shared.users == 0) {
        dpk_rc_close(rc);
        shared.rc = NULL;
    }
    pthread_mutex_unlock(&shared.lock);
}
