/* Behaviours of libflexio, one function each; host_flexio.bats runs them. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "flexio_world.h"

/* ---- Devices ---- */

static void devices_are_listed_by_name(void)
{
    int n = -1;
    struct ibv_device **list = ibv_get_device_list(&n);
    CHECK(list && n == 2 && !list[2]);
    CHECK(strcmp(ibv_get_device_name(list[0]), "mlx5_0") == 0);
    CHECK(strcmp(ibv_get_device_name(list[1]), "mlx5_1") == 0);
    CHECK(mlx5dv_is_supported(list[0]) && !mlx5dv_is_supported(NULL));
    struct ibv_context *c = ibv_open_device(list[1]);
    CHECK(c);
    ibv_free_device_list(list);
    CHECK(strcmp(ibv_get_device_name(c->device), "mlx5_1") == 0); /* open outlives the list */
    CHECK(ibv_close_device(c) == 0);
}

/* perftest and UCX ask before they make queue pairs. */
static void a_device_tells_what_it_has_of_mlx5(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    CHECK(list);
    struct ibv_context *c = ibv_open_device(list[0]);
    CHECK(c);
    struct mlx5dv_context d;
    memset(&d, 0xff, sizeof d);
    d.comp_mask = 0;
    CHECK(mlx5dv_query_device(c, &d) == 0);
    CHECK(d.version == 0 && d.flags == MLX5DV_CONTEXT_FLAGS_CQE_V1 && d.comp_mask == 0);
    CHECK(d.max_dynamic_bfregs == UINT32_MAX); /* nobody asked */
    /* Asks for all fields of any version of libmlx5: unknown fields are not returned. */
    d.comp_mask = UINT64_MAX;
    CHECK(mlx5dv_query_device(c, &d) == 0);
    CHECK(d.comp_mask == (MLX5DV_CONTEXT_MASK_CQE_COMPRESION | MLX5DV_CONTEXT_MASK_SWP |
                          MLX5DV_CONTEXT_MASK_STRIDING_RQ | MLX5DV_CONTEXT_MASK_TUNNEL_OFFLOADS |
                          MLX5DV_CONTEXT_MASK_DYN_BFREGS | MLX5DV_CONTEXT_MASK_FLOW_ACTION_FLAGS |
                          MLX5DV_CONTEXT_MASK_DC_ODP_CAPS));
    CHECK(d.cqe_comp_caps.max_num == 0 && d.sw_parsing_caps.sw_parsing_offloads == 0);
    CHECK(d.striding_rq_caps.supported_qpts == 0 && d.tunnel_offloads_caps == 0);
    CHECK(d.flow_action_flags == 0 && d.dc_odp_caps == 0);
    /* As many UARs can be allocated as it says. */
    struct mlx5dv_devx_uar *uars[1024];
    uint32_t n = 0;
    while (n < 1024 && (uars[n] = mlx5dv_devx_alloc_uar(c, MLX5DV_UAR_ALLOC_TYPE_NC)))
        n++;
    CHECK(n == d.max_dynamic_bfregs);
    while (n)
        mlx5dv_devx_free_uar(uars[--n]);
    CHECK(mlx5dv_query_device(NULL, &d) == EINVAL && mlx5dv_query_device(c, NULL) == EINVAL);
    CHECK(ibv_close_device(c) == 0);
    ibv_free_device_list(list);
}

static void a_device_that_is_gone_cannot_be_opened(void)
{
    struct ibv_device gone = {.name = "mlx5_9", .dev_path = "dpakit/mlx5_9"};
    CHECK(!ibv_open_device(&gone) && errno == ENODEV);
    struct ibv_context fake = {.device = &gone};
    struct flexio_process *p = (struct flexio_process *)&p;
    CHECK(flexio_process_create(&fake, test_app, NULL, &p) == FLEXIO_STATUS_FAILED && !p);
}

