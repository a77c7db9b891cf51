/* Writes the report as a single HTML page with style and pictures inside. All data come from the
 * report; texts of devices, logs and processes are untrusted. */
#include <string.h>

#include "chart/chart.h"
#include "dpadev.h"

static const cJSON *get(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

static const char *text_of(const cJSON *o, const char *key)
{
    const char *text = cJSON_GetStringValue(get(o, key));
    return text ? text : "";
}

enum { LONG = 80, CARD_COLUMNS = 5 };

/* Appends a value: a text, a number, yes or no, or the size of an array. Long texts, such as keys,
 * get a scrollable window. */
static void put_value(struct dpk_buf *out, const cJSON *v)
{
    char number[40];
    if (cJSON_IsString(v) && strlen(v->valuestring) > LONG) {
        dpk_put_format(out, "<div class=\"long\" tabindex=\"0\">");
        chart_put_xml(out, v->valuestring);
        dpk_put_format(out, "</div>");
    } else if (cJSON_IsString(v) || cJSON_IsRaw(v)) {
        chart_put_xml(out, v->valuestring[0] ? v->valuestring : "\u2013");
    } else if (cJSON_IsNumber(v)) {
        snprintf(number, sizeof number, "%.15g", v->valuedouble);
        chart_put_xml(out, number);
    } else if (cJSON_IsBool(v)) {
        dpk_put_format(out, cJSON_IsTrue(v) ? "yes" : "no");
    } else if (cJSON_IsArray(v)) {
        dpk_put_format(out, "%d", cJSON_GetArraySize(v));
    } else {
        dpk_put_format(out, "\u2013");
    }
}

/* ---- Tables ---- */

struct column {
    const char *key, *title;
};

static void begin_section(struct dpk_buf *out, const char *id, const char *title)
{
    dpk_put_format(out, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

/* `cards`: on a small screen, each row becomes a card with the columns' names. */
static void begin_table(struct dpk_buf *out, const char *about, bool cards)
{
    dpk_put_format(out,
                   "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
                   "<table class=\"text%s\">\n",
                   about, cards ? " cards" : "");
}

static void end_table(struct dpk_buf *out)
{
    dpk_put_format(out, "</tbody></table></div>\n");
}

/* Appends a row for each element. `none` is the text for an empty table. */
static void put_table(struct dpk_buf *out, const char *about, const cJSON *rows,
                      const struct column *columns, size_t count, const char *none)
{
    const cJSON *row;
    if (cJSON_GetArraySize(rows) == 0) {
        dpk_put_format(out, "<p>%s</p>\n", none);
        return;
    }
    const bool cards = count >= CARD_COLUMNS;
    begin_table(out, about, cards);
    dpk_put_format(out, "<thead><tr>");
    for (size_t i = 0; i < count; i++)
        dpk_put_format(out, "<th scope=\"col\">%s</th>", columns[i].title);
    dpk_put_format(out, "</tr></thead><tbody>\n");
    cJSON_ArrayForEach(row, rows)
    {
        dpk_put_format(out, "<tr>");
        for (size_t i = 0; i < count; i++) {
            if (cards)
                dpk_put_format(out, "<td data-k=\"%s\">", columns[i].title);
            else
                dpk_put_format(out, "<td>");
            put_value(out, get(row, columns[i].key));
            dpk_put_format(out, "</td>");
        }
        dpk_put_format(out, "</tr>\n");
    }
    end_table(out);
}
#define PUT_TABLE(out, about, rows, columns, none)                                                 \
    put_table(out, about, rows, columns, sizeof(columns) / sizeof *(columns), none)

/* Appends a table of names and values. */
static void put_list(struct dpk_buf *out, const char *about, const cJSON *o,
                     const struct column *columns, size_t count)
{
    begin_table(out, about, false);
    dpk_put_format(out, "<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        dpk_put_format(out, "<tr><th scope=\"row\">%s</th><td>", columns[i].title);
        put_value(out, get(o, columns[i].key));
        dpk_put_format(out, "</td></tr>\n");
    }
    end_table(out);
}
#define PUT_LIST(out, about, o, columns)                                                           \
    put_list(out, about, o, columns, sizeof(columns) / sizeof *(columns))

/* Appends all members that are numbers, with their own names. */
static void put_counters(struct dpk_buf *out, const char *about, const cJSON *o)
{
    const cJSON *v;
    begin_table(out, about, false);
    dpk_put_format(out, "<tbody>\n");
    cJSON_ArrayForEach(v, o)
    {
        if (!cJSON_IsRaw(v) && !cJSON_IsNumber(v))
            continue;
        dpk_put_format(out, "<tr><th scope=\"row\">");
        chart_put_xml(out, v->string);
        dpk_put_format(out, "</th><td>");
        put_value(out, v);
        dpk_put_format(out, "</td></tr>\n");
    }
    end_table(out);
}

/* ---- Picture of the chain of trust ---- */

enum { WIDE = 340, LINE = 18, GAP = 34, BETWEEN = 6, LETTERS = 42 };

/* Appends one line of a box. Long text is cut between characters. */
static void put_words(struct dpk_buf *out, int y, const char *class, const char *text)
{
    char cut[4 * LETTERS + 4];
    size_t n = 0, letters = 0;
    for (; text[n] && letters < LETTERS && n < sizeof cut - 8; n++)
        letters += ((unsigned char)text[n + 1] & 0xc0) != 0x80;
    snprintf(cut, sizeof cut, "%.*s%s", (int)n, text, text[n] ? "\u2026" : "");
    dpk_put_format(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, 12, y);
    chart_put_xml(out, cut);
    dpk_put_format(out, "</text>\n");
}

/* Appends a box with a title and a line at `y`. Returns the place of the next box. */
static int put_box(struct dpk_buf *out, int y, const char *title, const char *line)
{
    const int height = 12 + 2 * LINE;
    dpk_put_format(out, "<rect x=\"1\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", y,
                   WIDE - 2, height);
    put_words(out, y + LINE, "strong", title);
    put_words(out, y + 2 * LINE, "faint", line);
    return y + height + BETWEEN;
}

/* Appends an arrow from the box that ends before `y`, with words beside it. Returns its end. */
static int put_arrow(struct dpk_buf *out, int y, const char *words)
{
    y -= BETWEEN;
    dpk_put_format(out, "<path d=\"M24 %dv%dm-4 -6l4 6l4 -6\"/>\n", y, GAP);
    dpk_put_format(out, "<text class=\"faint\" x=\"36\" y=\"%d\">%s</text>\n", y + GAP / 2 + 5,
                   words);
    return y + GAP;
}

static const char *loads(const cJSON *device, const char *view)
{
    const char *which = text_of(get(device, "loadable_programs"), view);
    return which[0] == 'a'   ? "any program, signed or not"
           : which[0] == 'c' ? "what leads to a CA certificate"
                             : "no program";
}

static int put_boxes(struct dpk_buf *out, const cJSON *device)
{
    const cJSON *certs = get(device, "ca_certificates"), *v;
    const char *owner = text_of(device, "owner_keypair_uuid");
    int y = 1;
    cJSON_ArrayForEach(v, get(device, "nvidia_keys")) y =
        put_box(out, y, "NVIDIA key pair", text_of(v, "uuid"));
    y = put_arrow(out, y, owner[0] ? "made the owner known" : "may make an owner known");
    y = put_box(out, y, "Owner's key pair", owner[0] ? owner : "none yet");
    y = put_arrow(out, y, "installs CA certificates");
    if (cJSON_GetArraySize(certs) == 0)
        y = put_box(out, y, "CA certificates", "none");
    cJSON_ArrayForEach(v, certs) y = put_box(out, y, text_of(v, "subject"), text_of(v, "uuid"));
    y = put_arrow(out, y, "which vouch for who signs programs");
    y = put_box(out, y, "Loads now", loads(device, "current"));
    return put_box(out, y, "Loads after the next reset", loads(device, "next_boot"));
}

static void put_trust(struct dpk_buf *out, const cJSON *report)
{
    const cJSON *reasons = get(report, "reasons");
    struct dpk_buf boxes = {0};
    const int high = put_boxes(&boxes, get(report, "device"));
    dpk_put_format(out,
                   "<svg class=\"boxes\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
                   "aria-labelledby=\"trust-t trust-d\"><title id=\"trust-t\">Chain of trust"
                   "</title><desc id=\"trust-d\">",
                   WIDE, high, WIDE);
    chart_put_xml(out, text_of(reasons, "current"));
    dpk_put_format(out, " After the next reset: ");
    chart_put_xml(out, text_of(reasons, "next_boot"));
    dpk_put_format(out, "</desc>\n");
    dpk_put(out, boxes.data, boxes.size);
    dpk_put_format(out, "</svg>\n");
    out->failed |= boxes.failed;
    dpk_buf_free(&boxes);
}

/* ---- Sections ---- */

static void put_tile(struct dpk_buf *out, const char *title, const cJSON *v)
{
    dpk_put_format(out, "<div><dt>%s</dt><dd>", title);
    put_value(out, v);
    dpk_put_format(out, "</dd></div>\n");
}

static void put_tiles(struct dpk_buf *out, const cJSON *report)
{
    const cJSON *device = get(report, "device");
    const cJSON *authentication = get(device, "dpa_authentication");
    dpk_put_format(out, "<dl class=\"tiles\">\n");
    put_tile(out, "Only signed programs now", get(authentication, "current"));
    put_tile(out, "After the next reset", get(authentication, "next_boot"));
    put_tile(out, "CA certificates", get(device, "ca_certificates"));
    put_tile(out, "Processes", get(report, "processes"));
    put_tile(out, "Life cycle", get(device, "life_cycle"));
    dpk_put_format(out, "</dl>\n");
}

static void put_programs(struct dpk_buf *out, const cJSON *report)
{
    static const struct column columns[] = {
        {"subject", "Subject"},       {"uuid", "UUID"},
        {"priority", "Priority"},     {"installed_by", "Installed by"},
        {"valid_from", "Valid from"}, {"valid_until", "Valid until"},
        {"sha256", "SHA-256"}};
    const cJSON *device = get(report, "device"), *reasons = get(report, "reasons");
    begin_section(out, "programs", "Which programs load, and why");
    dpk_put_format(out, "<p><strong>Now.</strong> ");
    chart_put_xml(out, text_of(reasons, "current"));
    dpk_put_format(out, "</p>\n<p><strong>After the next reset.</strong> ");
    chart_put_xml(out, text_of(reasons, "next_boot"));
    dpk_put_format(out, "</p>\n");
    put_trust(out, report);
    dpk_put_format(out, "<h3>CA certificates</h3>\n");
    PUT_TABLE(out, "CA certificates", get(device, "ca_certificates"), columns,
              "There is no CA certificate.");
    dpk_put_format(out, "</section>\n");
}

static void put_configuration(struct dpk_buf *out, const cJSON *report)
{
    static const struct column columns[] = {{"name", "Parameter"},      {"default", "Default"},
                                            {"current", "Current"},     {"next_boot", "Next boot"},
                                            {"changes", "Will change"}, {"read_only", "Read only"}};
    begin_section(out, "configuration", "NV configuration");
    PUT_TABLE(out, "NV configuration", get(report, "configuration"), columns, "No parameters.");
    dpk_put_format(out, "</section>\n");
}

static void put_running(struct dpk_buf *out, const cJSON *report)
{
    static const struct column processes[] = {{"pid", "Process"},
                                              {"program", "Program"},
                                              {"state", "State"},
                                              {"threads", "Threads"},
                                              {"instructions", "Instructions"}};
    static const struct column partitions[] = {
        {"id", "Partition"}, {"units", "Units"}, {"max_num_eu_group", "Groups at most"}};
    static const struct column groups[] = {
        {"id", "Group"}, {"name", "Name"}, {"partition", "Partition"}, {"units", "Units"}};
    const cJSON *device = get(report, "device");
    begin_section(out, "running", "Processes and execution units");
    PUT_TABLE(out, "Processes", get(report, "processes"), processes, "No process runs.");
    PUT_TABLE(out, "Partitions", get(device, "partitions"), partitions,
              "The execution units are in no partition.");
    PUT_TABLE(out, "Groups", get(device, "eu_groups"), groups, "There is no group of units.");
    dpk_put_format(out, "</section>\n");
}

static void put_traffic(struct dpk_buf *out, const cJSON *report)
{
    static const struct column queues[] = {
        {"kind", "Queue"},          {"number", "Number"},          {"process", "Process"},
        {"gone", "Gone"},           {"tx_packets", "Sent"},        {"rx_packets", "Received"},
        {"tx_bytes", "Bytes sent"}, {"rx_bytes", "Bytes received"}};
    const cJSON *counters = get(report, "counters"), *port = get(counters, "port");
    begin_section(out, "traffic", "Port, queues and drops");
    put_counters(out, "Counters of the port", port);
    dpk_put_format(out, "<h3>Drops</h3>\n");
    put_counters(out, "Drops of the port", get(port, "drops"));
    dpk_put_format(out, "<h3>Queues</h3>\n");
    PUT_TABLE(out, "Queues", get(counters, "queues"), queues, "There was no queue.");
    dpk_put_format(out, "</section>\n");
}

static void put_log(struct dpk_buf *out, const cJSON *report)
{
    static const struct column columns[] = {{"time", "Time"},     {"command", "Program"},
                                            {"uid", "User"},      {"action", "Action"},
                                            {"result", "Result"}, {"detail", "Detail"}};
    begin_section(out, "log", "Event log");
    PUT_TABLE(out, "Event log", get(report, "log"), columns, "Nothing has happened.");
    dpk_put_format(out, "</section>\n");
}

static void put_identity(struct dpk_buf *out, const cJSON *report)
{
    static const struct column columns[] = {{"alias", "Alias"},
                                            {"pci_address", "PCI address"},
                                            {"part_number", "Part number"},
                                            {"psid", "PSID"},
                                            {"serial", "Serial number"},
                                            {"hw_target", "Type"},
                                            {"created", "Created"},
                                            {"wire", "Wire"},
                                            {"fabric", "Fabric"}};
    begin_section(out, "identity", "Identity");
    PUT_LIST(out, "Identity", get(report, "device"), columns);
    dpk_put_format(out, "</section>\n");
}

void dpadev_put_page(struct dpk_buf *out, const cJSON *report)
{
    const cJSON *device = get(report, "device");
    chart_page_begin(out, text_of(device, "name"), "programs", "To the programs that load");
    dpk_put_format(out, "<header><h1>");
    chart_put_xml(out, text_of(device, "name"));
    dpk_put_format(out, "</h1>\n<p>");
    chart_put_xml(out, text_of(device, "description"));
    dpk_put_format(out, "</p></header>\n<main>\n");
    put_tiles(out, report);
    put_programs(out, report);
    put_configuration(out, report);
    put_running(out, report);
    dpadev_put_heat(out, get(report, "units"));
    dpadev_put_flame(out, get(report, "profile"));
    put_traffic(out, report);
    put_log(out, report);
    put_identity(out, report);
    dpk_put_format(out, "</main>\n<footer><p>As of ");
    chart_put_xml(out, text_of(report, "made"));
    dpk_put_format(out,
                   ", by dpadev of dpakit %s. An emulated device: dpa-provisioning(7).</p>"
                   "</footer>\n</body>\n</html>\n",
                   dpk_version);
}
