/*
 * A text is copied by DMA from one buffer of this process to another.
 *
 *     doca_dma_local_copy -p 03:00.0 -t 'some text'
 */
#include <doca_argp.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <stdlib.h>
#include <string.h>

DOCA_LOG_REGISTER(DMA_LOCAL_COPY);

enum { TEXT_MAX = 4096 };

struct config {
    char pci_address[DOCA_DEVINFO_PCI_ADDR_SIZE];
    char text[TEXT_MAX];
};

/* Everything of the program, so that it ends in one place. */
struct app {
    struct doca_dev *dev;
    struct doca_mmap *source_map, *target_map;
    struct doca_buf_inventory *inventory;
    struct doca_buf *source, *target;
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_dma_task_memcpy *task;
    bool ended;
    doca_error_t outcome; /* of the task, once it has ended */
};

/* ---- Options ---- */

static doca_error_t take(char *out, size_t size, const char *text, const char *what)
{
    if (strlen(text) >= size) {
        DOCA_LOG_ERR("%s: at most %zu letters", what, size - 1);
        return DOCA_ERROR_INVALID_VALUE;
    }
    memcpy(out, text, strlen(text) + 1);
    return DOCA_SUCCESS;
}

static doca_error_t set_address(void *param, void *config)
{
    struct config *c = config;
    return take(c->pci_address, sizeof c->pci_address, param, "--pci-addr");
}

static doca_error_t set_text(void *param, void *config)
{
    struct config *c = config;
    return take(c->text, sizeof c->text, param, "--text");
}

static doca_error_t register_option(const char *short_name, const char *long_name,
                                    const char *description, doca_argp_param_cb_t callback)
{
    struct doca_argp_param *param = NULL;
    doca_error_t result = doca_argp_param_create(&param);
    if (result != DOCA_SUCCESS)
        return result;
    doca_argp_param_set_short_name(param, short_name);
    doca_argp_param_set_long_name(param, long_name);
    doca_argp_param_set_description(param, description);
    doca_argp_param_set_callback(param, callback);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    return doca_argp_register_param(param);
}

/* ---- What the copy needs ---- */

static doca_error_t open_device(struct app *a, const char *pci_address)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    doca_error_t result = doca_devinfo_create_list(&list, &count);
    if (result != DOCA_SUCCESS)
        return result;
    result = DOCA_ERROR_NOT_FOUND;
    for (uint32_t i = 0; i < count && result == DOCA_ERROR_NOT_FOUND; i++) {
        uint8_t is_it = 0;
        if (doca_devinfo_is_equal_pci_addr(list[i], pci_address, &is_it) == DOCA_SUCCESS && is_it &&
            doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
            result = doca_dev_open(list[i], &a->dev);
    }
    doca_devinfo_destroy_list(list);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("A device at %s with DMA: %s", pci_address, doca_error_get_descr(result));
    return result;
}

