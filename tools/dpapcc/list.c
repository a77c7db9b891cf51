/* Lists the parameters and counters of an algorithm. */
#include <inttypes.h>

#include "dpapcc.h"

static void print_text(const char *text)
{
    if (text[0])
        printf("  %s", text);
    putchar('\n');
}

static void print_algorithm(struct algorithm *a, const struct dpk_pcc_algorithm *about)
{
    struct dpk_pcc_value v;
    printf("slot %u: %s%s(id 0x%04" PRIx32 ", version %" PRIu32 ".%" PRIu32 ")%s\n", about->slot,
           about->name, about->name[0] ? " " : "", about->id, about->major, about->minor,
           about->enabled ? "" : ", not enabled");
    for (unsigned i = 0; dpk_pcc_parameter(a->pcc, 0, about->slot, i, &v); i++) {
        printf("  parameter %s = %" PRIu32 ", %" PRIu32 " to %" PRIu32 "%s", v.name, v.value,
               v.minimum, v.maximum, v.writable ? "" : ", read-only");
        print_text(v.description);
    }
    for (unsigned i = 0; dpk_pcc_counter(a->pcc, 0, about->slot, i, &v); i++) {
        printf("  counter %s", v.name);
        print_text(v.description);
    }
}

static cJSON *value_json(const struct dpk_pcc_value *v, bool parameter)
{
    cJSON *o = cJSON_CreateObject();
    dpk_json_text(o, "name", v->name);
    dpk_json_text(o, "description", v->description);
    if (parameter) {
        cJSON_AddNumberToObject(o, "value", v->value);
        cJSON_AddNumberToObject(o, "minimum", v->minimum);
        cJSON_AddBoolToObject(o, "writable", v->writable);
    }
    cJSON_AddNumberToObject(o, "maximum", v->maximum);
    return o;
}

static cJSON *algorithm_json(struct algorithm *a, const struct dpk_pcc_algorithm *about)
{
    struct dpk_pcc_value v;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "slot", about->slot);
    dpk_json_text(o, "description", about->name);
    cJSON_AddNumberToObject(o, "id", about->id);
    cJSON_AddNumberToObject(o, "major", about->major);
    cJSON_AddNumberToObject(o, "minor", about->minor);
    cJSON_AddBoolToObject(o, "enabled", about->enabled);
    cJSON *parameters = cJSON_AddArrayToObject(o, "parameters");
    for (unsigned i = 0; dpk_pcc_parameter(a->pcc, 0, about->slot, i, &v); i++)
        cJSON_AddItemToArray(parameters, value_json(&v, true));
    cJSON *counters = cJSON_AddArrayToObject(o, "counters");
    for (unsigned i = 0; dpk_pcc_counter(a->pcc, 0, about->slot, i, &v); i++)
        cJSON_AddItemToArray(counters, value_json(&v, false));
    return o;
}

enum dpk_status dpapcc_algorithm_list(struct algorithm *a, bool json, struct dpk_error *err)
{
    struct dpk_pcc_algorithm about;
    cJSON *list = json ? cJSON_CreateArray() : NULL;
    if (!a->pcc && !json)
        printf("%s: a reference of the model, with the parameters of its paper (dpa-pcc(7))\n",
               a->name);
    for (unsigned slot = 0; a->pcc && slot < DPK_PCC_SLOTS; slot++) {
        if (!dpk_pcc_algorithm(a->pcc, 0, slot, &about))
            continue;
        if (json)
            cJSON_AddItemToArray(list, algorithm_json(a, &about));
        else
            print_algorithm(a, &about);
    }
    return json ? dpk_json_print(list, err) : DPK_OK;
}
