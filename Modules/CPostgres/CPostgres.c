#define _GNU_SOURCE
#include "CPostgres.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
typedef struct {
  char *keyword, *envvar, *compiled, *val, *label, *dispchar;
  int dispsize;
} PQconninfoOption;
typedef void (*notice_processor)(void *, const char *);

enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 };
enum { POLLING_FAILED = 0, POLLING_READING = 1, POLLING_WRITING = 2, POLLING_OK = 3 };
enum { EMPTY_QUERY = 0, COMMAND_OK = 1, TUPLES_OK = 2, COPY_OUT = 3, COPY_IN = 4, BAD_RESPONSE = 5, NONFATAL = 6, FATAL = 7, COPY_BOTH = 8, SINGLE_TUPLE = 9 };
enum { ERRORS_VERBOSE = 2 };
enum { USUAL_TIMEOUT = 10 };

// Every function that is used, once: its result, its name, its parameters.
#define FUNCTIONS(F) \
  F(PGconn *, PQconnectStartParams, (const char *const *, const char *const *, int)) \
  F(PGconn *, PQconnectdbParams, (const char *const *, const char *const *, int)) \
  F(int, PQconnectPoll, (PGconn *)) \
  F(int, PQstatus, (const PGconn *)) \
  F(char *, PQerrorMessage, (const PGconn *)) \
  F(int, PQsetErrorVerbosity, (PGconn *, int)) \
  F(notice_processor, PQsetNoticeProcessor, (PGconn *, notice_processor, void *)) \
  F(int, PQserverVersion, (const PGconn *)) \
  F(int, PQbackendPID, (const PGconn *)) \
  F(int, PQtransactionStatus, (const PGconn *)) \
  F(int, PQsocket, (const PGconn *)) \
  F(void, PQfinish, (PGconn *)) \
  F(PQconninfoOption *, PQconninfoParse, (const char *, char **)) \
  F(PQconninfoOption *, PQconninfo, (PGconn *)) \
  F(void, PQconninfoFree, (PQconninfoOption *)) \
  F(void, PQfreemem, (void *)) \
  F(int, PQsetnonblocking, (PGconn *, int)) \
  F(int, PQsendQuery, (PGconn *, const char *)) \
  F(int, PQsendQueryParams, \
    (PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int)) \
  F(int, PQflush, (PGconn *)) \
  F(int, PQconsumeInput, (PGconn *)) \
  F(int, PQisBusy, (PGconn *)) \
  F(PGresult *, PQgetResult, (PGconn *)) \
  F(int, PQputCopyData, (PGconn *, const char *, int)) \
  F(int, PQputCopyEnd, (PGconn *, const char *)) \
  F(int, PQgetCopyData, (PGconn *, char **, int)) \
  F(int, PQresultStatus, (const PGresult *)) \
  F(char *, PQresultErrorField, (const PGresult *, int)) \
  F(int, PQntuples, (const PGresult *)) \
  F(int, PQnfields, (const PGresult *)) \
  F(char *, PQgetvalue, (const PGresult *, int, int)) \
  F(int, PQgetlength, (const PGresult *, int, int)) \
  F(int, PQgetisnull, (const PGresult *, int, int)) \
  F(char *, PQcmdTuples, (PGresult *)) \
  F(void, PQclear, (PGresult *)) \
  F(PGcancel *, PQgetCancel, (PGconn *)) \
  F(void, PQfreeCancel, (PGcancel *)) \
  F(int, PQcancel, (PGcancel *, char *, int))

#define DECLARE(result, name, parameters) static result (*p_##name) parameters;
FUNCTIONS(DECLARE)

