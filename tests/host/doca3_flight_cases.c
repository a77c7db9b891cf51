/* Memory that is taken back while accesses to it are in flight. */
#define _GNU_SOURCE
#include <doca_dma.h>
#include <doca_rdma.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "doca3_world.h"
#include "held.h"

#define ALL                                                                                        \
    (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | DOCA_ACCESS_FLAG_RDMA_WRITE)

struct end {
    struct doca_dpa *dpa;
    struct doca_dpa_completion *queue;
    struct doca_rdma *rdma;
    struct doca_rdma_connection *connection;
    const void *address;
    size_t address_size;
    uint64_t queue_handle, handle;
};

static struct end end_new(struct doca_dpa *dpa)
{
    struct end e = {.dpa = dpa};
    CHECK(doca_dpa_completion_create(dpa, 64, &e.queue) == OK);
    CHECK(doca_dpa_completion_start(e.queue) == OK);
    CHECK(doca_dpa_completion_get_dpa_handle(e.queue, &e.queue_handle) == OK);
    CHECK(doca_rdma_create(dev, &e.rdma) == OK && doca_rdma_set_permissions(e.rdma, ALL) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(doca_rdma_as_ctx(e.rdma), dpa) == OK);
    CHECK(doca_rdma_dpa_completion_attach(e.rdma, e.queue) == OK);
    CHECK(doca_ctx_start(doca_rdma_as_ctx(e.rdma)) == OK);
    CHECK(doca_rdma_get_dpa_handle(e.rdma, &e.handle) == OK);
    CHECK(doca_rdma_export(e.rdma, &e.address, &e.address_size, &e.connection) == OK);
    return e;
}

static void end_destroy(struct end *e)
{
    CHECK(doca_rdma_destroy(e->rdma) == OK && doca_dpa_completion_destroy(e->queue) == OK);
}

static struct doca_mmap *map_new(void *address, size_t size, uint32_t permissions)
{
    struct doca_mmap *m = NULL;
    CHECK(doca_mmap_create(&m) == OK && doca_mmap_set_permissions(m, permissions) == OK);
    CHECK(doca_mmap_set_memrange(m, address, size) == OK && doca_mmap_add_dev(m, dev) == OK);
    CHECK(doca_mmap_start(m) == OK);
    return m;
}

static uint32_t key_of(struct doca_mmap *m)
{
    uint32_t key = 0;
    CHECK(doca_mmap_dev_get_dpa_handle(m, dev, &key) == OK);
    return key;
}

/* ---- Within a process ---- */

struct write {
    struct end *from;
    uint32_t local, remote;
    uint64_t local_address, remote_address, size;
};

static int rdma_write(void *argument)
{
    const struct write *w = argument;
    uint64_t result = 0;
    return doca_dpa_rpc(w->from->dpa, &rdma_one, &result, w->from->handle, (uint32_t)RDMA_WRITE,
                        w->local, w->local_address, (uint64_t)w->remote, w->remote_address, w->size,
                        1u);
}

/* The target of a write: host memory or memory of a DPA context, and the objects that hold it. */
struct target {
    struct doca_dpa *dpa; /* NULL: host memory */
    uint64_t block;
    struct held held;
    struct doca_mmap *map;
    uint64_t address;
};

static struct target host_target(void)
{
    struct target t = {.held = held_new(1)};
    t.map = map_new(t.held.at, t.held.size, ALL);
    t.address = (uintptr_t)t.held.at;
    return t;
}

static struct target dpa_target(void)
{
    const uint64_t mark = UINT64_C(0x656761706120796d);
    struct target t = {.dpa = dpa_new()};
    CHECK(doca_dpa_mem_alloc(t.dpa, 2 * HELD_PAGE, &t.block) == OK);
    t.address = (t.block + HELD_PAGE - 1) / HELD_PAGE * HELD_PAGE;
    CHECK(doca_mmap_create(&t.map) == OK && doca_mmap_set_permissions(t.map, ALL) == OK);
    CHECK(doca_mmap_set_dpa_memrange(t.map, t.dpa, t.address, HELD_PAGE) == OK);
    CHECK(doca_mmap_add_dev(t.map, dev) == OK && doca_mmap_start(t.map) == OK);
    CHECK(doca_dpa_h2d_memcpy(t.dpa, t.address, (void *)&mark, sizeof mark) == OK);
    t.held = held_find(mark);
    return t;
}

