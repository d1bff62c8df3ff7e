#define _GNU_SOURCE
#include "CCurl.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Every function that is used, once: its result, its name, its parameters.
#define FUNCTIONS(F) \
  F(CURLcode, curl_global_init, (long)) \
  F(CURL *, curl_easy_init, (void)) \
  F(void, curl_easy_cleanup, (CURL *)) \
  F(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...)) \
  F(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...)) \
  F(const char *, curl_easy_strerror, (CURLcode)) \
  F(CURLcode, curl_easy_pause, (CURL *, int)) \
  F(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *)) \
  F(void, curl_slist_free_all, (struct curl_slist *)) \
  F(CURLM *, curl_multi_init, (void)) \
  F(CURLMcode, curl_multi_setopt, (CURLM *, CURLMoption, ...)) \
  F(CURLMcode, curl_multi_add_handle, (CURLM *, CURL *)) \
  F(CURLMcode, curl_multi_remove_handle, (CURLM *, CURL *)) \
  F(CURLMcode, curl_multi_socket_action, (CURLM *, curl_socket_t, int, int *)) \
  F(CURLMcode, curl_multi_socket_all, (CURLM *, int *)) \
  F(CURLMsg *, curl_multi_info_read, (CURLM *, int *)) \
  F(CURLU *, curl_url, (void)) \
  F(void, curl_url_cleanup, (CURLU *)) \
  F(CURLUcode, curl_url_get, (CURLU *, CURLUPart, char **, unsigned)) \
  F(CURLUcode, curl_url_set, (CURLU *, CURLUPart, const char *, unsigned)) \
  F(void, curl_free, (void *))

#define DECLARE(result, name, parameters) static result (*p_##name) parameters;
FUNCTIONS(DECLARE)

// The header's type-checking macros would hide the pointers.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

