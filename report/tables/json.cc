#include "report/tables/json.h"

#include "base/utf8.h"

namespace xsp {

Json JsonText(std::string_view text) { return ToUtf8(text); }

std::string DumpJson(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace xsp
