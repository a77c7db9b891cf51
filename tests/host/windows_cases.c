/* Behaviours of libflexio that need its device library; host_windows.bats runs them. */
#include <poll.h>
#include <unistd.h>

#include "flexio_world.h"
#include "held.h"

extern struct flexio_app *windows_app;
flexio_func_t counts_rounds, activate, window_exchange, window_mistaken, window_load, window_store,
    window_add, window_copy, window_stores, window_sees, failing_steps, end_process, handler,
    on_error, crash;

#define SIZE 4096

/* A process with registered memory and a window to it. */
struct world {
    struct flexio_process *p;
    struct flexio_window *window;
    struct ibv_mr *mr;
    uint64_t *memory;
    uint64_t id, key, at;
};

static struct world world(int access)
{
    struct world w = {0};
    CHECK(flexio_process_create(context, windows_app, NULL, &w.p) == OK);
    struct ibv_pd *pd = flexio_process_get_pd(w.p);
    CHECK(posix_memalign((void **)&w.memory, 64, SIZE) == 0);
    for (uint64_t i = 0; i < SIZE / 8; i++)
        w.memory[i] = i;
    CHECK((w.mr = ibv_reg_mr(pd, w.memory, SIZE, access)));
    CHECK(flexio_window_create(w.p, pd, &w.window) == OK);
    w.id = flexio_window_get_id(w.window);
    w.key = w.mr->lkey;
    w.at = (uintptr_t)w.memory;
    return w;
}

static void end(struct world *w)
{
    CHECK(flexio_window_destroy(w->window) == OK);
    CHECK(!w->mr || ibv_dereg_mr(w->mr) == 0);
    CHECK(flexio_process_destroy(w->p) == OK);
    free(w->memory);
}

static void the_device_reads_and_writes_host_memory(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    uint64_t result = 0;
    CHECK(flexio_process_call(w.p, &window_load, &result, w.id, w.key, w.at + 8 * 17) == OK);
    CHECK(result == 17);
    CHECK(flexio_process_call(w.p, &window_store, &result, w.id, w.key, w.at + SIZE - 8,
                              UINT64_C(99)) == OK);
    CHECK(w.memory[SIZE / 8 - 1] == 99);
    CHECK(flexio_process_call(w.p, &window_add, &result, w.id, w.key, w.at, UINT64_C(1000)) == OK);
    CHECK(w.memory[0] == 1000);
    CHECK(flexio_process_call(w.p, &window_copy, &result, w.id, w.key, w.at + 64, UINT64_C(512)) ==
              OK &&
          result == 0);
    for (uint64_t i = 8; i < 72; i++)
        CHECK(w.memory[i] == i + 1);
    CHECK(w.memory[72] == 72);
    end(&w);
}

/* With DPAKIT_STRICT=memory, as on a card. */
static void stores_and_loads_need_their_fences(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    uint64_t result = 0;
    for (uint64_t back = 0; back < 2; back++) {
        CHECK(flexio_process_call(w.p, &window_stores, &result, w.id, w.key, w.at, UINT64_C(20),
                                  back) == OK);
        CHECK(result == 100); /* a thread sees its own stores */
        for (uint64_t i = 0; i < 20; i++)
            CHECK(w.memory[i] == (back ? 100 + i : i));
    }
    for (uint64_t inv = 0; inv < 2; inv++) {
        CHECK(flexio_process_call(w.p, &window_sees, &result, w.id, w.key, w.at, inv) == OK);
        CHECK(result == inv);
    }
    CHECK(flexio_process_call(w.p, &window_add, &result, w.id, w.key, w.at + 1024, UINT64_C(5)) ==
          OK);
    CHECK(w.memory[128] == 133); /* atomics go to memory */
    CHECK(flexio_process_call(w.p, &window_store, &result, w.id, w.key, w.at + 2048 + 4,
                              UINT64_C(7)) == OK);
    CHECK(w.memory[256] == (UINT64_C(7) << 32 | 256));
    CHECK(flexio_process_call(w.p, &window_store, &result, w.id, w.key, w.at + SIZE, UINT64_C(1)) !=
          OK);
    end(&w);
}

