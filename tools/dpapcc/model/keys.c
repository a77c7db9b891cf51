/* The keys with their units, limits and fields. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"

enum unit { COUNT, BYTES, RATE, TIME, SHARE, SWITCH, SIZES, NAME, FILE_NAME };

struct key {
    const char *name;
    enum unit unit;
    size_t offset;
    bool wide;            /* the field has 64 bits instead of 32 */
    uint64_t least, most; /* in the field's unit */
};

#define AT(type, field) offsetof(struct type, field)
#define HOSTS_MAX       8000
#define BUFFER_MAX      ((uint64_t)1 << 30)
#define TIME_MAX        ((uint64_t)10000000000) /* 10 s */
#define SIZE_MAX_BYTES  ((uint64_t)1 << 40)
#define MILLION         1000000

static const struct key topology_keys[] = {
    {"senders", COUNT, AT(cc_topology, senders), false, 1, HOSTS_MAX},
    {"k", COUNT, AT(cc_topology, k), false, 2, 32},
    {"rate", RATE, AT(cc_topology, rate_mbps), false, 1, CC_RATE_MAX_MBPS},
    {"delay", TIME, AT(cc_topology, delay_ns), true, 0, CC_DELAY_MAX_NS},
    {"core.rate", RATE, AT(cc_topology, core_rate_mbps), false, 1, CC_RATE_MAX_MBPS},
    {"core.delay", TIME, AT(cc_topology, core_delay_ns), true, 0, CC_DELAY_MAX_NS},
    {"mtu", COUNT, AT(cc_topology, mtu), false, 256, 4096},
    {"burst", COUNT, AT(cc_topology, burst), false, 1, 64},
    {"ack-every", COUNT, AT(cc_topology, ack_every), false, 1, 1024},
    {"cnp-interval", TIME, AT(cc_topology, cnp_interval_ns), true, 0, 1000000000},
    {"timeout", TIME, AT(cc_topology, timeout_ns), true, 1000, 1000000000},
    {"warmup", TIME, AT(cc_topology, warmup_ns), true, 0, TIME_MAX},
    {"reroute", TIME, AT(cc_topology, reroute_ns), true, 0, TIME_MAX},
    {"buffer", BYTES, AT(cc_topology, buffer), true, 16384, BUFFER_MAX},
    {"ecn.enabled", SWITCH, AT(cc_topology, ecn), false, 0, 1},
    {"ecn.kmin", BYTES, AT(cc_topology, kmin), true, 0, BUFFER_MAX},
    {"ecn.kmax", BYTES, AT(cc_topology, kmax), true, 0, BUFFER_MAX},
    {"ecn.pmax", SHARE, AT(cc_topology, pmax), false, 0, MILLION},
    {"pfc.enabled", SWITCH, AT(cc_topology, pfc), false, 0, 1},
    {"pfc.xoff", BYTES, AT(cc_topology, xoff), true, 0, BUFFER_MAX},
    {"pfc.xon", BYTES, AT(cc_topology, xon), true, 0, BUFFER_MAX},
    {0},
};

static const struct key work_keys[] = {
    {"start", TIME, AT(cc_work, start_ns), true, 0, TIME_MAX},
    {"stop", TIME, AT(cc_work, stop_ns), true, 0, TIME_MAX},
    {"stagger", TIME, AT(cc_work, stagger_ns), true, 0, TIME_MAX},
    {"size", BYTES, AT(cc_work, size), true, 0, SIZE_MAX_BYTES},
    {"period", TIME, AT(cc_work, period_ns), true, 0, TIME_MAX},
    {"flows", COUNT, AT(cc_work, flows), false, 1, CC_FLOWS_MAX},
    {"sizes", SIZES, AT(cc_work, sizes), false, 0, 0},
    {"load", SHARE, AT(cc_work, load), false, 1, MILLION},
    {"from", NAME, AT(cc_work, from), false, 0, 0},
    {"to", NAME, AT(cc_work, to), false, 0, 0},
    {"algorithm", COUNT, AT(cc_work, algorithm), false, 1, CC_ALGORITHMS_MAX},
    {"file", FILE_NAME, AT(cc_work, file), false, 0, 0},
    {0},
};

