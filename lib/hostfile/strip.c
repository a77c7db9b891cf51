/* Removes crypto data from a host file. */
#include <stdlib.h>
#include <string.h>

#include "edit.h"
#include "select.h"

static int by_index(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Removes the added sections of one object together. Its programs are [first, end). */
static enum dpk_status strip_added(const struct dpk_hostfile *host, const bool *wanted,
                                   size_t first, size_t end, struct dpk_edited *e,
                                   struct dpk_error *err)
{
    struct tail *t = NULL;
    enum dpk_status status = DPK_OK;
    size_t count = 0, *indices = calloc(end - first, sizeof *indices);
    if (!indices)
        return dpk_fail_nomem(err);
    for (size_t i = first; i < end && status == DPK_OK; i++) {
        const struct slot *slot = &host->slots[i];
        if (!wanted[i] || !slot->has_home || host->programs[i].placement == DPK_PLACEMENT_RESERVED)
            continue;
        if (host->programs[i].placement == DPK_PLACEMENT_NAMED) {
            status = hostfile_program_check_name(&host->programs[i], err);
            hostfile_edit_clear(e, slot->name_slot, NAME_SLOT_SIZE);
        }
        indices[count++] = hostfile_object_index(&host->objects[slot->object], &slot->home);
    }
    if (status == DPK_OK && count > 0) {
        qsort(indices, count, sizeof *indices, by_index);
        status = hostfile_edit_tail(e, host->slots[first].object, &t, err);
    }
    if (t)
        hostfile_tail_remove_sections(e, t, indices, count);
    free(indices);
    return status;
}

static enum dpk_status strip_reserved(const struct dpk_hostfile *host, size_t i,
                                      struct dpk_edited *e, struct dpk_error *err)
{
    const struct slot *slot = &host->slots[i];
    struct room rooms[DPK_FAT_MAX];
    enum dpk_status status = hostfile_program_rooms(&host->programs[i], slot, rooms, err);
    for (size_t k = 0; k < host->programs[i].subject_count && status == DPK_OK; k++)
        hostfile_edit_clear(e, rooms[k].at, (size_t)rooms[k].used);
    if (status == DPK_OK && slot->home.type == SHT_CRYPTODATA)
        hostfile_edit_set_type(e, slot->object, &slot->home, SHT_PROGBITS);
    return status;
}

/* Returns the index after the last program of the object that has program `first`. */
static size_t end_of_object(const struct dpk_hostfile *host, size_t first)
{
    size_t i = first;
    while (i < host->program_count && host->slots[i].object == host->slots[first].object)
        i++;
    return i;
}

/* Removes added sections first, because this may move the section header table. */
static enum dpk_status strip_object(const struct dpk_hostfile *host, const bool *wanted,
                                    size_t first, size_t end, struct dpk_edited *e,
                                    size_t *stripped, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    size_t reserved = 0, before = *stripped;
    for (size_t i = first; i < end; i++) {
        bool is_signed = wanted[i] && host->programs[i].is_signed;
        *stripped += is_signed;
        reserved += is_signed && host->programs[i].placement == DPK_PLACEMENT_RESERVED;
    }
    if (*stripped - before > reserved)
        status = strip_added(host, wanted, first, end, e, err);
    for (size_t i = first; i < end && status == DPK_OK; i++)
        if (wanted[i] && host->programs[i].is_signed &&
            host->programs[i].placement == DPK_PLACEMENT_RESERVED)
            status = strip_reserved(host, i, e, err);
    return status;
}

static enum dpk_status strip_all(const struct dpk_hostfile *host, const bool *wanted,
                                 struct dpk_edited *e, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    size_t stripped = 0;
    for (size_t first = 0, end; first < host->program_count && status == DPK_OK; first = end) {
        end = end_of_object(host, first);
        status = strip_object(host, wanted, first, end, e, &stripped, err);
    }
    if (status == DPK_OK && stripped == 0)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "no program of it is signed");
    return status;
}

enum dpk_status dpk_hostfile_stripped(const struct dpk_hostfile *host, const char *const *apps,
                                      size_t app_count, struct dpk_edited **out,
                                      struct dpk_error *err)
{
    struct dpk_edited *e = NULL;
    bool *wanted = NULL;
    *out = NULL;
    enum dpk_status status = hostfile_select_programs(host, apps, app_count, &wanted, err);
    if (status != DPK_OK)
        return status;
    status = hostfile_edit_open(host, &e, err);
    if (status == DPK_OK)
        status = strip_all(host, wanted, e, err);
    if (status == DPK_OK)
        status = hostfile_edit_finish(e, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", host->name);
        dpk_edited_free(e);
    } else {
        *out = e;
    }
    free(wanted);
    return status;
}
