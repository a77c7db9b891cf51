/* Backends of the log under the names that DOCA 2.5 has for them. */
#define DOCA_VERSION_MAJOR  2
#define DOCA_VERSION_MINOR  5
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "2.5.0"
#include <doca_log.h>

doca_error_t doca_log_backend_create_with_buffer(char *buf, size_t capacity,
                                                 log_flush_callback handler,
                                                 struct doca_log_backend **backend)
{
    return doca_log_backend_create_with_buf(buf, capacity, handler, backend);
}

doca_error_t doca_log_backend_create_with_buffer_sdk(char *buf, size_t capacity,
                                                     log_flush_callback handler,
                                                     struct doca_log_backend **backend)
{
    return doca_log_backend_create_with_buf_sdk(buf, capacity, handler, backend);
}
