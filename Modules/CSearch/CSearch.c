#include "CSearch.h"