struct bb_pg_connection {
  PGconn *connection;
  PGcancel *cancel;
  // A row that did not fit, from bb_pg_get.
  char *row;
  int row_length;
  // Whether the last row of a COPY TO STDOUT was received.
  int has_ended;
  bb_pg_connection *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bb_pg_connection *all;

const char *bb_pg_load(void) {
  static int is_loaded;
  static const char *failure;
  pthread_mutex_lock(&lock);
  if (!is_loaded && !failure) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      failure = reason ? strdup(reason) : "libpq.so.5 cannot be loaded";
    }
#define RESOLVE(result, name, parameters) \
  if (!failure && !(p_##name = (result(*) parameters)dlsym(library, #name))) failure = "libpq has no " #name;
    FUNCTIONS(RESOLVE)
    is_loaded = !failure;
  }
  pthread_mutex_unlock(&lock);
  return failure;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void ignore_notice(void *context, const char *text) {
  (void)context;
  (void)text;
}

/// Waits until the socket can be read, or written if asked for; 0 when the time is over.
static int wait_for(PGconn *connection, short events, int64_t due) {
  struct pollfd descriptor = {.fd = p_PQsocket(connection), .events = events};
  for (;;) {
    int64_t left = due < 0 ? -1 : due - now();
    if (due >= 0 && left <= 0) return 0;
    int count = poll(&descriptor, 1, due < 0 ? -1 : left > 1000000 ? 1000000 : (int)left);
    if (count > 0) return descriptor.revents & POLLNVAL ? 0 : 1;
    if (count < 0 && errno != EINTR) return 0;
  }
}

/// The seconds for each host, and whether there are several.
static int timeout_of(PQconninfoOption *options, int *has_several) {
  int seconds = USUAL_TIMEOUT;
  *has_several = 0;
  for (PQconninfoOption *option = options; option && option->keyword; option++) {
    if (!option->val) continue;
    if (!strcmp(option->keyword, "connect_timeout")) seconds = atoi(option->val);
    if (!strcmp(option->keyword, "host") || !strcmp(option->keyword, "hostaddr")) *has_several |= strchr(option->val, ',') != NULL;
    if (!strcmp(option->keyword, "service")) *has_several = 1;
  }
  return seconds;
}

static bb_pg_connection *adopted(PGconn *connection) {
  bb_pg_connection *result = calloc(1, sizeof *result);
  if (!result) {
    p_PQfinish(connection);
    return NULL;
  }
  result->connection = connection;
  if (p_PQstatus(connection) != CONNECTION_OK) return result;
  p_PQsetNoticeProcessor(connection, ignore_notice, NULL);
  p_PQsetnonblocking(connection, 1);
  result->cancel = p_PQgetCancel(connection);
  pthread_mutex_lock(&lock);
  result->next = all;
  all = result;
  pthread_mutex_unlock(&lock);
  return result;
}

bb_pg_connection *bb_pg_connect(const char *parameters, const char *application) {
  char *message = NULL;
  PQconninfoOption *options = p_PQconninfoParse(parameters, &message);
  if (message) p_PQfreemem(message);
  if (!options) return NULL;
  int has_several, has_timeout = 0, seconds = timeout_of(options, &has_several);
  for (PQconninfoOption *option = options; option->keyword; option++)
    has_timeout |= option->val && !strcmp(option->keyword, "connect_timeout");
  p_PQconninfoFree(options);
  const char *hosts = getenv("PGHOST"), *limit = getenv("PGCONNECT_TIMEOUT");
  if ((hosts && strchr(hosts, ',')) || getenv("PGSERVICE")) has_several = 1;
  if (!has_timeout && limit && *limit) seconds = atoi(limit);
  if (seconds == 1) seconds = 2;
  char timeout[16];
  int digits = 0;
  for (int rest = seconds > 0 ? seconds : 0, place = 1000000; place; place /= 10)
    if (rest / place || digits || place == 1) timeout[digits++] = (char)('0' + rest / place % 10);
  timeout[digits] = 0;
  // The parameters override what precedes dbname.
  const char *keywords[] = {"fallback_application_name", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
                            "connect_timeout", "dbname", "client_encoding", NULL};
  const char *values[] = {application, "30", "10", "3", "60000", timeout, parameters, "UTF8", NULL};
  // The library changes to the next host when the time of one is over, but only if it does the waiting.
  if (has_several) {
    PGconn *connection = p_PQconnectdbParams(keywords, values, 1);
    return connection ? adopted(connection) : NULL;
  }
  PGconn *connection = p_PQconnectStartParams(keywords, values, 1);
  if (!connection) return NULL;
  p_PQsetErrorVerbosity(connection, ERRORS_VERBOSE);
  p_PQsetNoticeProcessor(connection, ignore_notice, NULL);
  int64_t due = seconds > 0 ? now() + (int64_t)seconds * 1000 : -1;
  int state = POLLING_WRITING;
  while (p_PQstatus(connection) != CONNECTION_BAD && state != POLLING_OK && state != POLLING_FAILED) {
    if (!wait_for(connection, state == POLLING_WRITING ? POLLOUT : POLLIN, due)) break;
    state = p_PQconnectPoll(connection);
  }
  return adopted(connection);
}

void bb_pg_close(bb_pg_connection *c) {
  if (!c) return;
  pthread_mutex_lock(&lock);
  for (bb_pg_connection **place = &all; *place; place = &(*place)->next)
    if (*place == c) {
      *place = c->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  char message[256];
  if (c->cancel && p_PQtransactionStatus(c->connection) == 1) p_PQcancel(c->cancel, message, sizeof message);
  if (c->cancel) p_PQfreeCancel(c->cancel);
  if (c->row) p_PQfreemem(c->row);
  p_PQfinish(c->connection);
  free(c);
}

int bb_pg_is_connected(const bb_pg_connection *c) { return p_PQstatus(c->connection) == CONNECTION_OK; }
const char *bb_pg_message(const bb_pg_connection *c) { return p_PQerrorMessage(c->connection); }
int bb_pg_server_version(const bb_pg_connection *c) { return p_PQserverVersion(c->connection); }
int bb_pg_backend(const bb_pg_connection *c) { return p_PQbackendPID(c->connection); }
int bb_pg_transaction(const bb_pg_connection *c) { return p_PQtransactionStatus(c->connection); }

/// Sends what is left, and reads what arrives until then.
static int flush(PGconn *connection) {
  for (;;) {
    int left = p_PQflush(connection);
    if (left == 0) return 1;
    if (left < 0 || !wait_for(connection, POLLIN | POLLOUT, -1)) return 0;
    struct pollfd descriptor = {.fd = p_PQsocket(connection), .events = POLLIN};
    if (poll(&descriptor, 1, 0) > 0 && !p_PQconsumeInput(connection)) return 0;
  }
}

static int is_failure(PGresult *result) {
  int status = p_PQresultStatus(result);
  return status == BAD_RESPONSE || status == FATAL;
}

/// The last result of what was sent, or its first error; a COPY that begins ends the waiting.
static bb_pg_result *result_of(PGconn *connection) {
  PGresult *kept = NULL;
  for (;;) {
    while (p_PQisBusy(connection)) {
      if (!wait_for(connection, POLLIN, -1) || !p_PQconsumeInput(connection)) break;
    }
    PGresult *next = p_PQgetResult(connection);
    if (!next) break;
    int status = p_PQresultStatus(next);
    if (kept && is_failure(kept)) {
      p_PQclear(next);
    } else {
      if (kept) p_PQclear(kept);
      kept = next;
    }
    if (status == COPY_IN || status == COPY_OUT || status == COPY_BOTH) break;
  }
  // The library makes up an error of its own when the connection is lost.
  return (bb_pg_result *)kept;
}

bb_pg_result *bb_pg_execute(bb_pg_connection *c, const char *sql) {
  if (!p_PQsendQuery(c->connection, sql) || !flush(c->connection)) return result_of(c->connection);
  return result_of(c->connection);
}

bb_pg_result *bb_pg_query(
  bb_pg_connection *c, const char *sql, int count, const uint32_t *types, const uint8_t *bytes, const size_t *offsets, const int *lengths) {
  const char **values = calloc((size_t)count + 1, sizeof *values);
  int *formats = calloc((size_t)count + 1, sizeof *formats), *sizes = calloc((size_t)count + 1, sizeof *sizes);
  bb_pg_result *result = NULL;
  if (values && formats && sizes) {
    for (int at = 0; at < count; at++) {
      values[at] = lengths[at] < 0 ? NULL : (const char *)bytes + offsets[at];
      sizes[at] = lengths[at] < 0 ? 0 : lengths[at];
      formats[at] = 1;
    }
    if (p_PQsendQueryParams(c->connection, sql, count, types, values, sizes, formats, 1)) flush(c->connection);
    result = result_of(c->connection);
  }
  free(values);
  free(formats);
  free(sizes);
  return result;
}

int bb_pg_status(const bb_pg_result *r) {
  switch (p_PQresultStatus((const PGresult *)r)) {
    case COMMAND_OK:
    case EMPTY_QUERY: return 1;
    case TUPLES_OK: return 2;
    case COPY_IN: return 3;
    case COPY_OUT: return 4;
    default: return 0;
  }
}
const char *bb_pg_error(const bb_pg_result *r, int field) {
  const char *text = p_PQresultErrorField((const PGresult *)r, field);
  return text ? text : "";
}
int bb_pg_rows(const bb_pg_result *r) { return p_PQntuples((const PGresult *)r); }
int bb_pg_columns(const bb_pg_result *r) { return p_PQnfields((const PGresult *)r); }
const uint8_t *bb_pg_value(const bb_pg_result *r, int row, int column, int *length) {
  if (p_PQgetisnull((const PGresult *)r, row, column)) return NULL;
  *length = p_PQgetlength((const PGresult *)r, row, column);
  return (const uint8_t *)p_PQgetvalue((const PGresult *)r, row, column);
}
int64_t bb_pg_affected(const bb_pg_result *r) { return atoll(p_PQcmdTuples((PGresult *)r)); }
void bb_pg_free(bb_pg_result *r) { p_PQclear((PGresult *)r); }

int bb_pg_put(bb_pg_connection *c, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    int part = count > 1 << 16 ? 1 << 16 : (int)count, done = p_PQputCopyData(c->connection, (const char *)bytes, part);
    if (done < 0) return 0;
    if (done > 0) {
      bytes += part;
      count -= (size_t)part;
    }
    // Memory is bounded: what was taken is sent before more is.
    if (!flush(c->connection)) return 0;
  }
  return 1;
}

bb_pg_result *bb_pg_end_copy(bb_pg_connection *c, const char *reason) {
  int done;
  while ((done = p_PQputCopyEnd(c->connection, reason)) == 0)
    if (!flush(c->connection)) break;
  if (done > 0) flush(c->connection);
  return result_of(c->connection);
}

int64_t bb_pg_get(bb_pg_connection *c, uint8_t *into, size_t room, size_t *needed) {
  size_t used = 0;
  if (c->has_ended) return 0;
  for (;;) {
    char *row = c->row;
    int length = c->row_length;
    c->row = NULL;
    if (!row) length = p_PQgetCopyData(c->connection, &row, 1);
    if (length == 0) {
      // Rows that are here already are worth having before more are waited for, if they are many.
      if (used * 2 > room) return (int64_t)used;
      if (!wait_for(c->connection, POLLIN, -1) || !p_PQconsumeInput(c->connection)) return -1;
      continue;
    }
    if (length == -1) {
      c->has_ended = 1;
      return (int64_t)used;
    }
    if (length < 0) return -1;
    if ((size_t)length > room - used) {
      c->row = row;
      c->row_length = length;
      *needed = (size_t)length;
      return used > 0 ? (int64_t)used : -2;
    }
    memcpy(into + used, row, (size_t)length);
    used += (size_t)length;
    p_PQfreemem(row);
  }
}

bb_pg_result *bb_pg_end(bb_pg_connection *c) {
  c->has_ended = 0;
  return result_of(c->connection);
}

static void *cancel_running(void *semaphore) {
  char message[256];
  // The lock stays taken: the process ends.
  pthread_mutex_lock(&lock);
  for (bb_pg_connection *c = all; c; c = c->next)
    if (c->cancel && p_PQtransactionStatus(c->connection) == 1) p_PQcancel(c->cancel, message, sizeof message);
  *(_Atomic int *)semaphore = 1;
  return NULL;
}

void bb_pg_cancel_all(int milliseconds) {
  static _Atomic int is_done;
  if (!all) return;
  pthread_t thread;
  if (pthread_create(&thread, NULL, cancel_running, (void *)&is_done)) return;
  pthread_detach(thread);
  struct timespec pause = {.tv_nsec = 2000000};
  for (int left = milliseconds / 2; left > 0 && !is_done; left--) nanosleep(&pause, NULL);
}