static int stop_map(void *target)
{
    return doca_mmap_stop(((struct target *)target)->map);
}

static int destroy_map(void *target)
{
    return doca_mmap_destroy(((struct target *)target)->map);
}

static int free_block(void *target)
{
    const struct target *t = target;
    return doca_dpa_mem_free(t->dpa, t->block);
}

static int destroy_dpa(void *target)
{
    return doca_dpa_destroy(((struct target *)target)->dpa);
}

/* An RDMA write is held in the memory that it goes to; `take` must wait for it. */
static void take_back_while_rdma_writes(struct target t, int (*take)(void *target))
{
    static char bytes[HELD_PAGE];
    struct doca_dpa *dpa = dpa_new();
    struct end a = end_new(dpa), b = end_new(dpa);
    CHECK(doca_rdma_connect(a.rdma, b.address, b.address_size, a.connection) == OK);
    CHECK(doca_rdma_connect(b.rdma, a.address, a.address_size, b.connection) == OK);
    struct doca_mmap *from = map_new(bytes, sizeof bytes, ALL);
    struct write w = {&a, key_of(from), key_of(t.map), (uintptr_t)bytes, t.address, HELD_PAGE};
    int ended;
    CHECK(held_take(&t.held, rdma_write, &w, take, &t, &ended) == OK && ended == OK);
    CHECK(take == destroy_map || doca_mmap_destroy(t.map) == OK);
    CHECK(!t.dpa || take == destroy_dpa || doca_dpa_destroy(t.dpa) == OK);
    end_destroy(&a);
    end_destroy(&b);
    CHECK(doca_mmap_destroy(from) == OK && doca_dpa_destroy(dpa) == OK);
}

static void stopping_a_map_waits_for_rdma(void)
{
    take_back_while_rdma_writes(host_target(), stop_map);
}

static void destroying_a_map_waits_for_rdma(void)
{
    take_back_while_rdma_writes(host_target(), destroy_map);
}

static void stopping_a_map_of_dpa_memory_waits_for_rdma(void)
{
    take_back_while_rdma_writes(dpa_target(), stop_map);
}

static void freeing_dpa_memory_waits_for_rdma(void)
{
    take_back_while_rdma_writes(dpa_target(), free_block);
}

static void destroying_a_context_waits_for_rdma_to_its_memory(void)
{
    take_back_while_rdma_writes(dpa_target(), destroy_dpa);
}

/* ---- DMA ---- */

static doca_error_t copied = DOCA_ERROR_UNKNOWN;

static void on_end(struct doca_dma_task_memcpy *task, union doca_data task_data,
                   union doca_data ctx_data)
{
    (void)task_data;
    (void)ctx_data;
    copied = doca_task_get_status(doca_dma_task_memcpy_as_task(task));
}

static int stop(void *map)
{
    return doca_mmap_stop(map);
}

static int progress(void *engine)
{
    return doca_pe_progress(engine) == 1;
}

static struct doca_buf *buf_of(struct doca_buf_inventory *v, struct doca_mmap *m, void *at,
                               size_t size)
{
    struct doca_buf *b = NULL;
    CHECK(doca_buf_inventory_buf_get_by_data(v, m, at, size, &b) == OK);
    return b;
}

/* A copy is held in the first MiB of the memory that it goes to: buffers of others work, its own are
 * given back, then the map waits. The second MiB is another access. */
