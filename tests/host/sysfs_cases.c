/* Files of emulated devices, by the functions of the C library. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#define DEVICE "/sys/class/infiniband/mlx5_0"

/* Keeps the library, which the program needs for nothing else. */
static int count_devices(void)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    CHECK(list);
    ibv_free_device_list(list);
    return count;
}

static void is_line(const char *path, const char *line)
{
    char text[64] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && read(fd, text, sizeof text - 1) == (ssize_t)strlen(line) && close(fd) == 0);
    CHECK(strcmp(text, line) == 0);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(text, sizeof text, file) && strcmp(text, line) == 0 && fclose(file) == 0);
}

static int count_entries(const char *path, const char *name)
{
    int found = 0;
    DIR *folder = opendir(path);
    CHECK(folder);
    for (struct dirent *e; (e = readdir(folder));)
        found += strcmp(e->d_name, name) == 0;
    CHECK(closedir(folder) == 0);
    return found;
}

static void a_device_has_the_files_of_a_card(void)
{
    struct stat st;
    is_line(DEVICE "/ports/1/state", "4: ACTIVE\n");
    is_line(DEVICE "/ports/1/link_layer", "Ethernet\n");
    is_line(DEVICE "/ports/1/gid_attrs/types/2", "IB/RoCE v1\n");
    is_line(DEVICE "/ports/1/gid_attrs/types/3", "RoCE v2\n");
    is_line(DEVICE "/device/vendor", "0x15b3\n");
    is_line(DEVICE "/device/device", "0xa2dc\n");
    CHECK(count_entries("/sys/class/infiniband", "mlx5_0") == 1);
    CHECK(count_entries("/sys/class/infiniband", "mlx5_1") == 1);
    CHECK(stat(DEVICE, &st) == 0 && S_ISDIR(st.st_mode));
    CHECK(lstat(DEVICE, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(fstatat(AT_FDCWD, DEVICE "/fw_ver", &st, 0) == 0 && S_ISREG(st.st_mode));
    CHECK(access(DEVICE "/ports/1", R_OK) == 0 && access(DEVICE "/ports/2", F_OK) == -1);
    CHECK(count_devices() == 2);
}

/* As UCX looks for it. */
static void a_device_has_a_character_device(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list);
    for (struct ibv_device **d = list; *d; d++) {
        char path[PATH_MAX];
        struct stat st;
        snprintf(path, sizeof path, "/dev/infiniband/%s", (*d)->dev_name);
        CHECK(strncmp((*d)->dev_name, "uverbs", 6) == 0);
        CHECK(stat(path, &st) == 0 && S_ISCHR(st.st_mode) && access(path, R_OK | W_OK) == 0);
    }
    ibv_free_device_list(list);
}

/* As NCCL looks for the function on PCI. */
static void links_lead_to_the_function_on_PCI(void)
{
    char path[PATH_MAX], target[PATH_MAX] = "";
    CHECK(realpath(DEVICE "/device", path));
    CHECK(strcmp(path, "/sys/devices/dpakit/mlx5_0/0000:03:00.0") == 0);
    is_line("/sys/devices/dpakit/mlx5_0/0000:03:00.0/max_link_width", "16\n");
    CHECK(readlink(DEVICE, target, sizeof target - 1) > 0);
    CHECK(strcmp(target, "../../devices/dpakit/mlx5_0/0000:03:00.0/infiniband/mlx5_0") == 0);
    char *own = realpath(DEVICE, NULL);
    CHECK(own &&
          strcmp(own + strlen(own) - strlen("/infiniband/mlx5_0"), "/infiniband/mlx5_0") == 0);
    free(own);
}

/* The GUID and the GIDs are those of the verbs. */
static void files_agree_with_verbs(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = list ? ibv_open_device(list[0]) : NULL;
    char path[128], want[64];
    CHECK(context);
    for (int index = 0; index < 4; index++) {
        union ibv_gid gid;
        CHECK(ibv_query_gid(context, 1, index, &gid) == 0);
        size_t length = 0;
        for (int i = 0; i < 16; i += 2)
            length += (size_t)snprintf(want + length, sizeof want - length, "%02x%02x%s",
                                       gid.raw[i], gid.raw[i + 1], i < 14 ? ":" : "\n");
        snprintf(path, sizeof path, DEVICE "/ports/1/gids/%d", index);
        is_line(path, want);
    }
    CHECK(ibv_close_device(context) == 0);
    ibv_free_device_list(list);
}

static void other_paths_are_the_systems(void)
{
    char path[PATH_MAX];
    struct stat ours, theirs;
    errno = 0;
    CHECK(open("/sys/class/infiniband/mlx5_9/fw_ver", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(open("/sys/class/infinibandage", O_RDONLY) == -1 && errno == ENOENT);
    CHECK(access("/dev/infiniband/../mlx5_0", F_OK) == -1);
    const char *volatile bad = (const char *)1;
    CHECK(access(bad, F_OK) == -1 && errno == EFAULT);
    CHECK(stat("/dev/null", &ours) == 0 && fstatat(AT_FDCWD, "/dev/null", &theirs, 0) == 0);
    CHECK(ours.st_ino == theirs.st_ino && realpath("/dev/null", path));
    CHECK(strcmp(path, "/dev/null") == 0);
    const int fd = open("made", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0640);
    CHECK(fd >= 0 && fstat(fd, &ours) == 0 && (ours.st_mode & 0777) == 0640 && close(fd) == 0);
}

static void *look(void *failed)
{
    for (int i = 0; i < 200; i++)
        if (access(DEVICE "/ports/1/state", R_OK) != 0)
            *(int *)failed = 1;
    return NULL;
}

static void threads_may_look_while_devices_are_listed(void)
{
    pthread_t threads[4];
    int failed[4] = {0};
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, look, &failed[i]) == 0);
    for (int i = 0; i < 20; i++)
        CHECK(count_devices() == 2);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0 && !failed[i]);
}

/* The test removes mlx5_1 at the first line. */
static void a_removed_device_has_no_files(void)
{
    char answer[8];
    CHECK(access("/sys/class/infiniband/mlx5_1", F_OK) == 0);
    puts("now");
    fflush(stdout);
    CHECK(fgets(answer, sizeof answer, stdin));
    CHECK(count_devices() == 1);
    CHECK(access("/sys/class/infiniband/mlx5_1", F_OK) == -1 && errno == ENOENT);
    CHECK(count_entries("/sys/class/infiniband", "mlx5_1") == 0);
    CHECK(access(DEVICE, F_OK) == 0);
}

static void without_devices_there_are_no_files(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(!list || !list[0]);
    CHECK(access("/dev/infiniband/uverbs0", F_OK) == -1 && access(DEVICE, F_OK) == -1);
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {
        CASE(a_device_has_the_files_of_a_card),  CASE(a_device_has_a_character_device),
        CASE(links_lead_to_the_function_on_PCI), CASE(files_agree_with_verbs),
        CASE(other_paths_are_the_systems),       CASE(threads_may_look_while_devices_are_listed),
        CASE(a_removed_device_has_no_files),     CASE(without_devices_there_are_no_files)};
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