static void the_device_may_read_and_write_misaligned(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    uint64_t result = 0;
    CHECK(flexio_process_call(w.p, &window_load, &result, w.id, w.key, w.at + 8 + 4) == OK);
    CHECK(result == UINT64_C(2) << 32);
    CHECK(flexio_process_call(w.p, &window_store, &result, w.id, w.key, w.at + 16 + 1,
                              UINT64_C(0x1122334455667788)) == OK);
    CHECK(w.memory[2] == (UINT64_C(0x22334455667788) << 8 | 2));
    CHECK(w.memory[3] == 0x11);
    end(&w);
}

/* The call faults, and nothing was written. */
static void faults(struct world *w, flexio_func_t *f, uint64_t id, uint64_t key, uint64_t at,
                   uint64_t last)
{
    uint64_t result = 5;
    CHECK(flexio_process_call(w->p, f, &result, id, key, at, last) == FLEXIO_STATUS_FATAL_ERR);
    CHECK(result == 5 && flexio_err_status_get(w->p) == FLEXIO_DEV_FATAL_ERROR);
    for (uint64_t i = 0; i < SIZE / 8; i++)
        CHECK(w->memory[i] == i);
    end(w);
}

static void a_thread_has_two_windows(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    struct ibv_pd *pd = flexio_process_get_pd(w.p);
    const struct ibv_mr *low = ibv_reg_mr(pd, w.memory, 1024, IBV_ACCESS_LOCAL_WRITE),
                        *high = ibv_reg_mr(pd, w.memory + 256, 1024, IBV_ACCESS_LOCAL_WRITE);
    uint64_t result = 7;
    CHECK(low && high);
    CHECK(flexio_process_call(w.p, &window_exchange, &result, w.id, (uint64_t)low->lkey, w.at,
                              (uint64_t)high->lkey, w.at + 2048) == OK &&
          result == 0);
    for (uint64_t i = 0; i < 4; i++)
        CHECK(w.memory[i] == 256 + i && w.memory[256 + i] == i);
    for (uint64_t i = 0; i < 8; i++)
        CHECK(w.memory[8 + i] == (i < 4 ? i : 256 + i));
    CHECK(flexio_process_call(w.p, &window_mistaken, &result, w.id, (uint64_t)low->lkey,
                              (uint64_t)high->lkey, w.at + 2048) == FLEXIO_STATUS_FATAL_ERR);
    CHECK(ibv_dereg_mr((struct ibv_mr *)(uintptr_t)low) == 0 &&
          ibv_dereg_mr((struct ibv_mr *)(uintptr_t)high) == 0);
    end(&w);
}

static void accesses_beyond_the_memory_fault(void)
{
    for (int i = 0; i < 2; i++) {
        flexio_func_t *f = i ? &window_store : &window_load;
        struct world w = world(IBV_ACCESS_LOCAL_WRITE);
        faults(&w, f, w.id, w.key, w.at + SIZE, 1);
        w = world(IBV_ACCESS_LOCAL_WRITE);
        faults(&w, f, w.id, w.key, w.at - 8, 1);
    }
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_copy, w.id, w.key, w.at + SIZE - 8, 16);
    w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_copy, w.id, w.key, w.at, 4096); /* more than the device's room */
    w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_load, w.id, w.key, w.at + SIZE - 4, 1); /* the half of it is outside */
    w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_store, w.id, w.key, w.at + SIZE - 1, UINT64_MAX);
}

static void stores_need_the_right_to_write(void)
{
    struct world w = world(0);
    uint64_t result = 0;
    CHECK(flexio_process_call(w.p, &window_load, &result, w.id, w.key, w.at + 16) == OK);
    CHECK(result == 2);
    faults(&w, &window_store, w.id, w.key, w.at, 1);
    w = world(IBV_ACCESS_REMOTE_READ);
    faults(&w, &window_add, w.id, w.key, w.at, 1);
    w = world(0);
    faults(&w, &window_copy, w.id, w.key, w.at, 64);
}

static void keys_that_are_none_fault(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_load, w.id, w.key + 1, w.at, 0);
    w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_load, w.id, UINT32_MAX, w.at, 0);
    w = world(IBV_ACCESS_LOCAL_WRITE);
    faults(&w, &window_load, w.id + 1, w.key, w.at, 0); /* no such window */
    w = world(IBV_ACCESS_LOCAL_WRITE);
    CHECK(ibv_dereg_mr(w.mr) == 0); /* not any more */
    w.mr = ibv_reg_mr(flexio_process_get_pd(w.p), w.memory, SIZE, IBV_ACCESS_LOCAL_WRITE);
    CHECK(w.mr && w.mr->lkey != w.key); /* the next one is another */
    faults(&w, &window_load, w.id, w.key, w.at, 0);
}

