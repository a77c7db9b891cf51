/* Opens a device and describes it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "private.h"

enum dpk_status dpk_device_open(const char *name, struct dpk_device **out, struct dpk_error *err)
{
    char database[PATH_MAX];
    struct stat st;
    struct dpk_device *dev = calloc(1, sizeof *dev);
    *out = NULL;
    if (!dev)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_openssl_start(err);
    if (status == DPK_OK)
        status = dpk_device_resolve(name, dev->name, dev->path, err);
    if (status == DPK_OK)
        status = dpk_device_side(&dev->side, err);
    if (status == DPK_OK)
        status = dpk_device_join(dev->path, "device.db", database, err);
    if (status == DPK_OK && lstat(database, &st) != 0)
        status = dpk_fail_errno(err, "%s", database);
    if (status == DPK_OK && (!S_ISREG(st.st_mode) || (st.st_mode & (S_IWGRP | S_IWOTH))))
        status = dpk_fail(err, DPK_ERR_REFUSED, "%s: not a file that only its owner may write to",
                          database);
    if (status == DPK_OK)
        status = dpk_device_check_owner(database, &st, err);
    if (status == DPK_OK)
        status = dpk_db_open(database, &dev->db, err);
    if (status != DPK_OK) {
        free(dev);
        return status;
    }
    *out = dev;
    return DPK_OK;
}

void dpk_device_close(struct dpk_device *dev)
{
    if (!dev)
        return;
    sqlite3_close(dev->db);
    free(dev);
}

enum dpk_status dpk_device_begin_looking(struct dpk_device *dev, struct dpk_error *err)
{
    return dpk_db_exec(dev->db, "BEGIN", err);
}

void dpk_device_end_looking(struct dpk_device *dev)
{
    dpk_db_rollback(dev->db);
}

const char *dpk_device_name(const struct dpk_device *dev)
{
    return dev->name;
}

enum dpk_status dpk_device_directory(const struct dpk_device *dev, char out[PATH_MAX],
                                     struct dpk_error *err)
{
    char path[PATH_MAX];
    const char *below = dev->side == DPK_SIDE_DPU ? DPK_DPU_DIRECTORY : ".";
    enum dpk_status status = dpk_device_join(dev->path, below, path, err);
    if (status == DPK_OK && !realpath(path, out))
        status = dpk_fail_errno(err, "%s", path);
    return status;
}

enum dpk_status dpk_device_card_directory(const struct dpk_device *dev, char out[PATH_MAX],
                                          struct dpk_error *err)
{
    return realpath(dev->path, out) ? DPK_OK : dpk_fail_errno(err, "%s", dev->path);
}

bool dpk_device_manages(const struct dpk_device *dev)
{
    return dev->side == DPK_SIDE_DPU || !dpk_device_is_pair(dev->path);
}

enum dpk_status dpk_device_wire(struct dpk_device *dev, char out[DPK_DEVICE_WIRE_MAX],
                                struct dpk_error *err)
{
    bool found;
    snprintf(out, DPK_DEVICE_WIRE_MAX, "loop");
    return dpk_db_find_meta(dev->db, dpk_wire_key(dev), out, DPK_DEVICE_WIRE_MAX, &found, err);
}

enum dpk_status dpk_device_fabric(struct dpk_device *dev, char out[DPK_DEVICE_FABRIC_MAX],
                                  struct dpk_error *err)
{
    bool found;
    snprintf(out, DPK_DEVICE_FABRIC_MAX, "off");
    return dpk_db_find_meta(dev->db, dpk_fabric_key(dev), out, DPK_DEVICE_FABRIC_MAX, &found, err);
}

enum dpk_status dpk_device_dma_max(struct dpk_device *dev, uint32_t *out, struct dpk_error *err)
{
    char text[16] = "";
    bool found = false;
    enum dpk_status status =
        dpk_db_find_meta(dev->db, DPK_DMA_MAX_KEY, text, sizeof text, &found, err);
    *out = found ? (uint32_t)strtoul(text, NULL, 10) : DPK_DMA_MAX_CARD;
    return status;
}

/* Derives the address from the alias's number, which is unique. Emulated devices have no slot. */
static void put_place(struct dpk_device_info *out)
{
    const char *number = dpk_alias_number(out->alias);
    if (number)
        out->number = (unsigned)strtoul(number, NULL, 10);
    out->pci = (struct dpk_pci_address){
        .domain = out->number / 500, .bus = 3 + out->number / 2 % 250, .function = out->number % 2};
    snprintf(out->vuid, sizeof out->vuid, "%sMLNXS%uD0F%u", out->serial, out->number / 2,
             out->pci.function);
}

unsigned dpk_device_vhca(struct dpk_device *dev)
{
    char root[PATH_MAX];
    struct dpk_device_info info = {0};
    if (dpk_device_root(false, root, NULL) == DPK_OK)
        dpk_device_alias_of(root, dev->name, false, info.alias, sizeof info.alias);
    put_place(&info);
    return dpk_vhca_id(&info, dev->side);
}

enum dpk_status dpk_device_info(struct dpk_device *dev, struct dpk_device_info *out,
                                struct dpk_error *err)
{
    char created[32] = "", root[PATH_MAX];
    EVP_PKEY *owner = NULL;
    *out = (struct dpk_device_info){0};
    const struct {
        const char *key;
        char *to;
        size_t size;
    } texts[] = {
        {"psid", out->psid, sizeof out->psid},
        {"psid_branch", out->psid_branch, sizeof out->psid_branch},
        {"part_number", out->part_number, sizeof out->part_number},
        {"description", out->description, sizeof out->description},
        {"serial", out->serial, sizeof out->serial},
        {"hw_target", out->hw_target, sizeof out->hw_target},
        {"created", created, sizeof created},
    };
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == DPK_OK; i++)
        status = dpk_db_get_meta(dev->db, texts[i].key, texts[i].to, texts[i].size, err);
    if (status == DPK_OK)
        status = dpk_device_life_cycle(dev->db, &out->development, err);
    if (status == DPK_OK)
        status = dpk_device_programmable_cc(dev->db, &out->programmable_cc, err);
    if (status == DPK_OK)
        status = dpk_device_dma_max(dev, &out->dma_max, err);
    if (status == DPK_OK)
        status = dpk_device_owner_key(dev->db, &out->owner, &owner, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status != DPK_OK)
        return status;
    out->created = strtoll(created, NULL, 10);
    out->has_owner = owner != NULL;
    EVP_PKEY_free(owner);
    snprintf(out->path, sizeof out->path, "%s", dev->path);
    dpk_device_alias_of(root, dev->name, false, out->alias, sizeof out->alias);
    put_place(out);
    out->side = dev->side;
    out->pair = dpk_device_is_pair(dev->path);
    if (out->pair)
        dpk_device_alias_of(root, dev->name, true, out->card, sizeof out->card);
    return DPK_OK;
}

enum dpk_status dpk_device_card_directory_by_name(const char *name, char out[PATH_MAX],
                                                  struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(name, &dev, err);
    if (status == DPK_OK)
        status = dpk_device_card_directory(dev, out, err);
    dpk_device_close(dev);
    return status;
}

enum dpk_status dpk_device_info_by_name(const char *name, struct dpk_device_info *out,
                                        struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(name, &dev, err);
    if (status == DPK_OK)
        status = dpk_device_info(dev, out, err);
    dpk_device_close(dev);
    return status;
}
