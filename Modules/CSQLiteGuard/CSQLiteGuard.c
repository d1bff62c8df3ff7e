#define _GNU_SOURCE
#include "CSQLiteGuard.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static sqlite3_vfs *parent;
static sqlite3_vfs reading, writing;

// MARK: Opening

static int ends(const char *path, const char *suffix) {
  size_t length = strlen(path), count = strlen(suffix);
  return length > count && strcmp(path + length - count, suffix) == 0;
}

/// What SQLite calls instead of open(2): never blocks, and opens no FIFO, socket or device, and no symbolic link in
/// place of a journal.
static int open_regular(const char *path, int flags, int mode) {
  if (ends(path, "-journal") || ends(path, "-wal") || ends(path, "-shm")) flags |= O_NOFOLLOW;
  int descriptor = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
  if (descriptor < 0) return descriptor;
  struct stat status;
  if (fstat(descriptor, &status) == 0
      && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || strcmp(path, "/dev/urandom") == 0))
    return descriptor;
  close(descriptor);
  errno = ENXIO;
  return -1;
}

// MARK: The reading layer

/// A database, or its log. The parent's file follows in memory.
typedef struct ReadFile ReadFile;
struct ReadFile {
  sqlite3_file base;
  /// The parent's file; NULL for a log that does not exist.
  sqlite3_file *real;
  /// Of a database: its path, its log, and its index of the log in private memory.
  const char *path;
  ReadFile *log;
  void **pages;
  int count;
  /// Of a database: keeps other programs from moving the log into it; below zero if there is nothing to lock.
  int guard;
  struct stat first;
  int has_first;
  /// Of a log: its header at the first read.
  unsigned char header[32];
  int has_header;
};

static ReadFile *of(sqlite3_file *file) { return (ReadFile *)file; }

static int file_close(sqlite3_file *file) {
  ReadFile *self = of(file);
  int code = self->real ? self->real->pMethods->xClose(self->real) : SQLITE_OK;
  if (self->guard >= 0) close(self->guard);
  self->guard = -1;
  return code;
}

static int file_read(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  ReadFile *self = of(file);
  if (!self->real) {
    memset(buffer, 0, count);
    return SQLITE_IOERR_SHORT_READ;
  }
  int code = self->real->pMethods->xRead(self->real, buffer, count, offset);
  if (!self->path && !self->has_header && offset == 0 && count >= 32 && code == SQLITE_OK) {
    memcpy(self->header, buffer, 32);
    self->has_header = 1;
  }
  return code;
}

static int file_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) { return SQLITE_READONLY; }
static int file_truncate(sqlite3_file *file, sqlite3_int64 size) { return SQLITE_READONLY; }
static int file_sync(sqlite3_file *file, int flags) { return SQLITE_OK; }

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  ReadFile *self = of(file);
  *size = 0;
  return self->real ? self->real->pMethods->xFileSize(self->real, size) : SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level) {
  ReadFile *self = of(file);
  if (level > SQLITE_LOCK_SHARED) return SQLITE_BUSY;
  return self->real ? self->real->pMethods->xLock(self->real, level) : SQLITE_OK;
}
static int file_unlock(sqlite3_file *file, int level) {
  ReadFile *self = of(file);
  return self->real ? self->real->pMethods->xUnlock(self->real, level) : SQLITE_OK;
}
static int file_check_lock(sqlite3_file *file, int *is_locked) {
  ReadFile *self = of(file);
  *is_locked = 0;
  return self->real ? self->real->pMethods->xCheckReservedLock(self->real, is_locked) : SQLITE_OK;
}

enum { opcode_snapshot = 0x62620001, opcode_unchanged = 0x62620002 };

/// The status of the database, if nothing replaced it at its path; a file that was replaced is not written any more.
static int status_of(ReadFile *self, struct stat *status) {
  return stat(self->path, status) == 0 && (!self->has_first || status->st_ino == self->first.st_ino);
}

