/*
 * Every public function of the DOCA libraries, with objects that are none and objects in every
 * state. Rows come from the headers (tests/helpers/prototypes.awk), so that no function is left
 * out.
 *
 *     matrix refused [PREFIX]     tries what is not there; prints what was not refused
 *     matrix states [PREFIX]      prints what each function returns in each state, for states_*.txt
 *
 * PREFIX: only functions whose names begin so. MATRIX_LINES: a file, to which each failure is appended that
 * does not have one line in the log of the SDK, with its number of lines.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "matrix_world.h"

struct row {
    const char *name, *result;
    uint64_t (*call)(const uint64_t *a);
    unsigned count;
    struct parameter parameters[16];
};
#include "rows.inc"

#define ROWS (sizeof rows / sizeof *rows)

/* ---- Invalid arguments ---- */

/* What may be NULL, by the headers: a function ("" for any) and a parameter. */
static const char *const optional[][2] = {
    {"doca_argp_init", "program_name"},
    {"doca_argp_init", "program_config"},
    {"doca_buf_dec_refcount", "refcount"},
    {"doca_buf_inc_refcount", "refcount"},
    {"doca_comch_consumer_task_post_recv_alloc_init", "buf"},
    {"doca_comch_consumer_task_post_recv_set_buf", "buf"},
    {"doca_comch_producer_task_send_alloc_init", "buf"},
    {"doca_comch_producer_task_send_set_buf", "buf"},
    {"doca_ctx_set_state_changed_cb", "cb"},
    {"doca_dev_close", "dev"},
    {"doca_buf_inventory_create", "user_data"},
    {"doca_buf_refcount_add", "refcount"},
    {"doca_buf_refcount_rm", "refcount"},
    {"doca_mmap_create", "user_data"},
    {"doca_flow_pipe_cfg_set_user_ctx", "user_ctx"},
    {"doca_dpa_kernel_launch_update_add", "wait_event"},
    {"doca_dpa_kernel_launch_update_add", "comp_event"},
    {"doca_dpa_kernel_launch_update_set", "wait_event"},
    {"doca_dpa_kernel_launch_update_set", "comp_event"},
    {"doca_flow_pipe_add_entry", "match"},
    {"doca_flow_pipe_add_entry", "actions"},
    {"doca_flow_pipe_add_entry", "monitor"},
    {"doca_flow_pipe_add_entry", "fwd"},
    {"doca_flow_pipe_add_entry", "usr_ctx"},
    {"doca_flow_pipe_basic_add_entry", "match"},
    {"doca_flow_pipe_basic_add_entry", "actions"},
    {"doca_flow_pipe_basic_add_entry", "monitor"},
    {"doca_flow_pipe_basic_add_entry", "fwd"},
    {"doca_flow_pipe_basic_add_entry", "usr_ctx"},
    {"doca_flow_pipe_cfg_set_actions", "actions_masks"},
    {"doca_flow_pipe_cfg_set_actions", "action_descs"},
    {"doca_flow_pipe_cfg_set_match", "match_mask"},
    {"doca_flow_pipe_create", "fwd"},
    {"doca_flow_pipe_create", "fwd_miss"},
    {"doca_graph_instance_set_user_node_data", "cookie"},
    {"doca_mmap_create_from_export", "user_data"},
    {"doca_mmap_set_free_cb", "free_cb"},
    {"doca_mmap_set_free_cb", "opaque"},
    {"doca_pcc_register_trace_handler", "user_ctx"},
    {"doca_rdma_connection_accept", "private_data"},
    {"doca_rdma_bridge_accept", "private_data"},
    {"doca_rdma_task_receive_allocate_init", "dst_buf"},
    {"doca_rdma_task_send_allocate_init", "src_buf"},
    {"doca_rdma_task_send_imm_allocate_init", "src_buf"},
    {"doca_rdma_task_write_allocate_init", "src_buf"},
    {"doca_rdma_task_write_imm_allocate_init", "src_buf"},
    {"doca_sync_event_task_notify_add_alloc_init", "fetched_val_ptr"},
    {"doca_sync_event_update_add", "fetched"},
    {"doca_verbs_cq_attr_set_comp_channel", "comp_channel"},
    {"doca_verbs_cq_attr_set_cq_context", "cq_context"},
    {"doca_verbs_cq_attr_set_external_uar", "external_uar"},
    {"doca_verbs_eth_rq_init_attr_set_dpa", "dpa"},
    {"doca_verbs_eth_rq_init_attr_set_dpa_completion", "dpa_completion"},
    {"doca_verbs_cq_attr_set_external_umem", "umem"},
    {"doca_verbs_eth_rq_init_attr_set_cq", "cq"},
    {"doca_verbs_eth_rq_init_attr_set_external_dbr_umem", "umem"},
    {"doca_verbs_eth_rq_init_attr_set_external_umem", "umem"},
    {"doca_verbs_eth_rq_init_attr_set_srq", "srq"},
    {"doca_verbs_eth_rq_init_attr_set_pd", "pd"},
    {"doca_verbs_eth_sq_init_attr_set_dpa", "dpa"},
    {"doca_verbs_eth_sq_init_attr_set_dpa_completion", "dpa_completion"},
    {"doca_verbs_eth_sq_init_attr_set_cq", "cq"},
    {"doca_verbs_eth_sq_init_attr_set_external_dbr_umem", "umem"},
    {"doca_verbs_eth_sq_init_attr_set_external_umem", "umem"},
    {"doca_verbs_eth_sq_init_attr_set_external_uar", "uar"},
    {"doca_verbs_eth_sq_init_attr_set_pd", "pd"},
    {"doca_verbs_qp_attr_set_ah_attr", "ah_attr"},
    {"doca_verbs_qp_attr_set_cc_group", "group"},
    {"doca_verbs_qp_init_attr_set_dpa", "dpa"},
    {"doca_verbs_qp_init_attr_set_external_dbr_umem", "umem"},
    {"doca_verbs_qp_init_attr_set_external_uar", "external_uar"},
    {"doca_verbs_qp_init_attr_set_external_umem", "umem"},
    {"doca_verbs_qp_init_attr_set_pd", "pd"},
    {"doca_verbs_qp_init_attr_set_qp_context", "qp_context"},
    {"doca_verbs_qp_init_attr_set_receive_cq", "receive_cq"},
    {"doca_verbs_qp_init_attr_set_receive_dpa_completion", "receive_dpa_completion"},
    {"doca_verbs_qp_init_attr_set_send_cq", "send_cq"},
    {"doca_verbs_qp_init_attr_set_send_dpa_completion", "send_dpa_completion"},
    {"doca_verbs_qp_init_attr_set_srq", "srq"},
    {"doca_verbs_qp_query", "attr_mask"},
    {"doca_verbs_srq_init_attr_set_dpa", "dpa"},
    {"doca_verbs_srq_init_attr_set_external_dbr_umem", "umem"},
    {"doca_verbs_srq_init_attr_set_external_umem", "umem"},
    {"doca_verbs_srq_init_attr_set_pd", "pd"},
};

