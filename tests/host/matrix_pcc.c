/* The world's context of PCC, with tests/data/pcc/rp.c; DOCA 3.x only. */
#include "../data/pcc/pcc_modes.h"
#include "matrix_world.h"

extern struct doca_pcc_app *pcc_test_app;

static void fault(struct doca_pcc *pcc)
{
    uint64_t *request;
    uint32_t size, returned;
    CHECK(doca_pcc_mailbox_get_request_buffer(pcc, (void **)&request) == OK);
    request[0] = ASK_FAULT;
    CHECK(doca_pcc_mailbox_send(pcc, 24, &size, &returned) == DOCA_ERROR_DRIVER);
}

void make_pcc(struct world *w, struct doca_dev *dev, enum state state)
{
    struct doca_pcc *pcc = NULL;
    CHECK(doca_pcc_create(dev, &pcc) == OK && doca_pcc_set_app(pcc, pcc_test_app) == OK);
    CHECK(doca_pcc_set_thread_affinity(pcc, 2, (uint32_t[]){1, 2}) == OK);
    CHECK(doca_pcc_set_mailbox(pcc, 24, 8) == OK);
    w->objects[PCC] = pcc;
    if (state >= RUNNING)
        CHECK(doca_pcc_start(pcc) == OK);
    if (state == STOPPED || state == HALTED)
        CHECK(doca_pcc_stop(pcc) == OK);
    if (state == FAULTED)
        fault(pcc);
    if (state == GONE)
        CHECK(doca_pcc_destroy(pcc) == OK);
}
