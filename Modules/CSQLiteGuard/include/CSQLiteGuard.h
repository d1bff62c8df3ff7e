#pragma once
#include <stdint.h>

struct sqlite3;

/// The SQLite file layers: `bb-read` cannot modify, create, remove or block on any file; `bb-write` never opens a
/// super-journal.
/// Registers both, once; returns an SQLite result code.
int bb_sqlite3_register(void);

/// The state of a database file that a connection through `bb-read` reads: equal for two connections if they read the
/// same rows.
typedef struct {
  int64_t inode, size, seconds, nanoseconds;
  /// The last commit in the log, its checksums and salts; zero without a log.
  unsigned char log[24];
  /// Whether the fields above identify the state: the database keeps a log (WAL).
  int is_known;
} bb_sqlite3_snapshot;

/// The state that a connection reads. Returns an SQLite result code.
int bb_sqlite3_get_snapshot(struct sqlite3 *db, bb_sqlite3_snapshot *snapshot);
/// Whether no other program overwrote what a connection reads since its first read. Other programs can do so only in
/// a database that keeps a log.
int bb_sqlite3_is_unchanged(struct sqlite3 *db);

/// The time limit of a statement, and whether its SQL is recursive. The memory must outlive the connection.
typedef struct {
  /// Nanoseconds without a row; of recursive SQL, in all. 0 for no limit.
  int64_t limit;
  /// Whether a statement that was prepared on the connection is recursive, so that it may return rows forever.
  int is_recursive;
  // Internal. Other threads read the deadline.
  int64_t deadline, started, spent;
} bb_sqlite3_watch;

/// Adds the table `generate_series(start, stop, step)`, whose only visible column is `value`. Returns an SQLite result
/// code.
int bb_sqlite3_add_series(struct sqlite3 *db);

/// Allows statements to read, and nothing else, and applies the limit of `watch`.
void bb_sqlite3_restrict(struct sqlite3 *db, bb_sqlite3_watch *watch);
/// Starts the time of a statement, or continues it.
void bb_sqlite3_start(bb_sqlite3_watch *watch);
/// Starts the time again after a row, unless the SQL is recursive.
void bb_sqlite3_row(bb_sqlite3_watch *watch);
/// Whether the statement should have ended a second ago and has not: one of its functions takes long, and a function
/// cannot be interrupted. Any thread may ask.
int bb_sqlite3_is_overdue(const bb_sqlite3_watch *watch);
/// Stops the time: until the next start no limit applies.
void bb_sqlite3_stop(bb_sqlite3_watch *watch);
