/* Device libraries: inputs, -device-libs and linker options. */
#include "config.h"

#include "fat/fat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum dpk_status check_archive(const char *path, struct dpk_error *err)
{
    uint8_t magic[8] = {0};
    FILE *f = fopen(path, "rbe");
    if (!f)
        return dpk_fail_errno(err, "%s", path);
    size_t got = fread(magic, 1, sizeof magic, f);
    fclose(f);
    if (got != sizeof magic || (memcmp(magic, "!<arch>\n", 8) != 0 &&
                                memcmp(magic, "!<thin>\n", 8) != 0 && !dpk_fat_is(magic, 8)))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: not an archive", path);
    return DPK_OK;
}

enum dpk_status dpacc_config_add_archive(struct config *c, const char *word, struct dpk_error *err)
{
    char *path = NULL;
    if (access(word, F_OK) != 0 && !strchr(word, '/')) {
        if (asprintf(&path, "%s/lib/%s", c->root, word) < 0)
            return dpk_fail_nomem(err);
        if (access(path, F_OK) != 0) {
            free(path);
            path = NULL;
        }
    }
    const char *found = path ? path : word;
    enum dpk_status status = dpacc_config_check_readable(found, err);
    if (status == DPK_OK)
        status = check_archive(found, err);
    if (status == DPK_OK && !dpk_words_have(&c->archives, found))
        dpk_words_add(&c->archives, found);
    dpk_words_add(&c->inputs, found);
    free(path);
    return status;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* Finds "libx.a" in the -L directories of -device-libs, or in dpakit's. Returns NULL if only the
 * linker may find it. */
static char *find_library(const struct config *c, const struct words *directories, const char *name)
{
    for (size_t i = 0; i <= directories->count; i++) {
        const char *dir = i < directories->count ? directories->at[i] : c->root;
        char *path = NULL;
        if (asprintf(&path, "%s%s/%s%s%s", dir, i < directories->count ? "" : "/lib",
                     *name == ':' ? "" : "lib", name + (*name == ':'),
                     *name == ':' ? "" : ".a") < 0)
            return NULL;
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* NVIDIA's build script of FlexIO puts directories into -device-libs and libraries into the linker
 * options, so both are joined. */
static void move_libraries(struct config *c)
{
    struct words rest = {0};
    for (size_t i = 0; i < c->link_options.count; i++) {
        const char *word = c->link_options.at[i];
        bool alone = strcmp(word, "-l") == 0 || strcmp(word, "-L") == 0;
        bool library = (begins(word, "-l") && !begins(word, "-lto-")) || begins(word, "-L");
        dpk_words_add(library ? &c->device_libs : &rest, word);
        if (alone && i + 1 < c->link_options.count)
            dpk_words_add(&c->device_libs, c->link_options.at[++i]);
    }
    rest.failed |= c->link_options.failed;
    dpk_words_free(&c->link_options);
    c->link_options = rest;
}

enum dpk_status dpacc_config_sort_libraries(struct config *c, struct dpk_error *err)
{
    struct words directories = {0}, rest = {0};
    const struct words *given = &c->device_libs;
    enum dpk_status status = DPK_OK;
    move_libraries(c);
    for (size_t i = 0; i < given->count; i++) {
        if (strcmp(given->at[i], "-L") == 0 && i + 1 < given->count)
            dpk_words_add(&directories, given->at[i + 1]);
        else if (begins(given->at[i], "-L"))
            dpk_words_add(&directories, given->at[i] + 2);
    }
    for (size_t i = 0; i < given->count && status == DPK_OK; i++) {
        const char *word = given->at[i];
        size_t length = strlen(word);
        char *path = NULL;
        if (strcmp(word, "-l") == 0 && i + 1 < given->count)
            path = find_library(c, &directories, given->at[++i]);
        else if (begins(word, "-l") && length > 2)
            path = find_library(c, &directories, word + 2);
        else if (*word != '-' && length > 2 && strcmp(word + length - 2, ".a") == 0)
            path = strdup(word);
        if (path)
            status = dpacc_config_add_archive(c, path, err);
        else if (strcmp(word, "-l") == 0)
            dpk_words_addf(&rest, "-l%s", given->at[i]);
        else
            dpk_words_add(&rest, word);
        free(path);
    }
    dpk_words_free(&directories);
    dpk_words_free(&c->device_libs);
    c->device_libs = rest;
    return status == DPK_OK && rest.failed ? dpk_fail_nomem(err) : status;
}