/* A program that found the system's libibverbs alone. */
static void a_process_on_a_card_is_refused(void)
{
    struct ibv_device card = {.name = "mlx5_0", .dev_path = "/sys/class/infiniband_verbs/uverbs0"};
    struct ibv_context context = {.device = &card};
    struct flexio_process *p = (struct flexio_process *)&p;
    CHECK(flexio_process_create(&context, test_app, NULL, &p) == FLEXIO_STATUS_FAILED && !p);
}

/* ---- Programs ---- */

static void programs_are_listed_with_their_executables(void)
{
    struct flexio_app **list = NULL;
    uint32_t n = 0;
    struct flexio_app *other = make_app("other", NULL, 0);
    CHECK(flexio_app_get_list(&list, &n) == OK && n == 2);
    CHECK(list[0] == test_app && list[1] == other);
    CHECK(strcmp(flexio_app_get_name(list[1]), "other") == 0);
    size_t size = flexio_app_get_elf_size(other);
    uint64_t *elf = malloc(size);
    CHECK(size > 64 && elf && flexio_app_get_elf(other, elf, size) == OK);
    CHECK(memcmp(elf, "\177ELF", 4) == 0);
    CHECK(flexio_app_get_elf(other, elf, size - 1) == FLEXIO_STATUS_FAILED);
    free(elf);
    CHECK(flexio_app_list_free(list) == OK && flexio_app_destroy(other) == OK);
    CHECK(flexio_app_get_list(&list, &n) == OK && n == 1 && flexio_app_list_free(list) == OK);
}

static void a_stub_is_registered_once(void)
{
    CHECK(flexio_func_pup_register(test_app, "add", "_dpacc_unpack_add", &add, 16,
                                   (flexio_func_arg_pack_fn_t *)(uintptr_t)&add) ==
          FLEXIO_STATUS_FAILED);
}

