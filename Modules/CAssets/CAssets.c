#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CAssets.h"

static const uint8_t table_css[] = {
#embed "Files/table.css"
};
static const uint8_t cards_css[] = {
#embed "Files/cards.css"
};
static const uint8_t site_css[] = {
#embed "Files/site.css"
};
static const uint8_t shared_css[] = {
#embed "Files/shared.css"
};
static const uint8_t profile_css[] = {
#embed "Files/profile.css"
};
static const uint8_t common_js[] = {
#embed "Files/common.js"
};
static const uint8_t map_js[] = {
#embed "Files/map.js"
};
static const uint8_t table_js[] = {
#embed "Files/table.js"
};
static const uint8_t search_js[] = {
#embed "Files/search.js"
};
static const uint8_t land_path[] = {
#embed "Files/land.path"
};
static const uint8_t fold_txt[] = {
#embed "Files/fold.txt"
};
static const uint8_t characters_tsv[] = {
#embed "Files/characters.tsv"
};
static const uint8_t episodes_tsv[] = {
#embed "Files/episodes.tsv"
};
static const uint8_t deaths_tsv[] = {
#embed "Files/deaths.tsv"
};

static const struct { const uint8_t *bytes; size_t count; } assets[] = {
  [bb_table_css] = {table_css, sizeof table_css},
  [bb_cards_css] = {cards_css, sizeof cards_css},
  [bb_site_css] = {site_css, sizeof site_css},
  [bb_shared_css] = {shared_css, sizeof shared_css},
  [bb_profile_css] = {profile_css, sizeof profile_css},
  [bb_common_js] = {common_js, sizeof common_js},
  [bb_map_js] = {map_js, sizeof map_js},
  [bb_table_js] = {table_js, sizeof table_js},
  [bb_search_js] = {search_js, sizeof search_js},
  [bb_land_path] = {land_path, sizeof land_path},
  [bb_fold_txt] = {fold_txt, sizeof fold_txt},
  [bb_characters_tsv] = {characters_tsv, sizeof characters_tsv},
  [bb_episodes_tsv] = {episodes_tsv, sizeof episodes_tsv},
  [bb_deaths_tsv] = {deaths_tsv, sizeof deaths_tsv},
};

const uint8_t *bb_asset(bb_asset_number number, ptrdiff_t *count) {
  *count = (ptrdiff_t)assets[number].count;
  return assets[number].bytes;
}
