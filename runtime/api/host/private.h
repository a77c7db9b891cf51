/* Declarations that the files of host share. */
#ifndef DPK_API_HOST_PRIVATE_H
#define DPK_API_HOST_PRIVATE_H

#include "api/host/host.h"

/* Calls `visit` for every function of the program until it returns false. */
void host_app_each_function(const struct dpk_host_app *app,
                            bool (*visit)(void *context, const struct dpk_host_function *f),
                            void *context);

/* Puts a message of the process into its stream: the process's dpk_message_sink (proc.h), with a
 * struct dpk_host_process as `context`. */
void host_streams_message(void *context, unsigned stream, unsigned level, unsigned thread_id,
                          const char *text, size_t size);

#endif
