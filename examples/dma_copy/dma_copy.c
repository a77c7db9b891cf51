/* DMA between the host and the DPU: memory of one process is copied by another.
 *
 *     dma_copy host DEVICE DESCRIPTOR TEXT   exports TEXT in memory, and waits for a line
 *     dma_copy dpu DEVICE DESCRIPTOR         copies it, and prints it
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_dma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const doca_error_t result_ = (call);                                                       \
        if (result_ != DOCA_SUCCESS) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, doca_error_get_descr(result_));                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { DESCRIPTOR_MAX = 1024 };

static struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    char its[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_dev *dev = NULL;
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], its, sizeof its) == DOCA_SUCCESS &&
            strcmp(its, name) == 0 &&
            doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
            TRY(doca_dev_open(list[i], &dev));
    doca_devinfo_destroy_list(list);
    if (!dev) {
        fprintf(stderr, "no device %s with DMA\n", name);
        exit(1);
    }
    return dev;
}

static struct doca_mmap *map_of(struct doca_dev *dev, void *memory, size_t size,
                                uint32_t permissions)
{
    struct doca_mmap *mmap;
    TRY(doca_mmap_create(&mmap));
    TRY(doca_mmap_set_permissions(mmap, permissions));
    TRY(doca_mmap_set_memrange(mmap, memory, size));
    TRY(doca_mmap_add_dev(mmap, dev));
    TRY(doca_mmap_start(mmap));
    return mmap;
}

/* ---- The host ---- */

static void export_text(struct doca_dev *dev, const char *path, char *text)
{
    const void *descriptor;
    size_t size;
    struct doca_mmap *mmap = map_of(dev, text, strlen(text) + 1, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
    TRY(doca_mmap_export_pci(mmap, dev, &descriptor, &size));
    FILE *file = fopen(path, "w");
    if (!file || fwrite(descriptor, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    puts("exported; a line ends it");
    fflush(stdout);
    while (getchar() != '\n' && !feof(stdin))
        ;
    TRY(doca_mmap_destroy(mmap)); /* waits for a copy that is under way */
}

/* ---- The DPU ---- */

struct outcome {
    bool ended;
    doca_error_t result;
};

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    struct outcome *o = task_data.ptr;
    (void)ctx_data;
    o->result = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
    o->ended = true;
}

static doca_error_t copy(struct doca_dev *dev, struct doca_buf *from, struct doca_buf *to)
{
    struct doca_pe *pe;
    struct doca_dma *dma;
    struct doca_dma_task_memcpy *task;
    struct outcome o = {.ended = false};
    TRY(doca_pe_create(&pe));
    TRY(doca_dma_create(dev, &dma));
    TRY(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1));
    TRY(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)));
    TRY(doca_ctx_start(doca_dma_as_ctx(dma)));
    TRY(doca_dma_task_memcpy_alloc_init(dma, from, to, (union doca_data){.ptr = &o}, &task));
    TRY(doca_task_submit(doca_dma_task_memcpy_as_task(task)));
    while (!o.ended)
        doca_pe_progress(pe);
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    TRY(doca_dma_destroy(dma));
    TRY(doca_pe_destroy(pe));
    return o.result;
}

static void copy_text(struct doca_dev *dev, const char *path)
{
    char descriptor[DESCRIPTOR_MAX];
    struct doca_mmap *theirs;
    struct doca_buf_inventory *inventory;
    struct doca_buf *from, *to;
    void *address;
    size_t size;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    size = fread(descriptor, 1, sizeof descriptor, file);
    fclose(file);
    TRY(doca_mmap_create_from_export(NULL, descriptor, size, dev, &theirs));
    TRY(doca_mmap_get_memrange(theirs, &address, &size));
    char *text = calloc(1, size + 1);
    struct doca_mmap *mine = map_of(dev, text, size + 1, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
    TRY(doca_buf_inventory_create(2, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    TRY(doca_buf_inventory_buf_get_by_data(inventory, theirs, address, size, &from));
    TRY(doca_buf_inventory_buf_get_by_addr(inventory, mine, text, size, &to));
    TRY(copy(dev, from, to));
    printf("%s\n", text);
    TRY(doca_buf_dec_refcount(from, NULL));
    TRY(doca_buf_dec_refcount(to, NULL));
    TRY(doca_buf_inventory_destroy(inventory));
    TRY(doca_mmap_destroy(theirs));
    TRY(doca_mmap_destroy(mine));
    free(text);
}

int main(int argc, char **argv)
{
    const bool host = argc == 5 && strcmp(argv[1], "host") == 0;
    if (!host && !(argc == 4 && strcmp(argv[1], "dpu") == 0)) {
        fprintf(stderr, "usage: %s host DEVICE DESCRIPTOR TEXT | dpu DEVICE DESCRIPTOR\n", argv[0]);
        return 2;
    }
    struct doca_dev *dev = open_device(argv[2]);
    if (host)
        export_text(dev, argv[3], argv[4]);
    else
        copy_text(dev, argv[3]);
    TRY(doca_dev_close(dev));
    return 0;
}
