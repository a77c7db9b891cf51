/* Converts XML to TLVs with libxml2. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

#include "xml.h"

#define ATTRIBUTES_MAX 1000 /* maximum for one element; elements of this format have five */

#define NAMESPACE "http://www.mellanox.com/config"

/* Puts the line of a node before the message. */
static enum dpk_status fail_at(const xmlNode *node, enum dpk_status status, struct dpk_error *err)
{
    return err ? dpk_error_prefix(err, "line %ld: %s", xmlGetLineNo(node), (const char *)node->name)
               : status;
}

/* Returns true if the text is only white space or no-break spaces (U+00A0), which web pages use for
 * blanks. */
static bool is_blank(const xmlChar *text)
{
    while (text && (isspace(*text) || (text[0] == 0xc2 && text[1] == 0xa0)))
        text += *text == 0xc2 ? 2 : 1;
    return !text || !*text;
}

/* Appends the text of an element that has no child elements. */
static enum dpk_status text_of(const xmlNode *node, struct dpk_buf *out, struct dpk_error *err)
{
    for (const xmlNode *n = node->children; n; n = n->next) {
        if (n->type == XML_COMMENT_NODE)
            continue;
        if (n->type != XML_TEXT_NODE && n->type != XML_CDATA_SECTION_NODE)
            return dpk_fail(err, DPK_ERR_FORMAT, "a value is text, not <%s>",
                            n->name ? (const char *)n->name : "?");
        dpk_put(out, n->content, n->content ? strlen((const char *)n->content) : 0);
    }
    dpk_put_u8(out, 0);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

/* Counts the values of the first parameters of a TLV; an array has several values. */
static size_t value_count(const struct dpk_nv_def *def, size_t params)
{
    size_t count = 0;
    for (size_t i = 0; i < params; i++)
        count += def->params[i].count ? def->params[i].count : 1;
    return count;
}

static enum dpk_status parse_value(const char *text, const struct dpk_nv_param *p, size_t element,
                                   bool *given, struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    struct dpk_nv_param one = dpk_nv_param_element(p, element);
    one.has_min = one.has_max = false; /* see dpk_nv_list_limits */
    if (*given && p->count)
        return dpk_fail(err, DPK_ERR_EXISTS, "index %zu is given twice", element);
    if (*given)
        return dpk_fail(err, DPK_ERR_EXISTS, "given twice");
    *given = true;
    return dpk_nv_value_parse(&one, text, tlv->data, err);
}

/* Refuses an element that is not a parameter. The error lists the parameters, as far as they
 * fit. */
static enum dpk_status fail_unknown(const struct dpk_nv_def *def, struct dpk_error *err)
{
    char names[600] = "";
    size_t used = 0, i = 0;
    for (; i < def->param_count && used + strlen(def->params[i].name) + 2 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 def->params[i].name);
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s has no such parameter; legal: %s%s", def->name,
                    names, i < def->param_count ? ", ..." : "");
}

