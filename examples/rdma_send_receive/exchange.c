#include "exchange.h"

#include <string.h>

DOCA_LOG_REGISTER(EXCHANGE);

enum { DESCRIPTION_MAX = 65536 };

void exchange_prepare(struct exchange *e, const char *device, size_t length)
{
    const uint32_t rights = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE;
    e->dev = sample_open(device);
    TRY(doca_pe_create(&e->pe));
    TRY(doca_rdma_create(e->dev, &e->rdma));
    TRY(doca_pe_connect_ctx(e->pe, doca_rdma_as_ctx(e->rdma)));
    TRY(doca_mmap_create(&e->map));
    TRY(doca_mmap_set_permissions(e->map, rights));
    TRY(doca_mmap_set_memrange(e->map, e->memory, sizeof e->memory));
    TRY(doca_mmap_add_dev(e->map, e->dev));
    TRY(doca_mmap_start(e->map));
    TRY(doca_buf_inventory_create(1, &e->inventory));
    TRY(doca_buf_inventory_start(e->inventory));
    TRY(doca_buf_inventory_buf_get_by_args(e->inventory, e->map, e->memory, sizeof e->memory,
                                           e->memory, length, &e->text));
}

static void end_with(const char *path, const char *why)
{
    DOCA_LOG_ERR("%s: %s", path, why);
    exit(EXIT_FAILURE);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        end_with(path, "the description cannot be written");
}

static size_t read_file(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(bytes, 1, room, file) : 0;
    if (file)
        fclose(file);
    if (size == 0)
        end_with(path, "there is no description of the other side");
    return size;
}

struct doca_rdma_connection *exchange_connect(struct exchange *e, const char *local,
                                              const char *remote)
{
    static char theirs[DESCRIPTION_MAX];
    struct doca_rdma_connection *connection;
    const void *ours;
    size_t size;
    TRY(doca_rdma_export(e->rdma, &ours, &size, &connection));
    write_file(local, ours, size);
    DOCA_LOG_INFO("Wrote %s; copy the other side's description to %s and press Enter", local,
                  remote);
    while (getchar() != '\n' && !feof(stdin))
        ;
    size = read_file(remote, theirs, sizeof theirs);
    TRY(doca_rdma_connect(e->rdma, theirs, size, connection));
    return connection;
}

void exchange_end(struct exchange *e)
{
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    struct doca_ctx *ctx = doca_rdma_as_ctx(e->rdma);
    const doca_error_t result = doca_ctx_stop(ctx);
    if (result != DOCA_ERROR_IN_PROGRESS)
        TRY(result);
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(e->pe);
        TRY(doca_ctx_get_state(ctx, &state));
    }
    TRY(doca_rdma_destroy(e->rdma));
    TRY(doca_buf_dec_refcount(e->text, NULL));
    TRY(doca_buf_inventory_destroy(e->inventory));
    TRY(doca_mmap_destroy(e->map));
    TRY(doca_pe_destroy(e->pe));
    TRY(doca_dev_close(e->dev));
}
