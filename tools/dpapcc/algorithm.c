/* Opens algorithms: programs on the emulated DPA, and references of the model. */
#include <stdlib.h>
#include <string.h>

#include "dpapcc.h"

/* ---- Conversion of events for a program ---- */

static uint64_t virtual_time(void *context)
{
    const struct algorithm *a = context;
    return a->now_ns;
}

/* A program's output goes to standard error, so that it does not mix with the tool's output. */
static void print_text(void *context, unsigned thread, const char *text, size_t size)
{
    struct algorithm *a = context;
    (void)thread;
    a->printed += size;
    if (!a->quiet)
        fwrite(text, 1, size, stderr);
}

static enum dpk_pcc_type type_of(enum cc_event_type type)
{
    switch (type) {
    case CC_TX:
        return DPK_PCC_TX;
    case CC_ACK:
        return DPK_PCC_ACK;
    case CC_NACK:
        return DPK_PCC_NACK;
    case CC_CNP:
        return DPK_PCC_CNP;
    default:
        return DPK_PCC_RTT;
    }
}

static void put_le32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Stores the record of the switch with the longest queue, in the format of DPK_PCC_RAW_MAX. */
static void put_telemetry(const struct cc_event *e, struct dpk_pcc_event *out)
{
    const struct cc_hop *fullest = NULL;
    unsigned index = 0;
    for (uint32_t i = 0; i < e->hop_count; i++)
        if (!fullest || e->hops[i].queue_bytes > fullest->queue_bytes)
            fullest = &e->hops[i], index = i;
    if (!fullest)
        return;
    uint32_t queue = fullest->queue_bytes / 256;
    put_le32(out->raw, (queue > 0xffff ? 0xffff : queue) | index << 16 | 1u << 29);
    put_le32(out->raw + 4, (uint32_t)fullest->tx_bytes);
    put_le32(out->raw + 8, (uint32_t)fullest->time_ns);
    out->raw_size = 12;
}

static void convert(const struct cc_event *e, struct dpk_pcc_event *out)
{
    *out = (struct dpk_pcc_event){.type = type_of(e->type),
                                  .port = (uint8_t)e->port,
                                  .flow = e->flow,
                                  .qp = e->flow,
                                  .serial = e->psn,
                                  .time_ns = e->time_ns,
                                  .first_time_ns = e->time_ns,
                                  .first_serial = e->psn,
                                  .coalesced = 1};
    switch (e->type) {
    case CC_TX:
        out->bytes = e->bytes;
        out->packets = e->packets;
        out->flags = DPK_PCC_TX_ACK_EXPECTED;
        if (e->flags & CC_FLAG_RTT_REQUEST_SENT)
            out->flags |= DPK_PCC_TX_RTT_REQ_SENT;
        break;
    case CC_NACK:
        out->subtype = DPK_PCC_NACK_OOS;
        break;
    case CC_RTT:
        out->request_sent_ns = e->sent_ns;
        out->request_received_ns = out->response_sent_ns = e->received_ns;
        put_telemetry(e, out);
        break;
    default:
        break;
    }
}

static bool count_host(struct algorithm *a, uint32_t host)
{
    size_t have = a->by_host.size / sizeof(uint64_t);
    if (host >= have)
        dpk_put_fill(&a->by_host, 0, (host + 1 - have) * sizeof(uint64_t));
    if (!a->by_host.failed)
        ((uint64_t *)(void *)a->by_host.data)[host]++;
    return !a->by_host.failed;
}

static enum dpk_status give_event(void *self, void *context, const struct cc_event *e,
                                  struct cc_result *result, struct dpk_error *err)
{
    struct algorithm *a = self;
    struct dpk_pcc_event event;
    struct dpk_pcc_result got = {.rate = result->rate};
    convert(e, &event);
    a->now_ns = e->time_ns;
    enum dpk_status status =
        dpk_pcc_event(a->pcc, e->flow % a->threads, context, &event, &got, err);
    if (status != DPK_OK)
        return status;
    if (got.handled) {
        dpapcc_cost_add(&a->cost, got.instructions);
        result->rate = got.rate;
        result->rtt_request = got.rtt_request;
    }
    return count_host(a, e->host) ? DPK_OK : dpk_fail_nomem(err);
}

