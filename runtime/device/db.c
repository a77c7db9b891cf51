/* The database of a device. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

#define APPLICATION_ID  "1146112836" /* "DPKD" */
#define SCHEMA_VERSION  "1"
#define BUSY_TIMEOUT_MS 20000

/* clang-format off */
static const char schema[] =
    "PRAGMA application_id = " APPLICATION_ID ";"
    "PRAGMA user_version = " SCHEMA_VERSION ";"
    "CREATE TABLE meta ("
    "    key TEXT PRIMARY KEY,"
    "    value TEXT NOT NULL) STRICT;"
    "CREATE TABLE nvidia_key ("
    "    uuid BLOB PRIMARY KEY,"
    "    spki BLOB NOT NULL) STRICT;"
    "CREATE TABLE tlv ("
    "    view INTEGER NOT NULL," /* 1 Current, 2 Next Boot */
    "    class INTEGER NOT NULL,"
    "    idx INTEGER NOT NULL,"
    "    priority INTEGER NOT NULL,"
    "    ovr_en INTEGER NOT NULL,"
    "    rd_en INTEGER NOT NULL,"
    "    writer_id INTEGER NOT NULL,"
    "    version INTEGER NOT NULL,"
    "    data BLOB NOT NULL,"
    "    PRIMARY KEY (view, class, idx, priority)) STRICT;"
    "CREATE TABLE ca ("
    "    id INTEGER PRIMARY KEY,"
    "    uuid BLOB UNIQUE NOT NULL,"
    "    keypair BLOB NOT NULL,"
    "    priority INTEGER NOT NULL,"
    "    der BLOB NOT NULL,"
    "    container BLOB) STRICT;"
    "CREATE TABLE log ("
    "    id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "    time INTEGER NOT NULL,"
    "    uid INTEGER NOT NULL,"
    "    pid INTEGER NOT NULL,"
    "    command TEXT NOT NULL,"
    "    action TEXT NOT NULL,"
    "    result TEXT NOT NULL,"
    "    detail TEXT NOT NULL) STRICT;";
/* clang-format on */

enum dpk_status dpk_db_fail(sqlite3 *db, struct dpk_error *err)
{
    const char *file = sqlite3_db_filename(db, "main");
    const char *path = file && *file ? file : "device.db";
    switch (sqlite3_errcode(db)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: the device's state is damaged (%s)", path,
                        sqlite3_errmsg(db));
    case SQLITE_BUSY:
        return dpk_fail(err, DPK_ERR_TIMEOUT, "%s: another program keeps the device busy", path);
    case SQLITE_NOMEM:
        return dpk_fail_nomem(err);
    default:
        return dpk_fail(err, DPK_ERR_IO, "%s: %s", path, sqlite3_errmsg(db));
    }
}

enum dpk_status dpk_db_exec(sqlite3 *db, const char *sql, struct dpk_error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? DPK_OK : dpk_db_fail(db, err);
}

enum dpk_status dpk_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out,
                               struct dpk_error *err)
{
    return sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK ? DPK_OK : dpk_db_fail(db, err);
}

enum dpk_status dpk_db_step(sqlite3 *db, sqlite3_stmt *stmt, bool *row, struct dpk_error *err)
{
    int code = sqlite3_step(stmt);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? DPK_OK : dpk_db_fail(db, err);
}

