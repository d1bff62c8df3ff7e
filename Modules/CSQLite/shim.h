#include <sqlite3.h>
/// SQLITE_TRANSIENT is a function-pointer cast macro; Swift cannot import it.
static inline int bb_sqlite3_bind_text_copying(sqlite3_stmt *s, int i, const char *p, sqlite3_uint64 n) {
  return sqlite3_bind_text64(s, i, p, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int bb_sqlite3_bind_blob_copying(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
  return sqlite3_bind_blob64(s, i, p, n, SQLITE_TRANSIENT);
}
/// The same for bytes that stay where they are until the statement has run.
static inline int bb_sqlite3_bind_text_static(sqlite3_stmt *s, int i, const char *p, sqlite3_uint64 n) {
  return sqlite3_bind_text64(s, i, p, n, SQLITE_STATIC, SQLITE_UTF8);
}
static inline int bb_sqlite3_bind_blob_static(sqlite3_stmt *s, int i, const void *p, sqlite3_uint64 n) {
  return sqlite3_bind_blob64(s, i, p, n, SQLITE_STATIC);
}
/// Compound result codes, which Swift does not import: a database whose last writer was killed, opened for reading.
static const int bb_sqlite3_readonly_rollback = SQLITE_READONLY_ROLLBACK, bb_sqlite3_readonly_recovery = SQLITE_READONLY_RECOVERY,
  bb_sqlite3_ioerr_shmsize = SQLITE_IOERR_SHMSIZE;
/// sqlite3_db_config is variadic.
static inline int bb_sqlite3_db_config_flag(sqlite3 *db, int option, int on) { return sqlite3_db_config(db, option, on, (int *)0); }
/// Memory that SQLite copies.
static inline sqlite3_destructor_type bb_sqlite3_transient(void) { return SQLITE_TRANSIENT; }