static bool is_optional(const struct row *row, const struct parameter *p)
{
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (strcmp(optional[i][0], row->name) == 0 && strcmp(optional[i][1], p->name) == 0)
            return true;
    return false;
}

static bool tells_errors(const struct row *row)
{
    return strcmp(row->result, "doca_error_t") == 0;
}

/* ---- Lines of the SDK's log ---- */

static FILE *told; /* NULL: nobody asks */
static int log_fd = -1;
static struct doca_log_backend *listener;

static void listen_to_log(void)
{
    FILE *file = tmpfile();
    CHECK((told = fopen(getenv("MATRIX_LINES"), "a")));
    CHECK(file && (log_fd = fileno(file)) >= 0);
    CHECK(doca_log_backend_create_with_fd_sdk(log_fd, &listener) == OK);
}

/* The backends of earlier rows stay, and would all write each line. */
static void silence_others(void)
{
    CHECK(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE) == OK);
    if (listener)
        CHECK(doca_log_backend_set_sdk_level(listener, DOCA_LOG_LEVEL_TRACE) == OK);
}

static off_t log_size(void)
{
    struct stat st = {0};
    return log_fd >= 0 && fstat(log_fd, &st) == 0 ? st.st_size : 0;
}

/* The number of lines of the log after that place. */
static unsigned log_lines(off_t from)
{
    char text[4096];
    unsigned lines = 0;
    ssize_t size;
    for (; (size = pread(log_fd, text, sizeof text, from)) > 0; from += size)
        for (ssize_t i = 0; i < size; i++)
            lines += text[i] == '\n';
    return lines;
}

/* Returns true for an error that is not a failure: "not now", "in progress", or the answer to a
 * query. */
