/* Behaviours of exported memory handles of UCX, one function each; main runs the function that argv[1] names.
 * The exporter is a child, which is forked before UCX starts. */
#include <doca_urom.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "check.h"

enum { SIZE = 100000, SMALL = 16 };

/* A process with UCX, which has handles after this. */
struct side {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h ep; /* to itself */
};

static void start_side(struct side *s)
{
    struct doca_urom_service *service;
    ucp_address_t *address;
    size_t size;
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_TAG |
                                             UCP_FEATURE_EXPORTED_MEMH};
    const ucp_worker_params_t single = {0};
    CHECK(doca_urom_service_create(&service) == DOCA_SUCCESS);
    CHECK(doca_urom_service_destroy(service) == DOCA_SUCCESS);
    CHECK(ucp_init(&params, NULL, &s->context) == UCS_OK);
    CHECK(ucp_worker_create(s->context, &single, &s->worker) == UCS_OK);
    CHECK(ucp_worker_get_address(s->worker, &address, &size) == UCS_OK);
    const ucp_ep_params_t to = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = address};
    CHECK(ucp_ep_create(s->worker, &to, &s->ep) == UCS_OK);
    ucp_worker_release_address(s->worker, address);
}

static ucs_status_t await_request(const struct side *s, void *request)
{
    ucs_status_t status = UCS_PTR_STATUS(request);
    if (!UCS_PTR_IS_PTR(request))
        return status;
    while ((status = ucp_request_check_status(request)) == UCS_INPROGRESS)
        ucp_worker_progress(s->worker);
    ucp_request_free(request);
    return status;
}

static ucp_mem_h map(const struct side *s, void *memory, size_t size)
{
    ucp_mem_h memh;
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
                                                       UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                         .address = memory,
                                         .length = size};
    CHECK(ucp_mem_map(s->context, &params, &memh) == UCS_OK);
    return memh;
}

/* ---- The exporter ---- */

struct exporter {
    pid_t pid;
    int fd;
    uint8_t *memory; /* in the exporter */
    uint8_t handle[1024];
};

static void say(int fd, const void *bytes, size_t size)
{
    CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static void hear(int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t n = read(fd, (char *)bytes + at, size - at);
        CHECK(n > 0);
        at += (size_t)n;
    }
}

/* Exports memory, then does what single letters say, and answers each with the letter. */
static void export_memory(int fd)
{
    struct side s;
    void *packed, *again;
    size_t size, size_again;
    uint8_t bytes[1024] = {0}, *memory = malloc(SIZE);
    const ucp_memh_pack_params_t export = {.field_mask = UCP_MEMH_PACK_PARAM_FIELD_FLAGS,
                                           .flags = UCP_MEMH_PACK_FLAG_EXPORT};
    start_side(&s);
    CHECK(memory);
    memset(memory, 'e', SIZE);
    ucp_mem_h memh = map(&s, memory, SIZE);
    CHECK(ucp_memh_pack(memh, &export, &packed, &size) == UCS_OK && size <= sizeof bytes);
    CHECK(ucp_memh_pack(memh, &export, &again, &size_again) == UCS_OK && size_again == size);
    CHECK(memcmp(packed, again, size) == 0);
    memcpy(bytes, packed, size);
    ucp_memh_buffer_release(packed, NULL);
    ucp_memh_buffer_release(again, NULL);
    say(fd, &memory, sizeof memory);
    say(fd, bytes, sizeof bytes);
    for (char c; read(fd, &c, 1) == 1; say(fd, &c, 1)) {
        if (c == 'u')
            CHECK(ucp_mem_unmap(s.context, memh) == UCS_OK);
        if (c == 'c') /* what the worker wrote */
            for (size_t i = 0; i < SIZE; i++)
                CHECK(memory[i] == (i >= 1000 && i < 91000 ? 'w' : 'e'));
        if (c == 'x') {
            say(fd, &c, 1);
            CHECK(dup2(fd, 0) == 0 && dup2(fd, 1) == 1); /* which UCX would write its log to */
            execlp("cat", "cat", NULL);
            abort();
        }
    }
    _exit(0);
}

