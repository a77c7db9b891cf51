#include "ptx.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct parser {
    struct dpk_reader text;
    struct ptx *out;
    struct dpk_error *err;
    const char *statement;      /* where the current one begins */
    unsigned scopes[16], depth; /* number of registers where a block begins */
    /* Blocks are numbered as they begin; 0 is the whole text. */
    unsigned inside[17], parents[PTX_SCOPES_MAX], scope_count;
    struct jump {
        const char *statement;
        char label[PTX_LABEL_MAX];
        unsigned instruction, scope;
    } jumps[PTX_INSTRUCTIONS_MAX];
    unsigned jump_count;
};

/* Copies the statement, with single spaces. */
static void quote_statement(const struct parser *p, char *out, size_t room)
{
    size_t size = 0;
    bool space = false;
    for (const char *at = p->statement; at < (const char *)p->text.end && *at != ';'; at++) {
        if (isspace((unsigned char)*at)) {
            space = size > 0;
            continue;
        }
        if (size + 3 > room)
            break;
        if (space)
            out[size++] = ' ';
        space = false;
        out[size++] = *at;
    }
    out[size] = 0;
    dpk_text_clean_in(out, room);
}

static bool refuse(struct parser *p, const char *why)
{
    char text[80];
    quote_statement(p, text, sizeof text);
    dpk_fail(p->err, DPK_ERR_FORMAT, "inline PTX \"%s\": %s", text, why);
    return false;
}

/* ---- Characters ---- */

static char peek(const struct parser *p)
{
    return dpk_reader_left(&p->text) ? (char)*p->text.pos : 0;
}

static bool begins(const struct parser *p, const char *word)
{
    const size_t size = strlen(word);
    return dpk_reader_left(&p->text) >= size && memcmp(p->text.pos, word, size) == 0;
}

static void skip_until(struct parser *p, const char *end)
{
    while (dpk_reader_left(&p->text) && !begins(p, end))
        dpk_read_skip(&p->text, 1);
    if (dpk_reader_left(&p->text))
        dpk_read_skip(&p->text, strlen(end));
}

/* Skips white space and comments. */
static void skip_space(struct parser *p)
{
    for (;;) {
        if (isspace((unsigned char)peek(p)))
            dpk_read_skip(&p->text, 1);
        else if (begins(p, "//"))
            skip_until(p, "\n");
        else if (begins(p, "/*"))
            skip_until(p, "*/");
        else
            return;
    }
}

static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (!c || peek(p) != c)
        return false;
    dpk_read_skip(&p->text, 1);
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Takes letters, digits and bytes of `more`. Returns false for an empty word, and for a word that is too long. */
static bool take_word(struct parser *p, const char *more, char *out, size_t room)
{
    size_t size = 0;
    for (char c; (c = peek(p)) && (is_word(c) || strchr(more, c));) {
        if (size + 1 >= room)
            return false;
        out[size++] = c;
        dpk_read_skip(&p->text, 1);
    }
    out[size] = 0;
    return size > 0;
}

/* ---- Values ---- */

static unsigned digit_of(char c)
{
    return isdigit((unsigned char)c)    ? (unsigned)(c - '0')
           : isxdigit((unsigned char)c) ? (unsigned)(tolower((unsigned char)c) - 'a') + 10
                                        : 99;
}

/* Numbers of C: decimal, octal, 0x and 0b, with an U behind them. */
static bool take_number(struct parser *p, uint64_t *out)
{
    char word[72] = "";
    const bool negative = take(p, '-');
    skip_space(p);
    if (!isdigit((unsigned char)peek(p)) || !take_word(p, "", word, sizeof word))
        return false;
    const char *at = word;
    unsigned base = 10;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X' || at[1] == 'b' || at[1] == 'B')) {
        base = tolower((unsigned char)at[1]) == 'x' ? 16 : 2;
        at += 2;
    } else if (at[0] == '0') {
        base = 8;
    }
    size_t size = strlen(at);
    if (size > 1 && at[size - 1] == 'U')
        size--;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        if (digit_of(at[i]) >= base || __builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit_of(at[i]), &value))
            return false;
    *out = negative ? 0 - value : value;
    return size > 0;
}

