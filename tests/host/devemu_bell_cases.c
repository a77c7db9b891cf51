/* DOCA Device Emulation: doorbells, which reach the DPA, and interrupts, which reach the host. */
#include "devemu_world.h"

/* ---- Doorbells ---- */

static void doorbells_reach_the_dpa(void)
{
    struct world w;
    struct doca_devemu_pci_db *second = NULL;
    make(&w);
    make_dpa(&w);
    plug(&w);
    make_bell(&w, 5, 0x1234567890);
    CHECK(doca_devemu_pci_db_create_on_dpa(w.d, w.completion, 0, 0, 512, 0, &second) == INVALID);
    CHECK(doca_devemu_pci_db_create_on_dpa(w.d, w.completion, 0, 8, 0, 0, &second) == NOT_FOUND);
    CHECK(doca_devemu_pci_ep_create_db_on_dpa(doca_devemu_pci_dev_as_ep(w.d), w.completion, 0, 0, 5,
                                              0, &second) == OK);
    CHECK(doca_devemu_pci_db_start(second) == DOCA_ERROR_ALREADY_EXIST);
    uint32_t n = 0;
    CHECK(doca_devemu_pci_db_completion_get_curr_num_dbs(w.completion, &n) == OK && n == 2);
    CHECK(doca_devemu_pci_db_modify_value(second, 3) == OK); /* nobody is notified */
    CHECK(doca_devemu_pci_db_query_value(second, &n) == OK && n == 3);
    CHECK(doca_devemu_pci_db_destroy(second) == OK);
    CHECK(doca_devemu_pci_db_completion_get_curr_num_dbs(w.completion, &n) == OK && n == 1);
    struct host h = open_host(&w);
    ring(&h, 4, 99); /* nobody listens there */
    ring(&h, 5, 7);
    CHECK(await_ring(&w, 7, 1).data == 0x1234567890);
    ring(&h, 5, 7); /* the same value is another ring */
    await_ring(&w, 7, 2);
    for (uint32_t i = 1; i <= 1000; i++)
        ring(&h, 5, i);
    const struct bell last = await_ring(&w, 1000, 3);
    CHECK(last.rings <= 1002);
    CHECK(doca_devemu_pci_db_modify_value(w.db, 77) == OK); /* as the host would */
    await_ring(&w, 77, last.rings + 1);
    CHECK(doca_devemu_pci_db_query_value(w.db, &n) == OK && n == 77);
    close_host(&h);
    CHECK(doca_devemu_pci_db_completion_stop(w.completion) == IN_USE);
    CHECK(doca_ctx_stop(w.ctx) == DOCA_ERROR_IN_PROGRESS); /* until the doorbell is gone */
    CHECK(doca_devemu_pci_db_stop(w.db) == OK && doca_devemu_pci_db_stop(w.db) == BAD_STATE);
    CHECK(doca_devemu_pci_db_destroy(w.db) == OK);
    enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
    while (state != DOCA_CTX_STATE_IDLE) {
        doca_pe_progress(pe);
        CHECK(doca_ctx_get_state(w.ctx, &state) == OK);
    }
    CHECK(doca_ctx_start(w.ctx) == OK);
    destroy_dpa(&w);
    unplug(&w);
    CHECK(doca_dpa_destroy(w.dpa) == OK);
}

static void end(struct world *w, struct host *h)
{
    close_host(h);
    CHECK(doca_devemu_pci_db_destroy(w->db) == OK);
    destroy_dpa(w);
    unplug(w);
    CHECK(doca_dpa_destroy(w->dpa) == OK);
}

static void await_quiet(const struct host *h, unsigned place)
{
    const volatile uint32_t *at = (const volatile uint32_t *)(const void *)h->bar + place;
    while (*at != 0xa5c3e197)
        sched_yield();
}

