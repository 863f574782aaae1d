#include "importers/kineto/parser.h"

#include <simdjson.h>

#include <cstring>
#include <string>

#include "importers/kineto/text.h"

namespace xsp {
namespace {

namespace sj = simdjson::ondemand;

using Int = std::int64_t KinetoEvent::*;
using Text = std::string_view KinetoEvent::*;

struct IntArgument {
  std::string_view key;
  Int field;
};
struct TextArgument {
  std::string_view key;
  Text field;
};

// Keys of "args" whose values are numbers. Ordered by how often they come.
constexpr IntArgument kIntArguments[] = {
    {"External id", &KinetoEvent::external_id},
    {"external id", &KinetoEvent::external_id},
    {"correlation", &KinetoEvent::correlation},
    {"device", &KinetoEvent::device},
    {"context", &KinetoEvent::context},
    {"stream", &KinetoEvent::stream},
    {"bytes", &KinetoEvent::bytes},
    {"registers per thread", &KinetoEvent::registers},
    {"shared memory", &KinetoEvent::shared},
    {"graph id", &KinetoEvent::graph},
    {"graph node id", &KinetoEvent::graph_node},
    {"priority", &KinetoEvent::priority},
    {"Sequence number", &KinetoEvent::sequence},
    {"Fwd thread id", &KinetoEvent::forward_thread},
    {"Python module id", &KinetoEvent::python_module},
    {"wait_on_stream", &KinetoEvent::wait_stream},
    {"wait_on_cuda_event_record_corr_id", &KinetoEvent::wait_record},
    {"wait_on_cuda_event_id", &KinetoEvent::wait_event},
    {"Addr", &KinetoEvent::address},
    {"Bytes", &KinetoEvent::bytes},
    {"Device Id", &KinetoEvent::device},
    {"Device Type", &KinetoEvent::device_type},
    {"Total Allocated", &KinetoEvent::total_allocated},
    {"Total Reserved", &KinetoEvent::total_reserved},
    {"Group size", &KinetoEvent::group_size},
    {"In msg nelems", &KinetoEvent::in_elements},
    {"Out msg nelems", &KinetoEvent::out_elements},
    {"Rank", &KinetoEvent::rank},
    {"Src Rank", &KinetoEvent::source_rank},
    {"Dst Rank", &KinetoEvent::target_rank},
    {"Seq", &KinetoEvent::collective_sequence},
};

// Those whose values are texts.
constexpr TextArgument kTextArguments[] = {
    {"module_fqn", &KinetoEvent::module},        {"Module Hierarchy", &KinetoEvent::module},
    {"cuda_sync_kind", &KinetoEvent::sync_kind}, {"Collective name", &KinetoEvent::collective},
    {"dtype", &KinetoEvent::element_type},       {"Process Group Name", &KinetoEvent::group_name},
    {"name", &KinetoEvent::given_name},
};

// Where in the tables above a key of this length may stand, so that most keys (of arguments that
// nobody reads) are passed over at a glance.
constexpr std::uint64_t LengthsOf() {
  std::uint64_t lengths = 0;
  for (const IntArgument& a : kIntArguments) lengths |= std::uint64_t{1} << a.key.size();
  for (const TextArgument& a : kTextArguments) lengths |= std::uint64_t{1} << a.key.size();
  return lengths;
}
constexpr std::uint64_t kKnownLengths = LengthsOf();

// The key as it stands in the text. Keys that we look for have no escapes.
std::string_view KeyOf(sj::field& field) {
  const char* key = field.key().raw();
  const void* end = std::memchr(key, '"', 64);
  return end == nullptr ? std::string_view{}
                        : std::string_view(key, static_cast<const char*>(end) - key);
}

bool IsText(sj::value& value) { return value.raw_json_token().starts_with('"'); }

// A value of another type than we look for is passed over. All other errors end the reading: the
// parser must not be touched after one that breaks the structure.
simdjson::error_code Serious(simdjson::error_code error) {
  return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
}

simdjson::error_code ReadText(sj::value& value, std::string_view& to) {
  if (!IsText(value)) return simdjson::SUCCESS;
  std::string_view text;
  const simdjson::error_code error = value.get_string().get(text);
  if (!error) to = text;
  return Serious(error);
}

void ReadNumber(sj::value& value, std::int64_t& to) {
  to = WholeNumber(value.raw_json_token()).value_or(kAbsent);
}

simdjson::error_code ReadPlace(sj::value& value, KinetoPlace& to) {
  ReadNumber(value, to.number);
  return to.number == kAbsent ? ReadText(value, to.word) : simdjson::SUCCESS;
}

simdjson::error_code ReadTriple(sj::value& value, std::array<std::int64_t, 3>& to) {
  sj::array list;
  if (const auto error = value.get_array().get(list)) return Serious(error);
  std::size_t i = 0;
  for (auto element : list) {
    sj::value one;
    if (const auto error = element.get(one)) return error;
    if (i < 3) ReadNumber(one, to[i++]);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadRaw(sj::value& value, std::string_view& to) {
  sj::array list;
  if (const auto error = value.get_array().get(list)) return Serious(error);
  return list.raw_json().get(to);
}

simdjson::error_code ReadArgument(std::string_view key, sj::value& value, KinetoEvent& event) {
  if (key == "grid") return ReadTriple(value, event.grid);
  if (key == "block") return ReadTriple(value, event.block);
  if (key == "Input Dims") return ReadRaw(value, event.input_sizes);
  if (key == "Input type" || key == "Input Type") return ReadRaw(value, event.input_types);
  if (key.size() >= 64 || (kKnownLengths >> key.size() & 1) == 0) return simdjson::SUCCESS;
  for (const IntArgument& argument : kIntArguments) {
    if (argument.key != key) continue;
    ReadNumber(value, event.*argument.field);
    return simdjson::SUCCESS;
  }
  for (const TextArgument& argument : kTextArguments) {
    if (argument.key == key) return ReadText(value, event.*argument.field);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadArguments(sj::value& value, KinetoEvent& event) {
  sj::object object;
  if (const auto error = value.get_object().get(object)) return Serious(error);
  for (auto field : object) {
    if (field.error()) return field.error();
    sj::field& known = field.value_unsafe();
    const std::string_view key = KeyOf(known);
    if (const auto error = ReadArgument(key, known.value(), event)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadField(std::string_view key, sj::value& value, KinetoEvent& event) {
  if (key == "args") return ReadArguments(value, event);
  if (key == "cat") return ReadText(value, event.category);
  if (key == "name") return ReadText(value, event.name);
  if (key == "pid") return ReadPlace(value, event.process);
  if (key == "tid") return ReadPlace(value, event.thread);
  if (key == "ph") {
    std::string_view phase;
    const simdjson::error_code error = ReadText(value, phase);
    event.phase = phase.empty() ? '\0' : phase.front();
    return error;
  }
  if (key == "ts") {
    event.begin = MicrosecondsToNs(value.raw_json_token()).value_or(kAbsent);
  } else if (key == "dur") {
    event.duration = MicrosecondsToNs(value.raw_json_token()).value_or(kAbsent);
  } else if (key == "id") {
    ReadNumber(value, event.flow);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadEvent(sj::object& object, KinetoEvent& event) {
  for (auto field : object) {
    if (field.error()) return field.error();
    sj::field& known = field.value_unsafe();
    const std::string_view key = KeyOf(known);
    if (const auto error = ReadField(key, known.value(), event)) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct KinetoParser::Impl {
  sj::parser parser;
  std::string one;  // The text of ParseOne, with room behind it.
};

KinetoParser::KinetoParser() : impl_(std::make_unique<Impl>()) {
  static_assert(kPadding >= simdjson::SIMDJSON_PADDING + 1);
}
KinetoParser::~KinetoParser() = default;

KinetoParser::Outcome KinetoParser::ParseList(char* text, std::size_t size, KinetoSink& sink) {
  Outcome outcome;
  char* const front = text - 1;
  *front = '[';
  text[size] = ']';
  std::memset(text + size + 1, ' ', kPadding - 1);
  sj::document document;
  sj::array list;
  const std::size_t whole = size + 2;
  if (impl_->parser.iterate(front, whole, whole + simdjson::SIMDJSON_PADDING).get(document) ||
      document.get_array().get(list)) {
    outcome.has_error = true;
    return outcome;
  }
  for (auto element : list) {
    KinetoEvent event;
    sj::object object;
    if (element.get_object().get(object) || ReadEvent(object, event)) {
      outcome.has_error = true;
      return outcome;
    }
    sink.Add(event);
    // The next token: a ',' or the ']' behind the object.
    const char* at = nullptr;
    if (!document.current_location().get(at)) outcome.read = static_cast<std::size_t>(at - text);
  }
  // A ']' of the text itself ends the list early: it was the last of the file.
  const char* rest = nullptr;
  outcome.list_ended = document.current_location().get(rest) == simdjson::SUCCESS;
  if (!outcome.list_ended) outcome.read = size;
  return outcome;
}

bool KinetoParser::ParseOne(std::string_view text, KinetoSink& sink) {
  std::string& copy = impl_->one;
  copy.assign(text);
  copy.append(kPadding, ' ');
  KinetoEvent event;
  sj::document document;
  sj::object object;
  const char* rest = nullptr;
  if (impl_->parser.iterate(copy.data(), text.size(), copy.size()).get(document) ||
      document.get_object().get(object) || ReadEvent(object, event) ||
      document.current_location().get(rest) == simdjson::SUCCESS) {
    return false;
  }
  sink.Add(event);
  return true;
}

}  // namespace xsp
