/* The calls of the DPA subsystem guide 2.2.1 in sections 1.3.2, 2.4 and 2.5, unchanged, with the
 * code that the guide leaves out around them; and checks that they do what the guide says. */
#include <libflexio/flexio.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "guide_flexio.h"

#define OK FLEXIO_STATUS_SUCCESS

extern struct flexio_app *application;
flexio_func_t on_completion, set_flag, get_flag, write_window, know_queue, send_frame, seen,
    event_handler_init, net_entry_point, none, eight;

static struct ibv_context *device;
#define ibv_ctx device /* the guide has both names */

static struct ibv_context *open_device(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list && list[0]);
    struct ibv_context *c = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    return c;
}

static flexio_uintptr_t filled(struct flexio_process *process, int value, size_t size)
{
    flexio_uintptr_t ptr = 0;
    CHECK(flexio_buf_dev_alloc(process, size, &ptr) == OK);
    CHECK(flexio_buf_dev_memset(process, value, size, ptr) == OK);
    return ptr;
}

/* A send queue with its completions; `thread`, if any, gets the events. */
struct sender {
    struct ibv_uar *uar;
    struct flexio_cq *myCQ;
    struct flexio_sq *mySQ;
    struct flexio_outbox *myOutbox;
    struct flexio_mkey *key;
    struct queue_data data;
};

static struct sender sender_new(struct flexio_process *process, struct flexio_thread *thread)
{
    struct sender s = {.data.ring = filled(process, 0, DEPTH * 64),
                       .data.frame = filled(process, 0, 64),
                       .data.db.ring = filled(process, 0xff, DEPTH * 64),
                       .data.db.record = filled(process, 0, 8)};
    const struct flexio_cq_attr attr = {.log_cq_depth = LOG_DEPTH,
                                        .element_type = thread ? FLEXIO_CQ_ELEMENT_TYPE_DPA_THREAD
                                                               : FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ,
                                        .thread = thread,
                                        .cq_ring_qmem.daddr = s.data.db.ring,
                                        .cq_dbr_daddr = s.data.db.record};
    const struct flexio_cq_attr *cq_attr = &attr;
    const struct flexio_wq_attr wq = {.log_wq_depth = LOG_DEPTH, .wq_ring_qmem.daddr = s.data.ring};
    const struct flexio_wq_attr *sq_attr = &wq;
    struct ibv_uar *uar;
    struct flexio_cq *myCQ;
    struct flexio_sq *mySQ;
    struct flexio_outbox *myOutbox;
    struct flexio_hw_cq *my_hwcq;
    struct flexio_hw_sq *my_hwsq;
    /* Allocate uar */
    uar = ibv_alloc_uar(ibv_ctx);
    /* Create queues*/
    CHECK(flexio_cq_create(process, ibv_ctx, uar, cq_attr, &myCQ) == OK);
    my_hwcq = flexio_cq_get_hw_cq(myCQ);
    CHECK(flexio_sq_create(process, ibv_ctx, myCQ, uar, sq_attr, &mySQ) == OK);
    my_hwsq = flexio_sq_get_hw_sq(mySQ);
    /* Outbox will allow access only for queues created with the same UAR*/
    CHECK(flexio_outbox_create(process, ibv_ctx, uar, &myOutbox) == OK);

    CHECK(my_hwcq->cq_num == flexio_cq_get_cq_num(myCQ) && my_hwcq->log_cq_depth == LOG_DEPTH);
    CHECK(my_hwcq->cq_ring_addr == s.data.db.ring && my_hwcq->cq_dbr_addr == s.data.db.record);
    CHECK(my_hwsq->sq_num == flexio_sq_get_wq_num(mySQ) && my_hwsq->log_wq_depth == LOG_DEPTH);
    CHECK(my_hwsq->sq_ring_addr == s.data.ring);
    struct flexio_mkey_attr key = {
        .pd = flexio_process_get_pd(process), .daddr = s.data.frame, .len = 64};
    CHECK(flexio_device_mkey_create(process, &key, &s.key) == OK);
    s.data.key = flexio_mkey_get_id(s.key);
    s.data.db.myCq = my_hwcq->cq_num;
    s.data.db.outbox = flexio_outbox_get_id(myOutbox);
    s.uar = uar, s.myCQ = myCQ, s.mySQ = mySQ, s.myOutbox = myOutbox;
    return s;
}