const char *bb_curl_load(void) {
  static int is_loaded;
  if (is_loaded) return 0;
  // With it libcurl would write the keys of every TLS connection to a file of that name.
  unsetenv("SSLKEYLOGFILE");
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define RESOLVE(result, name, parameters) \
  if (!(p_##name = (result (*) parameters)dlsym(library, #name))) return "libcurl is too old: it has no " #name;
  FUNCTIONS(RESOLVE)
  // OpenSSL's own clean-up at exit would race with the thread that serves transfers.
  typedef int (*init_function)(uint64_t, const void *);
  init_function init = (init_function)dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
  if (!init) init = (init_function)dlsym(library, "OPENSSL_init_crypto");
  if (init) init(0x00080000L /* OPENSSL_INIT_NO_ATEXIT */, 0);
  if (p_curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl does not start";
  is_loaded = 1;
  return 0;
}

// A child process, such as a plug-in or a pager, must not inherit the connections: neither to use them, nor to keep
// them open.
static _Atomic(bb_curl_permission) may_connect;

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  char text[INET6_ADDRSTRLEN] = "";
  int port = 0;
  if (address->family == AF_INET) {
    struct sockaddr_in *internet = (struct sockaddr_in *)&address->addr;
    inet_ntop(AF_INET, &internet->sin_addr, text, sizeof text);
    port = ntohs(internet->sin_port);
  } else if (address->family == AF_INET6) {
    struct sockaddr_in6 *internet = (struct sockaddr_in6 *)&address->addr;
    inet_ntop(AF_INET6, &internet->sin6_addr, text, sizeof text);
    port = ntohs(internet->sin6_port);
  }
  bb_curl_permission permission = may_connect;
  if (context && permission && !permission(context, text, port)) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURL *bb_curl_easy_init(void) {
  CURL *handle = p_curl_easy_init();
  if (handle) p_curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  return handle;
}
void bb_curl_easy_cleanup(CURL *h) { p_curl_easy_cleanup(h); }
CURLcode bb_curl_set_long(CURL *h, CURLoption o, long v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_offset(CURL *h, CURLoption o, curl_off_t v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_string(CURL *h, CURLoption o, const char *v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_pointer(CURL *h, CURLoption o, void *v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_callback(CURL *h, CURLoption o, bb_curl_callback v) { return p_curl_easy_setopt(h, o, v); }
CURLcode bb_curl_set_prerequest(CURL *h, bb_curl_prerequest v, void *context) {
  CURLcode code = p_curl_easy_setopt(h, CURLOPT_PREREQDATA, context);
  return code == CURLE_OK ? p_curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, v) : code;
}
CURLcode bb_curl_set_permission(CURL *h, bb_curl_permission v, void *context) {
  may_connect = v;
  return p_curl_easy_setopt(h, CURLOPT_OPENSOCKETDATA, context);
}
const char *bb_curl_strerror(CURLcode c) { return p_curl_easy_strerror(c); }
struct curl_slist *bb_curl_list_append(struct curl_slist *l, const char *t) { return p_curl_slist_append(l, t); }
void bb_curl_list_free(struct curl_slist *l) { p_curl_slist_free_all(l); }
CURLM *bb_curl_multi_init(void) { return p_curl_multi_init(); }
CURLMcode bb_curl_multi_set_long(CURLM *m, CURLMoption o, long v) { return p_curl_multi_setopt(m, o, v); }
CURLMcode bb_curl_multi_add(CURLM *m, CURL *h) { return p_curl_multi_add_handle(m, h); }
CURLMcode bb_curl_multi_remove(CURLM *m, CURL *h) { return p_curl_multi_remove_handle(m, h); }
int bb_curl_multi_next_done(CURLM *m, CURL **handle, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = p_curl_multi_info_read(m, &left)))
    if (message->msg == CURLMSG_DONE) {
      *handle = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  return 0;
}

// libcurl reports its sockets and timeouts; epoll waits for them, so that the cost of a transfer does not depend on the
// number of transfers.
struct bb_curl_loop {
  CURLM *multi;
  int queue, bell;
  // When libcurl wants to be called, in milliseconds of the monotonic clock; below zero for never.
  int64_t due;
  // Whether all transfers are to be checked.
  int is_stirred;
  // What libcurl waits for at each descriptor it has named, by number; 0 where it waits no longer.
  unsigned char *wanted;
  int count;
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int take_timer(CURLM *multi, long milliseconds, void *context) {
  (void)multi;
  bb_curl_loop *loop = context;
  loop->due = milliseconds < 0 ? -1 : now() + milliseconds;
  return 0;
}

static int take_socket(CURL *handle, curl_socket_t socket, int what, void *context, void *unused) {
  (void)handle, (void)unused;
  bb_curl_loop *loop = context;
  if (socket >= loop->count) {
    int count = (socket + 1) * 2;
    unsigned char *wanted = realloc(loop->wanted, count);
    if (!wanted) return -1;
    for (int i = loop->count; i < count; i++) wanted[i] = 0;
    loop->wanted = wanted;
    loop->count = count;
  }
  // A socket that is waited for no longer stays in the queue: mostly it is used again at once. The kernel takes it out
  // when it is closed, for no other program has it.
  loop->wanted[socket] = what == CURL_POLL_REMOVE ? 0 : what;
  if (what == CURL_POLL_REMOVE) return 0;
  struct epoll_event event = {
    .events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0), .data.fd = socket};
  // The number may have been another socket's before, so the queue is asked, not remembered.
  if (epoll_ctl(loop->queue, EPOLL_CTL_MOD, socket, &event) == 0) return 0;
  return epoll_ctl(loop->queue, EPOLL_CTL_ADD, socket, &event);
}

bb_curl_loop *bb_curl_loop_make(CURLM *multi) {
  bb_curl_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return 0;
  *loop = (bb_curl_loop){.multi = multi, .queue = epoll_create1(EPOLL_CLOEXEC), .bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .due = -1};
  struct epoll_event event = {.events = EPOLLIN, .data.fd = loop->bell};
  if (loop->queue < 0 || loop->bell < 0 || epoll_ctl(loop->queue, EPOLL_CTL_ADD, loop->bell, &event) != 0) {
    if (loop->queue >= 0) close(loop->queue);
    if (loop->bell >= 0) close(loop->bell);
    free(loop);
    return 0;
  }
  p_curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, take_socket);
  p_curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, loop);
  p_curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, take_timer);
  p_curl_multi_setopt(multi, CURLMOPT_TIMERDATA, loop);
  return loop;
}

int bb_curl_loop_run(bb_curl_loop *loop, int milliseconds) {
  struct epoll_event events[64];
  int64_t left = loop->due < 0 ? milliseconds : loop->due - now();
  int wait = left < 0 ? 0 : left < milliseconds ? (int)left : milliseconds;
  int running, count = epoll_wait(loop->queue, events, 64, wait);
  for (int i = 0; i < count; i++) {
    if (events[i].data.fd == loop->bell) {
      uint64_t rings;
      (void)!read(loop->bell, &rings, sizeof rings);
      continue;
    }
    int socket = events[i].data.fd;
    if (!loop->wanted[socket]) {
      epoll_ctl(loop->queue, EPOLL_CTL_DEL, socket, 0);
      continue;
    }
    int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
    // An error is what libcurl finds when it reads or writes.
    if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_IN | CURL_CSELECT_OUT;
    p_curl_multi_socket_action(loop->multi, socket, what, &running);
  }
  if (loop->due >= 0 && now() >= loop->due) {
    loop->due = -1;
    p_curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    count++;
  }
  // libcurl does not always wait again for a transfer that continues after a pause. A check after a wait without events
  // is cheap.
  if (loop->is_stirred || (count == 0 && wait == milliseconds && wait > 0)) {
    loop->is_stirred = 0;
    p_curl_multi_socket_all(loop->multi, &running);
  }
  return count > 0;
}

CURLcode bb_curl_loop_resume(bb_curl_loop *loop, CURL *handle) {
  loop->is_stirred = 1;
  return p_curl_easy_pause(handle, 0);
}

void bb_curl_loop_ring(bb_curl_loop *loop) {
  uint64_t once = 1;
  (void)!write(loop->bell, &once, sizeof once);
}

char *bb_curl_url_joined(const char *base, const char *reference) {
  char *text = 0;
  CURLU *url = p_curl_url();
  if (url && p_curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK &&
      p_curl_url_set(url, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK)
    p_curl_url_get(url, CURLUPART_URL, &text, 0);
  p_curl_url_cleanup(url);
  return text;
}
char *bb_curl_url_part(const char *whole, CURLUPart part) {
  char *text = 0;
  CURLU *url = p_curl_url();
  if (url && p_curl_url_set(url, CURLUPART_URL, whole, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK)
    p_curl_url_get(url, part, &text, CURLU_DEFAULT_PORT);
  p_curl_url_cleanup(url);
  return text;
}
void bb_curl_free(void *memory) { p_curl_free(memory); }
