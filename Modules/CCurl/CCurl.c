#define _GNU_SOURCE
#include "CCurl.h"
#include <dlfcn.h>
#include <stdint.h>

// Every function that is used, once: its result, its name, its parameters.
#define FUNCTIONS(F) \
  F(CURLcode, curl_global_init, (long)) \
  F(char *, curl_version, (void)) \
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
  F(CURLMcode, curl_multi_perform, (CURLM *, int *)) \
  F(CURLMcode, curl_multi_poll, (CURLM *, struct curl_waitfd *, unsigned, int, int *)) \
  F(CURLMcode, curl_multi_wakeup, (CURLM *)) \
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

const char *bb_curl_version(void) { return p_curl_version(); }
CURL *bb_curl_easy_init(void) { return p_curl_easy_init(); }
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
CURLcode bb_curl_get_long(CURL *h, CURLINFO i, long *v) { return p_curl_easy_getinfo(h, i, v); }
const char *bb_curl_strerror(CURLcode c) { return p_curl_easy_strerror(c); }
CURLcode bb_curl_pause(CURL *h, int mask) { return p_curl_easy_pause(h, mask); }
struct curl_slist *bb_curl_list_append(struct curl_slist *l, const char *t) { return p_curl_slist_append(l, t); }
void bb_curl_list_free(struct curl_slist *l) { p_curl_slist_free_all(l); }
CURLM *bb_curl_multi_init(void) { return p_curl_multi_init(); }
CURLMcode bb_curl_multi_set_long(CURLM *m, CURLMoption o, long v) { return p_curl_multi_setopt(m, o, v); }
CURLMcode bb_curl_multi_add(CURLM *m, CURL *h) { return p_curl_multi_add_handle(m, h); }
CURLMcode bb_curl_multi_remove(CURLM *m, CURL *h) { return p_curl_multi_remove_handle(m, h); }
CURLMcode bb_curl_multi_perform(CURLM *m, int *running) { return p_curl_multi_perform(m, running); }
CURLMcode bb_curl_multi_poll(CURLM *m, int ms) { return p_curl_multi_poll(m, 0, 0, ms, 0); }
CURLMcode bb_curl_multi_wakeup(CURLM *m) { return p_curl_multi_wakeup(m); }
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