static int is_same(const struct stat *a, const struct stat *b) {
  return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int is_unchanged(ReadFile *self) {
  struct stat now;
  if (self->has_first && status_of(self, &now) && !is_same(&now, &self->first)) return 0;
  ReadFile *log = self->log;
  if (!log || !log->real || !log->has_header) return 1;
  unsigned char header[32];
  int code = log->real->pMethods->xRead(log->real, header, 32, 0);
  return code == SQLITE_OK && memcmp(header, log->header, 32) == 0;
}

static int file_control(sqlite3_file *file, int opcode, void *argument) {
  ReadFile *self = of(file);
  switch (opcode) {
  case SQLITE_FCNTL_MMAP_SIZE: return SQLITE_NOTFOUND;
  case opcode_snapshot: {
    bb_sqlite3_snapshot *snapshot = argument;
    memset(snapshot, 0, sizeof *snapshot);
    if (!self->has_first || !self->count || !self->pages[0]) return SQLITE_OK;
    snapshot->inode = self->first.st_ino;
    snapshot->size = self->first.st_size;
    snapshot->seconds = self->first.st_mtim.tv_sec;
    snapshot->nanoseconds = self->first.st_mtim.tv_nsec;
    // Of the index's header: the last frame, the size in pages, two checksums and two salts.
    memcpy(snapshot->log, (char *)self->pages[0] + 16, sizeof snapshot->log);
    snapshot->is_known = 1;
    return SQLITE_OK;
  }
  case opcode_unchanged:
    *(int *)argument = is_unchanged(self);
    return SQLITE_OK;
  default: return self->real ? self->real->pMethods->xFileControl(self->real, opcode, argument) : SQLITE_NOTFOUND;
  }
}

static int file_sector(sqlite3_file *file) {
  ReadFile *self = of(file);
  return self->real ? self->real->pMethods->xSectorSize(self->real) : 4096;
}
static int file_traits(sqlite3_file *file) {
  ReadFile *self = of(file);
  return self->real ? self->real->pMethods->xDeviceCharacteristics(self->real) : 0;
}

/// Databases that this process opened for writing. To close a file that it also has open elsewhere would release its
/// locks there.
static struct { dev_t device; ino_t inode; } written[64];
static int written_count;
static pthread_mutex_t written_mutex = PTHREAD_MUTEX_INITIALIZER;

static int is_written(const char *path, int notes) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  pthread_mutex_lock(&written_mutex);
  int result = written_count == 64;
  for (int place = 0; place < written_count && !result; place++)
    result = written[place].device == status.st_dev && written[place].inode == status.st_ino;
  if (notes && !result) {
    written[written_count].device = status.st_dev;
    written[written_count++].inode = status.st_ino;
  }
  pthread_mutex_unlock(&written_mutex);
  return result;
}

/// Locks the log's index of another program's database, which is not read: while the lock is held no program moves
/// the log into the database, or starts it over. Programs of bb do so only while no program reads.
static int guard(ReadFile *self) {
  unsigned char id[4] = { 0 };
  if (self->real->pMethods->xRead(self->real, id, 4, 68) == SQLITE_OK && memcmp(id, "bbst", 4) == 0) return SQLITE_OK;
  if (is_written(self->path, 0)) return SQLITE_OK;
  char *path = sqlite3_mprintf("%s-shm", self->path);
  if (!path) return SQLITE_NOMEM;
  int descriptor = open_regular(path, O_RDONLY, 0);
  sqlite3_free(path);
  if (descriptor < 0) return SQLITE_OK;
  // The first two locks of readers: bytes 123 and 124 of the index.
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 123, .l_len = 2 };
  if (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
    int is_busy = errno == EAGAIN || errno == EACCES;
    close(descriptor);
    return is_busy ? SQLITE_BUSY : SQLITE_OK;
  }
  self->guard = descriptor;
  return SQLITE_OK;
}