enum dpk_status dpk_db_finish(sqlite3 *db, sqlite3_stmt *stmt, struct dpk_error *err)
{
    bool row;
    enum dpk_status status = dpk_db_step(db, stmt, &row, err);
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_db_begin(sqlite3 *db, struct dpk_error *err)
{
    return dpk_db_exec(db, "BEGIN IMMEDIATE", err);
}

enum dpk_status dpk_db_end(sqlite3 *db, enum dpk_status status, struct dpk_error *err)
{
    if (status == DPK_OK)
        status = dpk_db_exec(db, "COMMIT", err);
    if (status != DPK_OK && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum dpk_status dpk_db_blob(sqlite3_stmt *stmt, int column, void *out, size_t size,
                            struct dpk_error *err)
{
    const void *blob = sqlite3_column_blob(stmt, column);
    size_t there = (size_t)sqlite3_column_bytes(stmt, column);
    if (there != size)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "the device's state is damaged: %s has %zu bytes, must have %zu",
                        sqlite3_column_name(stmt, column), there, size);
    if (size)
        memcpy(out, blob, size);
    return DPK_OK;
}

enum dpk_status dpk_db_get_meta(sqlite3 *db, const char *key, char *out, size_t size,
                                struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status = dpk_db_prepare(db, "SELECT value FROM meta WHERE key = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    status = dpk_db_step(db, stmt, &row, err);
    if (status == DPK_OK && !row)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: no %s", key);
    if (status == DPK_OK)
        snprintf(out, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_db_put_meta(sqlite3 *db, const char *key, const char *value,
                                struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status = dpk_db_prepare(db, "INSERT INTO meta VALUES (?, ?)", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    return dpk_db_finish(db, stmt, err);
}

static enum dpk_status open_file(const char *path, sqlite3 **out, struct dpk_error *err)
{
    sqlite3 *db = NULL;
    enum dpk_status status = DPK_OK;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        status = db ? dpk_fail(err, DPK_ERR_IO, "%s: %s", path, sqlite3_errmsg(db))
                    : dpk_fail_nomem(err);
    if (status == DPK_OK) {
        sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        status = dpk_db_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", err);
    }
    if (status != DPK_OK) {
        sqlite3_close(db);
        return status;
    }
    *out = db;
    return DPK_OK;
}

enum dpk_status dpk_db_create(const char *path, sqlite3 **out, struct dpk_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return dpk_fail_errno(err, "%s", path);
    close(fd);
    enum dpk_status status = open_file(path, out, err);
    if (status == DPK_OK)
        status = dpk_db_exec(*out, schema, err);
    return status;
}

static enum dpk_status pragma(sqlite3 *db, const char *sql, char *out, size_t size,
                              struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    enum dpk_status status = dpk_db_prepare(db, sql, &stmt, err);
    if (status == DPK_OK)
        status = dpk_db_step(db, stmt, &row, err);
    snprintf(out, size, "%s", row ? (const char *)sqlite3_column_text(stmt, 0) : "");
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_db_open(const char *path, sqlite3 **out, struct dpk_error *err)
{
    /* What decisions rest on. The log, which grows with every load, is checked where it is read. */
    static const char *const checks[] = {"PRAGMA quick_check('meta')",
                                         "PRAGMA quick_check('nvidia_key')",
                                         "PRAGMA quick_check('tlv')", "PRAGMA quick_check('ca')"};
    char application[32], version[32], check[256] = "ok";
    sqlite3 *db = NULL;
    enum dpk_status status = open_file(path, &db, err);
    if (status != DPK_OK)
        return status;
    status = pragma(db, "PRAGMA application_id", application, sizeof application, err);
    if (status == DPK_OK)
        status = pragma(db, "PRAGMA user_version", version, sizeof version, err);
    for (size_t i = 0; status == DPK_OK && i < sizeof checks / sizeof *checks; i++)
        if ((status = pragma(db, checks[i], check, sizeof check, err)) == DPK_OK &&
            strcmp(check, "ok") != 0)
            break;
    if (status == DPK_OK && strcmp(application, APPLICATION_ID) != 0)
        status = dpk_fail(err, DPK_ERR_FORMAT, "%s: no device's state", path);
    if (status == DPK_OK && strcmp(version, SCHEMA_VERSION) != 0)
        status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: state of version %s, this is version %s",
                          path, version, SCHEMA_VERSION);
    if (status == DPK_OK && strcmp(check, "ok") != 0)
        status =
            dpk_fail(err, DPK_ERR_FORMAT, "%s: the device's state is damaged (%s)", path, check);
    if (status != DPK_OK) {
        sqlite3_close(db);
        return status;
    }
    *out = db;
    return DPK_OK;
}
