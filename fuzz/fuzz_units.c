/* Files that assign a card's execution units to partitions, groups and programs: YAML of
 * dpa-resource-mgmt, JSON of dpaeumgmt. The first byte of the input selects. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dpa-resource-mgmt/resources.h"
#include "dpaeumgmt/dpaeumgmt.h"

enum { RESOURCES, GROUPS, PARTITIONS, KINDS };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dpk_device *dev;
static char outputs[] = "/tmp/fuzz-units-XXXXXX";
static const char *const device_name = "fuzz";

static void open_world(void)
{
    if (dev)
        return;
    /* The output of the commands is long and not checked. */
    if (dpk_device_open(getenv("FUZZ_DEVICE"), &dev, NULL) != DPK_OK || !mkdtemp(outputs) ||
        !freopen("/dev/null", "w", stdout))
        abort();
}

static void apply_json(const struct eu_verb *verbs, const char *path)
{
    const struct eu_options o = {.device = device_name, .file = path};
    for (; verbs->name; verbs++)
        if (strcmp(verbs->name, "apply") == 0)
            (void)verbs->run(&o, dev, NULL);
}

/* A unit belongs to at most one partition and one group; a group's units belong to its
 * partition. */
static void check(void)
{
    struct dpk_units_change c;
    struct dpk_units taken = {0}, mine;
    if (dpk_units_begin(dev, &c, NULL) != DPK_OK)
        return;
    for (size_t i = 0; i < c.all.count; i++) {
        mine = c.all.partitions[i].units;
        const unsigned count = dpk_units_count(&mine);
        dpk_units_subtract(&mine, &taken);
        if (count == 0 || dpk_units_count(&mine) != count)
            abort();
        for (unsigned k = 0; k < count; k++)
            dpk_units_add_range(&taken, dpk_units_member(&mine, k), dpk_units_member(&mine, k));
    }
    (void)dpk_units_end(&c, DPK_ERR_REFUSED, "nothing", NULL); /* nothing was changed */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    open_world();
    if (size == 0)
        return 0;
    const int fd = memfd_create("file", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const struct resource_options o = {.device = device_name, .file = path, .output = outputs};
    switch (*data % KINDS) {
    case RESOURCES:
        (void)resource_mgmt_apply(&o, dev, NULL);
        break;
    case GROUPS:
        apply_json(dpaeumgmt_group_verbs, path);
        break;
    case PARTITIONS:
        apply_json(dpaeumgmt_partition_verbs, path);
        break;
    }
    close(fd);
    check();
    if (resource_mgmt_destroy(&o, dev, NULL) != DPK_OK)
        abort();
    return 0;
}
