#include "tests/bench/plain_json.h"

#include <simdjson.h>
#include <zlib.h>

#include <stdexcept>
#include <string_view>
#include <vector>

namespace xsp::bench {

std::uint64_t PlainJsonPass(const std::string& file) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(file).get(text)) throw std::runtime_error(file);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  simdjson::ondemand::array events;
  if (parser.iterate(text).get(document) || document["traceEvents"].get(events)) {
    throw std::runtime_error(file + ": no traceEvents");
  }
  std::uint64_t count = 0;
  std::size_t seen = 0;  // Uses what was read, so that no pass is left out.
  for (auto element : events) {
    simdjson::ondemand::object event;
    std::string_view phase, name;
    double begin = 0;
    if (element.get(event)) throw std::runtime_error(file + ": no object");
    for (auto field : event) {
      std::string_view key;
      if (field.unescaped_key().get(key)) throw std::runtime_error(file + ": no key");
      simdjson::error_code error = simdjson::SUCCESS;
      if (key == "ph") error = field.value().get(phase);
      if (key == "name") error = field.value().get(name);
      if (key == "ts") error = field.value().get(begin);
      if (error) throw std::runtime_error(file + ": " + simdjson::error_message(error));
    }
    seen += phase.size() + name.size() + (begin > 0 ? 1 : 0);
    ++count;
  }
  return seen > 0 ? count : 0;
}

std::uint64_t PlainInflate(const std::string& file) {
  gzFile source = gzopen(file.c_str(), "rb");
  if (source == nullptr) throw std::runtime_error(file);
  std::vector<char> buffer(1 << 20);
  std::uint64_t bytes = 0;
  int got = 0;
  while ((got = gzread(source, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    bytes += static_cast<std::uint64_t>(got);
  }
  gzclose(source);
  return bytes;
}

}  // namespace xsp::bench
