#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPages.h"

static const uint8_t table_css[] = {
#embed "Files/table.css"
};
static const uint8_t cards_css[] = {
#embed "Files/cards.css"
};
static const uint8_t table_js[] = {
#embed "Files/table.js"
};
static const uint8_t site_css[] = {
#embed "Files/site.css"
};
static const uint8_t site_js[] = {
#embed "Files/site.js"
};
static const uint8_t land[] = {
#embed "Files/land.path"
};

// In the order of the cases of PageAsset.
static const struct { const uint8_t *text; size_t count; } assets[] = {
  {table_css, sizeof table_css},
  {cards_css, sizeof cards_css},
  {table_js, sizeof table_js},
  {site_css, sizeof site_css},
  {site_js, sizeof site_js},
  {land, sizeof land},
};

const uint8_t *bb_page_asset(int32_t number, ptrdiff_t *count) {
  *count = (ptrdiff_t)assets[number].count;
  return assets[number].text;
}