/* ---- Parameters ---- */

static enum dpk_status unknown_parameter(struct algorithm *a, const char *name,
                                         struct dpk_error *err)
{
    struct dpk_buf names = {0};
    struct dpk_pcc_value v;
    for (unsigned i = 0; dpk_pcc_parameter(a->pcc, 0, a->about.slot, i, &v); i++)
        dpk_put_format(&names, "%s%s", i ? ", " : "", v.name);
    enum dpk_status status =
        dpk_fail(err, DPK_ERR_USAGE, "%s has no parameter '%s'; it has %.*s", a->word, name,
                 names.size ? (int)(names.size < 600 ? names.size : 600) : 4,
                 names.size ? (const char *)names.data : "none");
    dpk_buf_free(&names);
    return status;
}

static enum dpk_status set_parameter(struct algorithm *a, const char *text, struct dpk_error *err)
{
    const char *equals = strchr(text, '=');
    char name[DPK_PCC_NAME_MAX], *end = NULL;
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
        return dpk_fail(err, DPK_ERR_USAGE, "--param '%s' is not NAME=VALUE", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    unsigned long long value = strtoull(equals + 1, &end, 0);
    if (equals[1] < '0' || equals[1] > '9' || *end || value > UINT32_MAX)
        return dpk_fail(err, DPK_ERR_USAGE, "--param '%s': not a number of 32 bits", text);
    int number = dpk_pcc_find_parameter(a->pcc, 0, a->about.slot, name);
    if (number < 0)
        return unknown_parameter(a, name, err);
    enum dpk_status status =
        dpk_pcc_set_parameter(a->pcc, 0, a->about.slot, (unsigned)number, (uint32_t)value, err);
    return status == DPK_OK ? status
                            : dpk_fail(err, DPK_ERR_USAGE, "--param '%s': %s", text, err->message);
}

/* ---- Programs ---- */

/* Chooses the algorithm of the program that gets all events: slot `wanted`, or the first enabled
 * slot. */
static enum dpk_status choose_slot(struct algorithm *a, unsigned wanted, struct dpk_error *err)
{
    bool found = false;
    for (unsigned slot = 0; slot < DPK_PCC_SLOTS; slot++) {
        struct dpk_pcc_algorithm about;
        if (!dpk_pcc_algorithm(a->pcc, 0, slot, &about))
            continue;
        bool mine = wanted != NO_SLOT ? slot == wanted : !found && about.enabled;
        if (mine) {
            a->about = about;
            found = true;
        }
        if (wanted != NO_SLOT && about.enabled != mine) {
            enum dpk_status status = dpk_pcc_enable(a->pcc, 0, slot, mine, err);
            if (status != DPK_OK)
                return status;
        }
    }
    if (found)
        return DPK_OK;
    if (wanted != NO_SLOT)
        return dpk_fail(err, DPK_ERR_USAGE, "%s has no algorithm in slot %u", a->word, wanted);
    return dpk_fail(err, DPK_ERR_NOT_FOUND,
                    "%s enables no algorithm: doca_pcc_dev_user_init calls "
                    "doca_pcc_dev_init_algo_slot for none",
                    a->word);
}

/* Appends the reference that the user may have meant to the error about a missing file. */
static void suggest_reference(const char *word, struct dpk_error *err)
{
    const char *near = dpk_closest(word, model_cc_algorithms);
    if (near && !strchr(word, '/'))
        dpk_fail(err, err->status, "%s; did you mean %s?", err->message, near);
}

/* Loads a program. If no device exists, no device decides whether the program may run. */
static enum dpk_status load(const char *word, const struct options *o, struct dpk_image **image,
                            char directory[PATH_MAX], char device[PATH_MAX], struct dpk_error *err)
{
    struct dpk_source source = {0};
    struct dpk_names names = {0};
    struct dpk_load_result result = {.verdict = DPK_VERDICT_OK};
    enum dpk_status status = dpk_source_open(word, o->app, o->signature, &source, err);
    bool nobody = status == DPK_OK && !o->device && dpk_device_list(&names, NULL) == DPK_OK &&
                  names.count == 0;
    dpk_names_free(&names);
    if (source.no_program)
        dpk_tool_exit_with(dpk_verdict_exit_code(DPK_VERDICT_BAD_FORMAT));
    else if (status == DPK_ERR_NOT_FOUND)
        suggest_reference(word, err);
    directory[0] = device[0] = 0;
    if (status == DPK_OK && nobody) {
        status = dpk_image_examine(source.load.app, NULL, source.load.sections.elf,
                                   source.load.sections.elf_size, image, err);
    } else if (status == DPK_OK) {
        status = dpk_source_device(o->device, &source.load.device, err);
        if (status == DPK_OK)
            status = dpk_load(&source.load, image, &result, err);
        dpk_tool_exit_with(dpk_load_exit_code(status, &result));
        if (status == DPK_OK) {
            snprintf(device, PATH_MAX, "%s", dpk_device_name(source.load.device));
            status = dpk_device_directory(source.load.device, directory, err);
        }
    }
    dpk_device_close(source.load.device);
    dpk_source_close(&source);
    return status;
}

static enum dpk_status open_program(const char *word, const struct options *o, uint32_t speed_gbps,
                                    struct algorithm *a, struct dpk_error *err)
{
    struct dpk_image *image = NULL;
    enum dpk_pcc_role role;
    char directory[PATH_MAX], device[PATH_MAX];
    enum dpk_status status = load(word, o, &image, directory, device, err);
    if (status == DPK_OK && !dpk_pcc_is_program(image, &role))
        status = dpk_fail(
            err, DPK_ERR_NOT_FOUND,
            "%s: the file is not a program of congestion control (doca_pcc_dev_user_algo)", word);
    else if (status == DPK_OK && role != DPK_PCC_RP)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED,
                          "%s: a notification point, which sets no rates; dpapcc runs reaction "
                          "points",
                          word);
    const struct dpk_pcc_options options = {.threads = o->threads,
                                            .speed_gbps = speed_gbps,
                                            .instructions = o->instructions,
                                            .now = virtual_time,
                                            .print = print_text,
                                            .context = a,
                                            .device = device[0] ? device : NULL,
                                            .directory = directory[0] ? directory : NULL};
    if (status == DPK_OK)
        status = dpk_pcc_open(image, &options, &a->pcc, err);
    dpk_image_free(image);
    if (status == DPK_OK)
        status = choose_slot(a, o->slot, err);
    for (size_t i = 0; i < o->parameters.count && status == DPK_OK; i++)
        status = set_parameter(a, o->parameters.at[i], err);
    return status;
}

