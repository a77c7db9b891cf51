/*
 * cli: what command-line tools share and libraries have no use for. It prints.
 *
 *     dpk_json_start();
 *     cJSON *list = cJSON_CreateArray();
 *     ...
 *     return dpk_json_print(list, &err);
 */
#ifndef DPK_CLI_H
#define DPK_CLI_H

#include <cjson/cJSON.h>

#include "base/base.h"

/* Before any JSON is made: from then on a value that there is no memory for ends the tool, with an
 * error and exit code 1, as cJSON says of most failures only that something is missing. */
void dpk_json_start(void);
/* Prints a value on standard output and frees it; NULL stands for out of memory. */
enum dpk_status dpk_json_print(cJSON *value, struct dpk_error *err);
/* Adds text that a file brought, fit for a terminal (dpk_text_clean); at most 1,023 bytes of it.
 * NULL is "". */
void dpk_json_text(cJSON *object, const char *key, const char *text);

#endif