static const struct key failure_keys[] = {
    {"down", TIME, AT(cc_failure, down_ns), true, 0, TIME_MAX},
    {"up", TIME, AT(cc_failure, up_ns), true, 1, TIME_MAX},
    {0},
};

static const struct key link_keys[] = {
    {"rate", RATE, AT(cc_link, rate_mbps), false, 1, CC_RATE_MAX_MBPS},
    {"delay", TIME, AT(cc_link, delay_ns), true, 0, CC_DELAY_MAX_NS},
    {0},
};

/* ---- Values ---- */

struct suffix {
    const char *text;
    uint64_t factor; /* in thousandths of the field's unit */
};
static const struct suffix counts[] = {{"", 1000}, {0}};
static const struct suffix bytes[] = {{"", 1000},           {"B", 1000},
                                      {"K", 1000000},       {"M", 1000000000},
                                      {"G", 1000000000000}, {"KiB", 1024000},
                                      {"MiB", 1048576000},  {"KB", 1000000},
                                      {"MB", 1000000000},   {0}};
static const struct suffix rates[] = {{"M", 1000},          {"G", 1000000},
                                      {"T", 1000000000},    {"Mbps", 1000},
                                      {"Gbps", 1000000},    {"Tbps", 1000000000},
                                      {"Mb/s", 1000},       {"Gb/s", 1000000},
                                      {"Tb/s", 1000000000}, {0}};
static const struct suffix times[] = {
    {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}, {0}};
static const struct suffix shares[] = {{"", 1000000000}, {"%", 10000000}, {0}};

static const struct {
    const struct suffix *suffixes;
    const char *what, *example;
} units[] = {
    [COUNT] = {counts, "a number", "16"}, [BYTES] = {bytes, "bytes", "100K"},
    [RATE] = {rates, "a rate", "100G"},   [TIME] = {times, "a time", "1.5us"},
    [SHARE] = {shares, "a share", "0.2"},
};

/* Parses a decimal number with up to nine fractional digits and a suffix. The result is in
 * thousandths, below 2^63. */
static bool parse_decimal(const char *text, const struct suffix *suffixes, uint64_t *out)
{
    uint64_t whole = 0, part = 0, scale = 1;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        whole = whole * 10 + (uint64_t)(*at - '0');
        if (whole > 1000000000000)
            return false;
    }
    if (at == text)
        return false;
    if (*at == '.' && at[1] >= '0' && at[1] <= '9')
        for (at++; *at >= '0' && *at <= '9'; at++) {
            if (scale == 1000000000)
                return false;
            part = part * 10 + (uint64_t)(*at - '0');
            scale *= 10;
        }
    at += *at == ' ';
    for (; suffixes->text; suffixes++) {
        uint64_t value;
        if (strcmp(at, suffixes->text) != 0)
            continue;
        if (__builtin_mul_overflow(whole, suffixes->factor, &value) || value >> 62)
            return false;
        /* the factor is at most 10^12, the part below 10^9 */
        __extension__ const unsigned __int128 rest =
            (unsigned __int128)suffixes->factor * part / scale;
        *out = value + (uint64_t)rest;
        return true;
    }
    return false;
}

static enum dpk_status read_number(const struct key *key, const char *text, uint64_t *out,
                                   struct dpk_error *err)
{
    uint64_t thousandths;
    if (!parse_decimal(text, units[key->unit].suffixes, &thousandths) || thousandths % 1000)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: \"%.40s\" is not %s, as %s is", key->name, text,
                        units[key->unit].what, units[key->unit].example);
    *out = thousandths / 1000;
    if (*out >= key->least && *out <= key->most)
        return DPK_OK;
    if (key->unit == SHARE)
        return dpk_fail(err, DPK_ERR_RANGE, "%s: %.40s is not within %s to 1", key->name, text,
                        key->least ? "0.000001" : "0");
    return dpk_fail(err, DPK_ERR_RANGE, "%s: %.40s is not within %" PRIu64 " to %" PRIu64 "%s",
                    key->name, text, key->least, key->most,
                    key->unit == RATE    ? " Mb/s"
                    : key->unit == TIME  ? " ns"
                    : key->unit == BYTES ? " bytes"
                                         : "");
}