static enum dpk_status parse_param(const xmlNode *node, const struct dpk_nv_def *def, bool *given,
                                   struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    size_t i = 0, indexes[NV_ARRAY_MAX], count = 0;
    while (i < def->param_count && strcmp(def->params[i].name, (const char *)node->name) != 0)
        i++;
    if (i == def->param_count)
        return fail_unknown(def, err);
    const struct dpk_nv_param *p = &def->params[i];
    struct dpk_buf text = {0};
    enum dpk_status status = dpk_nv_xml_index(node, p, indexes, &count, err);
    if (status == DPK_OK)
        status = text_of(node, &text, err);
    given += value_count(def, i);
    for (size_t k = 0; k < count && status == DPK_OK; k++)
        status = parse_value((const char *)text.data, p, indexes[k], &given[indexes[k]], tlv, err);
    /* A written parameter is valid. A later element of the valid bit overrides this, an earlier
     * element does not. */
    const struct dpk_nv_param *bit = dpk_nv_valid_bit(def, p);
    if (bit && status == DPK_OK)
        status = dpk_nv_value_parse(bit, "1", tlv->data, err);
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status check_all_given(const struct dpk_nv_def *def, const bool *given,
                                       struct dpk_error *err)
{
    for (size_t i = 0; i < def->param_count; i++) {
        const struct dpk_nv_param *p = &def->params[i];
        for (size_t j = 0; j < (p->count ? p->count : 1); j++) {
            char legal[512], index[32] = "";
            if (*given++)
                continue;
            dpk_nv_value_legal(p, legal, sizeof legal);
            if (p->count)
                snprintf(index, sizeof index, " index %zu", j);
            return dpk_fail(err, DPK_ERR_FORMAT, "parameter %s%s is missing; legal: %s", p->name,
                            index, legal);
        }
    }
    return DPK_OK;
}

static enum dpk_status parse_params(const xmlNode *node, const struct dpk_nv_def *def,
                                    struct dpk_nv_tlv *tlv, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    bool *given = calloc(value_count(def, def->param_count) + 1, sizeof *given);
    if (!given)
        return dpk_fail_nomem(err);
    for (const xmlNode *n = node->children; n && status == DPK_OK; n = n->next) {
        if (n->type == XML_COMMENT_NODE || (n->type == XML_TEXT_NODE && is_blank(n->content)))
            continue;
        if (n->type != XML_ELEMENT_NODE) {
            status = dpk_fail(err, DPK_ERR_FORMAT, "text outside a parameter");
            break;
        }
        status = parse_param(n, def, given, tlv, err);
        if (status != DPK_OK)
            fail_at(n, status, err);
    }
    if (status == DPK_OK)
        status = check_all_given(def, given, err);
    free(given);
    return status;
}

static enum dpk_status parse_tlv(const struct dpk_nv_defs *defs, const xmlNode *node,
                                 struct dpk_nv_list *out, struct dpk_error *err)
{
    const struct dpk_nv_def *def = dpk_nv_defs_find(defs, (const char *)node->name);
    if (!def)
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "unknown TLV; mlxconfig-lite gen_tlvs_file lists those there are");
    struct dpk_nv_tlv tlv = {
        .priority = DPK_NV_MLNX, .ovr_en = true, .rd_en = true, .size = def->size};
    struct dpk_nv_target target;
    enum dpk_status status = dpk_nv_xml_attributes(node, def, &tlv, &target, err);
    if (status == DPK_OK)
        status = parse_params(node, def, &tlv, err);
    if (status != DPK_OK)
        return status;
    for (int i = 0; i < dpk_nv_target_count(def, &target) && status == DPK_OK; i++) {
        struct dpk_nv_target one = dpk_nv_target_at(def, &target, i);
        struct dpk_nv_def bound = dpk_nv_def_bind(def, &one);
        tlv.class_id = bound.class_id;
        tlv.index = bound.index;
        status = dpk_nv_list_add_new(out, &tlv, err);
    }
    return status;
}

static enum dpk_status parse_root(const struct dpk_nv_defs *defs, const xmlNode *root,
                                  struct dpk_nv_list *out, struct dpk_error *err)
{
    if (strcmp((const char *)root->name, "config") != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "the root element is <%s>, must be <config>",
                        (const char *)root->name);
    const char *namespace = root->ns ? (const char *)root->ns->href : NAMESPACE;
    if (!namespace || strcmp(namespace, NAMESPACE) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "unknown namespace %.80s, must be %s",
                        namespace ? namespace : "", NAMESPACE);
    for (const xmlNode *n = root->children; n; n = n->next) {
        /* Like NVIDIA's tool, skip everything between TLVs. */
        if (n->type != XML_ELEMENT_NODE)
            continue;
        enum dpk_status status = parse_tlv(defs, n, out, err);
        if (status != DPK_OK)
            return fail_at(n, status, err);
    }
    return DPK_OK;
}

/* Notes lack of memory, after which libxml2 may continue with a part of the document. */
static void note_error(void *no_memory, xmlError *e)
{
    if (e && e->code == XML_ERR_NO_MEMORY)
        *(bool *)no_memory = true;
}