/// SQLite keeps its index of the log here, in private memory, instead of in a shared file.
static int shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **result) {
  ReadFile *self = of(file);
  *result = NULL;
  if (!self->has_first) {
    int code = guard(self);
    if (code != SQLITE_OK) return code;
    if (!status_of(self, &self->first)) return SQLITE_IOERR_FSTAT;
    self->has_first = 1;
  }
  if (page >= self->count) {
    if (!extends) return SQLITE_OK;
    void **pages = sqlite3_realloc64(self->pages, (page + 1) * sizeof *pages);
    if (!pages) return SQLITE_NOMEM;
    self->pages = pages;
    while (self->count <= page) {
      void *fresh = sqlite3_malloc(size);
      if (!fresh) return SQLITE_NOMEM;
      memset(fresh, 0, size);
      pages[self->count++] = fresh;
    }
  }
  *result = self->pages[page];
  return SQLITE_OK;
}
static int shm_lock(sqlite3_file *file, int offset, int count, int flags) { return SQLITE_OK; }
static void shm_barrier(sqlite3_file *file) { __sync_synchronize(); }
static int shm_unmap(sqlite3_file *file, int removes) {
  ReadFile *self = of(file);
  for (int page = 0; page < self->count; page++) sqlite3_free(self->pages[page]);
  sqlite3_free(self->pages);
  self->pages = NULL;
  self->count = 0;
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
  2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_check_lock,
  file_control, file_sector, file_traits, shm_map, shm_lock, shm_barrier, shm_unmap, NULL, NULL,
};

static int reading_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  file->pMethods = NULL;
  const int known = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
  // SQLite's own temporary files, for sorting.
  if (!(flags & known)) return parent->xOpen(parent, path, file, flags, out);
  if (flags & SQLITE_OPEN_SUPER_JOURNAL) return SQLITE_CANTOPEN;
  int only = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE | SQLITE_OPEN_EXCLUSIVE))
    | SQLITE_OPEN_READONLY;
  ReadFile *self = of(file);
  memset(self, 0, sizeof *self);
  self->guard = -1;
  sqlite3_file *real = (sqlite3_file *)(self + 1);
  memset(real, 0, parent->szOsFile);
  int is_log = flags & SQLITE_OPEN_WAL;
  struct stat status;
  if (is_log && lstat(path, &status) != 0 && errno == ENOENT) {
    if (out) *out = only;
  } else {
    int code = parent->xOpen(parent, path, real, only, out);
    if (code != SQLITE_OK) {
      if (real->pMethods) real->pMethods->xClose(real);
      return code;
    }
    self->real = real;
  }
  if (flags & SQLITE_OPEN_MAIN_DB) self->path = path;
  if (is_log) {
    ReadFile *database = of(sqlite3_database_file_object(path));
    if (database && database->base.pMethods == &methods) database->log = self;
  }
  self->base.pMethods = &methods;
  return SQLITE_OK;
}

/// SQLite removes what is next to an empty database; a reader leaves it.
static int reading_delete(sqlite3_vfs *vfs, const char *path, int syncs) { return SQLITE_OK; }

// MARK: The writing layer

static int writing_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  file->pMethods = NULL;
  if (flags & SQLITE_OPEN_SUPER_JOURNAL) return SQLITE_CANTOPEN;
  int code = parent->xOpen(parent, path, file, flags, out);
  if (code == SQLITE_OK && path && flags & SQLITE_OPEN_MAIN_DB) is_written(path, 1);
  return code;
}

