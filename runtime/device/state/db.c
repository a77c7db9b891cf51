/* The database of a device. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define APPLICATION_ID   "1146112836" /* "DPKD" */
#define SCHEMA_VERSION   "2"
#define UNSEALED         "1" /* the version of dpakit 0.1: the same schema without a seal */
#define BUSY_TIMEOUT_MS  20000
#define CLEAR_TIMEOUT_MS 1000
/* Maximum pages of journal that remain after closing. The next program that opens the device reads
 * all of them, so few pages make opening fast; but removing them takes some syncs. */
#define JOURNAL_PAGES 100

/* clang-format off */
#define SINCE_2                                                                                    \
    "CREATE TABLE version_floor ("                                                                 \
    "    keypair BLOB NOT NULL,"                                                                   \
    "    mlnx INTEGER NOT NULL,"                                                                   \
    "    version INTEGER NOT NULL,"                                                                \
    "    PRIMARY KEY (keypair, mlnx)) STRICT;"                                                     \
    "CREATE TABLE removed_ca (uuid BLOB PRIMARY KEY) STRICT;"                                      \
    "CREATE TABLE seal (id INTEGER PRIMARY KEY CHECK (id = 1), sha256 BLOB NOT NULL) STRICT;"      \
    "PRAGMA user_version = " SCHEMA_VERSION

static const char schema[] =
    "PRAGMA application_id = " APPLICATION_ID ";"
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
    "    detail TEXT NOT NULL) STRICT;"
    SINCE_2;
/* clang-format on */

