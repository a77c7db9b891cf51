/* Lives of the objects of DOCA Device Emulation, one behaviour each; main runs the function that
 * argv[1] names. There is no program on the host's side. */
#include <doca_ctx.h>
#include <doca_devemu_pci.h>
#include <doca_dpa.h>
#include <doca_pe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doca_device.h"

#define OK DOCA_SUCCESS

enum { TABLE = 0x400, PENDING = 0x800, DOORBELLS = 8, HANDLES = 1 << 20, ROUNDS = 300 };

extern struct doca_dpa_app *devemu_app;
doca_dpa_func_t bell_thread;

static struct doca_dev *dev;
static struct doca_pe *pe;

struct world {
    struct doca_devemu_pci_type *type;
    struct doca_dev_rep *rep;
    struct doca_devemu_pci_dev *d;
    struct doca_ctx *ctx;
    struct doca_dpa *dpa;
    struct doca_dpa_thread *thread;
    struct doca_devemu_pci_db_completion *completion;
};

/* With a context that is idle. */
static void make(struct world *w)
{
    *w = (struct world){0};
    CHECK(doca_devemu_pci_type_create("lives", &w->type) == OK);
    CHECK(doca_devemu_pci_type_set_dev(w->type, dev) == OK);
    CHECK(doca_devemu_pci_type_set_num_msix(w->type, 1) == OK);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(w->type, 0, 12, 0, 0) == OK);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(w->type, 0, 0, DOORBELLS * 4, 2,
                                                                2) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_table_region_conf(w->type, 0, TABLE, 16) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_pba_region_conf(w->type, 0, PENDING, 8) == OK);
    CHECK(doca_devemu_pci_type_start(w->type) == OK);
    CHECK(doca_devemu_pci_type_create_rep(w->type, &w->rep) == OK);
    CHECK(doca_devemu_pci_dev_create(w->type, w->rep, pe, &w->d) == OK);
    w->ctx = doca_devemu_pci_dev_as_ctx(w->d);
}

static void destroy(const struct world *w)
{
    CHECK(doca_devemu_pci_dev_destroy(w->d) == OK);
    CHECK(doca_devemu_pci_type_destroy(w->type) == OK);
}

/* A context that runs on the DPA. */
static void run(struct world *w)
{
    make(w);
    CHECK(doca_dpa_create(dev, &w->dpa) == OK && doca_dpa_set_app(w->dpa, devemu_app) == OK);
    CHECK(doca_dpa_start(w->dpa) == OK && doca_dpa_thread_create(w->dpa, &w->thread) == OK);
    CHECK(doca_dpa_thread_set_func_arg(w->thread, bell_thread, 0) == OK);
    CHECK(doca_dpa_thread_start(w->thread) == OK);
    CHECK(doca_devemu_pci_db_completion_create(w->thread, &w->completion) == OK);
    CHECK(doca_devemu_pci_db_completion_set_max_num_dbs(w->completion, 2) == OK);
    CHECK(doca_devemu_pci_db_completion_start(w->completion) == OK);
    CHECK(doca_ctx_set_datapath_on_dpa(w->ctx, w->dpa) == OK && doca_ctx_start(w->ctx) == OK);
}

static void end(const struct world *w)
{
    CHECK(doca_devemu_pci_db_completion_destroy(w->completion) == OK);
    CHECK(doca_ctx_stop(w->ctx) == OK); /* no doorbell or vector is left */
    CHECK(doca_devemu_pci_type_destroy_rep(w->rep) == OK);
    destroy(w);
    CHECK(doca_dpa_thread_destroy(w->thread) == OK && doca_dpa_destroy(w->dpa) == OK);
}

static doca_error_t add_bell(const struct world *w, uint32_t id, struct doca_devemu_pci_db **db)
{
    return doca_devemu_pci_db_create_on_dpa(w->d, w->completion, 0, 0, id, 0, db);
}

static doca_error_t add_vector(const struct world *w, struct doca_devemu_pci_msix **msix)
{
    return doca_devemu_pci_msix_create_on_dpa(w->d, 0, TABLE, 0, 0, msix);
}

/* ---- Cases ---- */

static void removed_functions_do_not_start(void)
{
    struct world w;
    struct doca_devemu_pci_dev *other = NULL;
    struct doca_dev_rep *next = NULL;
    make(&w);
    CHECK(doca_devemu_pci_dev_create(w.type, w.rep, pe, &other) == OK); /* never started */
    CHECK(doca_ctx_start(w.ctx) == OK);
    CHECK(doca_devemu_pci_type_destroy_rep(w.rep) == DOCA_ERROR_BAD_STATE);
    CHECK(doca_ctx_stop(w.ctx) == OK && doca_devemu_pci_type_destroy_rep(w.rep) == OK);
    CHECK(doca_ctx_start(doca_devemu_pci_dev_as_ctx(other)) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_ctx_start(w.ctx) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_devemu_pci_type_create_rep(w.type, &next) == OK); /* its number is taken again */
    CHECK(doca_ctx_start(w.ctx) == DOCA_ERROR_NOT_FOUND);
    CHECK(doca_devemu_pci_type_destroy_rep(next) == OK);
    CHECK(doca_devemu_pci_dev_destroy(other) == OK);
    destroy(&w);
}

