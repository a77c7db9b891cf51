/* Types of cards with a DPA. */
#include <string.h>

#include "private.h"

static const struct dpk_device_type types[] = {
    {"bf3", "BlueField3", "BlueField-3", 0xa2dc, true},
    {"cx7", "ConnectX7", "ConnectX-7", 0x1021, false},
    {"cx8", "ConnectX8", "ConnectX-8", 0x1023, false},
    {"cx9", "ConnectX9", "ConnectX-9", 0x1025, false},
};
#define TYPES (sizeof types / sizeof *types)

const struct dpk_device_type *dpk_device_type_find(const char *target)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].target, target) == 0)
            return &types[i];
    return NULL;
}

/* ---- Aliases: mt41692_pciconf0 ---- */

int dpk_alias_format(const struct dpk_device_type *type, unsigned number, char *out, size_t size)
{
    return snprintf(out, size, "mt%u_pciconf%u", type->id, number);
}

const char *dpk_alias_number(const char *alias)
{
    for (size_t i = 0; i < TYPES; i++) {
        char prefix[32];
        const size_t size = (size_t)snprintf(prefix, sizeof prefix, "mt%u_pciconf", types[i].id);
        if (strncmp(alias, prefix, size) == 0)
            return alias + size;
    }
    return NULL;
}

bool dpk_alias_find(const char *root, unsigned number, char *out, size_t size)
{
    for (size_t i = 0; i < TYPES; i++) {
        char path[PATH_MAX];
        struct stat st;
        (void)dpk_alias_format(&types[i], number, out, size);
        if (dpk_device_join(root, out, path, NULL) == DPK_OK && lstat(path, &st) == 0)
            return true;
    }
    return false;
}

bool dpk_alias_number_taken(const char *root, const struct dpk_device_type *but, unsigned number)
{
    for (size_t i = 0; i < TYPES; i++) {
        char alias[DPK_DEVICE_NAME_MAX + 1], path[PATH_MAX];
        struct stat st;
        (void)dpk_alias_format(&types[i], number, alias, sizeof alias);
        if (&types[i] != but && dpk_device_join(root, alias, path, NULL) == DPK_OK &&
            lstat(path, &st) == 0)
            return true;
    }
    return false;
}
