#pragma once
// The files of this target: style sheets, scripts and outlines of pages, the folded forms of characters, and facts.
#include <stddef.h>
#include <stdint.h>

// Those of pages are in the order of the cases of PageAsset.File.
typedef enum {
  bb_table_css,
  bb_cards_css,
  bb_site_css,
  bb_shared_css,
  bb_profile_css,
  bb_common_js,
  bb_map_js,
  bb_table_js,
  bb_search_js,
  bb_land_path,
  bb_fold_txt,
  bb_characters_tsv,
  bb_episodes_tsv,
  bb_deaths_tsv,
} bb_asset_number;

const uint8_t *bb_asset(bb_asset_number number, ptrdiff_t *count);
