/* Peers of DOCA comch that are killed at any moment, and peers that break the rules. */
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "comch_world.h"
#include "entries.h"
#include "rounds.h"

enum { SIZE = 1 << 20 };

/* The socket of a server; false: there is none. */
static bool find_socket(char path[512])
{
    bool found = false;
    snprintf(path, 512, "%s/mlx5_0", getenv("DPAKIT_DEVICES"));
    DIR *d = opendir(path);
    CHECK(d);
    for (struct dirent *f; !found && (f = readdir(d));)
        if (strncmp(f->d_name, "comch-", 6) == 0) {
            found = true;
            snprintf(path + strlen(path), 512 - strlen(path), "/%s", f->d_name);
        }
    closedir(d);
    return found;
}

/* What one side does until it is killed: it connects, says, sends and receives, and does so again. */
static void live(bool is_server)
{
    struct doca_dev *dev = side(is_server ? "dpu" : "host");
    struct store store = store_new(dev, SIZE);
    struct doca_buf *b = buf_of(&store, 0, SIZE / 2, SIZE / 4),
                    *to = buf_of(&store, SIZE / 2, SIZE / 2, 0);
    for (;;) {
        struct end *e = is_server ? server_new("death") : client_new("death");
        while (doca_ctx_start(e->ctx) == DOCA_ERROR_NOT_FOUND)
            usleep(100);
        e->answers = true;
        while (is_server ? !e->c : state_of(e->ctx) == DOCA_CTX_STATE_STARTING)
            doca_pe_progress(e->pe);
        if (!is_server && doca_comch_client_get_connection(e->client, &e->c) != OK) {
            end_free(e);
            continue;
        }
        struct sender s;
        struct receiver r;
        sender_start(&s, e->c); /* the peer may be dead by now */
        receiver_start(&r, e->c, store.map, 4);
        for (unsigned i = 0; i < 300; i++) {
            say(e, "hello", 5);
            if (state_of(r.ctx) == DOCA_CTX_STATE_RUNNING && i % 8 == 0 &&
                doca_buf_reset_data_len(to) == OK) {
                struct doca_comch_consumer_task_post_recv *t = NULL;
                if (doca_comch_consumer_task_post_recv_alloc_init(r.consumer, to, &t) == OK &&
                    doca_task_submit(doca_comch_consumer_task_post_recv_as_task(t)) != OK)
                    doca_task_free(doca_comch_consumer_task_post_recv_as_task(t));
            }
            struct doca_comch_producer_task_send *t = NULL;
            if (e->last_consumer &&
                doca_comch_producer_task_send_alloc_init(s.producer, b, (uint8_t[]){1}, 1,
                                                         e->last_consumer, &t) == OK &&
                doca_task_submit(doca_comch_producer_task_send_as_task(t)) != OK)
                doca_task_free(doca_comch_producer_task_send_as_task(t));
            doca_pe_progress(e->pe);
            doca_pe_progress(s.pe);
            doca_pe_progress(r.pe);
        }
        sender_end(&s);
        receiver_end(&r);
        end_free(e);
    }
}

static pid_t spawn(bool is_server)
{
    const pid_t parent = getpid(), process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
        live(is_server);
        _exit(0);
    }
    return process;
}

static void end_process(pid_t process)
{
    int status;
    CHECK(kill(process, SIGKILL) == 0 && waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it did not end by itself */
}

/* Both in their own processes: one is killed at any moment, while the other continues; a new one
 * finds it, or is found by it. */
static void killed_in_rounds(bool kills_server)
{
    char path[512];
    const unsigned before = entries("/proc/self/fd");
    pid_t survivor = spawn(!kills_server);
    for (unsigned i = 0, n = rounds(150); i < n; i++) {
        const pid_t process = spawn(kills_server);
        usleep(500 + i * 7919 % 15000);
        end_process(process);
        int status;
        CHECK(waitpid(survivor, &status, WNOHANG) == 0); /* it lives */
    }
    end_process(survivor);
    CHECK(entries("/proc/self/fd") == before);
    /* What a killed server left goes with the next call. */
    struct end *c = client_new("death");
    CHECK(doca_ctx_start(c->ctx) == DOCA_ERROR_NOT_FOUND);
    end_free(c);
    CHECK(!find_socket(path));
}

static void clients_are_killed(void)
{
    killed_in_rounds(false);
}

static void servers_are_killed(void)
{
    killed_in_rounds(true);
}

/* With a task of each sort on its way: all end with errors, and the contexts stop. */
static void all_tasks_of_a_dead_peer_end(void)
{
    struct end *s = server_new("one");
    int ready[2], go[2];
    char byte;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    const pid_t parent = getpid(), process = fork(); /* the child is a program of its own */
    CHECK(process >= 0);
    if (process == 0) {
        CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent);
        CHECK(read(go[0], &byte, 1) == 1);
        execl("/proc/self/exe", "comch", "be_a_client", NULL);
        _exit(1);
    }
    CHECK(doca_ctx_start(s->ctx) == OK && write(go[1], "g", 1) == 1);
    AWAIT(s, s, s->last_consumer != 0);
    struct doca_dev *dev = side("dpu");
    struct store store = store_new(dev, SIZE);
    struct sender out;
    struct receiver in;
    CHECK(sender_start(&out, s->c) == OK);
    CHECK(receiver_start(&in, s->c, store.map, 0) == DOCA_ERROR_IN_PROGRESS);
    AWAIT(s, &in, state_of(in.ctx) == DOCA_CTX_STATE_RUNNING);
    struct doca_buf *b = buf_of(&store, 0, SIZE, SIZE);
    CHECK(doca_task_submit(receive_of(&in, NULL)) == OK);
    struct doca_task *task = send_of(&out, b, NULL, 0, s->last_consumer);
    doca_error_t sent;
    while ((sent = doca_task_submit(task)) == DOCA_ERROR_AGAIN) /* no receive is posted yet */
        usleep(100);
    CHECK(sent == OK);
    end_process(process);
    AWAIT(&out, &in, out.failed == 1 && in.failed == 1);
    CHECK(out.status == DOCA_ERROR_CONNECTION_RESET && in.status == DOCA_ERROR_CONNECTION_RESET);
    AWAIT(s, s, s->went == 1);
    AWAIT(&out, &in,
          state_of(out.ctx) == DOCA_CTX_STATE_IDLE && state_of(in.ctx) == DOCA_CTX_STATE_IDLE);
    CHECK(doca_buf_dec_refcount(b, NULL) == OK);
    sender_end(&out);
    receiver_end(&in);
    end_free(s);
    store_free(&store);
}

