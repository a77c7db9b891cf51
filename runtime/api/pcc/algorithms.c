/* Algorithms, their parameters and counters. The tables are in the program's memory, which may
 * change, so each number is copied once and then checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/pcc/private.h"

/* ---- Texts ---- */

static bool read_text(struct dpk_pcc *pcc, uint64_t address, uint32_t size,
                      char text[DPK_PCC_NAME_MAX])
{
    text[0] = '\0';
    if (address == 0 || size == 0)
        return true;
    if (size >= DPK_PCC_NAME_MAX)
        size = DPK_PCC_NAME_MAX - 1;
    if (dpk_copy_out(pcc->process, text, address, size, NULL) != DPK_OK)
        return false;
    text[size] = '\0';
    dpk_text_clean(text);
    return true;
}

/* Splits "NAME, description" into two texts. A value without a name is named by its number. */
static bool read_value(struct dpk_pcc *pcc, const struct dpa_pcc_value *v, const char *kind,
                       unsigned number, struct pcc_text *out)
{
    char text[DPK_PCC_NAME_MAX];
    if (!read_text(pcc, v->description, v->description_size, text))
        return false;
    char *rest = strstr(text, ", ");
    snprintf(out->description, sizeof out->description, "%s", rest ? rest + 2 : text);
    if (rest)
        *rest = '\0';
    if (text[0])
        snprintf(out->name, sizeof out->name, "%s", text);
    else
        snprintf(out->name, sizeof out->name, "%s_%u", kind, number);
    return true;
}

static enum dpk_status bad_tables(struct dpk_error *err, unsigned index)
{
    return dpk_fail(err, DPK_ERR_FORMAT,
                    "algorithm %u: its numbers of parameters and counters, or the addresses of "
                    "their descriptions, are out of range",
                    index);
}

static enum dpk_status read_algorithm(struct dpk_pcc *pcc, unsigned index, struct dpk_error *err)
{
    const struct dpa_pcc_algorithm a = pcc->state->algorithms[index];
    if (!a.known)
        return DPK_OK;
    struct pcc_text *texts = calloc(PCC_TEXTS, sizeof *texts);
    if (!texts)
        return dpk_fail_nomem(err);
    pcc->texts[index] = texts;
    bool good = a.parameter_count <= DPA_PCC_PARAMETERS && a.counter_count <= DPA_PCC_COUNTERS &&
                read_text(pcc, a.description, a.description_size, texts[0].name);
    for (unsigned i = 0; good && i < a.parameter_count; i++)
        good = read_value(pcc, &a.parameters[i], "PARAM", i, &texts[1 + i]);
    for (unsigned i = 0; good && i < a.counter_count; i++)
        good = read_value(pcc, &a.counters[i], "COUNTER", i, &texts[1 + DPA_PCC_PARAMETERS + i]);
    return good ? DPK_OK : bad_tables(err, index);
}

enum dpk_status pcc_read_texts(struct dpk_pcc *pcc, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (unsigned i = 0; i < DPA_PCC_ALGORITHMS && status == DPK_OK; i++)
        status = read_algorithm(pcc, i, err);
    return status;
}

void pcc_free_texts(struct dpk_pcc *pcc)
{
    for (unsigned i = 0; i < DPA_PCC_ALGORITHMS; i++)
        free(pcc->texts[i]);
}

/* ---- Getters ---- */

struct found_algorithm {
    struct dpa_pcc_slot *slot;                 /* in the program's memory */
    const struct dpa_pcc_algorithm *algorithm; /* in the program's memory, too */
    const struct pcc_text *texts;
    unsigned index, parameters, counters;
};

static bool find_place(struct dpk_pcc *pcc, unsigned port, unsigned slot, struct found_algorithm *out)
{
    if (port >= pcc->options.ports || slot >= DPA_PCC_SLOTS)
        return false;
    out->slot = &pcc->state->ports[port].slots[slot];
    out->index = out->slot->algorithm;
    if (!out->slot->known || out->index >= DPA_PCC_ALGORITHMS || !pcc->texts[out->index])
        return false;
    out->algorithm = &pcc->state->algorithms[out->index];
    out->texts = pcc->texts[out->index];
    out->parameters = out->algorithm->parameter_count;
    out->counters = out->algorithm->counter_count;
    return out->parameters <= DPA_PCC_PARAMETERS && out->counters <= DPA_PCC_COUNTERS;
}

