#include "importers/job_facts.h"

#include <simdjson.h>

#include <string_view>

#include "base/error.h"
#include "base/utf8.h"
#include "importers/byte_source.h"
#include "importers/importer.h"
#include "importers/kineto/kineto.h"
#include "importers/kineto/top_level.h"
#include "importers/nsys/catalog.h"
#include "importers/nsys/row.h"
#include "importers/nsys/sqlite.h"
#include "importers/sqlite/db.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// nsys' number for the machine's name among what it knows of the machine.
constexpr std::int64_t kHostname = 619;

JobFacts FromNsys(const fs::path& file) {
  JobFacts facts;
  const SqliteDb db(SqliteAccess{file});
  const NsysCatalog catalog(db);
  const NsysTable* table = catalog.Find("TARGET_INFO_SYSTEM_ENV");
  if (table == nullptr) return facts;
  constexpr std::string_view kColumns[] = {"nameEnum", "value"};
  TableRows rows(db, *table, kColumns);
  while (rows.Next()) {
    if (rows.row().Int(1) == kHostname) facts.host = ToUtf8(rows.row().Bytes(2));
  }
  return facts;
}

std::string HostIn(const std::string& json) {
  simdjson::dom::parser parser;
  std::string_view host;
  return parser.parse(json).get(host) ? std::string() : ToUtf8(host);
}

std::optional<std::uint32_t> WorldSizeIn(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::uint64_t size = 0;
  if (parser.parse(json).get(object) || object["world_size"].get(size)) return std::nullopt;
  if (size > 0xffffffff) return std::nullopt;
  return static_cast<std::uint32_t>(size);
}

// What stands behind the events is not worth reading them again.
JobFacts FromKineto(const fs::path& file) {
  ByteSource source(file);
  KinetoTopLevel top;
  std::string bytes(std::size_t{1} << 16, '\0');
  while (!top.at_events() && !top.has_ended()) {
    const std::size_t got = source.Read(bytes.data(), bytes.size());
    if (got == 0) break;
    top.Feed(std::string_view(bytes).substr(0, got));
  }
  JobFacts facts;
  const auto& values = top.values();
  if (const auto it = values.find("host_name"); it != values.end()) facts.host = HostIn(it->second);
  if (const auto it = values.find("distributedInfo"); it != values.end()) {
    facts.world_size = WorldSizeIn(it->second);
  }
  return facts;
}

}  // namespace

JobFacts ReadJobFacts(const fs::path& file) {
  try {
    const std::string_view format = FormatOf(file);
    if (format == kNsysFormat) return FromNsys(file);
    if (format == kKinetoFormat) return FromKineto(file);
  } catch (const Error&) {
  } catch (const SqliteError&) {
  }
  return {};
}

}  // namespace xsp
