#pragma once
// The style sheets, scripts and outlines of pages, from the files of this directory.
#include <stddef.h>
#include <stdint.h>

const uint8_t *bb_page_asset(int32_t number, ptrdiff_t *count);
