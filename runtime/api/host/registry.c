/* Programs and their functions, registered by constructors that dpacc generates. */
#include <string.h>

#include "device/state/state.h"
#include "engine/loader/loader.h"
#include "fat/fat.h"
#include "host.h"
#include "private.h"

/* All programs in order of creation. Constructors run before any object exists that could hold the
 * list. */
static struct {
    pthread_mutex_t lock;
    struct dpk_host_app *first;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct dpk_host_app *dpk_host_app_create(const struct dpk_host_app *what)
{
    struct dpk_host_app *a = malloc(sizeof *a);
    char *name = strdup(what->name);
    if (!a || !name) {
        free(name);
        free(a);
        return NULL;
    }
    *a = *what;
    a->name = name;
    a->functions = NULL;
    a->next = NULL;
    pthread_mutex_lock(&registry.lock);
    struct dpk_host_app **last = &registry.first;
    while (*last)
        last = &(*last)->next;
    *last = a;
    pthread_mutex_unlock(&registry.lock);
    return a;
}

struct dpk_host_app *dpk_host_app_find(const void *app)
{
    pthread_mutex_lock(&registry.lock);
    struct dpk_host_app *a = registry.first;
    while (a && (const void *)a != app)
        a = a->next;
    pthread_mutex_unlock(&registry.lock);
    return a;
}

static void function_free(struct dpk_host_function *f)
{
    free(f->unpack);
    free(f->name);
    free(f);
}

bool dpk_host_app_destroy(struct dpk_host_app *app)
{
    pthread_mutex_lock(&registry.lock);
    struct dpk_host_app **at = &registry.first;
    while (*at && *at != app)
        at = &(*at)->next;
    bool known = *at != NULL;
    if (known)
        *at = app->next;
    pthread_mutex_unlock(&registry.lock);
    if (!known)
        return false;
    while (app->functions) {
        struct dpk_host_function *f = app->functions;
        app->functions = f->next;
        function_free(f);
    }
    free(app->name);
    free(app);
    return true;
}

enum dpk_status dpk_host_app_list(struct dpk_host_app ***apps, uint32_t *count,
                                  struct dpk_error *err)
{
    uint32_t n = 0;
    *apps = NULL;
    *count = 0;
    pthread_mutex_lock(&registry.lock);
    for (const struct dpk_host_app *a = registry.first; a; a = a->next)
        n++;
    struct dpk_host_app **list = n > 0 ? calloc(n, sizeof(struct dpk_host_app *)) : NULL;
    for (struct dpk_host_app *a = registry.first; list && a; a = a->next)
        list[(*count)++] = a;
    pthread_mutex_unlock(&registry.lock);
    *apps = list;
    return n > 0 && !list ? dpk_fail_nomem(err) : DPK_OK;
}

/* ---- Functions ---- */

static struct dpk_host_function *function_new(const struct dpk_host_function *what)
{
    struct dpk_host_function *f = malloc(sizeof *f);
    if (!f)
        return NULL;
    *f = *what;
    f->next = NULL;
    f->name = strdup(what->name);
    f->unpack = what->unpack ? strdup(what->unpack) : NULL;
    if (!f->stub) /* a unique pointer that serves as its name */
        f->stub = (dpk_host_stub *)(void *)f;
    if (f->name && (f->unpack || !what->unpack))
        return f;
    function_free(f);
    return NULL;
}

static bool is_same(const struct dpk_host_function *a, const struct dpk_host_function *b)
{
    return b->unpack ? a->stub == b->stub : !a->unpack && strcmp(a->name, b->name) == 0;
}

const struct dpk_host_function *dpk_host_app_add_function(struct dpk_host_app *app,
                                                          const struct dpk_host_function *what,
                                                          bool *added)
{
    struct dpk_host_function *f = function_new(what);
    *added = false;
    if (!f)
        return NULL;
    pthread_mutex_lock(&registry.lock);
    struct dpk_host_function **at = &app->functions;
    while (*at && !is_same(*at, f))
        at = &(*at)->next;
    struct dpk_host_function *there = *at;
    if (!there) {
        *at = there = f;
        *added = true;
    }
    pthread_mutex_unlock(&registry.lock);
    if (!*added)
        function_free(f);
    return there;
}

void host_app_each_function(const struct dpk_host_app *app,
                            bool (*visit)(void *context, const struct dpk_host_function *f),
                            void *context)
{
    pthread_mutex_lock(&registry.lock);
    for (const struct dpk_host_function *f = app->functions; f; f = f->next)
        if (!visit(context, f))
            break;
    pthread_mutex_unlock(&registry.lock);
}

/* ---- Finding a function ---- */

/* Returns a device of this machine, for a program for several targets, or NULL. */
static struct dpk_device *any_device(void)
{
    struct dpk_names names = {0};
    struct dpk_device *device = NULL;
    if (dpk_device_list(&names, NULL) == DPK_OK)
        for (size_t i = 0; i < names.count && !device; i++)
            dpk_device_open(names.names[i], &device, NULL);
    dpk_names_free(&names);
    return device;
}

static void look_up(const struct dpk_host_app *app, const struct dpk_host_function *f,
                    struct dpk_host_function_addresses *out)
{
    struct dpk_image *image = NULL;
    uint64_t address;
    *out = (struct dpk_host_function_addresses){0};
    struct dpk_device *device = dpk_fat_is(app->elf, app->elf_size) ? any_device() : NULL;
    enum dpk_status status =
        dpk_image_examine(app->name, device, app->elf, app->elf_size, &image, NULL);
    dpk_device_close(device);
    if (status != DPK_OK)
        return;
    if (dpk_image_symbol(image, f->name, &address, NULL))
        out->function = address;
    if (f->unpack && dpk_image_symbol(image, f->unpack, &address, NULL))
        out->unpack = address;
    dpk_image_free(image);
}

const struct dpk_host_function *
dpk_host_app_find_function(const struct dpk_host_app *app, dpk_host_stub *stub,
                           struct dpk_host_function_addresses *addresses)
{
    pthread_mutex_lock(&registry.lock);
    const struct dpk_host_function *f = app->functions;
    while (f && f->stub != stub)
        f = f->next;
    pthread_mutex_unlock(&registry.lock);
    if (f && addresses)
        look_up(app, f, addresses);
    return f;
}
