#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/entities.h"

namespace xsp {

// The outermost object of a Kineto file, in front of and behind its list of events. Keeps the
// values of a few keys as they are written and passes over all others: files carry the recorded
// process's environment, job and user names there, and access tokens in "metadata".
class KinetoTopLevel {
 public:
  // Looks through the next bytes of the file, which may end anywhere; says how many it took: all of
  // them, or those up to and with the '[' that begins the events.
  std::size_t Feed(std::string_view bytes);

  // Whether the events begin (or the file is nothing but a list of events).
  bool at_events() const { return state_ == State::kEvents; }
  // The list of events has ended, with its ']': goes on behind it.
  void ResumeBehindEvents() { state_ = is_list_ ? State::kDone : State::kBehindValue; }
  // What stands there is no JSON object, or it has ended.
  bool has_ended() const { return state_ == State::kBroken || state_ == State::kDone; }

  // JSON text by key.
  const std::map<std::string, std::string, std::less<>>& values() const { return values_; }

 private:
  enum class State : std::uint8_t {
    kStart,
    kBeforeKey,
    kInKey,
    kBehindKey,
    kBeforeValue,
    kInValue,
    kBehindValue,
    kEvents,
    kDone,
    kBroken,
  };

  void Take(char c);
  void BeginValue(char c);
  void TakeValue(char c);
  void Keep(char c);
  void EndValue();

  State state_ = State::kStart;
  bool is_list_ = false;
  bool in_string_ = false;
  bool is_escaped_ = false;
  bool is_scalar_ = false;
  std::uint64_t depth_ = 0;
  bool is_wanted_ = false;
  std::string key_;
  std::string value_;
  std::map<std::string, std::string, std::less<>> values_;
};

// A GPU as the file describes it; `gpu.name` is not set.
struct KinetoGpu {
  Gpu gpu;
  std::string name;
};

// What the outermost object says of the recording.
struct KinetoFacts {
  std::optional<std::int64_t> base_ns;  // What time stamps count from, since 1970.
  std::optional<std::string> schema_version;
  std::optional<std::string> cuda_version;
  std::vector<KinetoGpu> gpus;
  std::optional<std::uint32_t> rank;
};

KinetoFacts ReadKinetoFacts(const KinetoTopLevel& top);

}  // namespace xsp
