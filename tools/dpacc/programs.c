#include "programs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool can_execute(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static bool fits(int length)
{
    return length > 0 && length < PATH_MAX;
}

bool dpacc_programs_find(const char *program, char path[PATH_MAX])
{
    if (strchr(program, '/'))
        return fits(snprintf(path, PATH_MAX, "%s", program)) && can_execute(path);
    const char *list = getenv("PATH");
    if (!list)
        list = "/usr/local/bin:/usr/bin:/bin";
    while (*list) {
        size_t length = strcspn(list, ":");
        if (fits(snprintf(path, PATH_MAX, "%.*s/%s", (int)length, length ? list : ".", program)) &&
            can_execute(path))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* Cuts the last `count` names off a path. */
static bool cut_names(char *path, int count)
{
    char *slash = path;
    while (count-- > 0 && (slash = strrchr(path, '/')))
        *slash = 0;
    return slash != NULL;
}

/* Appends the name of the only file in a directory. */
static bool append_only_name(char path[PATH_MAX])
{
    const size_t length = strlen(path);
    DIR *directory = opendir(path);
    int names = 0;
    for (struct dirent *d; directory && (d = readdir(directory));)
        if (d->d_name[0] != '.' && ++names == 1)
            names += !fits(snprintf(path + length, PATH_MAX - length, "/%s", d->d_name));
    if (directory)
        closedir(directory);
    return names == 1;
}

char *dpacc_programs_resources(const char *clang)
{
    char found[PATH_MAX], path[PATH_MAX], header[PATH_MAX];
    if (!dpacc_programs_find(clang, found) || !realpath(found, path) ||
        strncmp(strrchr(path, '/') + 1, "clang", strlen("clang")) != 0 || !cut_names(path, 2) ||
        !fits(snprintf(found, sizeof found, "%s/lib/clang", path)) || !append_only_name(found) ||
        !fits(snprintf(header, sizeof header, "%s/include/stddef.h", found)) ||
        access(header, R_OK) != 0)
        return NULL;
    return strdup(found);
}