enum dpk_status dpk_db_fail(sqlite3 *db, struct dpk_error *err)
{
    const char *file = sqlite3_db_filename(db, "main");
    const char *path = file && *file ? file : "device.db";
    switch (sqlite3_errcode(db)) {
    case SQLITE_ERROR: /* our statements are correct, so the file's schema is wrong */
    case SQLITE_MISMATCH:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return dpk_db_damaged(db, err, sqlite3_errmsg(db));
    case SQLITE_BUSY:
        return dpk_fail(err, DPK_ERR_TIMEOUT, "%s: another program keeps the device busy", path);
    case SQLITE_NOMEM:
        return dpk_fail_nomem(err);
    case SQLITE_READONLY:
        return dpk_fail(err, DPK_ERR_IO, "%s: the device's state is read-only", path);
    case SQLITE_CANTOPEN: /* SQLite's errno belongs to another call */
        return dpk_fail(err, DPK_ERR_IO,
                        "%s: its journal cannot be made: no space left on the disk, or its "
                        "directory may not be written to",
                        path);
    case SQLITE_FULL:
        return dpk_fail(err, DPK_ERR_IO, "%s: %s: nothing was changed", path, strerror(ENOSPC));
    default:
        break;
    }
    int cause = sqlite3_system_errno(db);
    if (cause)
        return dpk_fail(err, DPK_ERR_IO, "%s: %s (%s)", path, strerror(cause), sqlite3_errmsg(db));
    return dpk_fail(err, DPK_ERR_IO, "%s: %s", path, sqlite3_errmsg(db));
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

void dpk_db_rollback(sqlite3 *db)
{
    /* A rollback needs memory. If there is none, SQLite frees what it caches. */
    if (!sqlite3_get_autocommit(db) &&
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_NOMEM) {
        (void)sqlite3_db_release_memory(db);
        (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    }
}

enum dpk_status dpk_db_begin_log(sqlite3 *db, struct dpk_error *err)
{
    return dpk_db_exec(db, "BEGIN IMMEDIATE", err);
}

enum dpk_status dpk_db_end_log(sqlite3 *db, enum dpk_status status, struct dpk_error *err)
{
    if (status == DPK_OK && (status = dpk_db_exec(db, "COMMIT", err)) != DPK_OK)
        /* If only the sync failed, the journal has the whole change, and the next program that
         * opens the device would apply it. Closing clears the journal. */
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    if (status != DPK_OK)
        dpk_db_rollback(db);
    return status;
}

/* Checks the whole database for damage, including free pages and the log. A change may write to any
 * page, and must not put a new seal on a damaged state. */
static enum dpk_status check_whole(sqlite3 *db, struct dpk_error *err)
{
    char said[256] = "";
    enum dpk_status status = dpk_db_pragma(db, "PRAGMA quick_check(1)", said, sizeof said, err);
    if (status == DPK_OK && strcmp(said, "ok") != 0)
        status = dpk_db_damaged(db, err, said);
    return status;
}

enum dpk_status dpk_db_begin(sqlite3 *db, struct dpk_error *err)
{
    enum dpk_status status = dpk_db_begin_log(db, err);
    /* A read-only database does not get a new seal. */
    if (status != DPK_OK || sqlite3_db_readonly(db, "main") == 1)
        return status;
    status = check_whole(db, err);
    if (status == DPK_OK)
        status = dpk_seal_check(db, err);
    if (status != DPK_OK)
        (void)dpk_db_end_log(db, status, NULL);
    return status;
}

/* Empties the journal after a change. If a bit of the journal flips, SQLite drops the rest of it,
 * so that only entries of loads can be lost. A long read of another program may prevent this; the
 * change is valid nevertheless. */
static void clear_journal(sqlite3 *db)
{
    sqlite3_busy_timeout(db, CLEAR_TIMEOUT_MS);
    (void)sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
}

enum dpk_status dpk_db_end(sqlite3 *db, enum dpk_status status, struct dpk_error *err)
{
    if (status == DPK_OK)
        status = dpk_seal_put(db, err);
    status = dpk_db_end_log(db, status, err);
    if (status == DPK_OK)
        clear_journal(db);
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

enum dpk_status dpk_db_text(sqlite3 *db, sqlite3_stmt *stmt, int column, const char **out,
                            struct dpk_error *err)
{
    *out = (const char *)sqlite3_column_text(stmt, column);
    if (*out)
        return DPK_OK;
    return sqlite3_errcode(db) == SQLITE_NOMEM ? dpk_fail_nomem(err)
                                               : dpk_db_damaged(db, err, "a text is missing");
}

enum dpk_status dpk_db_find_meta(sqlite3 *db, const char *key, char *out, size_t size, bool *found,
                                 struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *text = NULL;
    *found = false;
    enum dpk_status status = dpk_db_prepare(db, "SELECT value FROM meta WHERE key = ?", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    status = dpk_db_step(db, stmt, found, err);
    if (status == DPK_OK && *found)
        status = dpk_db_text(db, stmt, 0, &text, err);
    if (text)
        snprintf(out, size, "%s", text);
    sqlite3_finalize(stmt);
    return status;
}

enum dpk_status dpk_db_get_meta(sqlite3 *db, const char *key, char *out, size_t size,
                                struct dpk_error *err)
{
    bool found;
    enum dpk_status status = dpk_db_find_meta(db, key, out, size, &found, err);
    if (status == DPK_OK && !found)
        status = dpk_fail(err, DPK_ERR_FORMAT, "the device's state is damaged: no %s", key);
    return status;
}

enum dpk_status dpk_db_put_meta(sqlite3 *db, const char *key, const char *value,
                                struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    enum dpk_status status =
        dpk_db_prepare(db, "INSERT OR REPLACE INTO meta VALUES (?, ?)", &stmt, err);
    if (status != DPK_OK)
        return status;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, value, -1, SQLITE_STATIC);
    return dpk_db_finish(db, stmt, err);
}

static void distrust(sqlite3 *db)
{
    sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* A device has neither triggers nor views. Those of a hostile file are not executed. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

static enum dpk_status open_failed(const char *path, sqlite3 *db, struct dpk_error *err)
{
    return db ? dpk_fail(err, DPK_ERR_IO, "%s: %s", path, sqlite3_errmsg(db)) : dpk_fail_nomem(err);
}

/* Writes a URI for SQLite: "file:", the path, and `query`. */
static void put_uri(struct dpk_buf *out, const char *path, const char *query)
{
    dpk_put_format(out, "file:");
    for (const char *c = path; *c; c++)
        dpk_put_format(out, *c == '%' || *c == '?' || *c == '#' ? "%%%02X" : "%c",
                       (unsigned char)*c);
    dpk_put_format(out, "%s", query);
    dpk_put_u8(out, 0);
}

/* Opens a database without write permission, for example on a read-only file system of a CI
 * machine. Changes in the journal are valid; SQLite finds them with device.db-shm in the same
 * directory. Without a journal, no lock is necessary. */
static enum dpk_status open_read_only(const char *path, sqlite3 **out, struct dpk_error *err)
{
    char journal[PATH_MAX];
    struct stat st;
    struct dpk_buf uri = {0};
    sqlite3 *db = NULL;
    enum dpk_status status = DPK_OK;
    int n = snprintf(journal, sizeof journal, "%s-wal", path);
    if (n < 0 || n >= PATH_MAX)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", path);
    bool pending = stat(journal, &st) != 0 ? errno != ENOENT : st.st_size > 0;
    put_uri(&uri, path, pending ? "" : "?immutable=1");
    if (uri.failed)
        status = dpk_fail_nomem(err);
    else if (sqlite3_open_v2((const char *)uri.data, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                             NULL) != SQLITE_OK)
        status = open_failed(path, db, err);
    dpk_buf_free(&uri);
    if (status == DPK_OK) {
        distrust(db);
        if (sqlite3_exec(db, "SELECT count(*) FROM meta", NULL, NULL, NULL) == SQLITE_CANTOPEN)
            status = dpk_fail(err, DPK_ERR_IO,
                              "%s: read-only, and what its journal holds cannot be read without "
                              "device.db-shm: copy the whole directory",
                              path);
    }
    if (status != DPK_OK) {
        sqlite3_close(db);
        return status;
    }
    *out = db;
    return DPK_OK;
}

/* Returns true if a journal can be written next to the database. */
static bool may_have_journal(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return access(directory, W_OK) == 0 || (errno != EACCES && errno != EROFS);
}

/* Opens a database for writing. *out is NULL without write permission. */
static enum dpk_status open_file(const char *path, sqlite3 **out, struct dpk_error *err)
{
    sqlite3 *db = NULL;
    enum dpk_status status = DPK_OK;
    *out = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        status = open_failed(path, db, err);
    /* Without write permission, SQLite opens a file only for reading. */
    bool writable =
        status == DPK_OK && sqlite3_db_readonly(db, "main") == 0 && may_have_journal(path);
    if (writable) {
        distrust(db);
        status = dpk_db_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", err);
    }
    if (status != DPK_OK || !writable) {
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
    if (status == DPK_OK && !*out)
        status = dpk_fail(err, DPK_ERR_IO, "%s: read-only", path);
    if (status == DPK_OK)
        status = dpk_db_begin_log(*out, err);
    if (status != DPK_OK)
        return status;
    status = dpk_db_exec(*out, schema, err);
    if (status == DPK_OK)
        status = dpk_seal_put(*out, err);
    return dpk_db_end_log(*out, status, err);
}

enum dpk_status dpk_db_finish_new(sqlite3 *db, enum dpk_status status, struct dpk_error *err)
{
    if (status == DPK_OK)
        status = dpk_db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", err);
    sqlite3_close(db);
    return status;
}

enum dpk_status dpk_db_pragma(sqlite3 *db, const char *sql, char *out, size_t size,
                              struct dpk_error *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *text = "";
    bool row = false;
    enum dpk_status status = dpk_db_prepare(db, sql, &stmt, err);
    if (status == DPK_OK)
        status = dpk_db_step(db, stmt, &row, err);
    if (row)
        status = dpk_db_text(db, stmt, 0, &text, err);
    snprintf(out, size, "%s", text ? text : "");
    sqlite3_finalize(stmt);
    return status;
}

/* SQLite calls this after each commit. Only the last program that closes the device can clear the
 * journal. If a program always has it open, a checkpoint allows SQLite to overwrite the journal. */
static int note_journal(void *context, sqlite3 *db, const char *name, int pages)
{
    (void)context;
    if (pages >= JOURNAL_PAGES)
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    if (pages >= 10 * JOURNAL_PAGES)
        (void)sqlite3_wal_checkpoint(db, name);
    return SQLITE_OK;
}

/* Checks that it is the state of a device, of a known version. *sealed: it has a seal. */
static enum dpk_status check_kind(sqlite3 *db, bool *sealed, struct dpk_error *err)
{
    char application[32] = "", version[32] = "", vacuum[32] = "";
    const char *path = sqlite3_db_filename(db, "main");
    enum dpk_status status =
        dpk_db_pragma(db, "PRAGMA application_id", application, sizeof application, err);
    if (status == DPK_OK)
        status = dpk_db_pragma(db, "PRAGMA user_version", version, sizeof version, err);
    if (status == DPK_OK)
        status = dpk_db_pragma(db, "PRAGMA auto_vacuum", vacuum, sizeof vacuum, err);
    if (status != DPK_OK)
        return status;
    if (strcmp(application, APPLICATION_ID) != 0)
        return dpk_fail(err, DPK_ERR_FORMAT, "%s: not the state of a device, or damaged", path);
    *sealed = strcmp(version, UNSEALED) != 0;
    if (*sealed && strcmp(version, SCHEMA_VERSION) != 0)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "%s: state of version %s, this is version %s; or it is damaged", path,
                        version, SCHEMA_VERSION);
    /* If it were set, SQLite would use one of our pages for its bookkeeping. */
    return strcmp(vacuum, "0") == 0 ? DPK_OK : dpk_db_damaged(db, err, "auto_vacuum");
}

/* Adds a seal to an undamaged state of dpakit 0.1. */
static enum dpk_status add_seal(sqlite3 *db, struct dpk_error *err)
{
    bool sealed = false;
    enum dpk_status status = dpk_db_begin_log(db, err);
    if (status != DPK_OK)
        return status;
    status = check_kind(db, &sealed, err);
    if (status != DPK_OK || sealed) /* another program added a seal meanwhile */
        return dpk_db_end_log(db, status, err);
    status = check_whole(db, err);
    if (status == DPK_OK)
        status = dpk_db_exec(db, SINCE_2, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(db, "seal", "OK", "state of dpakit 0.1 taken over", err);
    return dpk_db_end(db, status, err);
}

/* Checks the state at one moment, without the log. The log grows with each load, so readers of the
 * log check it. */
static enum dpk_status check_state(sqlite3 *db, struct dpk_error *err)
{
    bool sealed = false;
    enum dpk_status status = check_kind(db, &sealed, err);
    if (status == DPK_OK && !sealed && sqlite3_db_readonly(db, "main") == 1)
        return check_whole(db, err);
    if (status == DPK_OK && !sealed)
        status = add_seal(db, err);
    if (status == DPK_OK)
        status = dpk_db_exec(db, "BEGIN", err);
    if (status != DPK_OK)
        return status;
    status = dpk_seal_check(db, err);
    dpk_db_rollback(db);
    return status;
}

enum dpk_status dpk_db_open(const char *path, sqlite3 **out, struct dpk_error *err)
{
    sqlite3 *db = NULL;
    enum dpk_status status = open_file(path, &db, err);
    if (status == DPK_OK && !db)
        status = open_read_only(path, &db, err);
    if (status != DPK_OK)
        return status;
    status = check_state(db, err);
    if (status != DPK_OK) {
        sqlite3_close(db);
        return status;
    }
    /* Otherwise the last program that closes the device would sync just for a logged load. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_hook(db, note_journal, NULL);
    *out = db;
    return DPK_OK;
}
