/* A folder of results, which appears whole. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpapcc.h"

static const char *const files[] = {"summary.json", "flows.csv",   "series.csv",
                                    "rates.svg",    "queue.svg",   "rtt.svg",
                                    "fct.svg",      "report.html", "trace.json"};
enum { FILES = sizeof files / sizeof *files };

static bool is_ours(const char *name)
{
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(files[i], name) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

enum dpk_status folder_check(const char *path, struct dpk_error *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT ? DPK_OK : dpk_fail_errno(err, "%s", path);
    enum dpk_status status = DPK_OK;
    for (const struct dirent *e; status == DPK_OK && (e = readdir(dir)) != NULL;)
        if (!is_ours(e->d_name)) {
            char name[256];
            snprintf(name, sizeof name, "%s", e->d_name);
            status = dpk_fail(err, DPK_ERR_EXISTS,
                              "%s has %s, which is not of dpapcc: choose another folder", path,
                              dpk_text_clean(name));
        }
    closedir(dir);
    return status;
}

/* ---- Content ---- */

static void put_json(const struct report *r, struct dpk_buf *out)
{
    cJSON *json = report_json(r);
    char *text = json ? cJSON_Print(json) : NULL;
    if (text)
        dpk_put_format(out, "%s\n", text);
    out->failed |= !text;
    cJSON_free(text);
    cJSON_Delete(json);
}

static void put_file(const struct report *r, const char *name, struct dpk_buf *out)
{
    if (strcmp(name, "summary.json") == 0)
        put_json(r, out);
    else if (strcmp(name, "flows.csv") == 0)
        csv_flows(r, out);
    else if (strcmp(name, "series.csv") == 0)
        csv_series(r, out);
    else if (strcmp(name, "report.html") == 0)
        page_put(r, out);
    else if (strcmp(name, "trace.json") == 0)
        trace_json(r, out);
    else
        for (unsigned i = 0; i < PICTURES; i++)
            if (strncmp(picture_names[i], name, strlen(picture_names[i])) == 0)
                picture_put(r, i, 720, NULL, out, NULL);
}

/* ---- Writing ---- */

static enum dpk_status write_file(int dir, const char *folder, const char *name,
                                  const struct dpk_buf *content, struct dpk_error *err)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return dpk_fail_errno(err, "%s/%s", folder, name);
    enum dpk_status status = DPK_OK;
    for (size_t done = 0; done < content->size && status == DPK_OK;) {
        ssize_t n = write(fd, content->data + done, content->size - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            status = dpk_fail_errno(err, "%s/%s", folder, name);
    }
    if (status == DPK_OK && fsync(fd) != 0)
        status = dpk_fail_errno(err, "%s/%s", folder, name);
    if (close(fd) != 0 && status == DPK_OK)
        status = dpk_fail_errno(err, "%s/%s", folder, name);
    return status;
}

/* Deletes a folder with what dpapcc writes. */
static void remove_folder(const char *path)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; dir >= 0 && i < FILES; i++)
        (void)unlinkat(dir, files[i], 0);
    if (dir >= 0)
        close(dir);
    (void)rmdir(path);
}

/* Gives the new folder its name. One that was there is taken away in the same step. */
static enum dpk_status put_in_place(const char *temporary, const char *path, struct dpk_error *err)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return DPK_OK;
    if (errno != EEXIST && errno != EINVAL && errno != ENOSYS)
        return dpk_fail_errno(err, "%s", path);
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
        remove_folder(temporary);
        return DPK_OK;
    }
    /* A file system that exchanges no names. */
    remove_folder(path);
    return rename(temporary, path) == 0 ? DPK_OK : dpk_fail_errno(err, "%s", path);
}

static enum dpk_status fill(const char *temporary, const char *path, const struct report *r,
                            struct dpk_error *err)
{
    int dir = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum dpk_status status = dir >= 0 ? DPK_OK : dpk_fail_errno(err, "%s", temporary);
    for (size_t i = 0; i < FILES && status == DPK_OK; i++) {
        struct dpk_buf content = {0};
        put_file(r, files[i], &content);
        status =
            content.failed ? dpk_fail_nomem(err) : write_file(dir, path, files[i], &content, err);
        dpk_buf_free(&content);
    }
    if (dir >= 0)
        close(dir);
    return status;
}

enum dpk_status folder_write(const char *path, const struct report *r, struct dpk_error *err)
{
    char temporary[PATH_MAX], real[PATH_MAX];
    sigset_t signals;
    if (realpath(path, real)) /* what a link leads to is replaced, not the link */
        path = real;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length + 8 >= sizeof temporary)
        return dpk_fail(err, DPK_ERR_USAGE, "-o: a name of %zu bytes", length);
    enum dpk_status status = folder_check(path, err);
    if (status != DPK_OK)
        return status;
    snprintf(temporary, sizeof temporary, "%.*s.XXXXXX", (int)length, path);
    dpk_signals_hold(&signals);
    if (mkdtemp(temporary)) {
        mode_t mask = umask(0);
        umask(mask);
        status = fill(temporary, path, r, err);
        if (status == DPK_OK && chmod(temporary, 0777 & ~mask) != 0)
            status = dpk_fail_errno(err, "%s", path);
        if (status == DPK_OK)
            status = put_in_place(temporary, path, err);
        if (status != DPK_OK)
            remove_folder(temporary);
    } else {
        status = dpk_fail_errno(err, "%s", path);
    }
    dpk_signals_release(&signals);
    return status;
}