int bb_sqlite3_register(void) {
  parent = sqlite3_vfs_find("unix");
  if (!parent) return SQLITE_ERROR;
  parent->xSetSystemCall(parent, "open", (sqlite3_syscall_ptr)open_regular);
  reading = *parent;
  reading.zName = "bb-read";
  reading.szOsFile = sizeof(ReadFile) + parent->szOsFile;
  reading.pNext = NULL;
  reading.xOpen = reading_open;
  reading.xDelete = reading_delete;
  writing = *parent;
  writing.zName = "bb-write";
  writing.pNext = NULL;
  writing.xOpen = writing_open;
  int code = sqlite3_vfs_register(&reading, 0);
  return code == SQLITE_OK ? sqlite3_vfs_register(&writing, 0) : code;
}

int bb_sqlite3_get_snapshot(sqlite3 *db, bb_sqlite3_snapshot *snapshot) {
  return sqlite3_file_control(db, "main", opcode_snapshot, snapshot);
}
int bb_sqlite3_is_unchanged(sqlite3 *db) {
  int result = 1;
  return sqlite3_file_control(db, "main", opcode_unchanged, &result) != SQLITE_OK || result;
}

// MARK: What statements may do

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void set_deadline(bb_sqlite3_watch *watch, int64_t deadline) { __atomic_store_n(&watch->deadline, deadline, __ATOMIC_RELAXED); }

void bb_sqlite3_start(bb_sqlite3_watch *watch) {
  if (watch->limit <= 0) return;
  watch->started = now();
  set_deadline(watch, watch->started + watch->limit - (watch->is_recursive ? watch->spent : 0));
}

void bb_sqlite3_row(bb_sqlite3_watch *watch) {
  if (watch->deadline && !watch->is_recursive) set_deadline(watch, now() + watch->limit);
}

int bb_sqlite3_is_overdue(const bb_sqlite3_watch *watch) {
  int64_t deadline = __atomic_load_n(&watch->deadline, __ATOMIC_RELAXED);
  return deadline && now() > deadline + 1000000000;
}

void bb_sqlite3_stop(bb_sqlite3_watch *watch) {
  if (watch->deadline) watch->spent += now() - watch->started;
  set_deadline(watch, 0);
}

static int progress(void *context) {
  bb_sqlite3_watch *watch = context;
  return watch->deadline && now() > watch->deadline;
}

static int contains(const char *const *list, const char *word) {
  for (; word && *list; list++)
    if (sqlite3_stricmp(*list, word) == 0) return 1;
  return 0;
}

static int authorize(void *context, int action, const char *first, const char *second, const char *database, const char *view) {
  static const char *const functions[] = { "load_extension", "fts3_tokenizer", "sqlite_log", "writefile", "readfile", "edit", NULL };
  // With an argument, these name a table or an index.
  static const char *const about[] = {
    "table_list", "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list", "integrity_check", NULL };
  static const char *const values[] = {
    "application_id", "user_version", "data_version", "schema_version", "journal_mode", "encoding", "page_count", "page_size",
    "module_list", "function_list", "collation_list", "compile_options", NULL };
  static const char *const schema[] = { "sqlite_master", "sqlite_schema", NULL };
  bb_sqlite3_watch *watch = context;
  switch (action) {
  case SQLITE_RECURSIVE: watch->is_recursive = 1; return SQLITE_OK;
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_TRANSACTION:
  case SQLITE_SAVEPOINT: return SQLITE_OK;
  // SQLite prepares this, and does not run it, when it declares the columns of a virtual table.
  case SQLITE_UPDATE: return contains(schema, first) ? SQLITE_OK : SQLITE_DENY;
  case SQLITE_FUNCTION: return contains(functions, second) ? SQLITE_DENY : SQLITE_OK;
  case SQLITE_PRAGMA: return contains(about, first) || (!second && contains(values, first)) ? SQLITE_OK : SQLITE_DENY;
  default: return SQLITE_DENY;
  }
}

void bb_sqlite3_restrict(sqlite3 *db, bb_sqlite3_watch *watch) {
  sqlite3_set_authorizer(db, authorize, watch);
  sqlite3_progress_handler(db, 2000, progress, watch);
}

// MARK: generate_series