static void sender_end(struct sender *s)
{
    CHECK(flexio_outbox_destroy(s->myOutbox) == OK && flexio_device_mkey_destroy(s->key) == OK);
    CHECK(flexio_sq_destroy(s->mySQ) == OK && flexio_cq_destroy(s->myCQ) == OK);
    CHECK(ibv_free_uar(s->uar) == 0);
    CHECK(flexio_buf_dev_free(s->data.ring) == OK && flexio_buf_dev_free(s->data.frame) == OK);
    CHECK(flexio_buf_dev_free(s->data.db.ring) == OK);
    CHECK(flexio_buf_dev_free(s->data.db.record) == OK);
}

/* Sends `n` frames, as 1.3.2.3 calls the function. */
static void send_frames(struct flexio_process *myProcess, struct sender *s, int n)
{
    struct flexio_outbox *myOutbox = s->myOutbox;
    struct flexio_hw_cq *my_hwcq = flexio_cq_get_hw_cq(s->myCQ);
    struct flexio_hw_sq *my_hwsq = flexio_sq_get_hw_sq(s->mySQ);
    uint64_t return_value = 99;
    flexio_uintptr_t at = 0;
    CHECK(flexio_copy_from_host(myProcess, &s->data, sizeof s->data, &at) == OK);
    CHECK(flexio_process_call(myProcess, know_queue, at, &return_value) == OK);
    for (int i = 0; i < n; i++) {
        /* Run the function */
        CHECK(flexio_process_call(myProcess, send_frame, myOutbox, my_hwcq->cq_num, my_hwsq->sq_num,
                                  &return_value) == OK);
        CHECK(return_value == 0);
    }
    s->data.posted = (uint16_t)(s->data.posted + n);
    CHECK(flexio_buf_dev_free(at) == OK);
}

static uint64_t called(struct flexio_process *process, flexio_func_t *function,
                       flexio_uintptr_t ptr)
{
    uint64_t return_value = 99;
    CHECK(flexio_process_call(process, function, ptr, &return_value) == OK);
    return return_value;
}

/* ---- 1.3.2.1 ---- */

static void event_handler(void)
{
    struct flexio_process *myProcess;
    struct flexio_event_handler *myEventHandler;
    /* Load the application code into the DPA */
    flexio_process_create(device, application, &myProcess);
    flexio_uintptr_t myArg = filled(myProcess, 0, sizeof(struct my_db));
    /* Create event handler to run my_func with my_arg */
    flexio_event_handler_create(myProcess, on_completion, myArg, &myEventHandler);
    /* Associate the event hanlder with a specific CQ */
    struct sender s = sender_new(myProcess, flexio_event_handler_get_thread(myEventHandler));
    CHECK(flexio_host2dev_memcpy(myProcess, &s.data.db, sizeof s.data.db, myArg) == OK);
    /* Start the event handler */
    flexio_event_handler_run(myEventHandler);
    send_frames(myProcess, &s, 3);
    while (called(myProcess, get_flag, myArg) != 3)
        sched_yield();
    CHECK(flexio_err_status(myProcess) == FLEXIO_DEV_NO_ERROR);
    sender_end(&s);
    CHECK(flexio_event_handler_destroy(myEventHandler) == OK);
    CHECK(flexio_process_destroy(myProcess) == OK);
}

static void remote_procedure_call(void)
{
    struct flexio_process *myProcess;
    uint64_t returnValue;
    flexio_process_create(device, application, &myProcess);
    flexio_uintptr_t myArg = filled(myProcess, 0, sizeof(struct my_db));
    /* run the function */
    flexio_process_call(myProcess, set_flag, myArg, &returnValue);
    CHECK(returnValue == 0);
    flexio_process_call(myProcess, set_flag, myArg, &returnValue);
    CHECK(returnValue == 1);
    CHECK(flexio_process_destroy(myProcess) == OK);
}

/* ---- 1.3.2.2 ---- */