static bool find_register(const struct ptx *ptx, const char *name, unsigned *out)
{
    for (unsigned i = ptx->register_count; i-- > 0;)
        if (strcmp(ptx->registers[i].name, name) == 0) {
            *out = i;
            return true;
        }
    return false;
}

static bool take_operand(struct parser *p, struct ptx_value *out)
{
    char digits[4] = "";
    uint64_t index;
    if (!take_word(p, "", digits, sizeof digits) || !dpk_number(digits, 0, 999, &index))
        return refuse(p, "a '$' without the number of an operand");
    if (index >= PTX_OPERANDS_MAX)
        return refuse(p, "too many operands");
    *out = (struct ptx_value){.kind = PTX_OPERAND, .index = (unsigned)index};
    return true;
}

static bool take_value(struct parser *p, struct ptx_value *out)
{
    char name[PTX_NAME_MAX];
    skip_space(p);
    const char c = peek(p);
    if (isdigit((unsigned char)c) || c == '-') {
        *out = (struct ptx_value){.kind = PTX_NUMBER};
        return take_number(p, &out->number) || refuse(p, "a number that is not one of 64 bits");
    }
    if (c == '$') {
        dpk_read_skip(&p->text, 1);
        return take_operand(p, out);
    }
    if (c == '%') {
        dpk_read_skip(&p->text, 1);
        *out = (struct ptx_value){.kind = PTX_SPECIAL};
        if (!take_word(p, ".", out->name, sizeof out->name))
            return refuse(p, "a '%' without the name of a register");
        char percent[PTX_NAME_MAX + 1];
        snprintf(percent, sizeof percent, "%%%s", out->name);
        if (strlen(percent) < PTX_NAME_MAX && find_register(p->out, percent, &out->index))
            out->kind = PTX_REGISTER;
        return true;
    }
    if (!take_word(p, "", name, sizeof name))
        return refuse(p, "an operand is expected");
    *out = (struct ptx_value){.kind = PTX_SINK};
    if (strcmp(name, "_") == 0)
        return true;
    out->kind = PTX_REGISTER;
    return find_register(p->out, name, &out->index) ||
           refuse(p, "it uses a name that is not declared in the statement");
}

/* Takes what follows '['. */
static bool take_address(struct parser *p, struct ptx_argument *out)
{
    uint64_t offset = 0;
    out->form = PTX_ADDRESS;
    out->count = 1;
    if (!take_value(p, &out->at[0]))
        return false;
    const bool plus = take(p, '+');
    if ((plus || peek(p) == '-') && !take_number(p, &offset))
        return refuse(p, "the offset of an address is not a number");
    out->offset = (int64_t)offset;
    return take(p, ']') || refuse(p, "an address without ']'");
}

/* Takes what follows '{'. */
static bool take_vector(struct parser *p, struct ptx_argument *out)
{
    out->form = PTX_VECTOR;
    do {
        if (out->count == PTX_VECTOR_MAX)
            return refuse(p, "a vector of more than four elements");
        if (!take_value(p, &out->at[out->count]))
            return false;
        out->count++;
    } while (take(p, ','));
    return take(p, '}') || refuse(p, "a vector without '}'");
}

static bool take_argument(struct parser *p, struct ptx_argument *out)
{
    if (take(p, '['))
        return take_address(p, out);
    if (take(p, '{'))
        return take_vector(p, out);
    out->form = PTX_PLAIN;
    out->count = 1;
    return take_value(p, &out->at[0]);
}

/* ---- Statements ---- */