/* Writes the file's name without folders and suffix. */
static void name_of_file(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    snprintf(out, size, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
    dpk_text_clean_in(out, size);
}

enum dpk_status dpapcc_algorithm_open(const char *word, const struct options *o,
                                      uint32_t speed_gbps, struct algorithm *a,
                                      struct dpk_error *err)
{
    const struct cc_algorithm *reference = model_cc_algorithm(word);
    a->word = word;
    a->threads = o->threads;
    a->quiet = o->quiet;
    if (reference) {
        snprintf(a->name, sizeof a->name, "%s", reference->name);
        a->calls = *reference;
        return o->parameters.count == 0
                   ? DPK_OK
                   : dpk_fail(err, DPK_ERR_USAGE,
                              "%s has the parameters of its paper; --param and --over NAME are for "
                              "programs, --over also for @NAME in --topology or --workload",
                              word);
    }
    name_of_file(word, a->name, sizeof a->name);
    a->calls = (struct cc_algorithm){.name = a->name,
                                     .context_size = sizeof(struct dpk_pcc_context),
                                     .events = 1u << CC_TX | 1u << CC_ACK | 1u << CC_NACK |
                                               1u << CC_CNP | 1u << CC_RTT,
                                     .telemetry = o->telemetry,
                                     .event = give_event,
                                     .self = a};
    return open_program(word, o, speed_gbps, a, err);
}

void dpapcc_algorithm_close(struct algorithm *a)
{
    dpapcc_mix_close(a);
    dpk_pcc_close(a->pcc);
    dpk_buf_free(&a->by_host);
    a->pcc = NULL;
}