/* Who still has a key that was given back must not have the next one by it. */
static void numbers_of_keys_come_back_late(void)
{
    struct ibv_pd *pd = ibv_alloc_pd(context);
    uint64_t word = 0;
    struct ibv_mr *mr = ibv_reg_mr(pd, &word, sizeof word, 0);
    CHECK(mr);
    const uint32_t first = mr->lkey;
    for (int i = 0; i < 5000; i++) {
        CHECK(ibv_dereg_mr(mr) == 0 && (mr = ibv_reg_mr(pd, &word, sizeof word, 0)));
        CHECK(mr->lkey != first);
    }
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0);
}

/* A world whose memory holds whoever touches it. */
static struct world world_of(struct held *h)
{
    struct world w = world(0);
    CHECK(ibv_dereg_mr(w.mr) == 0);
    *h = held_new(1);
    CHECK((w.mr = ibv_reg_mr(flexio_process_get_pd(w.p), h->at, h->size, IBV_ACCESS_LOCAL_WRITE)));
    w.key = w.mr->lkey;
    w.at = (uintptr_t)h->at;
    held_hold(h);
    return w;
}

static int store(void *argument)
{
    const struct world *w = argument;
    uint64_t result;
    return flexio_process_call(w->p, &window_store, &result, w->id, w->key, w->at, UINT64_C(9));
}

static int copy(void *argument)
{
    const struct world *w = argument;
    uint64_t result;
    return flexio_process_call(w->p, &window_copy, &result, w->id, w->key, w->at, UINT64_C(512));
}

static int deregister(void *mr)
{
    return ibv_dereg_mr(mr);
}

/* And nobody else waits: memory is registered meanwhile. */
static void deregistering_memory_waits_for(int (*access)(void *world))
{
    struct held h;
    struct world w = world_of(&h);
    struct call inside, taken;
    alarm(60); /* should all wait for all */
    call_begin(&inside, access, &w);
    held_wait(&h);
    struct ibv_mr *other = ibv_reg_mr(flexio_process_get_pd(w.p), w.memory, SIZE, 0);
    CHECK(other && ibv_dereg_mr(other) == 0);
    call_begin(&taken, deregister, w.mr);
    call_waits(&taken);
    other = ibv_reg_mr(flexio_process_get_pd(w.p), w.memory, SIZE, 0);
    CHECK(other && other->lkey != w.key && ibv_dereg_mr(other) == 0);
    held_let_go(&h);
    CHECK(call_end(&taken) == 0);
    held_end(&h);
    int ended = call_end(&inside); /* there is no second access */
    CHECK(ended == (access == copy ? FLEXIO_STATUS_FATAL_ERR : OK));
    w.mr = NULL;
    end(&w);
}

static void deregistering_memory_waits_for_accesses_and_nobody_else(void)
{
    deregistering_memory_waits_for(store);
}

static void deregistering_memory_waits_for_copies_and_nobody_else(void)
{
    deregistering_memory_waits_for(copy);
}

static void keys_of_other_domains_fault(void)
{
    struct world w = world(IBV_ACCESS_LOCAL_WRITE);
    struct ibv_pd *other = ibv_alloc_pd(context);
    struct ibv_mr *mr = ibv_reg_mr(other, w.memory, SIZE, IBV_ACCESS_LOCAL_WRITE);
    CHECK(mr);
    CHECK(ibv_dealloc_pd(other) == EBUSY);
    faults(&w, &window_load, w.id, mr->lkey, w.at, 0);
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(other) == 0);
}

static void windows_want_64_bytes(void)
{
    const struct {
        uint64_t offset, size;
    } bad[] = {{8, 64}, {0, 72}, {32, 128}};
    for (int i = 0; i < 3; i++) {
        struct world w = world(0);
        struct ibv_mr *mr = ibv_reg_mr(flexio_process_get_pd(w.p), (char *)w.memory + bad[i].offset,
                                       bad[i].size, IBV_ACCESS_LOCAL_WRITE);
        CHECK(mr);
        uint32_t key = mr->lkey;
        struct world copy = w;
        uint64_t result;
        CHECK(flexio_process_call(w.p, &window_load, &result, w.id, (uint64_t)key,
                                  w.at + bad[i].offset) == FLEXIO_STATUS_FATAL_ERR);
        CHECK(ibv_dereg_mr(mr) == 0);
        end(&copy);
    }
}

