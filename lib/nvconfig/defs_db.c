/* Reads definitions from a database of NVIDIA's tools (tables tlvs and params). */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "tlv.h"

#define DB_MAX         ((size_t)64 << 20)
#define TEXT_MAX       (1 << 20) /* bytes of one value */
#define PARAMS_MAX     1024      /* parameters of one TLV */
#define OPERATIONS_MAX 2000      /* millions of operations, because a query can loop without end */

enum column {
    TLV_NAME,
    TLV_ID,
    TLV_CLASS,
    TLV_SIZE,
    TLV_CAP,
    TLV_TITLE,
    TLV_DESCRIPTION,
    NAME,
    OFFSET,
    SIZE,
    TYPE,
    CONFIG_NAME,
    DESCRIPTION,
    VALUES,
    DEPENDENCY,
    VALID_BIT,
    TEMP_VARS,
    MIN_VAL,
    MAX_VAL,
    RULE,
    ARRAY_LENGTH,
};
static const char query[] =
    "SELECT t.name, t.id, t.class, t.size, t.cap, t.mlxconfig_name, t.description,"
    " p.name, p.offset, p.size, p.type, p.mlxconfig_name, p.description, p.textual_values,"
    " p.dependency, p.valid_bit, p.temp_vars, p.min_val, p.max_val, p.rule, p.array_length"
    " FROM tlvs t LEFT JOIN params p ON p.tlv_name = t.name ORDER BY t.rowid, p.rowid";

/* The TLV whose rows are being read. `texts` holds copies of its texts, because SQLite's texts live
 * only until the next row. */
struct gathered {
    struct dpk_nv_def def;
    struct dpk_nv_param params[PARAMS_MAX];
    char **texts;
    size_t text_count, text_capacity;
    bool open;
};

static void forget(struct gathered *now)
{
    for (size_t i = 0; i < now->def.param_count; i++)
        free((struct dpk_nv_choice *)now->params[i].choices);
    for (size_t i = 0; i < now->text_count; i++)
        free(now->texts[i]);
    now->text_count = 0;
    now->def = (struct dpk_nv_def){0};
    now->open = false;
}

/* Copies a text for the life of the TLV. `*out` is NULL for an empty text or SQL's NULL. */
static enum dpk_status keep(struct gathered *now, sqlite3_stmt *row, enum column column, char **out,
                            struct dpk_error *err)
{
    const char *text = (const char *)sqlite3_column_text(row, (int)column);
    *out = NULL;
    if (!text || !*text)
        return DPK_OK;
    if (now->text_count == now->text_capacity) {
        size_t capacity = now->text_capacity ? 2 * now->text_capacity : 64;
        char **texts = reallocarray(now->texts, capacity, sizeof *texts);
        if (!texts)
            return dpk_fail_nomem(err);
        now->texts = texts;
        now->text_capacity = capacity;
    }
    char *copy = strdup(text);
    if (!copy)
        return dpk_fail_nomem(err);
    now->texts[now->text_count++] = copy;
    *out = copy;
    return DPK_OK;
}

