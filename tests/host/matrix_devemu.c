/* The world's emulated PCI function: a type, a representor, a context, and, on the DPA, a completion with a
 * doorbell and a vector; DOCA 3.x only. */
#include "matrix_world.h"

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Functions of types have no context: it would keep the type. */
static bool is_of_types(const char *function)
{
    return function && (begins(function, "doca_devemu_pci_type_") ||
                        begins(function, "doca_devemu_pci_cap_type_"));
}

/* Doorbells and vectors keep their context and their completion, so they are for their own functions. */
static bool is_of_bells(const char *function)
{
    return !function ||
           (!begins(function, "doca_devemu_pci_db_completion_") &&
            !strstr(function, "_create_on_dpa") && !begins(function, "doca_devemu_pci_ep_") &&
            (begins(function, "doca_devemu_pci_db_") || begins(function, "doca_devemu_pci_msix_")));
}

static void make_type(struct world *w, struct doca_dev *dev)
{
    struct doca_devemu_pci_type *t = NULL;
    CHECK(doca_devemu_pci_type_create("matrix", &t) == OK);
    CHECK(doca_devemu_pci_type_set_dev(t, dev) == OK);
    CHECK(doca_devemu_pci_type_set_num_msix(t, 4) == OK);
    CHECK(doca_devemu_pci_type_set_memory_bar_conf(t, 0, 14, DOCA_DEVEMU_PCI_BAR_MEM_TYPE_64_BIT,
                                                   1) == OK);
    CHECK(doca_devemu_pci_type_set_bar_db_region_by_offset_conf(t, 0, 0, 0x1000, 2, 3) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_table_region_conf(t, 0, PCI_TABLE, 0x1000) == OK);
    CHECK(doca_devemu_pci_type_set_bar_msix_pba_region_conf(t, 0, PCI_PENDING, 0x1000) == OK);
    CHECK(doca_devemu_pci_type_set_bar_stateful_region_conf(t, 0, PCI_STATEFUL, 512) == OK);
    w->objects[PCI_TYPE] = t;
}

/* The representor takes the place of the card's. */
static void start_type(struct world *w)
{
    struct doca_dev_rep *rep = NULL;
    CHECK(doca_devemu_pci_type_start(w->objects[PCI_TYPE]) == OK);
    CHECK(doca_devemu_pci_type_create_rep(w->objects[PCI_TYPE], &rep) == OK);
    w->card_rep = w->objects[DEV_REP];
    w->objects[DEV_REP] = rep;
}

static void make_context(struct world *w)
{
    CHECK(doca_devemu_pci_dev_create(w->objects[PCI_TYPE], w->objects[DEV_REP], w->objects[PE],
                                     (struct doca_devemu_pci_dev **)&w->objects[PCI_DEV]) == OK);
}

static struct doca_ctx *context(const struct world *w)
{
    return doca_devemu_pci_dev_as_ctx(w->objects[PCI_DEV]);
}

static void start_context(struct world *w)
{
    CHECK(doca_ctx_set_datapath_on_dpa(context(w), w->objects[DPA]) == OK);
    CHECK(doca_ctx_start(context(w)) == OK);
    CHECK(doca_devemu_pci_db_completion_start(w->objects[PCI_DB_COMPLETION]) == OK);
}

static void stop_context(struct world *w)
{
    CHECK(doca_devemu_pci_db_completion_stop(w->objects[PCI_DB_COMPLETION]) == OK);
    CHECK(doca_ctx_stop(context(w)) == OK);
}

static void make_bells(struct world *w)
{
    CHECK(doca_devemu_pci_db_create_on_dpa(
              w->objects[PCI_DEV], w->objects[PCI_DB_COMPLETION], 0, 0, 1, 0,
              (struct doca_devemu_pci_db **)&w->objects[PCI_DB]) == OK);
    CHECK(doca_devemu_pci_db_start(w->objects[PCI_DB]) == OK);
    CHECK(doca_devemu_pci_msix_create_on_dpa(
              w->objects[PCI_DEV], 0, PCI_TABLE, 1, 0,
              (struct doca_devemu_pci_msix **)&w->objects[PCI_MSIX]) == OK);
}