static void dpa_memory_has_keys_but_no_window(void)
{
    struct world w = world(0);
    flexio_uintptr_t daddr;
    struct flexio_mkey *key = NULL;
    CHECK(flexio_buf_dev_alloc(w.p, 4096, &daddr) == OK);
    struct flexio_mkey_attr attr = {.pd = flexio_process_get_pd(w.p), .daddr = daddr, .len = 4096};
    CHECK(flexio_device_mkey_create(w.p, &attr, &key) == OK && key);
    uint64_t id = flexio_mkey_get_id(key), result;
    CHECK(id != w.key);
    CHECK(flexio_process_call(w.p, &window_load, &result, w.id, id, daddr) ==
          FLEXIO_STATUS_FATAL_ERR);
    CHECK(flexio_device_mkey_destroy(key) == OK && flexio_device_mkey_destroy(NULL) == OK);
    attr.daddr = 0x10;
    CHECK(flexio_device_mkey_create(w.p, &attr, &key) == FLEXIO_STATUS_FAILED && !key);
    attr = (struct flexio_mkey_attr){.pd = attr.pd, .daddr = daddr, .len = SIZE_MAX};
    CHECK(flexio_device_mkey_create(w.p, &attr, &key) == FLEXIO_STATUS_FAILED);
    end(&w);
}

static void registration_is_checked(void)
{
    struct ibv_pd *pd = ibv_alloc_pd(context);
    uint64_t word[16];
    const int write = IBV_ACCESS_LOCAL_WRITE;
    CHECK(pd && !ibv_reg_mr(pd, word, 0, 0) && errno == EINVAL);
    CHECK(!ibv_reg_mr(pd, word, sizeof word, IBV_ACCESS_REMOTE_WRITE) && errno == EINVAL);
    CHECK(!ibv_reg_mr(pd, word, SIZE_MAX, 0) && errno == EINVAL);
    CHECK(!ibv_reg_mr(pd, (void *)4096, 64, 0) && errno == EFAULT);
    CHECK(!ibv_reg_mr(pd, (void *)"constant, and in pages of constants", 8, write) &&
          errno == EFAULT);
    CHECK(!ibv_alloc_pd(NULL) && ibv_dereg_mr(NULL) == EINVAL && ibv_dealloc_pd(NULL) == EINVAL);
    struct ibv_device_attr device;
    struct ibv_port_attr port;
    union ibv_gid gid;
    CHECK(ibv_query_device(context, &device) == 0 && device.phys_port_cnt == 1);
    CHECK(ibv_query_port(context, 1, &port) == 0 && port.state == IBV_PORT_ACTIVE);
    CHECK(ibv_query_port(context, 2, &port) == EINVAL);
    CHECK(ibv_query_gid(context, 1, 0, &gid) == 0 && ibv_query_gid(context, 1, 255, &gid) == -1);
    CHECK(ibv_dealloc_pd(pd) == 0);
}

static void the_device_is_told_what_is_not_there(void)
{
    struct world w = world(0);
    struct flexio_outbox_attr attr = {0};
    struct flexio_outbox *outbox = NULL;
    struct flexio_uar *uar = NULL, *more = NULL;
    uint64_t failed = 0;
    CHECK(flexio_outbox_create(w.p, &attr, &outbox) == OK);
    CHECK(flexio_outbox_get_uar(outbox) == flexio_process_get_uar(w.p));
    CHECK(flexio_uar_create(w.p, &uar) == OK && flexio_uar_extend(uar, context, &more) == OK);
    CHECK(flexio_uar_get_extended_id(more) != flexio_uar_get_id(uar));
    CHECK(flexio_process_call(w.p, &failing_steps, &failed, w.id,
                              (uint64_t)flexio_outbox_get_id(outbox),
                              (uint64_t)flexio_uar_get_id(more)) == OK);
    CHECK(failed == 0x707); /* the first three come too early, the last are of no window */
    CHECK(flexio_process_call(w.p, &failing_steps, &failed, UINT64_C(77), UINT64_C(77),
                              UINT64_C(77)) == OK);
    CHECK(failed == 0x7ff);
    CHECK(flexio_uar_destroy(flexio_process_get_uar(w.p)) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_uar_destroy(more) == OK && flexio_uar_destroy(uar) == OK);
    CHECK(flexio_outbox_destroy(outbox) == OK && flexio_outbox_destroy(NULL) == OK);
    attr.en_pcc = 1;
    CHECK(flexio_outbox_create(w.p, &attr, &outbox) == FLEXIO_STATUS_FAILED && !outbox);
    end(&w);
}