static bool add_register(struct parser *p, const char *name, unsigned bits)
{
    if (p->out->register_count == PTX_REGISTERS_MAX)
        return refuse(p, "too many registers");
    struct ptx_register *r = &p->out->registers[p->out->register_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->bits = bits;
    return true;
}

/* Takes what follows "r<": r<3> are r0, r1 and r2. */
static bool add_numbered(struct parser *p, const char *name, unsigned bits)
{
    uint64_t count;
    char numbered[PTX_NAME_MAX + 24];
    if (!take_number(p, &count) || !take(p, '>'))
        return refuse(p, "a number of registers in '<' and '>' is expected");
    for (uint64_t i = 0; i < count; i++) {
        snprintf(numbered, sizeof numbered, "%s%llu", name, (unsigned long long)i);
        if (strlen(numbered) >= PTX_NAME_MAX)
            return refuse(p, "the name of a register is too long");
        if (!add_register(p, numbered, bits))
            return false;
    }
    return true;
}

/* Takes what follows ".reg": a type and names. */
static bool take_registers(struct parser *p)
{
    char type[16], name[PTX_NAME_MAX];
    skip_space(p);
    if (!take_word(p, ".", type, sizeof type))
        return refuse(p, "a register without a type");
    unsigned bits = strcmp(type, ".pred") == 0 ? 1 : 0;
    static const char *const types[] = {"8", "16", "32", "64"};
    for (unsigned i = 0; i < 4; i++)
        if (type[0] == '.' && type[1] && strchr("busf", type[1]) && strcmp(type + 2, types[i]) == 0)
            bits = 8u << i;
    if (!bits)
        return refuse(p, "a register of an unknown type");
    do {
        skip_space(p);
        if (!take_word(p, "%", name, sizeof name) || isdigit((unsigned char)name[0]))
            return refuse(p, "a register without a name");
        if (!(take(p, '<') ? add_numbered(p, name, bits) : add_register(p, name, bits)))
            return false;
    } while (take(p, ','));
    return take(p, ';') || refuse(p, "';' is expected");
}

static bool split_opcode(struct ptx_instruction *i)
{
    char *at = i->opcode;
    for (;;) {
        if (i->part_count == PTX_PARTS_MAX || !*at || *at == '.')
            return false;
        i->parts[i->part_count++] = (uint8_t)(at - i->opcode);
        at += strcspn(at, ".");
        if (!*at)
            return true;
        *at++ = 0;
    }
}

/* ---- Labels and jumps ---- */

/* Takes a label's name, in which LLVM writes "${:uid}" for a number of the statement. */
static bool take_label_name(struct parser *p, char out[PTX_LABEL_MAX])
{
    static const char unique[] = "${:uid}";
    size_t size = 0;
    if (isdigit((unsigned char)peek(p)))
        return false;
    for (;;) {
        const bool is_unique = begins(p, unique);
        const size_t more = is_unique ? sizeof unique - 1 : 1;
        if (!is_unique && !is_word(peek(p)) && peek(p) != '$' && peek(p) != '%')
            break;
        if (size + more >= PTX_LABEL_MAX)
            return false;
        memcpy(out + size, p->text.pos, more);
        size += more;
        dpk_read_skip(&p->text, more);
    }
    out[size] = 0;
    return size > 0;
}

/* Takes "name:" and returns true, or takes nothing. */
static bool take_label(struct parser *p, char out[PTX_LABEL_MAX])
{
    const struct dpk_reader before = p->text;
    if (take_label_name(p, out) && take(p, ':') && peek(p) != ':')
        return true;
    p->text = before;
    return false;
}

static bool add_label(struct parser *p, const char *name)
{
    const unsigned scope = p->inside[p->depth];
    for (unsigned i = 0; i < p->out->label_count; i++)
        if (p->out->labels[i].scope == scope && strcmp(p->out->labels[i].name, name) == 0)
            return refuse(p, "a second label of this name");
    if (p->out->label_count == PTX_LABELS_MAX)
        return refuse(p, "too many labels");
    struct ptx_label *label = &p->out->labels[p->out->label_count++];
    *label = (struct ptx_label){.at = p->out->count, .scope = scope};
    snprintf(label->name, sizeof label->name, "%s", name);
    return true;
}

static bool take_jump(struct parser *p, struct ptx_instruction *i)
{
    struct jump *jump = &p->jumps[p->jump_count++]; /* as many as instructions */
    *jump = (struct jump){
        .statement = p->statement, .instruction = p->out->count - 1, .scope = p->inside[p->depth]};
    i->jumps = true;
    skip_space(p);
    if (!take_label_name(p, jump->label))
        return refuse(p, "a label is expected");
    return take(p, ';') || refuse(p, "';' is expected");
}

static const struct ptx_label *find_label(const struct parser *p, const struct jump *jump)
{
    for (unsigned scope = jump->scope;; scope = p->parents[scope]) {
        for (unsigned i = 0; i < p->out->label_count; i++)
            if (p->out->labels[i].scope == scope &&
                strcmp(p->out->labels[i].name, jump->label) == 0)
                return &p->out->labels[i];
        if (!scope)
            return NULL;
    }
}

/* Labels may stand behind the jumps to them. */
static bool find_targets(struct parser *p)
{
    for (unsigned i = 0; i < p->jump_count; i++) {
        const struct ptx_label *label = find_label(p, &p->jumps[i]);
        p->statement = p->jumps[i].statement;
        if (!label)
            return refuse(p, "there is no such label in the statement");
        p->out->instructions[p->jumps[i].instruction].target = label->at;
    }
    return true;
}

/* Takes what follows '@': a predicate, which decides whether the instruction is done. */
static bool take_guard(struct parser *p, struct ptx_instruction *i)
{
    i->guarded = true;
    i->negated = take(p, '!');
    if (!take_value(p, &i->guard))
        return false;
    skip_space(p);
    return i->guard.kind == PTX_REGISTER || refuse(p, "a predicate is expected behind '@'");
}

static bool take_instruction(struct parser *p)
{
    if (p->out->count == PTX_INSTRUCTIONS_MAX)
        return refuse(p, "too many instructions in a statement");
    struct ptx_instruction *i = &p->out->instructions[p->out->count++];
    quote_statement(p, i->text, sizeof i->text);
    if (take(p, '@') && !take_guard(p, i))
        return false;
    if (!take_word(p, ".:", i->opcode, sizeof i->opcode) || !split_opcode(i))
        return refuse(p, "it is not an instruction");
    if (strcmp(i->opcode, "bra") == 0 &&
        (i->part_count == 1 || (i->part_count == 2 && strcmp(ptx_part(i, 1), "uni") == 0)))
        return take_jump(p, i);
    if (take(p, ';'))
        return true;
    do {
        if (i->count == PTX_ARGUMENTS_MAX)
            return refuse(p, "too many operands");
        if (!take_argument(p, &i->arguments[i->count]))
            return false;
        i->count++;
    } while (take(p, ','));
    return take(p, ';') || refuse(p, "';' is expected");
}

static bool begin_scope(struct parser *p)
{
    if (p->depth == sizeof p->scopes / sizeof *p->scopes)
        return refuse(p, "too many '{'");
    if (p->scope_count + 1 == PTX_SCOPES_MAX)
        return refuse(p, "too many blocks");
    p->parents[++p->scope_count] = p->inside[p->depth];
    p->scopes[p->depth++] = p->out->register_count;
    p->inside[p->depth] = p->scope_count;
    return true;
}

static bool end_scope(struct parser *p)
{
    if (!p->depth)
        return refuse(p, "a '}' without '{'");
    for (unsigned i = p->scopes[--p->depth]; i < p->out->register_count; i++)
        p->out->registers[i].name[0] = 0;
    return true;
}

static bool take_statement(struct parser *p)
{
    char label[PTX_LABEL_MAX];
    if (take_label(p, label))
        return add_label(p, label);
    if (take(p, '{'))
        return begin_scope(p);
    if (take(p, '}'))
        return end_scope(p);
    if (take(p, ';'))
        return true;
    if (!begins(p, ".reg"))
        return take_instruction(p);
    dpk_read_skip(&p->text, 4);
    return take_registers(p);
}

enum dpk_status ptx_parse(const char *text, size_t size, struct ptx *out, struct dpk_error *err)
{
    struct parser p = {.text = dpk_reader(text, size), .out = out, .err = err};
    memset(out, 0, sizeof *out);
    for (skip_space(&p); dpk_reader_left(&p.text); skip_space(&p)) {
        p.statement = (const char *)p.text.pos;
        if (!take_statement(&p))
            return DPK_ERR_FORMAT;
    }
    p.statement = text;
    if (p.depth && !refuse(&p, "a '{' without '}'"))
        return DPK_ERR_FORMAT;
    return find_targets(&p) ? DPK_OK : DPK_ERR_FORMAT;
}

const char *ptx_part(const struct ptx_instruction *i, unsigned part)
{
    return part < i->part_count ? i->opcode + i->parts[part] : "";
}
