/*
 * doca_devemu_vfs_io: contexts that take requests of virtio-fs devices (doca_devemu_vfs.h). All contexts of
 * a device take requests from all its queues.
 *
 *     void on_request(struct doca_devemu_vfs_req *req, void *own, union doca_data data)
 *     {
 *         struct doca_buf *in = doca_devemu_vfs_req_get_datain(req);     // the request
 *         struct doca_buf *out = doca_devemu_vfs_req_get_dataout(req);   // room for the answer
 *         ... copies by tasks of doca_dma.h ...
 *         doca_devemu_vfs_req_complete(req, written);
 *     }
 */
#ifndef DOCA_DEVEMU_VFS_IO_H
#define DOCA_DEVEMU_VFS_IO_H

#include "doca_buf.h"
#include "doca_devemu_vfs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devemu_vfs_io;
struct doca_devemu_vfs_req;
struct doca_devemu_vfs_notification_req;

doca_error_t doca_devemu_vfs_io_create(struct doca_devemu_vfs_dev *vfs_dev, struct doca_pe *pe,
                                       struct doca_devemu_vfs_io **vfs_io);
doca_error_t doca_devemu_vfs_io_destroy(struct doca_devemu_vfs_io *vfs_io);
struct doca_ctx *doca_devemu_vfs_io_as_ctx(struct doca_devemu_vfs_io *vfs_io);

struct doca_devemu_virtio_io *doca_devemu_vfs_io_as_virtio_io(struct doca_devemu_vfs_io *vfs_io);

/* Called for each request, which the program then has until it completes the request. `req_user_data` are
 * the program's bytes in it (doca_devemu_vfs_cfg_set_vfs_req_user_data_size), or NULL. */
typedef void (*doca_devemu_vfs_io_event_vfs_req_notice_handler_cb_t)(
    struct doca_devemu_vfs_req *req, void *req_user_data, union doca_data event_user_data);
/* An IO context needs a handler before its start. Errors: BAD_STATE if it is not idle. */
doca_error_t doca_devemu_vfs_io_event_vfs_req_notice_register(
    struct doca_devemu_vfs_io *io, doca_devemu_vfs_io_event_vfs_req_notice_handler_cb_t handler,
    union doca_data user_data);

/* Errors: NOT_SUPPORTED, because devices have no notification queue. */
typedef void (*doca_devemu_vfs_io_event_vfs_notification_req_notice_handler_cb_t)(
    struct doca_devemu_vfs_notification_req *req, void *req_user_data,
    union doca_data event_user_data);
doca_error_t doca_devemu_vfs_io_event_vfs_notification_req_notice_register(
    struct doca_devemu_vfs_io *io,
    doca_devemu_vfs_io_event_vfs_notification_req_notice_handler_cb_t handler,
    union doca_data user_data);

/* Gives a request back with the number of bytes that were written to its dataout, and frees its buffers.
 * After a reset, the driver gets nothing. */
void doca_devemu_vfs_req_complete(struct doca_devemu_vfs_req *req, uint32_t len);
/* Return the buffers that the device reads (the header of the request, and its data), or writes (the header
 * of the answer, and its data); NULL for an empty list. The request owns them. Their memory is that of
 * the driver, for tasks of doca_dma.h. The buffers of dataout have no data yet. */
struct doca_buf *doca_devemu_vfs_req_get_datain(struct doca_devemu_vfs_req *req);
struct doca_buf *doca_devemu_vfs_req_get_dataout(struct doca_devemu_vfs_req *req);
/* Return the number of these buffers, and of their bytes. */
uint32_t doca_devemu_vfs_req_get_datain_list_len(struct doca_devemu_vfs_req *req);
uint32_t doca_devemu_vfs_req_get_dataout_list_len(struct doca_devemu_vfs_req *req);
uint32_t doca_devemu_vfs_req_get_datain_data_len(struct doca_devemu_vfs_req *req);
uint32_t doca_devemu_vfs_req_get_dataout_data_len(struct doca_devemu_vfs_req *req);

#ifdef __cplusplus
}
#endif

#endif