enum dpk_status model_cc_parse_time(const char *text, uint64_t *ns, struct dpk_error *err)
{
    const struct key key = {"time", TIME, 0, true, 0, UINT64_MAX};
    return read_number(&key, text, ns, err);
}

enum dpk_status model_cc_parse_bytes(const char *text, uint64_t *out, struct dpk_error *err)
{
    const struct key key = {"size", BYTES, 0, true, 0, SIZE_MAX_BYTES};
    return read_number(&key, text, out, err);
}

static enum dpk_status read_word(const struct key *key, const char *text, const char *const *words,
                                 const uint8_t *values, uint64_t *out, struct dpk_error *err)
{
    for (size_t i = 0; words[i]; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = values[i];
            return DPK_OK;
        }
    return dpk_fail(err, DPK_ERR_FORMAT, "%s: \"%.40s\" is neither %s nor %s%s", key->name, text,
                    words[0], words[1],
                    key->unit == SIZES ? ", nor a file, whose name has a slash or a dot" : "");
}

static enum dpk_status read_value(const struct key *key, const char *text, uint64_t *out,
                                  struct dpk_error *err)
{
    static const char *const truth[] = {"true", "false", "yes", "no", "on", "off", NULL};
    static const char *const sizes[] = {"websearch", "hadoop", NULL};
    if (key->unit == SWITCH)
        return read_word(key, text, truth, (const uint8_t[]){1, 0, 1, 0, 1, 0}, out, err);
    if (key->unit == SIZES)
        return read_word(key, text, sizes, (const uint8_t[]){CC_WEBSEARCH, CC_HADOOP}, out, err);
    return read_number(key, text, out, err);
}

/* ---- Keys ---- */

/* Sets a text field of `size` bytes. */
static enum dpk_status set_text(const struct key *key, char *field, size_t size, const char *text,
                                struct dpk_error *err)
{
    if (!*text || strlen(text) >= size)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: a name has 1 to %zu bytes", key->name, size - 1);
    memcpy(field, text, strlen(text) + 1);
    return DPK_OK;
}

/* Returns true if the value of `sizes` is a file: it has a slash or a dot. */
static bool is_file(const struct key *key, const char *text)
{
    return key->unit == SIZES && strpbrk(text, "/.");
}

/* Writes "no WHAT "WORD"", and the nearest of the known words, or all of them if none is near. */
static enum dpk_status not_known(const char *what, const char *word, const char *const *known,
                                 struct dpk_error *err)
{
    const char *near = dpk_closest(word, known);
    char list[400] = "";
    for (size_t i = 0, used = 0; known[i] && !near && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no %s \"%.40s\" (%s%s%s)", what, word,
                    near ? "did you mean " : "there are ", near ? near : list, near ? "?" : "");
}

static enum dpk_status set(const struct key *keys, void *object, const char *name, const char *text,
                           struct dpk_error *err)
{
    const char *names[32] = {0};
    size_t count = 0;
    const struct key *key = keys;
    for (; key->name && strcmp(key->name, name) != 0; key++)
        names[count++] = key->name;
    if (!key->name)
        return not_known("key", name, names, err);
    uint8_t *field = (uint8_t *)object + key->offset;
    if (key->unit == NAME || key->unit == FILE_NAME)
        return set_text(key, (char *)field, key->unit == NAME ? CC_NAME_MAX : CC_FILE_NAME_MAX,
                        text, err);
    if (is_file(key, text)) {
        ((struct cc_work *)object)->sizes = CC_SIZES_FILE;
        return set_text(key, ((struct cc_work *)object)->file, CC_FILE_NAME_MAX, text, err);
    }
    uint64_t value = 0;
    const enum dpk_status status = read_value(key, text, &value, err);
    if (status != DPK_OK)
        return status;
    const uint32_t narrow = (uint32_t)value;
    const bool truth = value;
    if (key->unit == SWITCH)
        memcpy(field, &truth, sizeof truth);
    else if (key->wide)
        memcpy(field, &value, sizeof value);
    else
        memcpy(field, &narrow, sizeof narrow);
    return DPK_OK;
}

