/* JSON of device programs for show and verify. */
#ifndef DPK_MLXDPA_PROGRAM_H
#define DPK_MLXDPA_PROGRAM_H

#include <cjson/cJSON.h>

#include "hostfile/hostfile.h"

/* Adds the SHA-256 of a device ELF to `o`, from `report` if it has the hash. */
void mlxdpa_program_digest(cJSON *o, const uint8_t *elf, size_t size,
                           const struct dpk_report *report);

/* Adds the certificates of crypto data to `o`, unless `crypto` is NULL or damaged. */
void mlxdpa_program_chain(cJSON *o, const uint8_t *crypto, size_t size);

/* Adds the signer to `o`, and whether hashes and signature are right. This does not prove who
 * signed. `report` is of a verification without trust. */
void mlxdpa_program_crypto(cJSON *o, const uint8_t *crypto, size_t size,
                           const struct dpk_report *report);

/* Adds digest and crypto data of a program to `o`, or, for a program in an area, an array
 * `targets` with digest and crypto data of each. A damaged area counts as one program. */
void mlxdpa_program_show(const struct dpk_program *p, cJSON *o);

/* Returns true if a leaf ends within 90 days or has ended. Then `text` gets the date, and
 * advice. */
bool mlxdpa_program_leaf_ends(X509 *leaf, char *text, size_t size);

#endif