/* Parses "0x10.24": bytes and bits. */
static bool parse_place(const char *text, unsigned long *bytes, unsigned long *bits)
{
    char *end = NULL;
    if (!text || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *bytes = strtoul(text, &end, 0);
    if (errno || *bytes > DPK_NV_DATA_MAX || *end != '.' || !isdigit((unsigned char)end[1]))
        return false;
    *bits = strtoul(end + 1, &end, 10);
    return !errno && !*end && *bits / 8 < DPK_NV_DATA_MAX;
}

static bool find_type(const char *name, enum dpk_nv_type *out)
{
    static const struct {
        const char *name;
        enum dpk_nv_type type;
    } types[] = {{"BOOL", DPK_NV_BOOL},      {"UNSIGNED", DPK_NV_UNSIGNED},
                 {"BINARY", DPK_NV_BINARY},  {"ENUM", DPK_NV_ENUM},
                 {"STRING", DPK_NV_STRING},  {"BYTES", DPK_NV_BYTES},
                 {"INTEGER", DPK_NV_INTEGER}};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return false;
}

/* Reads the place of a parameter. The offset of a number gives the lowest bit in its dword; strings
 * and bytes start at the dword's highest bits. */
static enum dpk_status read_place(sqlite3_stmt *row, struct dpk_nv_param *p, struct dpk_error *err)
{
    unsigned long byte, bit, size_bytes, size_bits;
    const char *offset = (const char *)sqlite3_column_text(row, OFFSET);
    const char *size = (const char *)sqlite3_column_text(row, SIZE);
    sqlite3_int64 count = sqlite3_column_int64(row, ARRAY_LENGTH);
    if (!parse_place(offset, &byte, &bit) || bit > 31)
        return dpk_fail(err, DPK_ERR_FORMAT, "'%.20s' is not an offset like 0x4.31",
                        offset ? offset : "");
    if (!parse_place(size, &size_bytes, &size_bits))
        return dpk_fail(err, DPK_ERR_FORMAT, "'%.20s' is not a size like 0x0.1", size ? size : "");
    size_t bits = 8 * size_bytes + size_bits;
    if (count < 0 || count > DPK_NV_DATA_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "an array of %lld", (long long)count);
    p->offset = byte;
    if (!dpk_nv_is_number(p)) {
        if (bits % 8 != 0 || bit % 8 != 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "%zu bits are not whole bytes", bits);
        p->offset = byte + (24 - bit) / 8;
        p->bytes = bits / 8;
        return DPK_OK;
    }
    if (count > 0) {
        if (bits % (size_t)count != 0)
            return dpk_fail(err, DPK_ERR_FORMAT, "%zu bits cannot be divided into %lld numbers",
                            bits, (long long)count);
        bits /= (size_t)count;
        p->count = (size_t)count;
        bit = bits <= 32 ? 32 - bits : 0;
    }
    /* A few numbers of old databases are longer than a dword: they are shown as bytes. */
    if (bits > 32 && bits % 32 == 0 && count == 0 && bit == 0 && p->type != DPK_NV_ENUM) {
        p->type = DPK_NV_BYTES;
        p->bytes = bits / 8;
        return DPK_OK;
    }
    if (bits == 0 || bits > 32)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "a number of %zu bits", bits);
    p->low_bit = (unsigned)bit;
    p->bits = (unsigned)bits;
    return DPK_OK;
}

/* Parses "A=0x0,B=0x1". */
static enum dpk_status read_choices(char *text, struct dpk_nv_param *p, struct dpk_error *err)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    struct dpk_nv_choice *choices = calloc(count, sizeof *choices);
    if (!choices)
        return dpk_fail_nomem(err);
    p->choices = choices;
    char *save = NULL;
    for (char *one = strtok_r(text, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
        char *equals = strchr(one, '='), *end = NULL;
        if (!equals || equals == one || !isxdigit((unsigned char)equals[1]))
            return dpk_fail(err, DPK_ERR_FORMAT, "'%.40s' is not NAME=0x0", one);
        errno = 0;
        unsigned long value = strtoul(equals + 1, &end, 16);
        if (errno || *end || value > UINT32_MAX)
            return dpk_fail(err, DPK_ERR_FORMAT, "'%.40s' is not NAME=0x0", one);
        *equals = 0;
        choices[p->choice_count++] = (struct dpk_nv_choice){.name = one, .value = (uint32_t)value};
    }
    return DPK_OK;
}

/* A limit is a number or an expression. */
static void read_limit(const char *text, bool *has, int64_t *limit, const char **rule)
{
    char *end = NULL;
    if (!text)
        return;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    *has = !errno && end != text && !*end;
    *limit = *has ? value : 0;
    if (!*has)
        *rule = text;
}

/* Limits dates, because NVIDIA's database does not limit them. */
static void limit_date(const struct dpk_nv_def *def, struct dpk_nv_param *p)
{
    static const struct {
        const char *name;
        int64_t max;
    } limits[] = {{"day", 31}, {"month", 12}, {"seconds", 59}, {"minutes", 59}, {"hour", 23}};
    if (def->class_id != DPK_NV_GLOBAL ||
        (def->index != DPK_NV_INDEX_ID_MLNX && def->index != DPK_NV_INDEX_ID_VENDOR))
        return;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        if (strcmp(p->name, limits[i].name) == 0 && !p->has_max) {
            p->has_max = true;
            p->max = limits[i].max;
        }
    }
}

static enum dpk_status read_texts(struct gathered *now, sqlite3_stmt *row, struct dpk_nv_param *p,
                                  struct dpk_error *err)
{
    char *values = NULL, *min = NULL, *max = NULL;
    const struct {
        enum column column;
        const char **to;
    } kept[] = {{NAME, &p->name},
                {CONFIG_NAME, &p->config_name},
                {DESCRIPTION, &p->description},
                {DEPENDENCY, &p->dependency},
                {VALID_BIT, &p->valid_bit},
                {TEMP_VARS, &p->temp_vars},
                {RULE, &p->rule}};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < sizeof kept / sizeof *kept && status == DPK_OK; i++) {
        char *text = NULL;
        status = keep(now, row, kept[i].column, &text, err);
        *kept[i].to = text;
    }
    if (status == DPK_OK)
        status = keep(now, row, MIN_VAL, &min, err);
    if (status == DPK_OK)
        status = keep(now, row, MAX_VAL, &max, err);
    if (status == DPK_OK)
        status = keep(now, row, VALUES, &values, err);
    read_limit(min, &p->has_min, &p->min, &p->min_rule);
    read_limit(max, &p->has_max, &p->max, &p->max_rule);
    if (status == DPK_OK && values)
        status = read_choices(values, p, err);
    return status;
}

