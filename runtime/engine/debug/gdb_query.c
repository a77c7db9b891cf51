/* Questions of GDB (Remote Serial Protocol, "General Query Packets"). */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "engine/debug/gdb.h"

/* Returns the text after `prefix`, or NULL if `text` does not begin with `prefix`. */
static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* ---- Documents ---- */

/* The registers by the names of the GDB manual (G.5.12, "RISC-V Features"). */
static void put_target_xml(struct dpk_buf *b)
{
    static const char *const names[32] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                          "fp",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                          "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                          "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    dpk_put_format(b, "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                      "<target version=\"1.0\"><architecture>riscv:rv64</architecture>"
                      "<feature name=\"org.gnu.gdb.riscv.cpu\">");
    for (unsigned i = 0; i < 32; i++)
        dpk_put_format(b, "<reg name=\"%s\" bitsize=\"64\" type=\"%s\" regnum=\"%u\"/>", names[i],
                       i == 1                       ? "code_ptr"
                       : i == 2 || i == 3 || i == 4 ? "data_ptr"
                                                    : "int",
                       i);
    dpk_put_format(b, "<reg name=\"pc\" bitsize=\"64\" type=\"code_ptr\" regnum=\"32\"/>"
                      "</feature></target>");
}

/* Replaces characters that an XML attribute or a packet cannot hold unescaped. */
static void keep_plain(char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(" _+.,:()/-", *text))
            *text = '?';
}

static void put_threads_xml(struct gdb *g, struct dpk_buf *b)
{
    unsigned ids[GDB_THREADS_MAX];
    size_t count = g->ops->threads(g->target, ids, GDB_THREADS_MAX);
    dpk_put_format(b, "<?xml version=\"1.0\"?><threads>");
    for (size_t i = 0; i < count; i++) {
        char text[160] = "";
        g->ops->describe(g->target, ids[i], text, sizeof text);
        keep_plain(text);
        dpk_put_format(b, "<thread id=\"%x\">%s</thread>", ids[i], text);
    }
    dpk_put_format(b, "</threads>");
}

/* Answers with a part of a document: "OFFSET,LENGTH". */
static void put_part(struct gdb *g, const struct dpk_buf *document, const char *text)
{
    uint64_t offset, length;
    bool good = debug_gdb_number(&text, &offset) && *text++ == ',' &&
                debug_gdb_number(&text, &length) && *text == '\0' && offset <= document->size &&
                !document->failed;
    if (!good) {
        debug_gdb_error(g, EINVAL);
        return;
    }
    uint64_t left = document->size - offset;
    if (length > GDB_PACKET_MAX / 2)
        length = GDB_PACKET_MAX / 2;
    dpk_put_u8(&g->body, length < left ? 'm' : 'l');
    dpk_put(&g->body, document->data + offset, (size_t)(length < left ? length : left));
}

static void transfer(struct gdb *g, const char *text)
{
    struct dpk_buf document = {0};
    const char *rest;
    if ((rest = after(text, "features:read:target.xml:")) != NULL)
        put_target_xml(&document);
    else if ((rest = after(text, "threads:read::")) != NULL)
        put_threads_xml(g, &document);
    else if (after(text, "features:read:") != NULL)
        debug_gdb_error(g, ENOENT); /* no such annex */
    if (rest != NULL)
        put_part(g, &document, rest);
    dpk_buf_free(&document);
}

/* ---- Threads ---- */

static void list_threads(struct gdb *g)
{
    unsigned ids[GDB_THREADS_MAX];
    size_t count = g->ops->threads(g->target, ids, GDB_THREADS_MAX);
    for (size_t i = 0; i < count; i++)
        dpk_put_format(&g->body, "%c%x", i == 0 ? 'm' : ',', ids[i]);
}

static void about_thread(struct gdb *g, const char *text)
{
    uint64_t id;
    char out[160] = "";
    if (!debug_gdb_number(&text, &id) || *text != '\0' || id > UINT32_MAX) {
        debug_gdb_error(g, EINVAL);
        return;
    }
    g->ops->describe(g->target, (unsigned)id, out, sizeof out);
    debug_gdb_hex(g, out, strlen(out));
}

/* ---- monitor ---- */

/* Carries out "monitor WORDS"; the words are in hexadecimal. */
static void monitor(struct gdb *g, const char *text)
{
    char words[64] = "";
    size_t size = strlen(text) / 2;
    if (size >= sizeof words || !debug_gdb_unhex(&text, (uint8_t *)words, size) || *text != '\0') {
        debug_gdb_error(g, EINVAL);
        return;
    }
    if (strcmp(words, "policy") != 0)
        debug_gdb_say(g, "monitor policy: what the device allows debuggers\n");
    else if (g->why)
        debug_gdb_say(g, g->why);
    else
        debug_gdb_say(g, "debuggers may look and change everything");
    if (strcmp(words, "policy") == 0)
        debug_gdb_say(g, "\n");
    dpk_put_format(&g->body, "OK");
}

void debug_gdb_query(struct gdb *g, const char *text)
{
    const char *rest;
    if (after(text, "Supported") != NULL)
        dpk_put_format(&g->body,
                       "PacketSize=%x;QStartNoAckMode+;vContSupported+;qXfer:features:read+;"
                       "qXfer:threads:read+%s",
                       GDB_PACKET_MAX, g->ops->back ? ";ReverseStep+;ReverseContinue+" : "");
    else if (strcmp(text, "C") == 0)
        dpk_put_format(&g->body, "QC%x", debug_gdb_thread(g));
    else if (strcmp(text, "fThreadInfo") == 0)
        list_threads(g);
    else if (strcmp(text, "sThreadInfo") == 0)
        dpk_put_u8(&g->body, 'l');
    else if ((rest = after(text, "ThreadExtraInfo,")) != NULL)
        about_thread(g, rest);
    else if (strcmp(text, "Attached") == 0 || after(text, "Attached:") != NULL)
        dpk_put_u8(&g->body, g->ops->attached ? '1' : '0');
    else if ((rest = after(text, "Xfer:")) != NULL)
        transfer(g, rest);
    else if ((rest = after(text, "Rcmd,")) != NULL)
        monitor(g, rest);
    else if (after(text, "Symbol:") != NULL)
        dpk_put_format(&g->body, "OK");
}