/* Any place takes any doorbell, whose number is in what is written. */
static void doorbells_are_told_apart_by_data(void)
{
    struct world w;
    struct doca_devemu_pci_db *second = NULL;
    by_data = true;
    make(&w);
    make_dpa(&w);
    plug(&w);
    make_bell(&w, 0x1234, 99);
    CHECK(doca_devemu_pci_db_create_on_dpa(w.d, w.completion, 0, 0, 0x10000, 0, &second) ==
          INVALID);
    CHECK(doca_devemu_pci_db_create_on_dpa(w.d, w.completion, 0, 0, 0x1234, 0, &second) == OK);
    CHECK(doca_devemu_pci_db_start(second) == DOCA_ERROR_ALREADY_EXIST);
    CHECK(doca_devemu_pci_db_destroy(second) == OK);
    struct host h = open_host(&w);
    volatile uint32_t *const places = (volatile uint32_t *)(void *)h.bar;
    places[7] = 0xabcd1234;
    CHECK(await_ring(&w, 0xabcd1234, 1).data == 99);
    places[1023] = 0x11; /* nobody has this one */
    await_quiet(&h, 1023);
    places[0] = 0x00011234;
    CHECK(await_ring(&w, 0x00011234, 2).rings == 2);
    places[0] = 0x00011234;
    await_ring(&w, 0x00011234, 3);
    end(&w, &h);
}

static void unbound_doorbells_wait(void)
{
    struct world w;
    uint64_t result = 1;
    make(&w);
    make_dpa(&w);
    plug(&w);
    make_bell(&w, 0, 0);
    CHECK(doca_dpa_rpc(w.dpa, unbind_rpc, &result, w.completion_handle, w.db_handle) == OK);
    CHECK(result == 0);
    struct host h = open_host(&w);
    ring(&h, 0, 11);
    while (*(volatile uint32_t *)(void *)h.bar == 11)
        sched_yield(); /* until it was heard */
    CHECK(bell_of(&w).rings == 0);
    CHECK(doca_dpa_rpc(w.dpa, bind_rpc, &result, w.completion_handle, w.db_handle) == OK);
    await_ring(&w, 11, 1);
    end(&w, &h);
}

static void foreign_handles_are_a_fault(void)
{
    struct world w;
    uint64_t result;
    make(&w);
    make_dpa(&w);
    plug(&w);
    CHECK(doca_dpa_rpc(w.dpa, raise_rpc, &result, w.completion_handle) != OK);
    unplug(&w);
}

/* ---- Interrupts ---- */

static void interrupts_reach_the_host(void)
{
    struct world w;
    struct doca_devemu_pci_msix *msix = NULL;
    uint64_t handle, result, count = 0;
    int fds[4];
    make(&w);
    make_dpa(&w);
    plug(&w);
    CHECK(doca_devemu_pci_msix_create_on_dpa(w.d, 0, TABLE, 4, 0, &msix) == INVALID);
    CHECK(doca_devemu_pci_msix_create_on_dpa(w.d, 0, PENDING, 3, 0, &msix) == NOT_FOUND);
    CHECK(doca_devemu_pci_ep_create_msix_on_dpa(doca_devemu_pci_dev_as_ep(w.d), 0, TABLE, 3, 33,
                                                &msix) == OK);
    CHECK(doca_devemu_pci_msix_get_dpa_handle(msix, &handle) == OK);
    struct host h = open_host(&w);
    CHECK(doca_dpa_rpc(w.dpa, raise_rpc, &result, handle) == OK); /* it is pending */
    CHECK(result == 33);
    for (int i = 0; i < 4; i++)
        CHECK((fds[i] = eventfd(0, EFD_NONBLOCK)) >= 0);
    set_events(&h, fds);
    struct pollfd event = {.fd = fds[3], .events = POLLIN};
    for (int i = 0; i < 100; i++) {
        CHECK(poll(&event, 1, -1) == 1 && read(fds[3], &count, sizeof count) == sizeof count);
        CHECK(count == 1);
        CHECK(doca_dpa_rpc(w.dpa, raise_rpc, &result, handle) == OK);
    }
    CHECK(read(fds[0], &count, sizeof count) == -1 && errno == EAGAIN);
    close_host(&h);
    CHECK(doca_devemu_pci_msix_destroy(msix) == OK);
    destroy_dpa(&w);
    unplug(&w);
    CHECK(doca_dpa_destroy(w.dpa) == OK);
}

static const struct test_case cases[] = {
    CASE(doorbells_reach_the_dpa), CASE(doorbells_are_told_apart_by_data),
    CASE(unbound_doorbells_wait), CASE(foreign_handles_are_a_fault),
    CASE(interrupts_reach_the_host)};

int main(int argc, char **argv)
{
    return run_on_card(cases, sizeof cases / sizeof *cases, argc, argv);
}