/* ---- Hot plug ---- */

static enum doca_devemu_pci_hotplug_state power(const struct world *w)
{
    enum doca_devemu_pci_hotplug_state state = DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF;
    doca_devemu_pci_dev_get_hotplug_state(w->objects[PCI_DEV], &state); /* if it runs */
    return state;
}

static void await(const struct world *w, enum doca_devemu_pci_hotplug_state state)
{
    while (power(w) != state)
        doca_pe_progress(w->objects[PE]);
}

static void plug(struct world *w)
{
    CHECK(doca_devemu_pci_dev_hotplug(w->objects[PCI_DEV]) == OK);
    await(w, DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
}

static void unplug(struct world *w)
{
    if (power(w) == DOCA_DEVEMU_PCI_HP_STATE_PLUG_IN_PROGRESS)
        await(w, DOCA_DEVEMU_PCI_HP_STATE_POWER_ON);
    if (power(w) == DOCA_DEVEMU_PCI_HP_STATE_POWER_ON)
        CHECK(doca_devemu_pci_dev_hotunplug(w->objects[PCI_DEV]) == OK);
    await(w, DOCA_DEVEMU_PCI_HP_STATE_POWER_OFF);
}

/* ---- Life ---- */

void make_devemu(struct world *w, struct doca_dev *dev, enum state state, const char *function)
{
    const bool has_bells = is_of_bells(function), has_context = !is_of_types(function);
    make_type(w, dev);
    CHECK(doca_devemu_pci_db_completion_create(
              w->objects[THREAD],
              (struct doca_devemu_pci_db_completion **)&w->objects[PCI_DB_COMPLETION]) == OK);
    if (!function || begins(function, "doca_devemu_vfs_"))
        CHECK(doca_devemu_vfs_cfg_create((struct doca_devemu_vfs_cfg **)&w->objects[VFS_CFG]) ==
              OK);
    if (state >= RUNNING || (state == IDLE && has_context))
        start_type(w);
    if (state >= IDLE && has_context)
        make_context(w);
    if (state >= RUNNING && has_context)
        start_context(w);
    if (state >= RUNNING && has_bells)
        make_bells(w);
    if (state >= RUNNING && state != STOPPED && function &&
        strcmp(function, "doca_devemu_pci_dev_hotunplug") == 0)
        plug(w);
    if (state != STOPPED)
        return;
    if (has_bells)
        CHECK(doca_devemu_pci_db_stop(w->objects[PCI_DB]) == OK);
    else if (has_context)
        stop_context(w);
    else
        CHECK(doca_devemu_pci_type_stop(w->objects[PCI_TYPE]) == OK);
}

void destroy_devemu_object(void *object)
{
    if (!object)
        return;
    doca_devemu_pci_db_destroy(object);
    doca_devemu_pci_msix_destroy(object);
    doca_devemu_pci_db_completion_destroy(object);
    doca_devemu_pci_dev_destroy(object);
    doca_devemu_pci_type_destroy_rep(object); /* with its function */
    doca_devemu_pci_type_destroy(object);
    doca_devemu_vfs_cfg_destroy(object);
}

void destroy_devemu(struct world *w)
{
    destroy_devemu_object(w->objects[PCI_DB]);
    destroy_devemu_object(w->objects[PCI_MSIX]);
    destroy_devemu_object(w->objects[PCI_DB_COMPLETION]);
    unplug(w);
    doca_ctx_stop(context(w)); /* if it is still there */
    destroy_devemu_object(w->objects[PCI_DEV]);
    if (w->card_rep) {
        destroy_devemu_object(w->objects[DEV_REP]);
        w->objects[DEV_REP] = w->card_rep;
    }
    destroy_devemu_object(w->objects[PCI_TYPE]);
    destroy_devemu_object(w->objects[VFS_CFG]);
}
