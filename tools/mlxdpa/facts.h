/* JSON of certificates and UUIDs for show and verify, and JSON printed as a tree. */
#ifndef DPK_MLXDPA_FACTS_H
#define DPK_MLXDPA_FACTS_H

#include <cjson/cJSON.h>

#include "certchain/certchain.h"

/* Returns a new object with subject, serial number, fingerprint, dates and key of a certificate. */
cJSON *mlxdpa_certificate_facts(X509 *cert);
/* Adds a UUID to `o`; "not set" for zero. */
void mlxdpa_uuid_fact(cJSON *o, const char *key, const struct dpk_uuid *uuid);

/* Prints the fields of an object, indented by two blanks per level. */
void mlxdpa_tree_print(const cJSON *o, int depth);

#endif
