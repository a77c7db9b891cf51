/* The table of kinds of file. */
#include "kinds.h"

const struct kind *const kinds[] = {
    &kind_app, &kind_cert_container, &kind_device_elf, &kind_device_library, &kind_host, &kind_nv_config, NULL,
};
