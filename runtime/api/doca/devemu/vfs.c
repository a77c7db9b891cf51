/* The configuration of the library for virtio-fs devices. */
#include <stdlib.h>

#include "virtio.h"

struct vfs_cfg {
    struct dpk_object object;
    uint32_t user_data_size;
};
static void cfg_release(void *object)
{
    free(object);
}
static const struct dpk_kind vfs_cfg_kind = {.release = cfg_release};

doca_error_t doca_devemu_vfs_cfg_create(struct doca_devemu_vfs_cfg **cfg)
{
    if (!cfg)
        return dpk_doca_no_object(__func__);
    struct vfs_cfg *c = calloc(1, sizeof *c);
    *cfg = c ? dpk_object_enter(c, &vfs_cfg_kind) : NULL;
    return dpk_doca_end(NULL, __func__, *cfg ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY);
}

doca_error_t doca_devemu_vfs_cfg_destroy(struct doca_devemu_vfs_cfg *cfg)
{
    return dpk_doca_destroy(cfg, &vfs_cfg_kind, __func__);
}

/* What doca_devemu_vfs_init set. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_started;
static uint32_t user_data_size;

uint32_t devemu_vfs_user_data_size(void)
{
    pthread_mutex_lock(&lock);
    const uint32_t size = user_data_size;
    pthread_mutex_unlock(&lock);
    return size;
}

/* Returns false if the library is in that state already. */
static bool change(bool started, uint32_t size)
{
    pthread_mutex_lock(&lock);
    const bool changed = is_started != started;
    if (changed) {
        is_started = started;
        user_data_size = size;
    }
    pthread_mutex_unlock(&lock);
    return changed;
}

doca_error_t doca_devemu_vfs_cfg_set_vfs_req_user_data_size(struct doca_devemu_vfs_cfg *cfg,
                                                            uint32_t size)
{
    struct vfs_cfg *c = dpk_object_lock(cfg, &vfs_cfg_kind);
    if (c && size <= VFS_USER_DATA_MAX)
        c->user_data_size = size;
    return dpk_doca_unlock(c, __func__,
                           size <= VFS_USER_DATA_MAX ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE,
                           "%u bytes are more than the %u of a request", size, VFS_USER_DATA_MAX);
}

doca_error_t doca_devemu_vfs_cfg_get_vfs_req_user_data_size(const struct doca_devemu_vfs_cfg *cfg,
                                                            uint32_t *size)
{
    struct vfs_cfg *c = size ? dpk_object_lock(cfg, &vfs_cfg_kind) : NULL;
    if (!c)
        return dpk_doca_no_object(__func__);
    *size = c->user_data_size;
    return dpk_object_unlock(c, DOCA_SUCCESS);
}

doca_error_t doca_devemu_vfs_init(struct doca_devemu_vfs_cfg *cfg)
{
    struct vfs_cfg *c = dpk_object_lock(cfg, &vfs_cfg_kind);
    const bool first = c && change(true, c->user_data_size);
    return dpk_doca_unlock(c, __func__, first ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE,
                           "the library is started already");
}

doca_error_t doca_devemu_vfs_teardown(void)
{
    return change(false, 0) ? DOCA_SUCCESS
                            : dpk_doca_refuse_call(NULL, DOCA_ERROR_BAD_STATE, __func__,
                                                   "doca_devemu_vfs_init has not succeeded");
}