static void registrations_can_be_asked_for(void)
{
    char name[32], unpack[32];
    uint32_t pup = 9;
    size_t size = 0;
    flexio_func_arg_pack_fn_t *pack = NULL;
    flexio_uintptr_t at = 0, unpack_at = 0;
    CHECK(flexio_func_get_register_info(test_app, &add, &pup, name, unpack, sizeof name, &size,
                                        &pack, &at, &unpack_at) == OK);
    CHECK(pup == 1 && strcmp(name, "add") == 0 && strcmp(unpack, "_dpacc_unpack_add") == 0);
    CHECK(size == 16 && pack && at && unpack_at && at != unpack_at);
    CHECK(flexio_func_get_register_info(test_app, &add, NULL, NULL, NULL, 0, NULL, NULL, NULL,
                                        NULL) == OK);
    CHECK(flexio_func_get_register_info(test_app, &add, NULL, name, NULL, 3, NULL, NULL, NULL,
                                        NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_func_get_register_info(test_app, (flexio_func_t *)(uintptr_t)&pup, NULL, NULL,
                                        NULL, 0, NULL, NULL, NULL, NULL) == FLEXIO_STATUS_FAILED);
}

static void versions_that_are_none_are_refused(void)
{
    CHECK(flexio_version_set(FLEXIO_VER_LATEST) == OK);
    CHECK(flexio_version_set(FLEXIO_VER_LATEST + 7) == OK); /* its sub versions */
    CHECK(flexio_version_set(FLEXIO_VER(24, 1, 0)) == OK);
    CHECK(flexio_version_set(FLEXIO_VER(24, 10, 0)) == OK);
    CHECK(flexio_version_set(FLEXIO_VER(23, 10, 0)) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_version_set(FLEXIO_VER(99, 1, 0)) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_version_set(UINT64_MAX) == FLEXIO_STATUS_FAILED);
}

static void a_program_is_found_by_its_name(void)
{
    struct flexio_app *app = NULL;
    const char *name = flexio_app_get_name(test_app);
    struct flexio_app_select_attr select = {.app_name = name, .ibv_ctx = context};
    CHECK(flexio_app_get(&select, &app) == OK && app == test_app);
    CHECK(flexio_app_get(&select, NULL) == FLEXIO_STATUS_FAILED);
    const struct flexio_app_select_attr bad[] = {
        {"not_there", FLEXIO_HW_MODEL_DEF, context},
        {NULL, FLEXIO_HW_MODEL_DEF, context},
        {name, (enum flexio_hw_model_id)77, context},
        {name, FLEXIO_HW_MODEL_DEF, NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        select = bad[i];
        app = test_app;
        CHECK(flexio_app_get(&select, &app) == FLEXIO_STATUS_FAILED && !app);
    }
}

static void the_first_stream_has_older_names(void)
{
    struct flexio_process *p = process_new();
    FILE *out = tmpfile();
    flexio_msg_stream_attr_t attr = {
        .data_bsize = 4096, .sync_mode = FLEXIO_LOG_DEV_SYNC_MODE_BATCH, .level = 4};
    CHECK(out && flexio_log_dev_flush(p) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_log_dev_init(p, &attr, out, NULL) == OK);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 3);
    CHECK(flexio_log_dev_flush(p) == OK && lines(printed(out)) == 3);
    CHECK(flexio_log_dev_destroy(p) == OK && flexio_log_dev_destroy(p) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_destroy(p) == OK);
    fclose(out);
}

static void bad_registrations_fail(void)
{
    char name[FLEXIO_MAX_NAME_LEN + 1];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct flexio_app *app = (struct flexio_app *)name;
    struct flexio_app_attr attr = {.app_name = name, .app_ptr = name, .app_bsize = 1};
    CHECK(flexio_app_create(&attr, &app) == FLEXIO_STATUS_FAILED && !app);
    attr.app_name = "x";
    attr.app_bsize = 0;
    CHECK(flexio_app_create(&attr, &app) == FLEXIO_STATUS_FAILED && !app);
    CHECK(flexio_app_create(NULL, &app) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_app_create(&attr, NULL) == FLEXIO_STATUS_FAILED);
    flexio_func_t *f = &add;
    CHECK(flexio_func_register(test_app, name, &f) == FLEXIO_STATUS_FAILED && !f);
    CHECK(flexio_func_register(NULL, "add", &f) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_func_register(test_app, "add", NULL) == FLEXIO_STATUS_FAILED);
}

/* ---- Calls ---- */

static void a_call_returns_the_result(void)
{
    struct flexio_process *p = process_new();
    uint64_t result = 0;
    CHECK(flexio_process_call(p, &add, &result, UINT64_C(44), UINT64_C(55)) == OK && result == 99);
    CHECK(flexio_process_call(p, &add, &result, UINT64_MAX, UINT64_C(3)) == OK && result == 2);
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(p) == OK);
}

static void a_function_registered_by_name_takes_one_number(void)
{
    flexio_func_t *f = NULL, *again = NULL;
    CHECK(flexio_func_register(test_app, "twice", &f) == OK && f);
    CHECK(flexio_func_register(test_app, "twice", &again) == OK && again == f);
    struct flexio_process *p = process_new();
    uint64_t result = 0;
    CHECK(flexio_process_call(p, f, &result, UINT64_C(21)) == OK && result == 42);
    CHECK(flexio_process_destroy(p) == OK);
}

static void what_is_no_function_of_the_program_is_not_called(void)
{
    struct flexio_process *p = process_new();
    uint64_t result = 7;
    CHECK(flexio_process_call(p, (flexio_func_t *)(uintptr_t)&result, &result) ==
          FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_call(p, &not_there, &result) == FLEXIO_STATUS_FAILED);
    CHECK(result == 7 && flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(p) == OK);
}

static void a_process_outlives_its_program(void)
{
    struct flexio_app *app = make_app("short", NULL, 0);
    struct flexio_process *p = NULL;
    CHECK(flexio_process_create(context, app, NULL, &p) == OK);
    CHECK(flexio_app_destroy(app) == OK);
    uint64_t result = 0;
    CHECK(flexio_process_call(p, &add, &result, UINT64_C(1), UINT64_C(2)) == OK && result == 3);
    CHECK(flexio_process_destroy(p) == OK);
}