static void memory(void)
{
    struct flexio_process *process;
    const struct my_db db = {.flag = 5};
    const struct my_db *src = &db;
    const size_t size = sizeof *src;
    flexio_uintptr_t ptr;
    uint64_t return_value;
    /* Load the application code into the DPA */
    flexio_process_create(device, application, &process);
    /* allocate some memory */
    flexio_buf_dev_alloc(process, size, &ptr);
    /* populate it with user defined data */
    flexio_host2dev_memcpy(process, src, size, ptr);
    /* run the function */
    flexio_process_call(process, get_flag, ptr, &return_value);
    CHECK(return_value == 5);
    CHECK(flexio_process_destroy(process) == OK);
}

static void window(void)
{
    struct flexio_process *process;
    static _Alignas(64) uint64_t var[8];
    struct {
        struct ibv_pd *pd;
    } doca_device_, *doca_device = &doca_device_;
    struct ibv_mr *mkey;
    struct flexio_window *window_ctx;
    uint64_t returnValue;
    flexio_process_create(device, application, &process);
    doca_device->pd = ibv_alloc_pd(device);
    /* register host buffer */
    mkey = ibv_reg_mr(doca_device->pd, &var, sizeof var, IBV_ACCESS_LOCAL_WRITE);
    /* create the window */
    flexio_window_create(process, doca_device->pd, mkey, &window_ctx);
    /* run the function */
    flexio_process_call(process, write_window, flexio_window_get_id(window_ctx), mkey, &var,
                        &returnValue);
    CHECK(returnValue == 0 && var[0] == 0xff);
    CHECK(flexio_window_destroy(window_ctx) == OK && flexio_process_destroy(process) == OK);
    CHECK(ibv_dereg_mr(mkey) == 0 && ibv_dealloc_pd(doca_device->pd) == 0);
}

/* ---- 1.3.2.3 ---- */

static void send_and_receive(void)
{
    struct flexio_process *myProcess;
    flexio_process_create(device, application, &myProcess);
    struct sender s = sender_new(myProcess, NULL);
    send_frames(myProcess, &s, 2);
    CHECK(flexio_cq_get_hw_cq(NULL) == NULL && flexio_sq_get_hw_sq(NULL) == NULL);
    sender_end(&s);
    CHECK(flexio_process_destroy(myProcess) == OK);
}

/* ---- 2.4.1, 2.7.1 ---- */

struct app_ctx {
    struct flexio_event_handler *net_event_handler;
};

static void resource_management(void)
{
    struct flexio_process *flexio_process;
    struct app_ctx app_ctx;
    struct my_app_data data = {.answer = 42}, *app_data = &data;
    flexio_uintptr_t app_data_dpa_daddr;
    uint64_t answer;
    flexio_process_create(device, application, &flexio_process);
    struct flexio_outbox *flexio_outbox = NULL;
    flexio_buf_dev_alloc(flexio_process, sizeof(struct my_app_data), &app_data_dpa_daddr);
    flexio_host2dev_memcpy(flexio_process, (uintptr_t)app_data, sizeof(struct my_app_data),
                           app_data_dpa_daddr);
    CHECK(flexio_event_handler_create(flexio_process, net_entry_point, app_data_dpa_daddr, NULL,
                                      flexio_outbox, &app_ctx.net_event_handler) == OK);
    flexio_process_call(flexio_process, event_handler_init, app_data_dpa_daddr, &answer);
    CHECK(answer == 42);
    CHECK(flexio_event_handler_destroy(app_ctx.net_event_handler) == OK);
    CHECK(flexio_process_destroy(flexio_process) == OK);
}

/* Runs the event handler once, with these defaults; what it says of them. */
static uint64_t defaults(struct flexio_process *p, struct flexio_window *window,
                         struct flexio_outbox *outbox, struct my_app_data data)
{
    struct flexio_event_handler *eh;
    flexio_uintptr_t at = filled(p, 0, sizeof data);
    uint64_t said;
    CHECK(flexio_event_handler_create(p, net_entry_point, at, window, outbox, &eh) == OK);
    struct sender s = sender_new(p, flexio_event_handler_get_thread(eh));
    data.db = s.data.db;
    CHECK(flexio_host2dev_memcpy(p, &data, sizeof data, at) == OK);
    CHECK(flexio_event_handler_run(eh) == OK);
    /* A second activation begins with the same. */
    for (int i = 0; i < 2; i++) {
        CHECK(flexio_buf_dev_memset(p, 0, 8, at + offsetof(struct my_app_data, seen)) == OK);
        send_frames(p, &s, 1);
        while ((said = called(p, seen, at)) == 0)
            sched_yield();
    }
    sender_end(&s);
    CHECK(flexio_event_handler_destroy(eh) == OK && flexio_buf_dev_free(at) == OK);
    return said;
}

