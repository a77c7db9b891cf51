/* Whose DOCA headers the code sees, and in which form programs are embedded: those of the release that
 * DPA_DOCA names, or of this tree. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

static const struct generation {
    const char *release, *folder;
    bool bare; /* NVIDIA's dpacc of the release has no areas: it is older than 1.10 */
} generations[] = {
    {"2.2", "include/doca-2.2", true}, {"2.5", "include/doca-2.5", true},
    {"2.6", "include/doca-2.5", true}, {"2.7", "include/doca", true},
    {"2.8", "include/doca", true},     {"2.9", "include/doca", true},
    {"2.10", "include/doca", false},   {"3", "include/doca", false},
};

/* "2.5" is "2.5" and "2.5.0"; "3" is every 3.x. */
static const struct generation *find_generation(const char *release)
{
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        const size_t length = strlen(generations[i].release);
        if (strncmp(release, generations[i].release, length) == 0 &&
            (release[length] == '\0' || release[length] == '.') &&
            strspn(release, "0123456789.") == strlen(release))
            return &generations[i];
    }
    return NULL;
}

/* The release of the tree: the first word of its file VERSION. "3": there is no such file. */
static char *release_of_tree(const struct config *c)
{
    char *path = NULL, line[32] = "";
    if (asprintf(&path, "%s/share/dpakit/VERSION", c->root) < 0)
        return NULL;
    FILE *f = fopen(path, "re");
    free(path);
    if (f && !fgets(line, sizeof line, f))
        *line = '\0';
    if (f)
        fclose(f);
    line[strcspn(line, " \n")] = '\0';
    return strdup(find_generation(line) ? line : "3");
}

/* What doca_version.h says of the release, for headers that are shared with others. */
static void define_release(struct config *c, const char *release)
{
    unsigned part[3] = {0};
    sscanf(release, "%u.%u.%u", &part[0], &part[1], &part[2]);
    dpk_words_addf(&c->release, "-DDOCA_VERSION_MAJOR=%u", part[0]);
    dpk_words_addf(&c->release, "-DDOCA_VERSION_MINOR=%u", part[1]);
    dpk_words_addf(&c->release, "-DDOCA_VERSION_PATCH=%u", part[2]);
    dpk_words_addf(&c->release, "-DDOCA_VERSION_STRING=\"%u.%u.%u\"", part[0], part[1], part[2]);
}

enum dpk_status dpacc_config_choose_release(struct config *c, struct dpk_error *err)
{
    const char *given = getenv("DPA_DOCA");
    const bool is_given = given && *given;
    char *release = is_given ? strdup(given) : release_of_tree(c);
    if (!release)
        return dpk_fail_nomem(err);
    const struct generation *g = find_generation(release);
    c->headers = g ? g->folder : NULL;
    c->bare = g && g->bare;
    if (is_given && g && strchr(release, '.'))
        define_release(c, release);
    enum dpk_status status =
        g ? DPK_OK
          : dpk_fail(err, DPK_ERR_USAGE,
                     "DPA_DOCA: no headers of DOCA %s; there are those of 2.2, 2.5 to 2.10 and 3",
                     release);
    free(release);
    return status == DPK_OK && c->release.failed ? dpk_fail_nomem(err) : status;
}