static void null_arguments_are_errors_where_they_are(void)
{
    struct flexio_process *p = (struct flexio_process *)&p;
    struct flexio_msg_stream *s = (struct flexio_msg_stream *)&s;
    uint64_t result;
    flexio_uintptr_t address = 1;
    CHECK(flexio_process_create(NULL, test_app, NULL, &p) == FLEXIO_STATUS_FAILED && !p);
    p = (struct flexio_process *)&p;
    CHECK(flexio_process_create(context, NULL, NULL, &p) == FLEXIO_STATUS_FAILED && !p);
    CHECK(flexio_process_create(context, test_app, NULL, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_call(NULL, &add, &result) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_alloc(NULL, 8, &address) == FLEXIO_STATUS_FAILED && address == 0);
    CHECK(flexio_copy_from_host(NULL, &result, 8, &address) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_msg_stream_create(NULL, NULL, stdout, NULL, &s) == FLEXIO_STATUS_FAILED && !s);
    CHECK(flexio_msg_stream_get_id(NULL) == -1);
    CHECK(flexio_msg_stream_flush(NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_destroy(NULL) == OK && flexio_msg_stream_destroy(NULL) == OK);
    CHECK(flexio_app_destroy(NULL) == OK && flexio_app_list_free(NULL) == OK);
    CHECK(flexio_err_status_get(NULL) == FLEXIO_DEV_NO_ERROR);
    CHECK(!flexio_app_get_name(NULL) && flexio_app_get_elf_size(NULL) == 0);
    p = process_new();
    CHECK(flexio_process_call(p, NULL, &result) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_process_call(p, &add, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_alloc(p, 8, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_host2dev_memcpy(p, NULL, 8, 0) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_free(p, 0) == OK);
    CHECK(flexio_process_destroy(p) == OK);
}

static void process_attributes_are_checked(void)
{
    struct flexio_process *p = NULL;
    struct ibv_context other = {.device = context->device};
    struct ibv_pd mine = {.context = context}, foreign = {.context = &other};
    flexio_process_attr attr = {.pd = &foreign};
    CHECK(flexio_process_create(context, test_app, &attr, &p) == FLEXIO_STATUS_FAILED && !p);
    attr = (flexio_process_attr){.en_pcc = 1};
    CHECK(flexio_process_create(context, test_app, &attr, &p) == FLEXIO_STATUS_FAILED && !p);
    attr = (flexio_process_attr){.pd = &mine};
    CHECK(flexio_process_create(context, test_app, &attr, &p) == OK);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Faults ---- */

static void a_fault_ends_one_process_and_no_other(void)
{
    struct flexio_process *bad = process_new(), *good = process_new();
    uint64_t result = 7;
    CHECK(flexio_process_call(bad, &load, &result, UINT64_C(8)) == FLEXIO_STATUS_FATAL_ERR);
    CHECK(result == 7 && flexio_err_status_get(bad) == FLEXIO_DEV_FATAL_ERROR);
    CHECK(flexio_process_call(bad, &add, &result, UINT64_C(1), UINT64_C(1)) ==
          FLEXIO_STATUS_FATAL_ERR);
    CHECK(flexio_process_call(good, &add, &result, UINT64_C(1), UINT64_C(1)) == OK && result == 2);
    CHECK(flexio_err_status_get(good) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(bad) == OK && flexio_process_destroy(good) == OK);
}

static void *call_spin(void *p)
{
    uint64_t result = 0;
    return (void *)(uintptr_t)flexio_process_call(p, &spin, &result);
}

static void a_call_that_runs_too_long_ends_its_process_and_stops_no_other(void)
{
    struct flexio_process *busy = process_new(), *p = process_new();
    pthread_t thread;
    void *status = NULL;
    uint64_t result = 0;
    CHECK(pthread_create(&thread, NULL, call_spin, busy) == 0);
    for (uint64_t i = 0; i < 50; i++) {
        CHECK(flexio_process_call(p, &add, &result, i, i) == OK && result == 2 * i);
    }
    CHECK(flexio_err_status_get(busy) == FLEXIO_DEV_NO_ERROR); /* still at it */
    CHECK(flexio_process_destroy(p) == OK);
    CHECK(pthread_join(thread, &status) == 0);
    CHECK((flexio_status)(uintptr_t)status == FLEXIO_STATUS_TIMEOUT);
    CHECK(flexio_err_status_get(busy) == FLEXIO_DEV_FATAL_ERROR);
    CHECK(flexio_process_call(busy, &spin, &result) == FLEXIO_STATUS_TIMEOUT); /* at once */
    CHECK(flexio_process_destroy(busy) == OK);
}

/* ---- Memory ---- */

static void memory_is_set_and_copied(void)
{
    struct flexio_process *p = process_new();
    flexio_uintptr_t a = 0, b = 0;
    uint8_t bytes[100];
    uint64_t result = 0;
    memset(bytes, 3, sizeof bytes);
    CHECK(flexio_buf_dev_alloc(p, 1000, &a) == OK && a != 0 && a % 64 == 0);
    CHECK(flexio_buf_dev_memset(p, 0x102, 1000, a) == OK);
    CHECK(flexio_process_call(p, &sum, &result, a, UINT64_C(1000)) == OK && result == 2000);
    CHECK(flexio_host2dev_memcpy(p, bytes, sizeof bytes, a + 900) == OK);
    CHECK(flexio_process_call(p, &sum, &result, a, UINT64_C(1000)) == OK && result == 2100);
    CHECK(flexio_copy_from_host(p, bytes, sizeof bytes, &b) == OK && b != a);
    CHECK(flexio_process_call(p, &sum, &result, b, UINT64_C(100)) == OK && result == 300);
    CHECK(flexio_buf_dev_free(p, a) == OK && flexio_buf_dev_free(p, b) == OK);
    CHECK(flexio_process_destroy(p) == OK);
}

static void memory_that_is_not_there_is_refused(void)
{
    struct flexio_process *p = process_new();
    flexio_uintptr_t a = 1;
    uint8_t bytes[8] = {0};
    CHECK(flexio_buf_dev_alloc(p, 0, &a) == FLEXIO_STATUS_FAILED && a == 0);
    a = 1;
    CHECK(flexio_buf_dev_alloc(p, (size_t)1 << 40, &a) == FLEXIO_STATUS_FAILED && a == 0);
    CHECK(flexio_host2dev_memcpy(p, bytes, 8, 16) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_memset(p, 0, 8, UINT64_MAX - 3) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_buf_dev_alloc(p, 8, &a) == OK && flexio_buf_dev_free(p, a) == OK);
    CHECK(flexio_buf_dev_free(p, a) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(p) == OK);
}

/* ---- Threads ---- */

static void *work(void *out)
{
    struct flexio_process *p = process_new();
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, out);
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t result = 0;
        CHECK(flexio_process_call(p, &add, &result, i, i) == OK && result == 2 * i);
        device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 2);
    }
    CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
    return NULL;
}

static void a_child_of_a_fork_gets_errors_and_no_hangs(void)
{
    struct flexio_process *p = process_new(), *fresh = NULL;
    struct flexio_msg_stream *s =
        stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_SYNC, FLEXIO_MSG_DEV_INFO, stdout);
    uint64_t result = 0;
    int how = 0;
    flexio_log_lvl_set(FLEXIO_LOG_LVL_ERR);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        CHECK(flexio_process_call(p, &add, &result, (uint64_t)1, (uint64_t)2) ==
              FLEXIO_STATUS_FATAL_ERR);
        CHECK(flexio_process_create(context, test_app, NULL, &fresh) == FLEXIO_STATUS_FAILED);
        CHECK(flexio_msg_stream_flush(s) == FLEXIO_STATUS_FAILED);
        CHECK(flexio_msg_stream_destroy(s) == OK && flexio_process_destroy(p) == OK);
        _exit(0);
    }
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 1);
    CHECK(flexio_process_destroy(p) == OK);
}

