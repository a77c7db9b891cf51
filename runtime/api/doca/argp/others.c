/* Callbacks for error messages and for flags of DPDK. */
#include "private.h"

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback)
{
    struct parser *p = argp_parser_now();
    if (!p)
        return dpk_doca_end(NULL, __func__, argp_no_parser());
    if (!callback)
        return dpk_doca_no_object(__func__);
    if (p->logger)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_ALREADY_EXIST, __func__,
                                    "a callback is registered already");
    p->logger = callback;
    return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void)
{
    struct parser *p = argp_parser_now();
    if (!p || !p->logger)
        return dpk_doca_refuse_call(NULL, DOCA_ERROR_BAD_STATE, __func__,
                                    "no callback is registered");
    p->logger = NULL;
    return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback)
{
    struct parser *p = argp_parser_now();
    if (p)
        p->dpdk = callback;
}

int argp_take_dpdk(struct parser *p, int argc, char **argv)
{
    int at = 1;
    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    p->dpdk_argc = at < argc ? at : 1;
    free(p->dpdk_argv);
    p->dpdk_argv = calloc((size_t)p->dpdk_argc + 1, sizeof *p->dpdk_argv);
    if (p->dpdk_argv)
        memcpy(p->dpdk_argv, argv, (size_t)p->dpdk_argc * sizeof *argv);
    return at < argc ? at : 0;
}
