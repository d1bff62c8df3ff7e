#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPages.h"

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
static const uint8_t land[] = {
#embed "Files/land.path"
};

// In the order of the cases of PageAsset.File.
static const struct { const uint8_t *text; size_t count; } assets[] = {
  {table_css, sizeof table_css},
  {cards_css, sizeof cards_css},
  {site_css, sizeof site_css},
  {shared_css, sizeof shared_css},
  {profile_css, sizeof profile_css},
  {common_js, sizeof common_js},
  {map_js, sizeof map_js},
  {table_js, sizeof table_js},
  {search_js, sizeof search_js},
  {land, sizeof land},
};

const uint8_t *bb_page_asset(int32_t number, ptrdiff_t *count) {
  *count = (ptrdiff_t)assets[number].count;
  return assets[number].text;
}