static struct exporter new_exporter(void)
{
    struct exporter e;
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    e.pid = fork();
    CHECK(e.pid >= 0);
    if (e.pid == 0) {
        close(ends[0]);
        export_memory(ends[1]);
    }
    close(ends[1]);
    e.fd = ends[0];
    return e;
}

static void greet(struct exporter *e)
{
    hear(e->fd, &e->memory, sizeof e->memory);
    hear(e->fd, e->handle, sizeof e->handle);
}

static void order(const struct exporter *e, char what)
{
    char answer;
    say(e->fd, &what, 1);
    hear(e->fd, &answer, 1);
    CHECK(answer == what);
}

static void end_exporter(const struct exporter *e)
{
    int status;
    kill(e->pid, SIGKILL);
    close(e->fd);
    CHECK(waitpid(e->pid, &status, 0) == e->pid && WIFSIGNALED(status));
}

static ucs_status_t import(const struct side *s, const void *handle, ucp_mem_h *memh)
{
    const ucp_mem_map_params_t params = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER,
                                         .exported_memh_buffer = handle};
    return ucp_mem_map(s->context, &params, memh);
}

/* ---- Transfers ---- */

static ucp_request_param_t with(ucp_mem_h memh)
{
    return (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH, .memh = memh};
}

static ucs_status_t send_tag(struct side *s, const uint8_t *bytes, size_t size,
                             const ucp_request_param_t *param, void *to, size_t room,
                             const ucp_request_param_t *receive)
{
    void *sent = ucp_tag_send_nbx(s->ep, bytes, size, 7, param);
    if (UCS_PTR_IS_ERR(sent))
        return UCS_PTR_STATUS(sent);
    const ucs_status_t status =
        await_request(s, ucp_tag_recv_nbx(s->worker, to, room, 7, UINT64_MAX, receive));
    CHECK(await_request(s, sent) == UCS_OK);
    return status;
}

static void memory_is_read_and_written(void)
{
    struct exporter e = new_exporter();
    struct side s;
    ucp_mem_h memh;
    static uint8_t bytes[SIZE];
    const ucp_request_param_t none = {0};
    start_side(&s);
    greet(&e);
    CHECK(import(&s, e.handle, &memh) == UCS_OK);
    ucp_mem_attr_t a = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS | UCP_MEM_ATTR_FIELD_LENGTH};
    CHECK(ucp_mem_query(memh, &a) == UCS_OK && a.address == e.memory && a.length == SIZE);
    const ucp_request_param_t theirs = with(memh);
    const size_t sizes[] = {1, SMALL, 5000, SIZE};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) { /* eager and rendezvous */
        memset(bytes, 0, SIZE);
        CHECK(send_tag(&s, e.memory, sizes[k], &theirs, bytes, SIZE, &none) == UCS_OK);
        for (size_t i = 0; i < SIZE; i++)
            CHECK(bytes[i] == (i < sizes[k] ? 'e' : 0));
    }
    memset(bytes, 'w', SIZE); /* a receive may have more room than there are bytes */
    CHECK(send_tag(&s, bytes, SMALL, &none, e.memory + 1000, 95000, &theirs) == UCS_OK);
    CHECK(send_tag(&s, bytes, 90000, &none, e.memory + 1000, 90000, &theirs) == UCS_OK);
    order(&e, 'c');
    CHECK(ucp_mem_unmap(s.context, memh) == UCS_OK);
    end_exporter(&e);
}