bool dpk_pcc_algorithm(struct dpk_pcc *pcc, unsigned port, unsigned slot,
                       struct dpk_pcc_algorithm *out)
{
    struct found_algorithm p;
    if (!find_place(pcc, port, slot, &p))
        return false;
    *out = (struct dpk_pcc_algorithm){.slot = slot,
                                      .index = p.index,
                                      .id = p.algorithm->id,
                                      .major = p.algorithm->major,
                                      .minor = p.algorithm->minor,
                                      .enabled = p.slot->enabled != 0,
                                      .name = p.texts[0].name,
                                      .parameters = p.parameters,
                                      .counters = p.counters};
    return true;
}

enum dpk_status dpk_pcc_enable(struct dpk_pcc *pcc, unsigned port, unsigned slot, bool enabled,
                               struct dpk_error *err)
{
    struct found_algorithm p;
    if (!find_place(pcc, port, slot, &p))
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "there is no algorithm in slot %u of port %u", slot,
                        port);
    p.slot->enabled = enabled;
    return DPK_OK;
}

static struct dpk_pcc_value value_of(const struct pcc_text *text, const struct dpa_pcc_value *v,
                                     uint32_t now)
{
    return (struct dpk_pcc_value){.name = text->name,
                                  .description = text->description,
                                  .value = now,
                                  .initial = v->initial,
                                  .minimum = v->minimum,
                                  .maximum = v->maximum,
                                  .writable = v->permissions & 1};
}

bool dpk_pcc_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot, unsigned number,
                       struct dpk_pcc_value *out)
{
    struct found_algorithm p;
    if (!find_place(pcc, port, slot, &p) || number >= p.parameters)
        return false;
    *out = value_of(&p.texts[1 + number], &p.algorithm->parameters[number],
                    p.slot->parameters[number]);
    return true;
}

bool dpk_pcc_counter(struct dpk_pcc *pcc, unsigned port, unsigned slot, unsigned number,
                     struct dpk_pcc_value *out)
{
    struct found_algorithm p;
    if (!find_place(pcc, port, slot, &p) || number >= p.counters)
        return false;
    *out = value_of(&p.texts[1 + DPA_PCC_PARAMETERS + number], &p.algorithm->counters[number],
                    p.slot->counters[number]);
    return true;
}

int dpk_pcc_find_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot, const char *name)
{
    struct dpk_pcc_value v;
    for (unsigned i = 0; dpk_pcc_parameter(pcc, port, slot, i, &v); i++)
        if (strcasecmp(v.name, name) == 0)
            return (int)i;
    return -1;
}

/* ---- Setting ---- */

/* Passes a new value to the program. `at`: guest memory for the value. */
static enum dpk_status ask(struct dpk_pcc *pcc, const struct found_algorithm *p, unsigned port, unsigned slot,
                           unsigned number, uint32_t value, uint64_t at, struct dpk_error *err)
{
    uint32_t returned = 0;
    const uint64_t parameters =
        pcc->program.state +
        (uint64_t)((const uint8_t *)p->slot->parameters - (const uint8_t *)pcc->state);
    const struct dpa_pcc_arguments arguments = {{port, slot, number, 1, at, parameters}};
    enum dpk_status status = dpk_copy_in(pcc->process, at, &value, sizeof value, err);
    if (status == DPK_OK)
        status = pcc_control(pcc, pcc->program.set_parameters, &arguments, &returned, err);
    if (status != DPK_OK)
        return dpk_error_prefix(err, "doca_pcc_dev_user_set_algo_params"), status;
    if (returned != 0)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "the program does not agree that parameter %s becomes %" PRIu32,
                        p->texts[1 + number].name, value);
    p->slot->parameters[number] = value;
    return DPK_OK;
}

enum dpk_status dpk_pcc_set_parameter(struct dpk_pcc *pcc, unsigned port, unsigned slot,
                                      unsigned number, uint32_t value, struct dpk_error *err)
{
    struct found_algorithm p;
    struct dpk_pcc_value v;
    uint64_t at;
    if (!find_place(pcc, port, slot, &p) || !dpk_pcc_parameter(pcc, port, slot, number, &v))
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "the algorithm in slot %u of port %u has no parameter %u", slot, port,
                        number);
    if (!v.writable)
        return dpk_fail(err, DPK_ERR_REFUSED, "parameter %s cannot be set", v.name);
    if (value < v.minimum || value > v.maximum)
        return dpk_fail(err, DPK_ERR_RANGE,
                        "parameter %s is %" PRIu32 " to %" PRIu32 ", not %" PRIu32, v.name,
                        v.minimum, v.maximum, value);
    pthread_mutex_lock(&pcc->lock);
    enum dpk_status status = dpk_heap_alloc(pcc->process, sizeof value, &at, err);
    if (status == DPK_OK) {
        status = ask(pcc, &p, port, slot, number, value, at, err);
        dpk_heap_free(pcc->process, at, NULL);
    }
    pthread_mutex_unlock(&pcc->lock);
    return status;
}
