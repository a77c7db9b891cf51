/* Makes the network and its traffic from the command line. */
#include <string.h>

#include "dpapcc.h"

/* Returns true for a file: its name, before parameters, has a slash or a dot; names of shapes have
 * neither. */
static bool is_file(const char *text)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    return memchr(text, '/', length) || memchr(text, '.', length);
}

/* Gets the folder of a file's name; "" for the current folder. */
static const char *folder_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    snprintf(out, PATH_MAX, "%.*s", slash ? (int)(slash - path) : 0, path);
    return slash == path ? "/" : out;
}

/* Names the option whose text is wrong: that is wrong usage. */
static enum dpk_status of_option(const char *option, enum dpk_status status, struct dpk_error *err)
{
    if (status == DPK_OK || status == DPK_ERR_NOMEM)
        return status;
    dpk_error_prefix(err, "%s", option);
    return DPK_ERR_USAGE;
}

/* Files of the topology's workload are relative to the topology file. */
static enum dpk_status read_topology(const char *text, struct scenario *s, struct dpk_error *err)
{
    if (!is_file(text))
        return of_option("--topology", model_cc_named(text, &s->net, &s->work, err), err);
    struct dpk_buf file = {0};
    enum dpk_status status = dpk_file_read(text, (size_t)64 << 20, &file, err);
    if (status == DPK_OK) {
        status = model_cc_read(file.data, file.size, &s->net, &s->work, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", text);
    }
    char folder[PATH_MAX];
    if (status == DPK_OK)
        status = model_cc_load(&s->work, folder_of(text, folder), err);
    dpk_buf_free(&file);
    return status;
}

/* Returns the rate of the hosts' ports if it is equal for all. */
static double line_rate(const struct cc_topology *net)
{
    uint32_t mbps = net->rate_mbps;
    bool found = false;
    for (uint32_t i = 0; net->shape == CC_CUSTOM && i < net->link_count; i++) {
        const struct cc_link *l = &net->links[i];
        if (net->nodes[l->from].is_switch && net->nodes[l->to].is_switch)
            continue;
        if (found && l->rate_mbps != mbps)
            return 0;
        mbps = l->rate_mbps;
        found = true;
    }
    return (double)mbps * 1e6;
}

enum dpk_status dpapcc_scenario_open(const struct options *o, struct scenario *s,
                                     struct dpk_error *err)
{
    s->topology = o->topology;
    s->workload = o->workload;
    s->seed = o->seed;
    s->time_ns = o->time_ns;
    s->interval_ns = o->interval_ns ? o->interval_ns : o->time_ns / 1000;
    if (s->interval_ns == 0)
        s->interval_ns = 1;
    if (s->time_ns / s->interval_ns > 100000)
        return dpk_fail(err, DPK_ERR_USAGE, "--interval: more than 100000 samples in --time");
    enum dpk_status status = read_topology(o->topology, s, err);
    if (status == DPK_OK && o->workload) {
        model_cc_workload_free(&s->work);
        s->work = (struct cc_workload){0};
        status = of_option("--workload", model_cc_workload_named(o->workload, &s->work, err), err);
        if (status == DPK_OK && (status = model_cc_load(&s->work, "", err)) != DPK_OK)
            dpk_error_prefix(err, "--workload");
    }
    for (size_t i = 0; i < o->failures.count && status == DPK_OK; i++)
        status = of_option("--fail", model_cc_failure_named(o->failures.at[i], &s->net, err), err);
    s->work.until_end = o->until_end;
    s->line_bps = status == DPK_OK ? line_rate(&s->net) : 0;
    return status;
}

void dpapcc_scenario_close(struct scenario *s)
{
    model_cc_workload_free(&s->work);
    model_cc_topology_free(&s->net);
}

const char *dpapcc_node_name(const struct scenario *s, uint32_t node, char out[CC_NAME_MAX + 8])
{
    if (node < s->net.node_count && s->net.nodes[node].name[0])
        snprintf(out, CC_NAME_MAX + 8, "%s", s->net.nodes[node].name);
    else
        snprintf(out, CC_NAME_MAX + 8, "node%u", node);
    return dpk_text_clean_in(out, CC_NAME_MAX + 8);
}
