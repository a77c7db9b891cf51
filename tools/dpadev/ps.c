/* dpadev ps: asks this user's DPA processes. */
#include <sys/socket.h>
#include <unistd.h>

#include "bus/peers/peers.h"
#include "dpadev.h"

enum { ANSWER_MAX = 16 << 20 };

/* Appends a process's answer to the earlier answers. */
static bool ask(void *context, int fd)
{
    struct dpk_buf *all = context;
    char bytes[4096];
    ssize_t n;
    size_t before = all->size;
    if (dpk_peer_say(fd, "list\n", 5))
        while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0 && all->size - before < ANSWER_MAX)
            dpk_put(all, bytes, (size_t)n);
    close(fd);
    return true;
}

enum dpk_status dpadev_json_ps(const char *name, cJSON **out, struct dpk_error *err)
{
    struct dpk_device *device = NULL;
    struct dpk_buf all = {0};
    enum dpk_status status = name ? dpk_device_open(name, &device, err) : DPK_OK;
    if (status == DPK_OK)
        status = dpk_peers_each(ask, &all, err);
    if (status == DPK_OK && all.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpadev_processes(&all, device, out, err);
    dpk_buf_free(&all);
    dpk_device_close(device);
    return status;
}

enum dpk_status dpadev_print_ps(const char *name, bool threads, bool json, struct dpk_error *err)
{
    struct dpk_buf text = {0};
    cJSON *list = NULL;
    enum dpk_status status = dpadev_json_ps(name, &list, err);
    if (status == DPK_OK && json) {
        status = dpk_json_print(list, err);
        list = NULL;
    } else if (status == DPK_OK) {
        dpadev_put_processes(&text, list, threads);
        if (text.failed)
            status = dpk_fail_nomem(err);
        else
            fwrite(text.data, 1, text.size, stdout);
    }
    cJSON_Delete(list);
    dpk_buf_free(&text);
    return status;
}