static doca_error_t map(struct app *a, char *memory, size_t size, struct doca_mmap **mmap)
{
    doca_error_t result = doca_mmap_create(mmap);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_permissions(*mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_set_memrange(*mmap, memory, size);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_add_dev(*mmap, a->dev);
    if (result == DOCA_SUCCESS)
        result = doca_mmap_start(*mmap);
    return result;
}

static doca_error_t make_buffers(struct app *a, char *source, char *target, size_t size)
{
    doca_error_t result = map(a, source, size, &a->source_map);
    if (result == DOCA_SUCCESS)
        result = map(a, target, size, &a->target_map);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_create(2, &a->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_start(a->inventory);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_data(a->inventory, a->source_map, source, size,
                                                    &a->source);
    if (result == DOCA_SUCCESS)
        result = doca_buf_inventory_buf_get_by_addr(a->inventory, a->target_map, target, size,
                                                    &a->target);
    return result;
}

/* ---- The copy ---- */

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct app *a = task_data.ptr;
    (void)ctx_data;
    a->outcome = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    a->ended = true;
}

static doca_error_t start_dma(struct app *a)
{
    doca_error_t result = doca_pe_create(&a->pe);
    if (result == DOCA_SUCCESS)
        result = doca_dma_create(a->dev, &a->dma);
    if (result == DOCA_SUCCESS)
        result = doca_dma_task_memcpy_set_conf(a->dma, on_end, on_end, 1);
    if (result == DOCA_SUCCESS)
        result = doca_pe_connect_ctx(a->pe, doca_dma_as_ctx(a->dma));
    if (result == DOCA_SUCCESS)
        result = doca_ctx_start(doca_dma_as_ctx(a->dma));
    return result;
}

static doca_error_t copy(struct app *a)
{
    const union doca_data own = {.ptr = a};
    doca_error_t result =
        doca_dma_task_memcpy_alloc_init(a->dma, a->source, a->target, own, &a->task);
    if (result == DOCA_SUCCESS)
        result = doca_task_submit(doca_dma_task_memcpy_as_task(a->task));
    while (result == DOCA_SUCCESS && !a->ended)
        doca_pe_progress(a->pe);
    return result == DOCA_SUCCESS ? a->outcome : result;
}

static doca_error_t tear_down(struct app *a)
{
    doca_error_t result = DOCA_SUCCESS;
    if (a->task)
        doca_task_free(doca_dma_task_memcpy_as_task(a->task));
    if (a->dma)
        DOCA_ERROR_PROPAGATE(result, doca_ctx_stop(doca_dma_as_ctx(a->dma)));
    if (a->dma)
        DOCA_ERROR_PROPAGATE(result, doca_dma_destroy(a->dma));
    if (a->pe)
        DOCA_ERROR_PROPAGATE(result, doca_pe_destroy(a->pe));
    if (a->target)
        DOCA_ERROR_PROPAGATE(result, doca_buf_dec_refcount(a->target, NULL));
    if (a->source)
        DOCA_ERROR_PROPAGATE(result, doca_buf_dec_refcount(a->source, NULL));
    if (a->inventory)
        DOCA_ERROR_PROPAGATE(result, doca_buf_inventory_destroy(a->inventory));
    if (a->target_map)
        DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(a->target_map));
    if (a->source_map)
        DOCA_ERROR_PROPAGATE(result, doca_mmap_destroy(a->source_map));
    if (a->dev)
        DOCA_ERROR_PROPAGATE(result, doca_dev_close(a->dev));
    return result;
}

static doca_error_t local_copy(struct config *config)
{
    static char target[TEXT_MAX];
    struct app a = {0};
    doca_error_t result = open_device(&a, config->pci_address);
    if (result == DOCA_SUCCESS)
        result = make_buffers(&a, config->text, target, strlen(config->text) + 1);
    if (result == DOCA_SUCCESS)
        result = start_dma(&a);
    if (result == DOCA_SUCCESS)
        result = copy(&a);
    if (result == DOCA_SUCCESS)
        DOCA_LOG_INFO("Copied: %s", target);
    DOCA_ERROR_PROPAGATE(result, tear_down(&a));
    return result;
}

int main(int argc, char **argv)
{
    struct config config = {.pci_address = "03:00.0", .text = "This is a text"};
    doca_error_t result = doca_log_backend_create_standard();
    if (result == DOCA_SUCCESS)
        result = doca_argp_init("doca_dma_local_copy", &config);
    if (result != DOCA_SUCCESS)
        return EXIT_FAILURE;
    result = register_option("p", "pci-addr", "PCI address of the device; default: 03:00.0",
                             set_address);
    if (result == DOCA_SUCCESS)
        result = register_option("t", "text", "Text to copy", set_text);
    if (result == DOCA_SUCCESS)
        result = doca_argp_start(argc, argv);
    if (result == DOCA_SUCCESS)
        result = local_copy(&config);
    if (result != DOCA_SUCCESS)
        DOCA_LOG_ERR("The copy failed: %s", doca_error_get_descr(result));
    doca_argp_destroy();
    return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
