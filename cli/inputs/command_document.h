#pragma once

#include <optional>
#include <string>

#include "report/tables/json.h"

namespace xsp {

// A document that `xsp ranks` or `xsp trend` wrote with --format json, for a page to show; nothing
// for files that are none. Throws Error for one that cannot be read.
std::optional<Json> ReadCommandDocument(const std::string& path);

// Puts "host 1", "host 2", ... for the names of hosts in a document, wherever they stand in it.
void HideHosts(Json& document);

}  // namespace xsp
