#pragma once
/// libcurl, loaded with dlopen on first use: linking it would load thirty libraries in six milliseconds at each start.
/// Variadic functions get a function for each type they take, since Swift cannot call them.
#include <curl/curl.h>

/// Loads and initialises the library. Call first, from one thread. Returns NULL, or the reason for the failure.
const char *bb_curl_load(void);

CURL *bb_curl_easy_init(void);
void bb_curl_easy_cleanup(CURL *handle);
CURLcode bb_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode bb_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode bb_curl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode bb_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode bb_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
typedef size_t (*bb_curl_callback)(char *bytes, size_t size, size_t count, void *context);
CURLcode bb_curl_set_callback(CURL *handle, CURLoption option, bb_curl_callback callback);
/// Called with the numeric address of the peer before a request is sent; anything but 0 breaks the transfer off.
typedef int (*bb_curl_prerequest)(void *context, char *address, char *local, int port, int local_port);
CURLcode bb_curl_set_prerequest(CURL *handle, bb_curl_prerequest callback, void *context);
// Called with a numeric address and a port before a connection is made; 0 refuses. One function, with a context for
// each handle.
typedef int (*bb_curl_permission)(void *context, const char *address, int port);
CURLcode bb_curl_set_permission(CURL *handle, bb_curl_permission permission, void *context);
const char *bb_curl_strerror(CURLcode code);

struct curl_slist *bb_curl_list_append(struct curl_slist *list, const char *text);
void bb_curl_list_free(struct curl_slist *list);

CURLM *bb_curl_multi_init(void);
CURLMcode bb_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode bb_curl_multi_add(CURLM *multi, CURL *handle);
CURLMcode bb_curl_multi_remove(CURLM *multi, CURL *handle);
/// What waits for the sockets of a multi handle. One thread runs it, any thread may ring.
typedef struct bb_curl_loop bb_curl_loop;
/// The loop of `multi`, for as long as the process lives; NULL when there are no descriptors left.
bb_curl_loop *bb_curl_loop_make(CURLM *multi);
/// Waits for events of the transfers, at most so many milliseconds or until the bell rings, and handles them. Returns
/// whether there were any.
int bb_curl_loop_run(bb_curl_loop *loop, int milliseconds);
/// Continues a paused transfer; on the loop's own thread.
CURLcode bb_curl_loop_resume(bb_curl_loop *loop, CURL *handle);
/// Ends the waiting of the thread that runs the loop.
void bb_curl_loop_ring(bb_curl_loop *loop);
/// Takes one finished transfer; 0 when there is none.
int bb_curl_multi_next_done(CURLM *multi, CURL **handle, CURLcode *result);

/// `reference` seen from `base`, by the rules of RFC 3986; NULL if it is not a URL. Free with bb_curl_free.
char *bb_curl_url_joined(const char *base, const char *reference);
/// One part of a URL; NULL if it has none or is not a URL. Free with bb_curl_free.
char *bb_curl_url_part(const char *url, CURLUPart part);
void bb_curl_free(void *memory);
