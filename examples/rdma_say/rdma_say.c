/* A message from one program to another, over DOCA RDMA and its connection manager.
 *
 *     rdma_say listen DEVICE PORT             prints what one caller says, until it goes
 *     rdma_say say DEVICE ADDRESS PORT TEXT   calls, and says TEXT
 */
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_mmap.h>
#include <doca_rdma.h>
#include <stdbool.h>
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

static struct doca_pe *pe;
static struct doca_rdma *rdma;
static struct doca_buf *text; /* what is said, or heard */
static char memory[4096];
static bool says, done;

static struct doca_dev *open_device(const char *name)
{
    struct doca_devinfo **list;
    uint32_t count = 0;
    char its[DOCA_DEVINFO_IBDEV_NAME_SIZE];
    struct doca_dev *dev = NULL;
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++)
        if (doca_devinfo_get_ibdev_name(list[i], its, sizeof its) == DOCA_SUCCESS &&
            strcmp(its, name) == 0)
            TRY(doca_dev_open(list[i], &dev));
    doca_devinfo_destroy_list(list);
    if (!dev) {
        fprintf(stderr, "no device %s\n", name);
        exit(1);
    }
    return dev;
}

/* ---- Messages ---- */

static void sent(struct doca_rdma_task_send *task, union doca_data data, union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    doca_task_free(doca_rdma_task_send_as_task(task));
    done = true;
}

static void not_sent(struct doca_rdma_task_send *task, union doca_data data,
                     union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    TRY(doca_task_get_status(doca_rdma_task_send_as_task(task)));
}

static void heard(struct doca_rdma_task_receive *task, union doca_data data,
                  union doca_data ctx_data)
{
    size_t size = 0;
    (void)data, (void)ctx_data;
    TRY(doca_buf_get_data_len(text, &size));
    printf("%.*s\n", (int)size, memory);
    doca_task_free(doca_rdma_task_receive_as_task(task));
}

static void not_heard(struct doca_rdma_task_receive *task, union doca_data data,
                      union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    doca_task_free(doca_rdma_task_receive_as_task(task)); /* the caller went without a word */
}

static void say(struct doca_rdma_connection *connection)
{
    struct doca_rdma_task_send *task;
    TRY(doca_rdma_task_send_allocate_init(rdma, connection, text, (union doca_data){0}, &task));
    TRY(doca_task_submit(doca_rdma_task_send_as_task(task)));
}

static void hear(void)
{
    struct doca_rdma_task_receive *task;
    TRY(doca_rdma_task_receive_allocate_init(rdma, text, (union doca_data){0}, &task));
    TRY(doca_task_submit(doca_rdma_task_receive_as_task(task)));
}

/* ---- Connections ---- */

static void asked(struct doca_rdma_connection *connection, union doca_data ctx_data)
{
    (void)ctx_data;
    TRY(doca_rdma_connection_accept(connection, NULL, 0));
}

static void connected(struct doca_rdma_connection *connection, union doca_data data,
                      union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    if (says)
        say(connection);
}

static void refused(struct doca_rdma_connection *connection, union doca_data data,
                    union doca_data ctx_data)
{
    (void)connection, (void)data, (void)ctx_data;
    fprintf(stderr, "the connection failed\n");
    exit(1);
}

static void left(struct doca_rdma_connection *connection, union doca_data data,
                 union doca_data ctx_data)
{
    (void)data, (void)ctx_data;
    printf("the caller went\n");
    TRY(doca_rdma_connection_disconnect(connection));
    done = true;
}

/* ---- Both ---- */

static void prepare(struct doca_dev *dev, const char *what)
{
    struct doca_mmap *map;
    struct doca_buf_inventory *inventory;
    TRY(doca_pe_create(&pe));
    TRY(doca_rdma_create(dev, &rdma));
    TRY(doca_pe_connect_ctx(pe, doca_rdma_as_ctx(rdma)));
    TRY(doca_rdma_task_send_set_conf(rdma, sent, not_sent, 1));
    TRY(doca_rdma_task_receive_set_conf(rdma, heard, not_heard, 1));
    TRY(doca_rdma_set_connection_state_callbacks(rdma, asked, connected, refused, left));
    TRY(doca_mmap_create(&map));
    TRY(doca_mmap_set_memrange(map, memory, sizeof memory));
    TRY(doca_mmap_add_dev(map, dev));
    TRY(doca_mmap_start(map));
    TRY(doca_buf_inventory_create(1, &inventory));
    TRY(doca_buf_inventory_start(inventory));
    snprintf(memory, sizeof memory, "%s", what);
    TRY(doca_buf_inventory_buf_get_by_args(inventory, map, memory, sizeof memory, memory,
                                           strlen(memory), &text));
    TRY(doca_ctx_start(doca_rdma_as_ctx(rdma)));
}

int main(int argc, char **argv)
{
    struct doca_rdma_addr *addr;
    says = argc == 6 && strcmp(argv[1], "say") == 0;
    if (!says && (argc != 4 || strcmp(argv[1], "listen") != 0)) {
        fprintf(stderr, "usage: rdma_say listen DEVICE PORT\n"
                        "       rdma_say say DEVICE ADDRESS PORT TEXT\n");
        return 2;
    }
    prepare(open_device(argv[2]), says ? argv[5] : "");
    if (says) {
        TRY(doca_rdma_addr_create(DOCA_RDMA_ADDR_TYPE_IPv4, argv[3], (uint16_t)atoi(argv[4]),
                                  &addr));
        TRY(doca_rdma_connect_to_addr(rdma, addr, (union doca_data){0}));
    } else {
        hear();
        TRY(doca_rdma_start_listen_to_port(rdma, (uint16_t)atoi(argv[3])));
    }
    while (!done)
        doca_pe_progress(pe);
    return 0;
}