static void event_handlers_are_checked(void)
{
    struct world w = world(0);
    struct flexio_event_handler *eh = NULL, *other = NULL;
    struct flexio_event_handler_attr attr = {.host_stub_func = &handler};
    CHECK(flexio_event_handler_create(w.p, &attr, &eh) == OK && eh);
    CHECK(flexio_event_handler_create(w.p, &attr, &other) == OK);
    CHECK(flexio_event_handler_get_id(eh) != flexio_event_handler_get_id(other));
    CHECK(flexio_event_handler_get_thread(eh) && !flexio_event_handler_get_thread(NULL));
    CHECK(flexio_event_handler_run(eh, 5) == OK && flexio_event_handler_run(eh, 6) == OK);
    CHECK(flexio_event_handler_destroy(eh) == OK && flexio_event_handler_destroy(other) == OK);
    CHECK(flexio_event_handler_destroy(NULL) == OK);
    const struct flexio_affinity bad[] = {{FLEXIO_AFFINITY_STRICT, 256},
                                          {FLEXIO_AFFINITY_GROUP, 1},
                                          {(enum flexio_affinity_type)9, 0}};
    for (int i = 0; i < 3; i++) {
        attr.affinity = bad[i];
        CHECK(flexio_event_handler_create(w.p, &attr, &eh) == FLEXIO_STATUS_FAILED && !eh);
    }
    attr = (struct flexio_event_handler_attr){.host_stub_func = &window_load}; /* 3 parameters */
    CHECK(flexio_event_handler_create(w.p, &attr, &eh) == FLEXIO_STATUS_FAILED);
    attr.host_stub_func = (flexio_func_t *)(uintptr_t)&w;
    CHECK(flexio_event_handler_create(w.p, &attr, &eh) == FLEXIO_STATUS_FAILED);
    end(&w);
}

static void the_device_activates_event_handlers(void)
{
    struct world w = world(0);
    struct flexio_event_handler *eh = NULL;
    struct flexio_event_handler_attr attr = {.host_stub_func = &counts_rounds, .continuable = 1};
    uint64_t result = 0;
    CHECK(flexio_event_handler_create(w.p, &attr, &eh) == OK);
    const uint64_t id = flexio_event_handler_get_id(eh);
    CHECK(flexio_process_call(w.p, &activate, &result, id, UINT64_C(0)) == OK); /* lost */
    CHECK(flexio_event_handler_run(eh, 5) == OK);
    for (uint64_t event = 1; event <= 3; event++)
        CHECK(flexio_process_call(w.p, &activate, &result, id, event * 15) == OK &&
              result == event * 15);
    CHECK(flexio_event_handler_destroy(eh) == OK);
    CHECK(flexio_process_call(w.p, &activate, &result, id, UINT64_C(0)) == FLEXIO_STATUS_FATAL_ERR);
    end(&w);
}

/* Whether `text` is in the file by now; whoever writes to it is not disturbed. */
static bool has(FILE *f, const char *text)
{
    char bytes[1000];
    ssize_t n = pread(fileno(f), bytes, sizeof bytes - 1, 0);
    bytes[n > 0 ? n : 0] = '\0';
    return strstr(bytes, text) != NULL;
}