static void what_is_outside_is_refused(void)
{
    struct exporter e = new_exporter();
    struct side s;
    ucp_mem_h memh;
    start_side(&s);
    greet(&e);
    CHECK(import(&s, e.handle, &memh) == UCS_OK);
    ucp_request_param_t p = with(memh);
    const struct {
        uint8_t *at;
        size_t size;
    } outside[] = {{e.memory - 1, 2},
                   {e.memory + SIZE, 1},
                   {e.memory, SIZE + 1},
                   {NULL, 1},
                   {e.memory + 5, SIZE_MAX}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        CHECK(UCS_PTR_STATUS(ucp_tag_send_nbx(s.ep, outside[i].at, outside[i].size, 7, &p)) ==
              UCS_ERR_INVALID_PARAM);
    p.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    p.datatype = ucp_dt_make_contig(SIZE_MAX / 16);
    CHECK(UCS_PTR_STATUS(ucp_tag_send_nbx(s.ep, e.memory, 20, 7, &p)) == UCS_ERR_INVALID_PARAM);
    p.datatype = ucp_dt_make_iov();
    CHECK(UCS_PTR_STATUS(ucp_tag_send_nbx(s.ep, e.memory, 1, 7, &p)) == UCS_ERR_INVALID_PARAM);
    p.op_attr_mask &= ~(uint32_t)UCP_OP_ATTR_FIELD_DATATYPE;
    CHECK(UCS_PTR_STATUS(ucp_stream_send_nbx(s.ep, e.memory, 1, &p)) == UCS_ERR_UNSUPPORTED);
    void *key;
    size_t size;
    CHECK(ucp_rkey_pack(s.context, memh, &key, &size) == UCS_ERR_UNSUPPORTED);
    end_exporter(&e);
}

/* ---- Exporters that end ---- */

static void ended_exporters_are_told(void)
{
    const char ends[] = {'u', 'x', 'k'};
    struct exporter e[sizeof ends];
    struct side s;
    uint8_t byte[SMALL] = {0};
    const ucp_request_param_t none = {0};
    for (size_t i = 0; i < sizeof ends; i++)
        e[i] = new_exporter();
    start_side(&s);
    for (size_t i = 0; i < sizeof ends; i++) {
        ucp_mem_h memh, late;
        greet(&e[i]);
        CHECK(import(&s, e[i].handle, &memh) == UCS_OK);
        const ucp_request_param_t theirs = with(memh);
        if (ends[i] == 'k')
            end_exporter(&e[i]);
        else
            order(&e[i], ends[i]);
        if (ends[i] == 'x')
            order(&e[i], 'y'); /* the other program runs, and repeats this */
        CHECK(UCS_PTR_STATUS(ucp_tag_send_nbx(s.ep, e[i].memory, 1, 7, &theirs)) ==
              UCS_ERR_IO_ERROR);
        CHECK(send_tag(&s, byte, 1, &none, e[i].memory, SMALL, &theirs) == UCS_ERR_IO_ERROR);
        CHECK(import(&s, e[i].handle, &late) == UCS_ERR_NO_ELEM);
        CHECK(ucp_mem_unmap(s.context, memh) == UCS_OK);
        if (ends[i] != 'k')
            end_exporter(&e[i]);
    }
}

static void wrong_handles_are_refused(void)
{
    struct exporter e = new_exporter();
    struct side s;
    ucp_mem_h memh;
    start_side(&s);
    greet(&e);
    for (size_t i = 7; i < 60; i++) {
        uint8_t wrong[1024];
        memcpy(wrong, e.handle, sizeof wrong);
        wrong[i] ^= 0x41;
        const ucs_status_t status = import(&s, wrong, &memh);
        /* Rights are the owner's to tell; those in the handle do not count. */
        CHECK(i >= 36 && i < 40 ? status == UCS_OK : status != UCS_OK);
        if (status == UCS_OK)
            CHECK(ucp_mem_unmap(s.context, memh) == UCS_OK);
    }
    CHECK(import(&s, e.handle, &memh) == UCS_OK);
    end_exporter(&e);
}

static const struct test_case cases[] = {
    CASE(memory_is_read_and_written), CASE(what_is_outside_is_refused),
    CASE(ended_exporters_are_told), CASE(wrong_handles_are_refused)};

int main(int argc, char **argv)
{
    return run_by_name(cases, sizeof cases / sizeof *cases, argc, argv);
}