static void default_window_and_outbox(void)
{
    static _Alignas(64) uint64_t var[8];
    struct flexio_process *p;
    struct flexio_window *window;
    struct flexio_outbox *outbox;
    flexio_process_create(device, application, &p);
    struct ibv_uar *uar = ibv_alloc_uar(device);
    struct ibv_mr *mr =
        ibv_reg_mr(flexio_process_get_pd(p), var, sizeof var, IBV_ACCESS_LOCAL_WRITE);
    CHECK(flexio_outbox_create(p, NULL, uar, &outbox) == OK);
    CHECK(flexio_window_create(p, flexio_process_get_pd(p), mr, &window) == OK);
    struct my_app_data data = {.answer = 42,
                               .host = (uintptr_t)var,
                               .mkey = mr->lkey,
                               .uar = flexio_uar_get_id(flexio_process_get_uar(p))};
    CHECK(defaults(p, NULL, NULL, data) == DEFAULTS_RAN && var[0] == 0);
    CHECK(defaults(p, NULL, outbox, data) == (DEFAULTS_RAN | DEFAULT_OUTBOX) && var[0] == 0);
    CHECK(defaults(p, window, outbox, data) == (DEFAULTS_RAN | DEFAULT_OUTBOX | DEFAULT_WINDOW));
    CHECK(var[0] == 42);
    CHECK(flexio_window_destroy(window) == OK && flexio_outbox_destroy(outbox) == OK);
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_free_uar(uar) == 0);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- 2.5 ---- */

static void memory_is_freed_by_its_address(void)
{
    struct flexio_process *a, *b;
    flexio_uintptr_t in_a, in_b;
    uint64_t x = 3;
    flexio_process_create(device, application, &a);
    flexio_process_create(device, application, &b);
    CHECK(flexio_buf_dev_alloc(a, 100, &in_a) == OK);
    CHECK(flexio_copy_from_host(b, &x, sizeof x, &in_b) == OK && in_a != in_b);
    CHECK(flexio_buf_dev_free(in_a + 1) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_free(in_a) == OK && flexio_buf_dev_free(0) == OK);
    CHECK(flexio_buf_dev_free(in_a) == FLEXIO_STATUS_FAILED);
    flexio_heap_mem_info left;
    CHECK(flexio_process_mem_info_get(a, &left) == OK && left.requested == 0);
    CHECK(flexio_process_mem_info_get(b, &left) == OK && left.requested == sizeof x);
    CHECK(flexio_process_destroy(b) == OK);
    CHECK(flexio_buf_dev_free(in_b) == FLEXIO_STATUS_FAILED); /* it went with its process */
    CHECK(flexio_process_destroy(a) == OK);
}

/* ---- What else there is ---- */

static void arguments_travel_as_their_values(void)
{
    struct flexio_process *p;
    uint64_t result = 0;
    flexio_process_create(device, application, &p);
    CHECK(flexio_process_call(p, &none, &result) == OK && result == 7);
    const uint8_t byte = 200;
    const struct pair pair = {1000, 2000};
    CHECK(flexio_process_call(p, eight, 1, -2, byte, pair, 30000000000ull, -4, (uint16_t)5, 6u,
                              &result) == OK);
    CHECK(result == 1 - 2 + 200 + 3000 + 30000000000ull - 4 + 5 + 6);
    CHECK(flexio_process_destroy(p) == OK);
}

static void event_handlers_have_an_affinity(void)
{
    struct flexio_process *p;
    struct flexio_event_handler *eh;
    struct flexio_event_handler_attr attr = {.host_stub_func = on_completion,
                                             .affinity = {FLEXIO_AFFINITY_STRICT, 3}};
    flexio_process_create(device, application, &p);
    CHECK(flexio_event_handler_create(p, &attr, &eh) == OK);
    CHECK(flexio_event_handler_destroy(eh) == OK && flexio_process_destroy(p) == OK);
}