static void processes_run_side_by_side(void)
{
    pthread_t thread[4];
    FILE *f[4];
    for (int i = 0; i < 4; i++) {
        f[i] = tmpfile();
        CHECK(f[i] && pthread_create(&thread[i], NULL, work, f[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        CHECK(lines(printed(f[i])) == 400);
        fclose(f[i]);
    }
}

static struct flexio_process *shared;

static void *call_shared(void *unused)
{
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t result = 0;
        CHECK(flexio_process_call(shared, &add, &result, i, UINT64_C(1)) == OK && result == i + 1);
    }
    return unused;
}

static void one_process_takes_calls_from_several_threads(void)
{
    pthread_t thread[4];
    shared = process_new();
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, call_shared, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(flexio_process_destroy(shared) == OK);
}

static void a_program_may_exit_with_everything_open(void)
{
    struct flexio_process *busy = process_new(), *p = process_new();
    pthread_t thread;
    stream_new(p, FLEXIO_LOG_DEV_SYNC_MODE_BATCH, FLEXIO_MSG_DEV_INFO, stdout);
    device_counts(p, 0, FLEXIO_MSG_DEV_INFO, 3);
    CHECK(pthread_create(&thread, NULL, call_spin, busy) == 0);
    exit(7); /* main would return 0 */
}

/* ---- Log and policy ---- */

static void the_log_level_is_set_and_returned(void)
{
    CHECK(flexio_log_lvl_set(FLEXIO_LOG_LVL_INFO) == FLEXIO_LOG_LVL_WARN);
    CHECK(flexio_log_lvl_set((flexio_log_lvl)9) == FLEXIO_LOG_LVL_INFO);
    CHECK(flexio_process_destroy(process_new()) == OK); /* reports not_there */
    CHECK(flexio_log_lvl_set(FLEXIO_LOG_LVL_ERR) == FLEXIO_LOG_LVL_INFO);
    CHECK(flexio_process_destroy(process_new()) == OK); /* does not */
}

static void names_in_the_log_steer_no_terminal(void)
{
    struct flexio_app *app = NULL;
    struct flexio_app_attr attr = {.app_name = "a\x1b[2J\nb"};
    CHECK(flexio_app_create(&attr, &app) == FLEXIO_STATUS_FAILED && !app);
}

static void load_with(const char *name, const void *sig, size_t size)
{
    struct flexio_app *app = make_app(name, sig, size);
    struct flexio_process *p = NULL;
    printf("%s %d\n", name, (int)flexio_process_create(context, app, NULL, &p));
    fflush(stdout);
    CHECK(flexio_process_destroy(p) == OK && flexio_app_destroy(app) == OK);
}

/* Prints what becomes of programs with different signature sections. */
static void signature_sections(void)
{
    static uint8_t section[4096];
    load_with("none", NULL, 0);
    load_with("empty", section, 0);
    load_with("zero", section, sizeof section);
    load_with("tiny", section, 7);
    section[0] = 1;
    load_with("one", section, sizeof section);
    section[0] = 0xf9; /* 4096 - 8 + 1 */
    section[1] = 0x0f;
    load_with("over", section, sizeof section);
    memset(section, 0xff, 8);
    load_with("huge", section, sizeof section);
    load_with("bare", section, 8);
}

/* ---- Resources ---- */

static flexio_status resources(const char *text, struct flexio_resource **res)
{
    return flexio_resources_create("my_app", text, strlen(text), res);
}

static void resources_come_from_the_programs_part_of_the_file(void)
{
    struct flexio_resource *res = NULL;
    CHECK(resources("version: 1\npartitions:\n  - name: p\n    apps:\n      other:\n"
                    "        eus: [99]\n      my_app:\n        eus: [0-3, 8]\n"
                    "        eu_groups: [5]\n",
                    &res) == OK);
    CHECK(flexio_resources_get_eus_num(res) == 5 && flexio_resources_get_eugs_num(res) == 1);
    const uint32_t *eus = flexio_resources_get_eus(res);
    CHECK(eus[0] == 0 && eus[3] == 3 && eus[4] == 8);
    CHECK(flexio_resources_destroy(res) == OK && flexio_resources_destroy(NULL) == OK);
    CHECK(flexio_resources_get_eus_num(NULL) == 0 && !flexio_resources_get_eus(NULL));
}

static void ranges_end_where_numbers_do(void)
{
    struct flexio_resource *res = NULL;
    alarm(60); /* they end */
    CHECK(resources("my_app: {eu_groups: 4294967295}", &res) == OK);
    CHECK(flexio_resources_get_eugs_num(res) == 1 && flexio_resources_destroy(res) == OK);
    CHECK(resources("my_app: {eu_groups: 4294967040-4294967295, eus: 255}", &res) == OK);
    CHECK(flexio_resources_get_eugs_num(res) == 256 && flexio_resources_get_eus_num(res) == 1);
    CHECK(flexio_resources_get_eus(res)[0] == 255 && flexio_resources_destroy(res) == OK);
}

static void resources_that_are_none_are_refused(void)
{
    static const char *const bad[] = {
        "other: {eus: [1]}",
        "my_app: {eus: [x]}",
        "my_app: {eus: [3-1]}",
        "my_app: {eus: [0-256]}",
        "my_app: {eus: [256]}",
        "my_app: {eus: 4294967295}",
        "my_app: {eus: [4294967290-4294967295]}",
        "my_app: {eus: [0-4294967295]}",
        "my_app: {eu_groups: [0-4294967295]}",
        "my_app: {eus: [[1]]}",
        "my_app: {eus: {a: 1}}",
        "my_app: [",
        "",
        "my_app: {eus: [-1]}",
        "my_app: {eus: [99999999999]}",
        "my_app: 7",
        "a: &a [1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\n"
        "d: &d [*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e]\n"
        "g: [*f,*f,*f,*f,*f,*f]\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct flexio_resource *res = (struct flexio_resource *)&res;
        CHECK(resources(bad[i], &res) == FLEXIO_STATUS_FAILED && !res);
    }
    CHECK(flexio_resources_create("my_app", "my_app: {}", 10, NULL) == FLEXIO_STATUS_FAILED);
    CHECK(flexio_resources_create(NULL, "a: {}", 5, &(struct flexio_resource *){NULL}) ==
          FLEXIO_STATUS_FAILED);
}

static const struct test_case cases[] = {
    CASE(devices_are_listed_by_name),
    CASE(a_device_tells_what_it_has_of_mlx5),
    CASE(a_device_that_is_gone_cannot_be_opened),
    CASE(a_process_on_a_card_is_refused),
    CASE(programs_are_listed_with_their_executables),
    CASE(a_stub_is_registered_once),
    CASE(bad_registrations_fail),
    CASE(registrations_can_be_asked_for),
    CASE(versions_that_are_none_are_refused),
    CASE(a_program_is_found_by_its_name),
    CASE(the_first_stream_has_older_names),
    CASE(a_call_returns_the_result),
    CASE(a_function_registered_by_name_takes_one_number),
    CASE(what_is_no_function_of_the_program_is_not_called),
    CASE(a_process_outlives_its_program),
    CASE(null_arguments_are_errors_where_they_are),
    CASE(process_attributes_are_checked),
    CASE(a_fault_ends_one_process_and_no_other),
    CASE(a_call_that_runs_too_long_ends_its_process_and_stops_no_other),
    CASE(memory_is_set_and_copied),
    CASE(memory_that_is_not_there_is_refused),
    CASE(a_child_of_a_fork_gets_errors_and_no_hangs),
    CASE(processes_run_side_by_side),
    CASE(one_process_takes_calls_from_several_threads),
    CASE(a_program_may_exit_with_everything_open),
    CASE(the_log_level_is_set_and_returned),
    CASE(names_in_the_log_steer_no_terminal),
    CASE(signature_sections),
    CASE(resources_come_from_the_programs_part_of_the_file),
    CASE(ranges_end_where_numbers_do),
    CASE(resources_that_are_none_are_refused),
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