static enum dpk_status syntax_error(xmlParserCtxt *context, struct dpk_error *err)
{
    const xmlError *e = xmlCtxtGetLastError(context);
    return dpk_fail(err, DPK_ERR_FORMAT, "line %d: not well-formed XML: %s", e ? e->line : 0,
                    e && e->message ? e->message : "unknown reason");
}

/* Limits attributes, because libxml2 compares each attribute of an element with all others. A tag
 * contains no '<', so the count between two '<' is at least the number of attributes. */
static bool has_too_many_attributes(const char *xml, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if (xml[i] == '<')
            count = 0;
        if (xml[i] != '=')
            continue;
        size_t next = i + 1;
        while (next < size && isspace((unsigned char)xml[next]))
            next++;
        if (next < size && (xml[next] == '"' || xml[next] == '\'') && ++count > ATTRIBUTES_MAX)
            return true;
        i = next - 1;
    }
    return false;
}

/* Checks the encoding that libxml2 detects in the first bytes; the parser ignores the declaration.
 * So libxml2 parses the bytes that were checked, without a conversion (libxml2 2.9 does not check
 * for lack of memory there). */
static bool is_utf8(const void *xml, size_t size)
{
    xmlCharEncoding encoding = xmlDetectCharEncoding(xml, size < 4 ? (int)size : 4);
    return encoding == XML_CHAR_ENCODING_NONE || encoding == XML_CHAR_ENCODING_UTF8;
}

static enum dpk_status read_document(const struct dpk_nv_defs *defs, const void *xml, int size,
                                     struct dpk_nv_list *out, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (!context)
        return dpk_fail_nomem(err);
    xmlDoc *doc = xmlCtxtReadMemory(context, xml, size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                        XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC);
    if (!doc) {
        status = syntax_error(context, err);
        goto out;
    }
    if (doc->intSubset || doc->extSubset) {
        status = dpk_fail(err, DPK_ERR_FORMAT, "a document type (DTD) is not allowed");
        goto out;
    }
    const xmlNode *root = xmlDocGetRootElement(doc);
    status =
        root ? parse_root(defs, root, out, err) : dpk_fail(err, DPK_ERR_FORMAT, "no root element");
    if (status == DPK_OK && out->count == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no TLV inside <config>");
out:
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(context);
    return status;
}

static enum dpk_status parse(const struct dpk_nv_defs *defs, const void *xml, int size,
                             struct dpk_nv_list *out, struct dpk_error *err)
{
    bool no_memory = false;
    struct dpk_nv_list list = {0};
    /* The handler belongs to this thread; without a handler, libxml2 writes to stderr. */
    xmlStructuredErrorFunc handler = xmlStructuredError;
    void *context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(&no_memory, note_error);
    enum dpk_status status = read_document(defs, xml, size, &list, err);
    xmlSetStructuredErrorFunc(context, handler);
    /* The result may come from a part of the document. */
    if (no_memory)
        status = dpk_fail_nomem(err);
    if (status != DPK_OK)
        dpk_nv_list_free(&list);
    else
        *out = list;
    return status;
}

enum dpk_status dpk_nv_xml_parse(const struct dpk_nv_defs *defs, const void *xml, size_t size,
                                 struct dpk_nv_list *out, struct dpk_error *err)
{
    if (size == 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "empty, no XML");
    if (size > DPK_NV_XML_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "XML of more than %zu bytes", DPK_NV_XML_MAX);
    /* A DTD is only good for entities, which nobody needs, so do not even parse it. */
    if (memmem(xml, size, "<!DOCTYPE", 9))
        return dpk_fail(err, DPK_ERR_FORMAT, "a document type (DTD) is not allowed");
    if (has_too_many_attributes(xml, size))
        return dpk_fail(err, DPK_ERR_RANGE, "an element with more than %d attributes",
                        ATTRIBUTES_MAX);
    if (!is_utf8(xml, size))
        return dpk_fail(err, DPK_ERR_FORMAT, "XML in another encoding than UTF-8");
    return parse(defs, xml, (int)size, out, err);
}
