/* Looks up reference algorithms by name. */
#include <string.h>

#include "algorithms.h"

/* Always sends at the line rate: the network without congestion control. */
static enum dpk_status no_event(void *self, void *context, const struct cc_event *event,
                                struct cc_result *result, struct dpk_error *err)
{
    (void)self, (void)context, (void)event, (void)result, (void)err;
    return DPK_OK;
}
static const struct cc_algorithm none = {.name = "none", .event = no_event};

const char *const model_cc_algorithms[] = {"dcqcn", "swift", "hpcc", "none", NULL};

const struct cc_algorithm *model_cc_algorithm(const char *name)
{
    static const struct cc_algorithm *const all[] = {&model_cc_dcqcn, &model_cc_swift,
                                                     &model_cc_hpcc, &none};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]->name) == 0)
            return all[i];
    return NULL;
}