static enum dpk_status read_param(struct gathered *now, sqlite3_stmt *row, struct dpk_error *err)
{
    const char *type = (const char *)sqlite3_column_text(row, TYPE);
    if (now->def.param_count == PARAMS_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "more than %d parameters", PARAMS_MAX);
    struct dpk_nv_param *p = &now->params[now->def.param_count++];
    *p = (struct dpk_nv_param){0};
    enum dpk_status status = read_texts(now, row, p, err);
    if (status == DPK_OK && !p->name)
        status = dpk_fail(err, DPK_ERR_FORMAT, "a parameter without a name");
    if (status != DPK_OK)
        return status;
    limit_date(&now->def, p);
    if (!find_type(type, &p->type))
        status = dpk_fail(err, DPK_ERR_FORMAT, "unknown type '%.20s'", type ? type : "");
    if (status == DPK_OK)
        status = read_place(row, p, err);
    return status == DPK_OK ? DPK_OK : dpk_error_prefix(err, "%.70s", p->name);
}

static enum dpk_status start_tlv(struct gathered *now, sqlite3_stmt *row, struct dpk_error *err)
{
    sqlite3_int64 id = sqlite3_column_int64(row, TLV_ID);
    sqlite3_int64 class_id = sqlite3_column_int64(row, TLV_CLASS);
    sqlite3_int64 size = sqlite3_column_int64(row, TLV_SIZE);
    char *name = NULL, *title = NULL, *description = NULL;
    enum dpk_status status = keep(now, row, TLV_NAME, &name, err);
    if (status == DPK_OK)
        status = keep(now, row, TLV_TITLE, &title, err);
    if (status == DPK_OK)
        status = keep(now, row, TLV_DESCRIPTION, &description, err);
    if (status != DPK_OK)
        return status;
    if (!name || id < 0 || id > 0xffffff || class_id < 0 || class_id > 0xff || size < 0 ||
        size > DPK_NV_DATA_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "TLV %.60s: id, class or size out of range",
                        name ? name : "without a name");
    now->open = true;
    now->def = (struct dpk_nv_def){.name = name,
                                   .title = title,
                                   .description = description,
                                   .class_id = (unsigned)class_id,
                                   .index = (uint32_t)id,
                                   .size = (size_t)size,
                                   .capability = sqlite3_column_int64(row, TLV_CAP) != 0,
                                   .params = now->params};
    return DPK_OK;
}

static enum dpk_status finish_tlv(struct dpk_nv_defs *defs, struct gathered *now,
                                  struct dpk_error *err)
{
    enum dpk_status status = now->open ? dpk_nv_defs_add(defs, &now->def, err) : DPK_OK;
    forget(now);
    return status;
}

static enum dpk_status read_row(struct dpk_nv_defs *defs, struct gathered *now, sqlite3_stmt *row,
                                struct dpk_error *err)
{
    const char *name = (const char *)sqlite3_column_text(row, TLV_NAME);
    enum dpk_status status = DPK_OK;
    if (!now->open || !name || strcmp(name, now->def.name) != 0) {
        status = finish_tlv(defs, now, err);
        if (status == DPK_OK)
            status = start_tlv(now, row, err);
    }
    if (status != DPK_OK || sqlite3_column_type(row, NAME) == SQLITE_NULL)
        return status;
    status = read_param(now, row, err);
    return status == DPK_OK ? DPK_OK : dpk_error_prefix(err, "%.60s", now->def.name);
}

static enum dpk_status sql_failed(sqlite3 *db, struct dpk_error *err)
{
    if (sqlite3_errcode(db) == SQLITE_NOMEM)
        return dpk_fail_nomem(err);
    return dpk_fail(err, DPK_ERR_FORMAT, "no TLV database of NVIDIA's tools: %s",
                    sqlite3_errmsg(db));
}