/* The other process of that: it has a consumer with a receive, and looks at nothing any more. */
static void be_a_client(void)
{
    struct end *c = client_new("one");
    struct doca_dev *dev = side("host");
    struct store store = store_new(dev, SIZE);
    struct receiver in;
    CHECK(doca_ctx_start(c->ctx) == DOCA_ERROR_IN_PROGRESS);
    while (state_of(c->ctx) != DOCA_CTX_STATE_RUNNING)
        doca_pe_progress(c->pe);
    CHECK(doca_comch_client_get_connection(c->client, &c->c) == OK);
    CHECK(receiver_start(&in, c->c, store.map, 0) == DOCA_ERROR_IN_PROGRESS);
    while (state_of(in.ctx) != DOCA_CTX_STATE_RUNNING)
        doca_pe_progress(in.pe);
    CHECK(doca_task_submit(receive_of(&in, NULL)) == OK);
    for (;;)
        pause();
}

/* ---- Peers that break the rules ---- */

static int call(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char path[512];
    CHECK(find_socket(path) && strlen(path) < sizeof at.sun_path);
    memcpy(at.sun_path, path, strlen(path));
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    CHECK(fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    return fd;
}

/* The server closes each connection, and continues. */
static void strange_callers_are_sent_away(void)
{
    static const struct {
        uint32_t words[4];
        size_t size;
    } greetings[] = {
        {{0}, 0},                       /* nothing at all */
        {{1}, 3},                       /* less than a head */
        {{99, 4080, 1}, 12},            /* no word */
        {{3, 0, 1}, 12},                /* a message before the greeting */
        {{1, 4080, 1}, 12},             /* no name */
        {{1, 4080, 1, 0x34343434}, 16}, /* another name */
        {{1, 0, 1, 0x656c7572}, 16},    /* no size */
        {{1, 4080, 9, 0x656c7572}, 16}, /* another version */
        {{4, 1, 0}, 12},                /* a consumer without memory */
    };
    struct end *s = server_new("rule"), *c = client_new("rule");
    char byte;
    CHECK(doca_ctx_start(s->ctx) == OK);
    for (size_t i = 0; i < sizeof greetings / sizeof *greetings; i++) {
        const int fd = call();
        if (greetings[i].size == 0)
            CHECK(shutdown(fd, SHUT_WR) == 0);
        else
            CHECK(send(fd, greetings[i].words, greetings[i].size, 0) == (ssize_t)greetings[i].size);
        ssize_t n;
        AWAIT(s, s, (n = recv(fd, &byte, 1, MSG_DONTWAIT)) >= 0);
        CHECK(n == 0 || recv(fd, &byte, 1, 0) == 0); /* the right greeting of another version */
        close(fd);
    }
    CHECK(s->came == 0 && s->went == 0);
    connect_ends(s, c);
    end_free(c);
    end_free(s);
}

/* A client that never sends a greeting does not keep other clients from connecting, and the server
 * still ends. */
static void silent_callers_are_in_nobodys_way(void)
{
    struct end *s = server_new("mute"), *c = client_new("mute");
    int fds[20];
    CHECK(doca_ctx_start(s->ctx) == OK);
    for (int i = 0; i < 20; i++)
        fds[i] = call();
    connect_ends(s, c);
    CHECK(s->came == 1);
    end_free(c);
    end_free(s);
    for (int i = 0; i < 20; i++)
        close(fds[i]);
}

const struct test_case death_cases[] = {CASE(clients_are_killed),
                                        CASE(servers_are_killed),
                                        CASE(all_tasks_of_a_dead_peer_end),
                                        CASE(be_a_client),
                                        CASE(strange_callers_are_sent_away),
                                        CASE(silent_callers_are_in_nobodys_way),
                                        {NULL, NULL}};
