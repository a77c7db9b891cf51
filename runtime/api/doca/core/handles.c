/* Lists of handles. Programs get plain arrays, so the existing lists are recorded here. */
#include <stdlib.h>

#include "handles.h"

struct list {
    struct list *next;
    const struct dpk_kind *kind;
    void *items[];
};

static struct {
    pthread_mutex_t lock;
    struct list *first;
} lists = {.lock = PTHREAD_MUTEX_INITIALIZER};

void **core_handles_new(size_t count, const struct dpk_kind *kind)
{
    struct list *l = calloc(1, sizeof *l + (count + 1) * sizeof(void *));
    if (!l)
        return NULL;
    l->kind = kind;
    pthread_mutex_lock(&lists.lock);
    l->next = lists.first;
    lists.first = l;
    pthread_mutex_unlock(&lists.lock);
    return l->items;
}

doca_error_t core_handles_destroy(void **list, const struct dpk_kind *kind)
{
    pthread_mutex_lock(&lists.lock);
    struct list **at = &lists.first;
    while (*at && ((*at)->items != list || (*at)->kind != kind))
        at = &(*at)->next;
    struct list *l = *at;
    if (l)
        *at = l->next;
    pthread_mutex_unlock(&lists.lock);
    if (!l)
        return DOCA_ERROR_INVALID_VALUE;
    for (size_t i = 0; l->items[i]; i++)
        dpk_object_destroy(l->items[i], kind);
    free(l);
    return DOCA_SUCCESS;
}
