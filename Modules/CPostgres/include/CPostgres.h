#pragma once
#include <stddef.h>
#include <stdint.h>

// libpq, loaded with dlopen on first use. Its headers are not needed to build: the declarations are in CPostgres.c.

typedef struct bb_pg_connection bb_pg_connection;
typedef struct bb_pg_result bb_pg_result;

/// Loads the library. Returns NULL, or the reason why it cannot be loaded.
const char *bb_pg_load(void);

/// Connects. `parameters` is a URI or a list of keyword=value, which the library parses. Returns NULL if it is
/// malformed or there is no memory; else a connection, which may have failed. Waits as long as `connect_timeout` allows
/// for each host, 10 seconds if it is not given.
bb_pg_connection *bb_pg_connect(const char *parameters, const char *application);
/// Cancels a running statement, and closes the connection.
void bb_pg_close(bb_pg_connection *connection);
int bb_pg_is_connected(const bb_pg_connection *connection);
/// The last message of the library about the connection.
const char *bb_pg_message(const bb_pg_connection *connection);
/// As 150004; 0 if unknown.
int bb_pg_server_version(const bb_pg_connection *connection);
/// The identifier of the server's process.
int bb_pg_backend(const bb_pg_connection *connection);
/// 0 if no transaction is open, 1 while a statement runs, 2 within a transaction, 3 within a failed one, 4 if unknown.
int bb_pg_transaction(const bb_pg_connection *connection);

/// Executes statements without parameters; the result is that of the last one, or the first error. NULL if the
/// connection is lost.
bb_pg_result *bb_pg_execute(bb_pg_connection *connection, const char *sql);
/// Executes one statement with parameters in binary form; its results are binary, too. The value of parameter i is
/// `lengths[i]` bytes at `offsets[i]`; a negative length is null.
bb_pg_result *bb_pg_query(
  bb_pg_connection *connection, const char *sql, int count, const uint32_t *types, const uint8_t *bytes, const size_t *offsets, const int *lengths);

/// 0: an error; 1: done; 2: rows; 3: the server waits for rows (COPY FROM STDIN); 4: it sends rows (COPY TO STDOUT).
int bb_pg_status(const bb_pg_result *result);
/// A field of an error: 'C' its SQLSTATE, 'M' the message, 'D' the detail, 'W' the context; empty if there is none.
const char *bb_pg_error(const bb_pg_result *result, int field);
int bb_pg_rows(const bb_pg_result *result);
int bb_pg_columns(const bb_pg_result *result);
/// NULL for null.
const uint8_t *bb_pg_value(const bb_pg_result *result, int row, int column, int *length);
/// The number of rows that the statement changed or copied.
int64_t bb_pg_affected(const bb_pg_result *result);
void bb_pg_free(bb_pg_result *result);

/// Sends bytes of a COPY FROM STDIN. 0 if that failed: bb_pg_end_copy tells why.
int bb_pg_put(bb_pg_connection *connection, const uint8_t *bytes, size_t count);
/// Ends a COPY FROM STDIN; with a reason the server discards the rows. NULL if the connection is lost.
bb_pg_result *bb_pg_end_copy(bb_pg_connection *connection, const char *reason);
/// Receives whole rows of a COPY TO STDOUT, as many as fit, and waits for the first one. Returns the number of bytes; 0
/// at the end, -1 after an error, and -2 if a row needs `*needed` bytes, and nothing was received.
int64_t bb_pg_get(bb_pg_connection *connection, uint8_t *into, size_t room, size_t *needed);
/// The result of a COPY TO STDOUT that has ended. NULL if the connection is lost.
bb_pg_result *bb_pg_end(bb_pg_connection *connection);

/// Cancels the running statements of all connections, and waits at most so many milliseconds until the servers are
/// notified.
void bb_pg_cancel_all(int milliseconds);