static void wrong_arguments_fail(void)
{
    struct flexio_process *p, *other;
    struct flexio_window *window = (void *)&window;
    struct flexio_outbox *outbox = (void *)&outbox;
    struct flexio_event_handler *eh = (void *)&eh;
    struct flexio_cq *cq = (void *)&cq;
    struct flexio_sq *sq = (void *)&sq;
    const struct flexio_cq_attr cq_attr = {.element_type = FLEXIO_CQ_ELEMENT_TYPE_NON_DPA_CQ};
    const struct flexio_wq_attr sq_attr = {0};
    static _Alignas(64) uint64_t var[8];
    struct ibv_context *second = open_device();
    CHECK(ibv_alloc_uar(NULL) == NULL && ibv_free_uar(NULL) == 0);
    CHECK(flexio_process_create(NULL, application, &p) == FLEXIO_STATUS_FAILED && !p);
    CHECK(flexio_process_create(device, application, &p) == OK);
    CHECK(flexio_process_create(device, application, &other) == OK);
    struct ibv_uar *elsewhere = ibv_alloc_uar(second), *uar = ibv_alloc_uar(device);
    CHECK(flexio_cq_create(p, NULL, elsewhere, &cq_attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    CHECK(flexio_cq_create(p, NULL, NULL, &cq_attr, &cq) == FLEXIO_STATUS_FAILED && !cq);
    CHECK(flexio_cq_create(p, NULL, uar, NULL, &cq) == FLEXIO_STATUS_FAILED && !cq);
    CHECK(flexio_sq_create(p, NULL, NULL, uar, &sq_attr, &sq) == FLEXIO_STATUS_FAILED && !sq);
    CHECK(flexio_outbox_create(p, NULL, elsewhere, &outbox) == FLEXIO_STATUS_FAILED && !outbox);
    CHECK(flexio_outbox_create(p, second, uar, &outbox) == FLEXIO_STATUS_FAILED && !outbox);
    struct ibv_pd *pd = ibv_alloc_pd(device);
    struct ibv_mr *mr = ibv_reg_mr(pd, var, sizeof var, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_pd *own = flexio_process_get_pd(p);
    CHECK(flexio_window_create(p, own, mr, &window) == FLEXIO_STATUS_FAILED && !window);
    CHECK(flexio_window_create(p, own, NULL, &window) == FLEXIO_STATUS_FAILED && !window);
    CHECK(flexio_window_create(other, pd, mr, &window) == OK);
    CHECK(flexio_event_handler_create(p, net_entry_point, 0, window, NULL, &eh) ==
          FLEXIO_STATUS_FAILED);
    CHECK(!eh && flexio_event_handler_run(NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_alloc(NULL, 8, &(flexio_uintptr_t){0}) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_copy_from_host(p, NULL, 8, &(flexio_uintptr_t){0}) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_window_destroy(window) == OK);
    CHECK(flexio_process_destroy(other) == OK && flexio_process_destroy(p) == OK);
    CHECK(ibv_dereg_mr(mr) == 0 && ibv_dealloc_pd(pd) == 0);
    CHECK(ibv_free_uar(elsewhere) == 0 && ibv_free_uar(uar) == 0 && ibv_close_device(second) == 0);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        {"event_handler", event_handler},
        {"remote_procedure_call", remote_procedure_call},
        {"memory", memory},
        {"window", window},
        {"send_and_receive", send_and_receive},
        {"resource_management", resource_management},
        {"default_window_and_outbox", default_window_and_outbox},
        {"memory_is_freed_by_its_address", memory_is_freed_by_its_address},
        {"arguments_travel_as_their_values", arguments_travel_as_their_values},
        {"event_handlers_have_an_affinity", event_handlers_have_an_affinity},
        {"wrong_arguments_fail", wrong_arguments_fail},
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            alarm(60); /* an event that never comes ends the test */
            CHECK((device = open_device()));
            cases[i].run();
            CHECK(ibv_close_device(device) == 0);
            return 0;
        }
    fprintf(stderr, "no such case\n");
    return 98;
}
