/* dpaeumgmt info. */
#include "dpaeumgmt.h"

#include "device/running/running.h"
#include "engine/proc/proc.h"

#define UNITS_PER_CORE 16
#define STACK_SIZE     65536

static enum dpk_status chip(const struct eu_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    (void)o, (void)dev, (void)err;
    printf("num_cores: %d\neu_num: %d\nmax_threads_per_process: %d\nmax_processes: %d\n"
           "thread_stack_size: %d\n",
           DPK_UNITS_MAX / UNITS_PER_CORE, UNITS_PER_CORE, DPK_THREADS_OF_PROCESS,
           DPK_LIVE_PROCESSES, STACK_SIZE);
    return DPK_OK;
}

static enum dpk_status status_of(const struct eu_options *o, struct dpk_device *dev,
                                 struct dpk_error *err)
{
    char directory[PATH_MAX];
    struct dpk_partitions all;
    struct dpk_live_seen seen = {0};
    unsigned groups = 0;
    (void)o;
    enum dpk_status status = dpk_device_card_directory(dev, directory, err);
    if (status == DPK_OK)
        status = dpk_device_partitions(dev, &all, err);
    if (status == DPK_OK)
        status = dpk_live_look(directory, false, &seen, err);
    if (status != DPK_OK)
        return status;
    for (size_t i = 0; i < all.group_count; i++)
        groups += all.groups[i].partition == DPK_PARTITION_DEFAULT;
    printf("root_device: %d\nprocesses: %zu\nnumber_of_partitions: %zu\n"
           "number_of_root_groups: %u\n",
           dpk_device_manages(dev), seen.count, all.count, groups);
    dpk_live_seen_free(&seen);
    return DPK_OK;
}

/* Lists both functions of a pair, or the only function. */
static enum dpk_status vhca(const struct eu_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    struct dpk_device_info info;
    (void)o;
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status != DPK_OK)
        return status;
    if (info.pair)
        printf("vhca_id: %u side: host%s\nvhca_id: %u side: dpu%s\n",
               dpk_vhca_id(&info, DPK_SIDE_HOST),
               info.side == DPK_SIDE_HOST ? " (this device)" : "", dpk_vhca_id(&info, DPK_SIDE_DPU),
               info.side == DPK_SIDE_DPU ? " (this device)" : "");
    else
        printf("vhca_id: %u (this device)\n", dpk_device_vhca(dev));
    return DPK_OK;
}

const struct eu_verb dpaeumgmt_info_verbs[] = {
    {"chip", chip, NULL, NULL},
    {"status", status_of, NULL, NULL},
    {"vhca", vhca, NULL, NULL},
    {0},
};