static bool is_answer(const struct row *row, uint64_t result)
{
    return result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_IN_PROGRESS ||
           (result == DOCA_ERROR_NOT_SUPPORTED &&
            (strstr(row->name, "_cap_") || strstr(row->name, "_supported"))) ||
           (result != DOCA_ERROR_INVALID_VALUE && strstr(row->name, "_get_status"));
}

/* Calls a function. Tells its name, the state or argument, the error and the lines in the log if it fails
 * with none or more than one of them. */
static uint64_t call(const struct row *row, const uint64_t *a, const char *what)
{
    const off_t before = log_size();
    const uint64_t result = row->call(a);
    const bool failed = tells_errors(row) && result != OK && !is_answer(row, result);
    const unsigned lines = log_fd >= 0 && failed ? log_lines(before) : 1;
    if (lines != 1)
        fprintf(told, "%s %s %s: %u lines\n", row->name, what,
                doca_error_get_name((doca_error_t)result), lines);
    return result;
}

/* Whether a result is where results go: NULL and 0 count as none. */
static bool was_written(const struct world *w)
{
    for (size_t i = 0; i < sizeof w->scratch / sizeof *w->scratch; i++)
        if (w->scratch[i])
            return true;
    return false;
}

static unsigned not_refused(const struct row *row, struct world *w, unsigned which,
                            const char *what, uint64_t value)
{
    uint64_t a[16] = {0};
    for (unsigned i = 0; i < row->count; i++)
        a[i] = i == which ? value : good_argument(w, row->name, &row->parameters[i]);
    const bool before = was_written(w);
    char argument[64];
    snprintf(argument, sizeof argument, "%.30s is %.20s:", row->parameters[which].name, what);
    uint64_t result = call(row, a, argument);
    if (!tells_errors(row))
        return 0;
    if (result == DOCA_ERROR_INVALID_VALUE) {
        if (before == was_written(w))
            return 0;
        printf("%s: %s is %s: something was written\n", row->name, row->parameters[which].name,
               what);
        return 1;
    }
    printf("%s: %s is %s: %s\n", row->name, row->parameters[which].name, what,
           doca_error_get_name((doca_error_t)result));
    return 1;
}

static bool is_tried(const struct row *row, const char *prefix)
{
    return !is_left_out(row->name) && strncmp(row->name, prefix, strlen(prefix)) == 0;
}

/* Invalid arguments change nothing, so functions whose worlds are alike share one. */
static int all_refused(const char *prefix)
{
    unsigned bad = 0;
    for (size_t r = 0; r < ROWS; r++) {
        if (!is_tried(&rows[r], prefix))
            continue;
        const unsigned before = bad;
        struct world *w = world_for(RUNNING, rows[r].name, rows[r].parameters, rows[r].count);
        for (unsigned i = 0; i < rows[r].count; i++) {
            const struct parameter *p = &rows[r].parameters[i];
            if (is_pointer(p) && !is_optional(&rows[r], p))
                bad += not_refused(&rows[r], w, i, "NULL", 0);
            if (!is_handle(p))
                continue;
            bad += not_refused(&rows[r], w, i, "foreign", (uintptr_t)w->foreign);
            bad += not_refused(&rows[r], w, i, "of another kind", other_kind(w, p));
            bad += not_refused(&rows[r], w, i, "destroyed", destroyed(w, p));
        }
        if (bad > before)
            world_leave();
    }
    world_leave();
    return bad ? 1 : 0;
}

/* ---- States ---- */

static const char *result_name(const struct row *row, uint64_t result)
{
    if (tells_errors(row))
        return doca_error_get_name((doca_error_t)result) + strlen("DOCA_");
    return strcmp(row->result, "void") == 0 ? "-" : result ? "SET" : "0";
}

static const char *const state_names[STATES] = {
    "new:", "idle:", "running:", "twice:", "stopped:", "faulted:", "halted:", "gone:"};

/* Descriptions and settings, which nobody starts. */
static bool has_states(enum kind k)
{
    static const enum kind without[] = {
        DEVINFO,       VERBS_QP_ATTR,     VERBS_QP_INIT_ATTR, VERBS_SRQ_ATTR, VERBS_CQ_ATTR,
        VERBS_CC_ATTR, VERBS_ETH_SQ_ATTR, VERBS_ETH_RQ_ATTR,  VERBS_AH_ATTR,  VERBS_DEVICE_ATTR};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (k == without[i])
            return false;
    return true;
}

/* Whether a function takes descriptions and settings, and no other object. */
static bool is_stateless(const struct row *row)
{
    unsigned handles = 0;
    for (unsigned i = 0; i < row->count; i++) {
        const struct parameter *p = &row->parameters[i];
        if (is_handle(p) && has_states(kind_of(p)))
            return false;
        handles += is_handle(p);
    }
    return handles > 0;
}

