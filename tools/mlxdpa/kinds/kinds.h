/* Every kind of file. FILE after a command is of the first kind whose content it has. */
#ifndef DPK_MLXDPA_KINDS_KINDS_H
#define DPK_MLXDPA_KINDS_KINDS_H

#include "kind.h"

/* NULL ends the table. A file that no kind recognises is read as a host file. */
extern const struct kind *const kinds[];

extern const struct kind kind_app;
extern const struct kind kind_cert_container;
extern const struct kind kind_device_elf;
extern const struct kind kind_device_library;
extern const struct kind kind_host;
extern const struct kind kind_nv_config;

#endif