static void an_error_is_told_in_every_way(void)
{
    struct world w = world(0);
    struct pollfd fd = {.fd = flexio_err_handler_fd(w.p), .events = POLLIN};
    FILE *out = tmpfile();
    uint64_t result;
    struct flexio_msg_stream *s =
        stream_new(w.p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, out);
    CHECK(out && fd.fd >= 0 && poll(&fd, 1, 0) == 0);
    CHECK(flexio_process_error_handler_set(w.p, &window_load) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_error_handler_set(w.p, &on_error) == OK);
    CHECK(flexio_process_call(w.p, &crash, &result) == FLEXIO_STATUS_FATAL_ERR);
    CHECK(poll(&fd, 1, 60000) == 1);
    for (int i = 0; i < 12000 && !has(out, "last words 0\n"); i++)
        usleep(5000);
    CHECK(has(out, "last words 0\n"));
    CHECK(flexio_err_status_get(w.p) == FLEXIO_DEV_FATAL_ERROR);
    CHECK(flexio_msg_stream_destroy(s) == OK);
    end(&w);
    fclose(out);
}

static void a_program_that_ends_itself_is_told_from_one_that_crashed(void)
{
    struct world w = world(0);
    uint64_t result;
    CHECK(flexio_process_call(w.p, &end_process, &result) == FLEXIO_STATUS_FATAL_ERR);
    CHECK(flexio_err_status_get(w.p) == FLEXIO_DEV_USER_ERROR);
    end(&w);
}

static void the_heap_is_known(void)
{
    struct world w = world(0);
    struct flexio_heap_mem_info info;
    flexio_uintptr_t daddr;
    CHECK(flexio_buf_dev_alloc(w.p, 100, &daddr) == OK);
    CHECK(flexio_process_mem_info_get(w.p, &info) == OK);
    CHECK(info.base_addr <= daddr && daddr < info.base_addr + info.size);
    CHECK(info.requested == 100 && info.allocated == 128);
    CHECK(flexio_process_mem_info_get(w.p, NULL) == FLEXIO_STATUS_FAILED);
    end(&w);
}

static void command_queues_are_checked(void)
{
    struct world w = world(0);
    struct flexio_cmdq *q = NULL;
    const struct flexio_cmdq_attr bad[] = {
        {0, 1, FLEXIO_CMDQ_STATE_PENDING},
        {1, 0, FLEXIO_CMDQ_STATE_PENDING},
        {257, 1, FLEXIO_CMDQ_STATE_PENDING},
        {1, 1, (flexio_cmdq_state)7},
    };
    for (int i = 0; i < 4; i++) {
        struct flexio_cmdq_attr attr = bad[i];
        CHECK(flexio_cmdq_create(w.p, &attr, &q) == FLEXIO_STATUS_FAILED && !q);
    }
    struct flexio_cmdq_attr attr = {2, 1, FLEXIO_CMDQ_STATE_RUNNING};
    CHECK(flexio_cmdq_create(w.p, &attr, &q) == OK && flexio_cmdq_is_empty(q) == 1);
    CHECK(flexio_cmdq_task_add(q, &window_load, 0) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_cmdq_task_add(q, &crash, 0) == OK);
    while (flexio_cmdq_is_empty(q) == 0)
        usleep(1000);
    CHECK(flexio_cmdq_is_empty(q) == -1 && flexio_cmdq_is_empty(NULL) == -1);
    CHECK(flexio_cmdq_destroy(q) == OK && flexio_cmdq_destroy(NULL) == OK);
    end(&w);
}

int main(int argc, char **argv)
{
    const struct test_case cases[] = {
        CASE(the_device_reads_and_writes_host_memory),
        CASE(a_thread_has_two_windows),
        CASE(the_device_may_read_and_write_misaligned),
        CASE(stores_and_loads_need_their_fences),
        CASE(accesses_beyond_the_memory_fault),
        CASE(stores_need_the_right_to_write),
        CASE(keys_that_are_none_fault),
        CASE(numbers_of_keys_come_back_late),
        CASE(deregistering_memory_waits_for_accesses_and_nobody_else),
        CASE(deregistering_memory_waits_for_copies_and_nobody_else),
        CASE(keys_of_other_domains_fault),
        CASE(windows_want_64_bytes),
        CASE(dpa_memory_has_keys_but_no_window),
        CASE(registration_is_checked),
        CASE(the_device_is_told_what_is_not_there),
        CASE(event_handlers_are_checked),
        CASE(the_device_activates_event_handlers),
        CASE(an_error_is_told_in_every_way),
        CASE(a_program_that_ends_itself_is_told_from_one_that_crashed),
        CASE(the_heap_is_known),
        CASE(command_queues_are_checked),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
