#include "workdir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool name_taken(const struct paths *p, const char *name)
{
    if (strcmp(name, "device_exec") == 0) /* name of the whole program */
        return true;
    for (size_t i = 0; i < p->count; i++)
        if (p->names[i] && strcmp(p->names[i], name) == 0)
            return true;
    return false;
}

/* Returns the length without ".c", ".dpa.o" or another suffix. */
static size_t stem_length(const char *base)
{
    size_t length = strlen(base);
    const char *dot = strrchr(base, '.');
    if (length > 6 && strcmp(base + length - 6, ".dpa.o") == 0)
        return length - 6;
    return dot ? (size_t)(dot - base) : length;
}

/* Makes a unique name: for a/k.c and b/k.c, the second is k_2. Names are used in an #include, which
 * cannot contain a quote or a line end. */
static char *unique_name(const struct paths *p, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = stem_length(base);
    char *stem = strndup(base, length);
    for (char *bad = stem; bad && (bad = strpbrk(bad, "\"\n"));)
        *bad = '_';
    char *name = stem ? strdup(stem) : NULL;
    for (unsigned n = 2; name && name_taken(p, name); n++) {
        free(name);
        if (asprintf(&name, "%s_%u", stem, n) < 0)
            name = NULL;
    }
    free(stem);
    return name;
}

enum dpk_status dpacc_workdir_names(const struct config *c, struct paths *p, struct dpk_error *err)
{
    p->names = calloc(c->units.count, sizeof *p->names);
    if (!p->names)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < c->units.count; i++) {
        char *name = unique_name(p, c->units.at[i]);
        if (!name)
            return dpk_fail_nomem(err);
        p->names[p->count++] = name;
    }
    return DPK_OK;
}

static enum dpk_status set(struct paths *p, const char *dir, struct dpk_error *err)
{
    free(p->dir);
    p->dir = NULL;
    if (!dir || strcmp(dir, ".") == 0)
        p->dir = strdup("");
    else if (asprintf(&p->dir, "%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/") < 0)
        p->dir = NULL;
    return p->dir ? DPK_OK : dpk_fail_nomem(err);
}

/* Makes the directory and its parents, like the mkdir -p that -dryrun prints. */
static enum dpk_status make_all(const char *path, struct dpk_error *err)
{
    char *part = strdup(path);
    if (!part)
        return dpk_fail_nomem(err);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(part, 0777); /* the last mkdir reports the error */
        *slash = '/';
    }
    free(part);
    struct stat st;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return dpk_fail_errno(err, "-keep-dir: %s", path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return DPK_OK;
    errno = ENOTDIR;
    return dpk_fail_errno(err, "-keep-dir: %s", path);
}

enum dpk_status dpacc_workdir_make(const struct config *c, struct run *run, struct paths *p,
                                   struct dpk_error *err)
{
    if (c->keep_dir && !c->dryrun && make_all(c->keep_dir, err) != DPK_OK)
        return err->status;
    if (dpacc_config_keeps(c) && !c->dryrun)
        return set(p, c->keep_dir, err);
    enum dpk_status status = dpk_run_make_temp(run, err);
    return status == DPK_OK ? set(p, run->temp, err) : status;
}

enum dpk_status dpacc_workdir_pretend(const struct config *c, const struct run *run,
                                      struct paths *p, struct dpk_error *err)
{
    char temp[4096];
    snprintf(temp, sizeof temp, "%s/%s_XXXXXX", dpk_run_temp_base(), run->tool);
    const char *dir = c->keep_dir ? c->keep_dir : c->keep ? NULL : temp;
    if (dir)
        dpk_run_say_words(run, "mkdir", "-p", dir, NULL);
    return set(p, dir, err);
}

void dpacc_workdir_free(struct paths *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->names[i]);
    free(p->names);
    free(p->dir);
    *p = (struct paths){0};
}
