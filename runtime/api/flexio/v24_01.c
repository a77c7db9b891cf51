/* Streams as programs of FlexIO 24.01 create them: their attributes have no transport of messages. */
#include <libflexio/flexio.h>

struct attributes {
    struct flexio_uar *uar;
    size_t data_bsize;
    enum flexio_msg_dev_sync_mode sync_mode;
    char *stream_name;
    flexio_msg_dev_level level;
    struct flexio_affinity mgmt_affinity;
    enum flexio_tracer_transport tracer_mode;
    char **tracer_msg_formats;
};

static flexio_msg_stream_attr_t later(const struct attributes *a)
{
    return (flexio_msg_stream_attr_t){.uar = a->uar,
                                      .data_bsize = a->data_bsize,
                                      .sync_mode = a->sync_mode,
                                      .stream_name = a->stream_name,
                                      .level = a->level,
                                      .mgmt_affinity = a->mgmt_affinity,
                                      .tracer_mode = a->tracer_mode,
                                      .tracer_msg_formats = a->tracer_msg_formats};
}

flexio_status flexio_msg_stream_create_v24_01(struct flexio_process *process,
                                              const struct attributes *stream_attr, FILE *out,
                                              pthread_t *ppthread,
                                              struct flexio_msg_stream **stream);
flexio_status flexio_msg_stream_create_v24_01(struct flexio_process *process,
                                              const struct attributes *stream_attr, FILE *out,
                                              pthread_t *ppthread,
                                              struct flexio_msg_stream **stream)
{
    flexio_msg_stream_attr_t attr;
    if (stream_attr)
        attr = later(stream_attr);
    return flexio_msg_stream_create(process, stream_attr ? &attr : NULL, out, ppthread, stream);
}

flexio_status flexio_log_dev_init_v24_01(struct flexio_process *process,
                                         const struct attributes *stream_attr, FILE *out,
                                         pthread_t *ppthread);
flexio_status flexio_log_dev_init_v24_01(struct flexio_process *process,
                                         const struct attributes *stream_attr, FILE *out,
                                         pthread_t *ppthread)
{
    struct flexio_msg_stream *stream;
    return flexio_msg_stream_create_v24_01(process, stream_attr, out, ppthread, &stream);
}
