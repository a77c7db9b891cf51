/* complaints: what is wrong with the sources, one -E- line each on stderr. */
#ifndef DPACC_COMPLAINTS_H
#define DPACC_COMPLAINTS_H

#include "config.h"
#include "ifgen.h"

/* What ifgen found; returns how much that is. */
size_t complaints_print(const struct ifgen_unit *units, size_t count);
/* What only all sources together show: two functions of one name, none at all. */
size_t complaints_print_names(const struct ifgen_unit *units, const struct config *config);

#endif
