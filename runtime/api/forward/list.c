/* libibverbs.so.1: the list of devices. Devices of the system come first. Without emulated devices,
 * the list is the system's own. If a card and an emulated device have the same name, programs that
 * search by name find the card. */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "api/sysfs/sysfs.h"
#include "device/state/state.h"
#include "forward.h"

/* A list of all devices, and both lists from which it was made. */
struct joined {
    struct joined *next;
    struct ibv_device **list, **from_system, **emulated;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct joined *lists;

/* Returns true if there are emulated devices, or if their list cannot be read: the engine then
 * reports why. */
static bool any_emulated(void)
{
    struct dpk_names names = {0};
    if (getauxval(AT_SECURE))
        return false;
    const enum dpk_status status = dpk_device_list(&names, NULL);
    if (status != DPK_OK)
        return status == DPK_ERR_IO;
    bool any = names.count > 0;
    dpk_names_free(&names);
    return any;
}

static const struct dpk_emulated *verbs_of_emulated(void)
{
    return emulated();
}

/* Some programs look for files of a device before they list devices. */
__attribute__((constructor)) static void show_files(void)
{
    if (any_emulated())
        dpk_sysfs_show(verbs_of_emulated);
}

static size_t length_of(struct ibv_device **list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

static void free_system(struct ibv_device **list)
{
    __typeof__(&ibv_free_device_list) free_list = SYSTEM(ibv_free_device_list);
    if (list && free_list)
        free_list(list);
}

/* Takes ownership of both lists. */
static struct ibv_device **join(struct ibv_device **from_system, struct ibv_device **mine,
                                int *count)
{
    const size_t first = length_of(from_system), second = length_of(mine);
    struct joined *j = calloc(1, sizeof *j);
    struct ibv_device **list = calloc(first + second + 1, sizeof(struct ibv_device *));
    if (!j || !list) {
        free(j);
        free(list);
        free_system(from_system);
        emulated()->free_device_list(mine);
        errno = ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < first; i++)
        list[i] = from_system[i];
    for (size_t i = 0; i < second; i++)
        list[first + i] = mine[i];
    *j = (struct joined){.list = list, .from_system = from_system, .emulated = mine};
    pthread_mutex_lock(&lock);
    j->next = lists;
    lists = j;
    pthread_mutex_unlock(&lock);
    *count = (int)(first + second);
    return list;
}

/* A program with libflexio.so gets its messages even if there is no device. Other programs load the
 * engine only if there is a device. */
static struct ibv_device **emulated_list(void)
{
    const struct dpk_emulated *e = dpk_forward_emulated(false);
    if (!e && any_emulated())
        e = emulated();
    return e ? e->get_device_list(NULL) : NULL;
}

struct ibv_device **ibv_get_device_list(int *num_devices)
{
    __typeof__(&ibv_get_device_list) system_list = SYSTEM(ibv_get_device_list);
    errno = 0;
    struct ibv_device **mine = emulated_list();
    const int why = errno;
    if (mine) {
        int count = 0;
        if (mine[0])
            dpk_sysfs_show(verbs_of_emulated);
        struct ibv_device **list = join(system_list ? system_list(NULL) : NULL, mine, &count);
        if (num_devices)
            *num_devices = count;
        return list;
    }
    struct ibv_device **list = system_list ? system_list(num_devices) : NULL;
    if (!list && (why != 0 || !system_list))
        errno = why != 0 ? why : ENOSYS;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    pthread_mutex_lock(&lock);
    struct joined **at = &lists;
    while (*at && (*at)->list != list)
        at = &(*at)->next;
    struct joined *j = *at;
    if (j)
        *at = j->next;
    pthread_mutex_unlock(&lock);
    if (!j) {
        free_system(list);
        return;
    }
    free_system(j->from_system);
    emulated()->free_device_list(j->emulated);
    free(j->list);
    free(j);
}