/* Whether a function may depend on the DPA's state: its name, or the type of a parameter, names the DPA, congestion
 * control or an event. */
static bool asks_dpa(const struct row *row)
{
    static const char *const words[] = {"dpa", "pcc", "sync_event"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strstr(row->name, words[w]))
            return true;
        for (unsigned i = 0; i < row->count; i++)
            if (strstr(row->parameters[i].type, words[w]))
                return true;
    }
    return false;
}

static const char *results[ROWS][STATES];

/* Whether the function's name says that it only tells something. */
static bool is_query(const struct row *row)
{
    static const char *const words[] = {"_get_", "_cap_", "_is_", "_as_"};
    static const char *const others[] = {"_set_", "_alloc_"};
    bool query = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        query |= strstr(row->name, words[i]) != NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        query &= !strstr(row->name, others[i]);
    return query;
}

static bool is_setting(const struct row *row)
{
    return is_stateless(row) && strstr(row->name, "_set_");
}

/* Whether the world is as before after such a result: queries and failures leave it so, and only settings follow a
 * setting. */
static bool is_left_alone(const struct row *row, const struct world *w, uint64_t result)
{
    if (has_made(w))
        return false;
    return is_query(row) || is_setting(row) ||
           (tells_errors(row) && result != OK && result != DOCA_ERROR_AGAIN &&
            result != DOCA_ERROR_IN_PROGRESS);
}

static bool is_of_log(const struct row *row)
{
    return strncmp(row->name, "doca_log", 8) == 0;
}

/* Calls a function in a state. TWICE: twice; its first result is that of RUNNING. The log knows no objects, so any
 * world will do for its functions. */
static void call_in(size_t r, enum state s)
{
    const struct row *row = &rows[r];
    struct world *w = world_for(is_of_log(row) ? NEW : s, row->name, row->parameters, row->count);
    uint64_t a[16] = {0};
    for (unsigned i = 0; i < row->count; i++)
        a[i] = good_argument(w, row->name, &row->parameters[i]);
    uint64_t result = call(row, a, state_names[s]);
    bool alone = is_left_alone(row, w, result);
    if (s == TWICE) {
        results[r][RUNNING] = result_name(row, result);
        world_forget_made(w);
        result = call(row, a, state_names[s]);
        alone = alone && is_left_alone(row, w, result);
    }
    results[r][s] = result_name(row, result);
    if (!alone)
        world_leave(); /* kernels print until then */
    if (is_of_log(row))
        silence_others();
}

/* A stateless function is called in two worlds, a function that depends on the DPA in seven, every other in four. */
static bool is_called_in(const struct row *row, enum state s)
{
    if (s == RUNNING) /* the first call of TWICE */
        return false;
    return is_stateless(row) ? s == NEW || s == TWICE : s < FAULTED || asks_dpa(row);
}

/* The log remembers, so each of its functions is called in all states before the next one. Settings come last in each
 * state: what they leave behind is seen by nobody else. */
static void find_states(const char *prefix)
{
    for (size_t r = 0; r < ROWS; r++)
        for (enum state s = NEW; s < STATES; s++)
            if (is_tried(&rows[r], prefix) && is_called_in(&rows[r], s) && is_of_log(&rows[r]))
                call_in(r, s);
    for (enum state s = NEW; s < STATES; s++)
        for (int settings = 0; settings < 2; settings++)
            for (size_t r = 0; r < ROWS; r++)
                if (is_tried(&rows[r], prefix) && is_called_in(&rows[r], s) &&
                    !is_of_log(&rows[r]) && is_setting(&rows[r]) == settings)
                    call_in(r, s);
    world_leave();
}

static void print_states(size_t r)
{
    printf("%s", rows[r].name);
    for (enum state s = NEW; s < STATES; s++) {
        const enum state same = is_stateless(&rows[r]) ? NEW : RUNNING;
        printf(" %s", results[r][results[r][s] ? s : same]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *prefix = argc > 2 ? argv[2] : "";
    if (getenv("MATRIX_LINES"))
        listen_to_log();
    if (argc > 1 && strcmp(argv[1], "refused") == 0)
        return all_refused(prefix);
    find_states(prefix);
    for (size_t r = 0; r < ROWS; r++)
        if (is_tried(&rows[r], prefix))
            print_states(r);
    return 0;
}
