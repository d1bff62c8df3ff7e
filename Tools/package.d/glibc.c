// Functions of glibc 2.35 that the C++ runtime and the Swift runtime call, for programs that run with glibc 2.34.
#define _GNU_SOURCE
#include <link.h>
#include <math.h>

float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  return (float)sqrt((double)x * x + (double)y * y);
}

struct found { unsigned long long flags; void *start, *end; struct link_map *map; void *frames; unsigned long long reserved[7]; };
struct search { ElfW(Addr) address; struct found *result; };

static int look(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  ElfW(Addr) start = 0, end = 0;
  void *frames = 0;
  for (int index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    ElfW(Addr) first = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address >= first && search->address < first + header->p_memsz) {
      start = first;
      end = first + header->p_memsz;
    }
    if (header->p_type == PT_GNU_EH_FRAME) frames = (void *)first;
  }
  if (!end || !frames) return 0;
  *search->result = (struct found){ .start = (void *)start, .end = (void *)end, .frames = frames };
  return 1;
}

/// Finds the table of stack frames of the object that an address is in, for the unwinder; 0, or -1.
int find_object(void *address, struct found *result) __asm__("_dl_find_object");
int find_object(void *address, struct found *result) {
  struct search search = { (ElfW(Addr))address, result };
  return dl_iterate_phdr(look, &search) ? 0 : -1;
}
