/* Remote direct memory operations: a target and an initiator, on one machine or two.
 *
 *     ./urom_rdmo -m server -d mlx5_0          the target, with a service of UROM on its DPU
 *     ./urom_rdmo -m client -s HOST            the initiator
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdmo.h"

void fail(const char *what)
{
    fprintf(stderr, "urom_rdmo: %s\n", what);
    exit(1);
}

void peer_open(struct peer *p)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_RMA};
    const ucp_worker_params_t worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    ucp_config_t *config;
    if (ucp_config_read(NULL, NULL, &config) != UCS_OK)
        fail("UCX does not start");
    /* The worker wants to know of ends of processes, over shared memory too. */
    (void)ucp_config_modify(config, "MM_ERROR_HANDLING", "y");
    if (ucp_init(&params, config, &p->context) != UCS_OK ||
        ucp_worker_create(p->context, &worker, &p->worker) != UCS_OK ||
        ucp_worker_get_address(p->worker, &p->address, &p->address_size) != UCS_OK)
        fail("UCX does not start");
    ucp_config_release(config);
}

void peer_close(struct peer *p)
{
    ucp_worker_release_address(p->worker, p->address);
    ucp_worker_destroy(p->worker);
    ucp_cleanup(p->context);
}

void peer_await(struct peer *p, void *request, const char *what)
{
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (UCS_PTR_IS_PTR(request)) {
        while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
            ucp_worker_progress(p->worker);
        ucp_request_free(request);
    }
    if (status != UCS_OK)
        fail(what);
}

void say(int fd, const void *bytes, size_t size)
{
    if (write(fd, bytes, size) != (ssize_t)size)
        fail("the other side is gone");
}

void hear(int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t n = read(fd, (char *)bytes + at, size - at);
        if (n <= 0)
            fail("the other side is gone");
        at += (size_t)n;
    }
}

void say_bytes(int fd, const void *bytes, uint64_t size)
{
    say(fd, &size, sizeof size);
    say(fd, bytes, size);
}

void *hear_bytes(int fd, uint64_t *size)
{
    hear(fd, size, sizeof *size);
    void *bytes = *size <= 65536 ? malloc(*size) : NULL;
    if (!bytes)
        fail("the other side sends too much");
    hear(fd, bytes, *size);
    return bytes;
}

int main(int argc, char **argv)
{
    const char *mode = "", *device = "mlx5_0", *host = NULL, *port = "18515";
    for (int o; (o = getopt(argc, argv, "m:d:s:p:")) != -1;) {
        switch (o) {
        case 'm':
            mode = optarg;
            break;
        case 'd':
            device = optarg;
            break;
        case 's':
            host = optarg;
            break;
        case 'p':
            port = optarg;
            break;
        default:
            mode = "";
            optind = argc;
            break;
        }
    }
    if (strcmp(mode, "server") == 0)
        return run_target(device, port);
    if (strcmp(mode, "client") == 0 && host)
        return run_initiator(host, port);
    fprintf(stderr, "usage: urom_rdmo -m server [-d DEVICE] [-p PORT]\n"
                    "       urom_rdmo -m client -s HOST [-p PORT]\n");
    return 2;
}