static void stopping_a_map_waits_for_dma_and_no_buffer_does(void)
{
    static char bytes[512 * HELD_PAGE];
    struct held h = held_new(512);
    struct doca_mmap *from = map_new(bytes, sizeof bytes, ALL), *to = map_new(h.at, h.size, ALL);
    struct doca_pe *pe = NULL;
    struct doca_dma *dma = NULL;
    struct doca_buf_inventory *v = NULL;
    struct doca_dma_task_memcpy *task = NULL;
    struct call copying, taken;
    size_t size = 0;
    alarm(60); /* should all wait for all */
    CHECK(doca_pe_create(&pe) == OK && doca_dma_create(dev, &dma) == OK);
    CHECK(doca_dma_task_memcpy_set_conf(dma, on_end, on_end, 1) == OK);
    CHECK(doca_pe_connect_ctx(pe, doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_ctx_start(doca_dma_as_ctx(dma)) == OK);
    CHECK(doca_buf_inventory_create(4, &v) == OK && doca_buf_inventory_start(v) == OK);
    struct doca_buf *a = buf_of(v, from, bytes, sizeof bytes), *b = buf_of(v, to, h.at, h.size);
    struct doca_buf *other = buf_of(v, from, bytes, 5);
    CHECK(doca_buf_reset_data_len(b) == OK);
    CHECK(doca_dma_task_memcpy_alloc_init(dma, a, b, (union doca_data){0}, &task) == OK);
    CHECK(doca_task_submit(doca_dma_task_memcpy_as_task(task)) == OK);
    held_hold(&h);
    call_begin(&copying, progress, pe);
    held_wait(&h);
    CHECK(doca_buf_get_data_len(other, &size) == OK && size == 5);
    CHECK(doca_mmap_stop(to) == IN_USE);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    call_begin(&taken, stop, to);
    call_waits(&taken);
    held_let_go(&h);
    CHECK(call_end(&taken) == OK);
    held_end(&h);
    CHECK(call_end(&copying) == 1 && copied == DOCA_ERROR_IO_FAILED); /* the second MiB */
    doca_task_free(doca_dma_task_memcpy_as_task(task));
    CHECK(doca_buf_dec_refcount(a, NULL) == OK && doca_buf_dec_refcount(other, NULL) == OK);
    CHECK(doca_ctx_stop(doca_dma_as_ctx(dma)) == OK && doca_dma_destroy(dma) == OK);
    CHECK(doca_pe_destroy(pe) == OK && doca_buf_inventory_destroy(v) == OK);
    CHECK(doca_mmap_destroy(from) == OK && doca_mmap_destroy(to) == OK);
}

/* ---- Lists of buffers ---- */

#define LIST_LEN   500
#define LIST_TURNS 200

static _Atomic(struct doca_buf *) list_head;
static atomic_bool lists_end;

/* Walks over a list that may be given back at any time. */
static int walk_lists(void *walks)
{
    uint32_t count = 0;
    struct doca_buf *next = NULL;
    while (!lists_end) {
        doca_error_t result = doca_buf_get_list_len(list_head, &count);
        CHECK(result == INVALID || (result == OK && count <= LIST_LEN));
        if (doca_buf_get_next_in_list(list_head, &next) == OK && next)
            doca_buf_get_list_len(next, &count);
        ++*(atomic_uint *)walks;
    }
    return OK;
}

static struct doca_buf *list_of(struct doca_buf_inventory *v, struct doca_mmap *m, void *at)
{
    struct doca_buf *head = buf_of(v, m, at, 1);
    for (unsigned i = 1; i < LIST_LEN; i++) {
        struct doca_buf *more = buf_of(v, m, at, 1);
        CHECK(doca_buf_chain_list(more, head) == OK);
        head = more;
    }
    return head;
}

static void lists_are_given_back_while_others_walk_over_them(void)
{
    static char byte;
    struct doca_mmap *map = map_new(&byte, 1, ALL);
    struct doca_buf_inventory *v = NULL;
    atomic_uint walks = 0;
    struct call walking;
    CHECK(doca_buf_inventory_create(LIST_LEN, &v) == OK && doca_buf_inventory_start(v) == OK);
    list_head = NULL;
    lists_end = false;
    call_begin(&walking, walk_lists, &walks);
    for (int i = 0; i < LIST_TURNS; i++) {
        list_head = list_of(v, map, &byte);
        for (unsigned before = walks; walks == before;)
            ;
        CHECK(doca_buf_dec_refcount(list_head, NULL) == OK);
    }
    lists_end = true;
    CHECK(call_end(&walking) == OK);
    CHECK(doca_buf_inventory_destroy(v) == OK && doca_mmap_destroy(map) == OK);
}

struct taker {
    struct doca_buf_inventory *inventory;
    struct doca_mmap *map;
    void *at;
};

/* Takes buffers of a map that stops and changes at any time. */
static int take_on_and_on(void *argument)
{
    const struct taker *t = argument;
    struct doca_buf *b = NULL;
    while (!lists_end)
        if (doca_buf_inventory_buf_get_by_addr(t->inventory, t->map, t->at, 1, &b) == OK)
            CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    return OK;
}

/* A map has no buffers, or does not stop. */
static void maps_stop_while_buffers_are_taken(void)
{
    static char bytes[2];
    struct taker t = {.map = map_new(bytes, 1, ALL), .at = bytes};
    struct call taking;
    uint32_t free_ones = 0;
    CHECK(doca_buf_inventory_create(1, &t.inventory) == OK);
    CHECK(doca_buf_inventory_start(t.inventory) == OK);
    lists_end = false;
    call_begin(&taking, take_on_and_on, &t);
    for (int stops = 0; stops < 100000;) {
        doca_error_t result = doca_mmap_stop(t.map);
        CHECK(result == OK || result == IN_USE);
        if (result != OK)
            continue;
        CHECK(doca_buf_inventory_get_num_free_elements(t.inventory, &free_ones) == OK);
        CHECK(free_ones == 1);
        CHECK(doca_mmap_set_memrange(t.map, bytes + stops++ % 2, 1) == OK);
        CHECK(doca_mmap_start(t.map) == OK);
    }
    lists_end = true;
    CHECK(call_end(&taking) == OK && doca_buf_inventory_destroy(t.inventory) == OK);
    CHECK(doca_mmap_destroy(t.map) == OK);
}

/* ---- Between processes ---- */

#define LARGE   ((size_t)8 << 20)
#define ROUNDS  20
#define AT_ONCE 8 /* writes that are posted */

static void send_all(int fd, const void *bytes, size_t size)
{
    CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static void receive_all(int fd, void *bytes, size_t size)
{
    for (size_t n = 0; n < size;) {
        ssize_t got = read(fd, (char *)bytes + n, size - n);
        CHECK(got > 0);
        n += (size_t)got;
    }
}

/* A message of the memory's owner: size 0 means the end. */
struct told {
    uint64_t address, size;
    char exported[256];
};

static struct end connect_over(struct doca_dpa *dpa, int in, int out)
{
    char theirs[256];
    struct end e = end_new(dpa);
    uint64_t size = e.address_size;
    send_all(out, &size, sizeof size);
    send_all(out, e.address, e.address_size);
    receive_all(in, &size, sizeof size);
    CHECK(size <= sizeof theirs);
    receive_all(in, theirs, size);
    CHECK(doca_rdma_connect(e.rdma, theirs, size, e.connection) == OK);
    return e;
}

/* The other process: standard input and output lead to the owner of the memory. In each round it
 * writes to the memory that the owner names, until a write fails. */
static void a_peer_writes(void)
{
    alarm(60);
    char *bytes = calloc(1, LARGE);
    struct doca_mmap *map = map_new(bytes, LARGE, ALL);
    struct doca_dpa *dpa = dpa_new();
    for (struct told t; receive_all(0, &t, sizeof t), t.size > 0;) {
        struct doca_mmap *remote = NULL;
        CHECK(doca_mmap_create_from_export(NULL, t.exported, t.size, dev, &remote) == OK);
        struct end e = connect_over(dpa, 0, 1);
        struct write w = {&e, key_of(map), key_of(remote), (uintptr_t)bytes, t.address, LARGE};
        uint64_t next = 0;
        for (int posted = 0; next != 0xd; posted--) { /* DOCA_DPA_DEV_COMP_SEND_ERR */
            for (; posted < AT_ONCE; posted++)
                CHECK(rdma_write(&w) == OK);
            do
                CHECK(doca_dpa_rpc(dpa, &rdma_next, &next, e.queue_handle) == OK);
            while (next == UINT64_MAX);
        }
        end_destroy(&e);
        CHECK(doca_mmap_destroy(remote) == OK);
        send_all(1, "", 1);
    }
    CHECK(doca_mmap_destroy(map) == OK && doca_dpa_destroy(dpa) == OK);
    free(bytes);
}

static pid_t peer_begin(int *in, int *out)
{
    int to[2], from[2];
    CHECK(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        execl("/proc/self/exe", "cases", "a_peer_writes", NULL);
        _exit(97);
    }
    close(to[0]);
    close(from[1]);
    *in = from[0];
    *out = to[1];
    return child;
}

/* As programs see what RDMA brings: without any order to go by. */
__attribute__((no_sanitize("thread"))) static bool is_set(const volatile char *byte)
{
    return *byte != 0;
}

/* Waits until bytes come, and takes the memory back while they do. */
static void take_back_from_a_peer(struct doca_dpa *dpa, int in, int out, bool stops)
{
    char byte;
    volatile char *bytes =
        mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK((void *)bytes != MAP_FAILED);
    bytes[LARGE / 2] = 1;
    struct doca_mmap *map = map_new((void *)bytes, LARGE, ALL);
    const void *exported;
    struct told t = {.address = (uintptr_t)bytes};
    CHECK(doca_mmap_export_rdma(map, dev, &exported, &t.size) == OK && t.size <= sizeof t.exported);
    memcpy(t.exported, exported, t.size);
    send_all(out, &t, sizeof t);
    struct end e = connect_over(dpa, in, out);
    while (is_set(&bytes[LARGE / 2]))
        ; /* somebody copies, in the midst of it */
    CHECK((stops ? doca_mmap_stop(map) : doca_mmap_destroy(map)) == OK);
    CHECK(munmap((void *)bytes, LARGE) == 0);
    receive_all(in, &byte, 1);
    CHECK(!stops || doca_mmap_destroy(map) == OK);
    end_destroy(&e);
}

static void memory_is_taken_back_from_a_peer_that_writes(void)
{
    int in, out, status = 0;
    alarm(60); /* whatever goes wrong */
    pid_t peer = peer_begin(&in, &out);
    struct doca_dpa *dpa = dpa_new();
    for (int i = 0; i < ROUNDS; i++)
        take_back_from_a_peer(dpa, in, out, i % 2 == 0);
    send_all(out, &(struct told){0}, sizeof(struct told));
    CHECK(waitpid(peer, &status, 0) == peer && status == 0);
    CHECK(doca_dpa_destroy(dpa) == OK && close(in) == 0 && close(out) == 0);
}

const struct test_case flight_cases[] = {
    CASE(stopping_a_map_waits_for_rdma),
    CASE(destroying_a_map_waits_for_rdma),
    CASE(stopping_a_map_of_dpa_memory_waits_for_rdma),
    CASE(freeing_dpa_memory_waits_for_rdma),
    CASE(destroying_a_context_waits_for_rdma_to_its_memory),
    CASE(stopping_a_map_waits_for_dma_and_no_buffer_does),
    CASE(lists_are_given_back_while_others_walk_over_them),
    CASE(maps_stop_while_buffers_are_taken),
    CASE(memory_is_taken_back_from_a_peer_that_writes),
    CASE(a_peer_writes),
    {0},
};
