/* Samples which execution units of a device are busy over time. */
#include "dpadev.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "device/running/running.h"

enum {
    COLUMNS = 60,
    LOOKS = 100,              /* samples in a column on an idle machine */
    LEAST_PAUSE_NS = 100000,  /* between samples */
    MOST_PAUSE_NS = 20000000, /* short enough to see brief use of units */
};

struct heat {
    unsigned looks[COLUMNS];
    unsigned taken[DPK_UNITS_MAX][COLUMNS];
};

/* ---- Sampling ---- */

static void look(const struct dpk_live_watch *watch, struct heat *heat, unsigned column)
{
    const struct dpk_units taken = dpk_live_watch_units(watch);
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        heat->taken[i][column] += dpk_units_have(&taken, i);
    heat->looks[column]++;
}

static void follow(const struct dpk_live_watch *watch, unsigned seconds, struct heat *heat)
{
    const uint64_t all = (uint64_t)seconds * 1000000000, begin = dpk_now_ns();
    uint64_t pause = all / COLUMNS / LOOKS, gone;
    pause = pause < LEAST_PAUSE_NS ? LEAST_PAUSE_NS : pause > MOST_PAUSE_NS ? MOST_PAUSE_NS : pause;
    while ((gone = dpk_now_ns() - begin) < all) {
        look(watch, heat, (unsigned)(gone * COLUMNS / all));
        nanosleep(&(struct timespec){.tv_nsec = (long)pause}, NULL);
    }
}

/* ---- JSON ---- */

static double percent(unsigned part, unsigned of)
{
    return of ? round(100.0 * part / of) : 0;
}

static cJSON *json_row(const struct heat *heat, unsigned unit)
{
    const unsigned *taken = heat->taken[unit];
    cJSON *o = cJSON_CreateObject(), *list = cJSON_CreateArray();
    unsigned sum = 0, looks = 0;
    for (unsigned i = 0; i < COLUMNS; i++) {
        sum += taken[i];
        looks += heat->looks[i];
        cJSON_AddItemToArray(list, heat->looks[i]
                                       ? cJSON_CreateNumber(percent(taken[i], heat->looks[i]))
                                       : cJSON_CreateNull());
    }
    if (sum == 0) {
        cJSON_Delete(list);
        cJSON_Delete(o);
        return NULL;
    }
    cJSON_AddNumberToObject(o, "unit", unit);
    cJSON_AddNumberToObject(o, "busy", percent(sum, looks));
    cJSON_AddItemToObject(o, "over_time", list);
    return o;
}

static cJSON *json_heat(const struct heat *heat, unsigned seconds)
{
    cJSON *o = cJSON_CreateObject(), *row;
    cJSON_AddNumberToObject(o, "seconds", seconds);
    cJSON_AddNumberToObject(o, "columns", seconds ? COLUMNS : 0);
    cJSON *rows = cJSON_AddArrayToObject(o, "rows");
    for (unsigned i = 0; i < DPK_UNITS_MAX; i++)
        if ((row = json_row(heat, i)) != NULL)
            cJSON_AddItemToArray(rows, row);
    return o;
}

/* ---- Part of a report ---- */

/* Without a process there is nothing to sample, and no folder should be made for it. */
static enum dpk_status how_long(const char *card, unsigned *seconds, struct dpk_error *err)
{
    struct dpk_live_seen seen = {0};
    if (*seconds)
        return DPK_OK;
    enum dpk_status status = dpk_live_look(card, false, &seen, err);
    *seconds = status == DPK_OK && seen.count > 0;
    dpk_live_seen_free(&seen);
    return status;
}

enum dpk_status dpadev_json_heat(struct dpk_device *dev, unsigned seconds, cJSON **out,
                                 struct dpk_error *err)
{
    char card[PATH_MAX];
    struct dpk_live_watch *watch = NULL;
    struct heat *heat = calloc(1, sizeof *heat);
    if (!heat)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_device_card_directory(dev, card, err);
    if (status == DPK_OK)
        status = how_long(card, &seconds, err);
    if (status == DPK_OK && seconds)
        status = dpk_live_watch(card, &watch, err);
    if (status == DPK_OK && seconds)
        follow(watch, seconds, heat);
    if (status == DPK_OK)
        *out = json_heat(heat, seconds);
    dpk_live_watch_end(watch);
    free(heat);
    return status;
}
