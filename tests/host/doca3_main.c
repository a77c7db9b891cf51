/* Behaviours of DOCA 3.x's host libraries, one function each; main runs the function that argv[1]
 * names, argv[2] times. */
#include "doca3_world.h"
#include "doca_device.h"

struct doca_dev *dev, *other_dev;

struct doca_dpa *dpa_idle(void)
{
    struct doca_dpa *dpa = NULL;
    CHECK(doca_dpa_create(dev, &dpa) == OK && dpa);
    CHECK(doca_dpa_set_app(dpa, dpa_test_app) == OK);
    return dpa;
}

struct doca_dpa *dpa_new(void)
{
    struct doca_dpa *dpa = dpa_idle();
    CHECK(doca_dpa_start(dpa) == OK);
    return dpa;
}

struct doca_sync_event *event_new(struct doca_dpa *dpa, enum side publisher, enum side subscriber)
{
    struct doca_sync_event *e = NULL;
    CHECK(doca_sync_event_create(&e) == OK && e);
    CHECK((publisher == CPU   ? doca_sync_event_add_publisher_location_cpu(e, dev)
           : publisher == DPA ? doca_sync_event_add_publisher_location_dpa(e, dpa)
                              : doca_sync_event_add_publisher_location_remote_net(e)) == OK);
    CHECK((subscriber == CPU ? doca_sync_event_add_subscriber_location_cpu(e, dev)
                             : doca_sync_event_add_subscriber_location_dpa(e, dpa)) == OK);
    CHECK(doca_sync_event_start(e) == OK);
    return e;
}

uint64_t handle_of(struct doca_sync_event *e, struct doca_dpa *dpa)
{
    doca_dpa_dev_sync_event_t h = 0;
    CHECK(doca_sync_event_get_dpa_handle(e, dpa, &h) == OK && h != 0);
    return h;
}

uint64_t value_of(struct doca_sync_event *e)
{
    uint64_t value = 0;
    CHECK(doca_sync_event_get(e, &value) == OK);
    return value;
}

void wait_above(struct doca_sync_event *e, uint64_t threshold)
{
    CHECK(doca_sync_event_wait_gt(e, threshold, UINT64_MAX) == OK);
}

void pause_ms(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

int main(int argc, char **argv)
{
    const struct test_case *const tables[] = {
        common_cases, dpa_cases,       thread_cases,  trap_cases,   foreign_cases,
        fault_cases,  rdma_cases,      dma_cases,     export_cases, program_cases,
        flight_cases, memory_cases,    before_cases,  engine_cases, event_cases,
        core_cases,   rdma_task_cases, rdma_cm_cases, bridge_cases};
    for (size_t t = 0; argc >= 2 && t < sizeof tables / sizeof *tables; t++)
        for (const struct test_case *c = tables[t]; c->name; c++) {
            if (strcmp(argv[1], c->name) != 0)
                continue;
            dev = open_device("mlx5_0");
            other_dev = open_device("mlx5_1");
            for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 1); i++)
                c->run();
            CHECK(doca_dev_close(dev) == OK && doca_dev_close(other_dev) == OK);
            return 0;
        }
    fprintf(stderr, "no such case\n");
    return 98;
}
