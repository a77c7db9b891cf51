/* The DPA side of guide_flexio.c: device code of the DPA subsystem guide 2.2.1, sections 1.3.2 and
 * 2.4.1, with the types and declarations that it leaves out. */
#include <dpaintrin.h>
#include <libflexio-dev/flexio_dev.h>
#include <libflexio-dev/flexio_dev_queue_access.h>

#include "guide_flexio.h"

typedef struct my_app_data my_app_data;

/* ---- 1.3.2.1 ---- */

static struct flexio_dev_cqe64 *next_cqe(struct my_db *db)
{
    struct flexio_dev_cqe64 *cqe =
        (struct flexio_dev_cqe64 *)db->ring + (db->consumed & (DEPTH - 1));
    uint8_t hardware = !(db->consumed >> LOG_DEPTH & 1);
    return flexio_dev_cqe_get_owner(cqe) == hardware ? NULL : cqe;
}

static void get_completion(struct my_db *db)
{
    while (!next_cqe(db))
        ;
    flexio_dev_dbr_cq_set_ci((uint32_t *)db->record, ++db->consumed);
}

static void arm_cq(struct my_db *db)
{
    struct flexio_dev_thread_ctx *dtctx;
    flexio_dev_get_thread_ctx(&dtctx);
    flexio_dev_outbox_config(dtctx, (uint16_t)db->outbox);
    flexio_dev_cq_arm(dtctx, db->consumed, db->myCq);
}

__dpa_global__ void on_completion(flexio_uintptr_t myArg)
{
    struct my_db *db = (struct my_db *)myArg;
    get_completion(db);
    __atomic_fetch_add(&db->flag, 1, __ATOMIC_RELEASE);
    arm_cq(db);
    // reschedule the thread
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t set_flag(flexio_uintptr_t myArg)
{
    struct my_db *db = (struct my_db *)myArg;
    if (db->flag)
        return 1;
    db->flag = 1;
    return 0;
}

__dpa_rpc__ uint64_t get_flag(flexio_uintptr_t myArg)
{
    return __atomic_load_n(&((struct my_db *)myArg)->flag, __ATOMIC_ACQUIRE);
}

/* ---- 1.3.2.2 ---- */

__dpa_rpc__ uint64_t write_window(uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
    struct flexio_dev_thread_ctx *dtctx;
    flexio_dev_get_thread_ctx(&dtctx);
    uint32_t windowId = arg1;
    uint32_t mkey = arg2;
    uint64_t *dev_ptr;
    flexio_dev_window_config(dtctx, windowId, mkey);
    /* get ptr to the external memory (arg3) from the DPA process address space */
    flexio_dev_status status = flexio_dev_window_ptr_acquire(dtctx, arg3, dev_ptr);
    if (status)
        return 1;
    /* will set the external memory */
    *dev_ptr = 0xff;
    /* flush the data out */
    __dpa_thread_window_writeback();
    return 0;
}

/* ---- 1.3.2.3 ---- */

static struct queue_data queue_data;

__dpa_rpc__ uint64_t know_queue(uint64_t at)
{
    queue_data = *(struct queue_data *)at;
    return 0;
}

__dpa_rpc__ uint64_t send_frame(uint64_t arg1, uint64_t arg2, uint64_t arg3)
{
    struct flexio_dev_thread_ctx *dtctx;
    flexio_dev_get_thread_ctx(&dtctx);
    uint32_t outbox = arg1;
    uint16_t sq_pi = queue_data.posted;
    if (flexio_dev_outbox_config(dtctx, outbox) != FLEXIO_DEV_STATUS_SUCCESS)
        return 1;
    /* create some wqe and post it on sq */
    union flexio_dev_sqe_seg *wqe =
        (union flexio_dev_sqe_seg *)queue_data.ring + ((sq_pi & (DEPTH - 1)) << LOG_SQE_NUM_SEGS);
    flexio_dev_swqe_seg_ctrl_set(wqe, sq_pi, arg3, MLX5_CTRL_SEG_CE_CQE_ALWAYS,
                                 FLEXIO_CTRL_SEG_SEND_EN);
    flexio_dev_swqe_seg_eth_set(wqe + 1, 0, 0, 0, NULL);
    flexio_dev_swqe_seg_mem_ptr_data_set(wqe + 2, 64, queue_data.key, queue_data.frame);
    queue_data.posted = ++sq_pi;
    /* send DB on sq*/
    flexio_dev_qp_sq_ring_db(dtctx, sq_pi, arg3);
    /* poll CQ (cq number is in arg2) */
    return queue_data.db.myCq == arg2 ? 0 : 2;
}

/* ---- 2.4.1, and the defaults of 2.7.1 ---- */

__dpa_rpc__ uint64_t event_handler_init(uint64_t thread_arg)
{
    struct my_app_data *app_data;
    app_data = (my_app_data *)thread_arg;
    return app_data->answer;
}

/* A window and an outbox are there without configuring them; a key is not. */
__dpa_global__ void net_entry_point(uint64_t thread_arg)
{
    struct my_app_data *app_data = (my_app_data *)thread_arg;
    struct flexio_dev_thread_ctx *dtctx;
    flexio_dev_get_thread_ctx(&dtctx);
    uint64_t *host;
    uint64_t seen = DEFAULTS_RAN;
    if (flexio_dev_outbox_config_uar_extension(dtctx, app_data->uar) == FLEXIO_DEV_STATUS_SUCCESS)
        seen |= DEFAULT_OUTBOX;
    if (flexio_dev_window_mkey_config(dtctx, app_data->mkey) == FLEXIO_DEV_STATUS_SUCCESS) {
        seen |= DEFAULT_WINDOW;
        flexio_dev_window_ptr_acquire(dtctx, app_data->host, host);
        *host = app_data->answer;
    }
    get_completion(&app_data->db);
    __atomic_store_n(&app_data->seen, seen, __ATOMIC_RELEASE);
    arm_cq(&app_data->db);
    flexio_dev_thread_reschedule();
}

__dpa_rpc__ uint64_t seen(uint64_t at)
{
    return __atomic_load_n(&((struct my_app_data *)at)->seen, __ATOMIC_ACQUIRE);
}

/* ---- Arguments ---- */

__dpa_rpc__ uint64_t none(void)
{
    return 7;
}

__dpa_rpc__ uint64_t eight(uint64_t a, int32_t b, uint8_t c, struct pair d, uint64_t e, int64_t f,
                           uint16_t g, uint64_t h)
{
    return a + (uint64_t)b + c + d.x + d.y + e + (uint64_t)f + g + h;
}
