/* Plugins: shared libraries that export the functions of doca_urom_plugin.h. */
#include <dlfcn.h>
#include <stdlib.h>

#include "api/memh/memh.h"
#include "worker.h"

#define ADDRESS_MAX 65536u

typedef doca_error_t (*get_iface)(struct urom_plugin_iface *iface);
typedef doca_error_t (*get_version)(uint64_t *version);

static enum dpk_status is_no_plugin(const char *path, struct dpk_error *err, const char *why)
{
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: not a UROM plugin: %s", path, why);
}

/* Plugins may call ucp_worker_fence in a handler, as NVIDIA's worker_rdmo does. There, the fence that
 * UCX 1.18 uses by default waits, and ends the process. Older UCX would warn of the setting. */
static void choose_fence(void *library)
{
    void (*version)(unsigned *major, unsigned *minor, unsigned *release);
    unsigned major = 0, minor = 0, release = 0;
    *(void **)&version = dlsym(library, "ucp_get_version");
    if (version)
        version(&major, &minor, &release);
    if (major > 1 || (major == 1 && minor >= 18))
        setenv("UCX_FENCE_MODE", "weak", 0);
}

enum dpk_status worker_plugin_load(const char *path, struct plugin *p, uint64_t *version,
                                   struct dpk_error *err)
{
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!p->library)
        return dpk_fail(err, DPK_ERR_IO, "%s", dlerror());
    memh_redirect(); /* the plugin may have loaded UCX */
    choose_fence(p->library);
    const get_version version_of = (get_version)dlsym(p->library, "urom_plugin_get_version");
    const get_iface iface_of = (get_iface)dlsym(p->library, "urom_plugin_get_iface");
    if (!version_of || !iface_of)
        return is_no_plugin(path, err,
                            "it exports no urom_plugin_get_version or no urom_plugin_get_iface");
    if (version_of(version) != DOCA_SUCCESS || iface_of(&p->ctx.iface) != DOCA_SUCCESS)
        return is_no_plugin(path, err, "one of its two functions failed");
    const struct urom_plugin_iface *i = &p->ctx.iface;
    if (!i->open || !i->close || !i->worker_cmd || !i->progress || !i->notif_pack)
        return is_no_plugin(path, err, "a function of its interface is NULL");
    return DPK_OK;
}

enum dpk_status worker_plugin_open(struct plugin *p, struct dpk_error *err)
{
    p->ctx.domain_iface = worker_domain_lookups;
    const doca_error_t result = p->ctx.iface.open(&p->ctx);
    p->open = result == DOCA_SUCCESS;
    return p->open ? DPK_OK
                   : dpk_fail(err, DPK_ERR_TOOL, "plugin 0x%llx: it does not open (DOCA error %d)",
                              (unsigned long long)p->id, (int)result);
}

void worker_plugin_close(struct plugin *p)
{
    if (p->open)
        p->ctx.iface.close(&p->ctx);
    p->open = false;
}

void worker_plugin_put_address(struct plugin *p, struct dpk_buf *b)
{
    uint64_t size = 0;
    uint8_t *bytes = NULL;
    if (p->ctx.iface.addr && p->ctx.iface.addr(&p->ctx, NULL, &size) == DOCA_SUCCESS &&
        size <= ADDRESS_MAX)
        bytes = calloc(1, size + 1);
    if (bytes && p->ctx.iface.addr(&p->ctx, bytes, &size) == DOCA_SUCCESS && size <= ADDRESS_MAX)
        dpk_urom_put_text(b, bytes, size);
    else
        dpk_urom_put_text(b, NULL, 0);
    free(bytes);
}