static enum dpk_status read_rows(struct dpk_nv_defs *defs, sqlite3 *db, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;
    struct gathered *now = calloc(1, sizeof *now);
    if (!now)
        return dpk_fail_nomem(err);
    if (sqlite3_prepare_v2(db, query, -1, &row, NULL) != SQLITE_OK)
        status = sql_failed(db, err);
    while (status == DPK_OK && (code = sqlite3_step(row)) == SQLITE_ROW)
        status = read_row(defs, now, row, err);
    if (status == DPK_OK && code != SQLITE_DONE)
        status = sql_failed(db, err);
    if (status == DPK_OK)
        status = finish_tlv(defs, now, err);
    if (status == DPK_OK && dpk_nv_defs_count(defs) == 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "no TLVs in it");
    forget(now);
    free(now->texts);
    free(now);
    sqlite3_finalize(row);
    return status;
}

/* Allows only plain tables and indexes. Views, triggers, virtual tables and computed columns run
 * code when they are read, which the progress handler does not count. */
static enum dpk_status check_schema(sqlite3 *db, struct dpk_error *err)
{
    static const char *const checks[] = {
        "SELECT type, name FROM sqlite_schema WHERE sql NOT GLOB 'CREATE TABLE *' AND "
        "sql NOT GLOB 'CREATE INDEX *' AND sql NOT GLOB 'CREATE UNIQUE INDEX *'",
        "SELECT 'column', name FROM pragma_table_xinfo('tlvs') WHERE hidden <> 0 UNION ALL "
        "SELECT 'column', name FROM pragma_table_xinfo('params') WHERE hidden <> 0"};
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == DPK_OK; i++) {
        sqlite3_stmt *row = NULL;
        if (sqlite3_prepare_v2(db, checks[i], -1, &row, NULL) != SQLITE_OK)
            return sql_failed(db, err);
        int code = sqlite3_step(row);
        if (code == SQLITE_ROW)
            status =
                dpk_fail(err, DPK_ERR_FORMAT,
                         "no TLV database of NVIDIA's tools: its %.20s %.60s is more than data",
                         (const char *)sqlite3_column_text(row, 0),
                         (const char *)sqlite3_column_text(row, 1));
        else if (code != SQLITE_DONE)
            status = sql_failed(db, err);
        sqlite3_finalize(row);
    }
    return status;
}

static int too_long(void *steps)
{
    return ++*(unsigned *)steps > OPERATIONS_MAX;
}

/* SQLite accepts a truncated file until it needs a missing page. */
static bool is_whole(const struct dpk_buf *file)
{
    struct dpk_reader r = dpk_reader(file->data, file->size);
    dpk_read_skip(&r, 16);
    uint64_t page_size = dpk_read_be16(&r);
    dpk_read_skip(&r, 10);
    uint64_t pages = dpk_read_be32(&r);
    return !r.failed && pages * (page_size == 1 ? 65536 : page_size) <= file->size;
}

/* Opens the bytes as an in-memory database: no journal beside the file, no concurrent changes, and
 * views and triggers are off. */
static enum dpk_status open_bytes(const struct dpk_buf *file, unsigned *steps, sqlite3 **out,
                                  struct dpk_error *err)
{
    sqlite3 *db = NULL;
    *out = NULL;
    if (file->size < 100 || memcmp(file->data, "SQLite format 3", 16) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "no SQLite database");
    if (!is_whole(file))
        return dpk_fail(err, DPK_ERR_FORMAT, "truncated: %zu bytes", file->size);
    if (file->data[18] > 1 || file->data[19] > 1)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "in SQLite's WAL mode, where part of it may be in another file; use PRAGMA "
                        "journal_mode=DELETE on it");
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) {
        sqlite3_close(db);
        return dpk_fail_nomem(err);
    }
    *out = db;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_progress_handler(db, 1000000, too_long, steps);
    if (sqlite3_deserialize(db, "main", file->data, (sqlite3_int64)file->size,
                            (sqlite3_int64)file->size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return sql_failed(db, err);
    return DPK_OK;
}

enum dpk_status dpk_nv_defs_load_db(const char *path, struct dpk_nv_defs **out,
                                    struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct dpk_nv_defs *defs = NULL;
    sqlite3 *db = NULL;
    unsigned steps = 0;
    *out = NULL;
    enum dpk_status status = dpk_file_read(path, DB_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    status = dpk_nv_defs_new(&defs, err);
    if (status == DPK_OK)
        status = open_bytes(&file, &steps, &db, err);
    if (status == DPK_OK)
        status = check_schema(db, err);
    if (status == DPK_OK)
        status = read_rows(defs, db, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", path);
    else
        *out = defs;
    if (status != DPK_OK)
        dpk_nv_defs_free(defs);
    sqlite3_close(db);
    dpk_buf_free(&file);
    return status;
}