enum dpk_status model_keys_set_topology(struct cc_topology *net, const char *key, const char *value,
                                        struct dpk_error *err)
{
    return set(topology_keys, net, key, value, err);
}

enum dpk_status model_keys_set_work(struct cc_work *work, const char *key, const char *value,
                                    struct dpk_error *err)
{
    return set(work_keys, work, key, value, err);
}

enum dpk_status model_keys_set_link(struct cc_link *link, const char *key, const char *value,
                                    struct dpk_error *err)
{
    return set(link_keys, link, key, value, err);
}

enum dpk_status model_keys_set_failure(struct cc_failure *failure, const char *key,
                                       const char *value, struct dpk_error *err)
{
    return set(failure_keys, failure, key, value, err);
}

/* ---- Defaults ---- */

/* Gets the index of a word in a list. The error suggests a near word, or lists all. */
static enum dpk_status find_word(const char *word, const char *const *words, const char *what,
                                 uint32_t *out, struct dpk_error *err)
{
    for (*out = 0; words[*out]; ++*out)
        if (strcmp(word, words[*out]) == 0)
            return DPK_OK;
    return not_known(what, word, words, err);
}

enum dpk_status model_keys_default_topology(const char *shape, struct cc_topology *net,
                                            struct dpk_error *err)
{
    static const char *const shapes[] = {
        [CC_DUMBBELL] = "dumbbell", [CC_INCAST] = "incast", [CC_PARKING_LOT] = "parking-lot",
        [CC_FAT_TREE] = "fat-tree", [CC_CUSTOM] = "custom", NULL};
    uint32_t found = 0;
    const enum dpk_status status = find_word(shape, shapes, "topology", &found, err);
    if (status == DPK_OK)
        *net = (struct cc_topology){.shape = (enum cc_shape)found,
                                    .senders = found == CC_INCAST ? 16 : 2,
                                    .k = 4,
                                    .rate_mbps = 100000,
                                    .delay_ns = 1000,
                                    .mtu = 1024,
                                    .burst = 1,
                                    .ack_every = 1,
                                    .cnp_interval_ns = 50000,
                                    .timeout_ns = 1000000,
                                    .buffer = 32000000,
                                    .ecn = true,
                                    .pfc = true,
                                    .pmax = 200000};
    return status;
}

enum dpk_status model_keys_default_work(const char *kind, struct cc_work *work,
                                        struct dpk_error *err)
{
    static const char *const kinds[] = {
        [CC_LONG] = "long", [CC_BURSTS] = "bursts", [CC_POISSON] = "poisson",
        [CC_FLOW] = "flow", [CC_TRACE] = "trace",   NULL};
    uint32_t found = 0;
    const enum dpk_status status = find_word(kind, kinds, "kind of workload", &found, err);
    if (status == DPK_OK)
        *work = (struct cc_work){.kind = (enum cc_work_kind)found,
                                 .load = 300000,
                                 .size = found == CC_BURSTS ? 64000 : 0};
    return status;
}

enum dpk_status model_keys_add_work(struct cc_workload *work, const struct cc_work *item,
                                    struct dpk_error *err)
{
    if (work->count == 1000)
        return dpk_fail(err, DPK_ERR_RANGE, "more than 1000 items of a workload");
    struct cc_work *items = realloc(work->items, (work->count + 1) * sizeof *items);
    if (!items)
        return dpk_fail_nomem(err);
    work->items = items;
    items[work->count++] = *item;
    return DPK_OK;
}