static void what_is_used_stays(void)
{
    struct world w;
    struct doca_devemu_pci_db *bells[2], *third = NULL;
    struct doca_devemu_pci_msix *msix = NULL;
    run(&w);
    CHECK(doca_devemu_pci_type_destroy(w.type) == DOCA_ERROR_IN_USE);
    CHECK(add_bell(&w, 0, &bells[0]) == OK && add_bell(&w, 1, &bells[1]) == OK);
    CHECK(add_bell(&w, 2, &third) == DOCA_ERROR_FULL && !third);
    CHECK(doca_devemu_pci_db_destroy(bells[0]) == OK && add_bell(&w, 2, &bells[0]) == OK);
    CHECK(doca_devemu_pci_db_completion_destroy(w.completion) == DOCA_ERROR_IN_USE);
    for (int i = 0; i < 2; i++)
        CHECK(doca_devemu_pci_db_start(bells[i]) == OK &&
              doca_devemu_pci_db_destroy(bells[i]) == OK);
    CHECK(add_vector(&w, &msix) == OK);
    CHECK(doca_devemu_pci_dev_destroy(w.d) == DOCA_ERROR_IN_USE);
    CHECK(doca_devemu_pci_msix_destroy(msix) == OK);
    end(&w);
}

/* Of doorbells of a size that there is not: who may configure a type comes first. */
static void doorbells_of_other_sizes_are_refused(void)
{
    struct doca_devemu_pci_type *t = NULL;
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(NULL, 0, 0, 64, 3, 3) ==
          DOCA_ERROR_INVALID_VALUE);
    CHECK(doca_devemu_pci_type_create("sizes", &t) == OK);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(t, 0, 0, 64, 3, 3) ==
          DOCA_ERROR_NOT_SUPPORTED);
    CHECK(doca_devemu_pci_type_set_dev(t, dev) == OK && doca_devemu_pci_type_start(t) == OK);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(t, 0, 0, 64, 3, 3) ==
          DOCA_ERROR_BAD_STATE);
    CHECK(doca_devemu_pci_type_destroy(t) == OK);
}

/* There are a million handles, and vectors may have them all. */
static void handles_run_out(void)
{
    struct world w;
    struct doca_devemu_pci_db *db = NULL;
    uint32_t n = 0;
    struct doca_devemu_pci_msix **all = calloc(HANDLES, sizeof(struct doca_devemu_pci_msix *));
    CHECK(all);
    run(&w);
    while (add_vector(&w, &all[n]) == OK)
        CHECK(++n < HANDLES);
    CHECK(add_vector(&w, &all[n]) == DOCA_ERROR_NO_MEMORY && !all[n]);
    CHECK(add_bell(&w, 0, &db) == DOCA_ERROR_NO_MEMORY && !db);
    CHECK(doca_devemu_pci_msix_destroy(all[--n]) == OK && add_bell(&w, 0, &db) == OK);
    CHECK(doca_devemu_pci_db_destroy(db) == OK);
    while (n > 0)
        CHECK(doca_devemu_pci_msix_destroy(all[--n]) == OK);
    end(&w);
    free(all);
}

static atomic_uint turn;                 /* of a round */
static struct doca_devemu_pci_db *raced; /* of the round */

static void *start_raced(void *arg)
{
    (void)arg;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        while (atomic_load(&turn) != 2 * i - 1)
            ;
        const doca_error_t result = doca_devemu_pci_db_start(raced);
        CHECK(result == OK || result == DOCA_ERROR_INVALID_VALUE);
        atomic_store(&turn, 2 * i);
    }
    return NULL;
}

/* A doorbell that is destroyed while another thread starts it causes no more events. */
static void doorbells_start_as_they_go(void)
{
    struct world w;
    struct doca_devemu_pci_db *other = NULL;
    pthread_t thread;
    run(&w);
    CHECK(pthread_create(&thread, NULL, start_raced, NULL) == 0);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        CHECK(add_bell(&w, 0, &raced) == OK);
        atomic_store(&turn, 2 * i - 1);
        CHECK(doca_devemu_pci_db_destroy(raced) == OK);
        while (atomic_load(&turn) != 2 * i)
            ;
        CHECK(add_bell(&w, 0, &other) == OK);
        CHECK(doca_devemu_pci_db_start(other) == OK); /* it is the only one of its number */
        CHECK(doca_devemu_pci_db_destroy(other) == OK);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    end(&w);
}

static const struct test_case cases[] = {CASE(removed_functions_do_not_start),
                                         CASE(what_is_used_stays),
                                         CASE(doorbells_of_other_sizes_are_refused),
                                         CASE(handles_run_out), CASE(doorbells_start_as_they_go)};

int main(int argc, char **argv)
{
    const struct test_case *c = find_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (!c)
        return 98;
    dev = open_device("mlx5_0");
    CHECK(doca_pe_create(&pe) == OK);
    c->run();
    return 0;
}