typedef struct {
  sqlite3_vtab_cursor base;
  sqlite3_int64 value, stop, step, rowid;
  int is_done;
} Series;

static int series_connect(sqlite3 *db, void *context, int count, const char *const *words, sqlite3_vtab **table, char **error) {
  int code = sqlite3_declare_vtab(db, "CREATE TABLE x(value, start HIDDEN, stop HIDDEN, step HIDDEN)");
  if (code != SQLITE_OK) return code;
  *table = sqlite3_malloc(sizeof **table);
  if (!*table) return SQLITE_NOMEM;
  memset(*table, 0, sizeof **table);
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  return SQLITE_OK;
}
static int series_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}
static int series_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  Series *self = sqlite3_malloc(sizeof *self);
  if (!self) return SQLITE_NOMEM;
  memset(self, 0, sizeof *self);
  *cursor = &self->base;
  return SQLITE_OK;
}
static int series_close(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

/// Which of start, stop and step are given, as bits; the arguments come in this order.
static int series_plan(sqlite3_vtab *table, sqlite3_index_info *plan) {
  int places[3] = { -1, -1, -1 }, next = 0;
  for (int i = 0; i < plan->nConstraint; i++) {
    const struct sqlite3_index_constraint *one = plan->aConstraint + i;
    if (one->iColumn < 1 || one->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!one->usable) return SQLITE_CONSTRAINT;
    places[one->iColumn - 1] = i;
  }
  for (int i = 0; i < 3; i++) {
    if (places[i] < 0) continue;
    plan->idxNum |= 1 << i;
    plan->aConstraintUsage[places[i]].argvIndex = ++next;
    plan->aConstraintUsage[places[i]].omit = 1;
  }
  if ((plan->idxNum & 3) != 3) {
    table->zErrMsg = sqlite3_mprintf("generate_series needs a start and a stop");
    return SQLITE_ERROR;
  }
  plan->estimatedCost = 1000;
  return SQLITE_OK;
}
static int series_filter(sqlite3_vtab_cursor *cursor, int given, const char *text, int count, sqlite3_value **values) {
  Series *self = (Series *)cursor;
  self->step = 1;
  self->is_done = 0;
  self->rowid = 1;
  for (int i = 0; i < count; i++)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) self->is_done = 1;
  self->value = sqlite3_value_int64(values[0]);
  self->stop = sqlite3_value_int64(values[1]);
  if (given & 4) self->step = sqlite3_value_int64(values[2]);
  if (self->step == 0) self->step = 1;
  if (self->step > 0 ? self->value > self->stop : self->value < self->stop) self->is_done = 1;
  return SQLITE_OK;
}
static int series_next(sqlite3_vtab_cursor *cursor) {
  Series *self = (Series *)cursor;
  self->rowid++;
  if (__builtin_add_overflow(self->value, self->step, &self->value)) self->is_done = 1;
  if (self->step > 0 ? self->value > self->stop : self->value < self->stop) self->is_done = 1;
  return SQLITE_OK;
}
static int series_eof(sqlite3_vtab_cursor *cursor) { return ((Series *)cursor)->is_done; }
static int series_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  Series *self = (Series *)cursor;
  sqlite3_result_int64(context, column == 2 ? self->stop : column == 3 ? self->step : self->value);
  return SQLITE_OK;
}
static int series_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) {
  *rowid = ((Series *)cursor)->rowid;
  return SQLITE_OK;
}

int bb_sqlite3_add_series(sqlite3 *db) {
  static const sqlite3_module module = {
    .xConnect = series_connect, .xBestIndex = series_plan, .xDisconnect = series_disconnect, .xOpen = series_open,
    .xClose = series_close, .xFilter = series_filter, .xNext = series_next, .xEof = series_eof, .xColumn = series_column,
    .xRowid = series_rowid,
  };
  return sqlite3_create_module(db, "generate_series", &module, NULL);
}
