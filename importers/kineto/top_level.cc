#include "importers/kineto/top_level.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, 7> kWanted = {
    "schemaVersion",       "baseTimeNanoseconds", "deviceProperties", "distributedInfo",
    "cuda_driver_version", "hip_driver_version",  "host_name",
};

// Longer values are not what they claim to be.
constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kLongestValue = std::size_t{1} << 22;

}  // namespace

std::size_t KinetoTopLevel::Feed(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (state_ == State::kDone || state_ == State::kBroken) break;
    Take(bytes[i]);
    if (state_ == State::kEvents) return i + 1;
  }
  return bytes.size();
}

void KinetoTopLevel::Take(char c) {
  if (state_ == State::kInValue) return TakeValue(c);
  if (state_ == State::kInKey) {
    const bool ends = c == '"' && !is_escaped_;
    is_escaped_ = c == '\\' && !is_escaped_;
    if (ends) state_ = State::kBehindKey;
    if (!ends && key_.size() < kLongestKey) key_ += c;
    return;
  }
  if (IsBlank(c)) return;
  if (state_ == State::kStart && (c == '{' || c == '[')) {
    is_list_ = c == '[';
    state_ = is_list_ ? State::kEvents : State::kBeforeKey;
  } else if (state_ == State::kBeforeKey && c == '"') {
    key_.clear();
    is_escaped_ = false;
    state_ = State::kInKey;
  } else if (state_ == State::kBehindKey && c == ':') {
    state_ = State::kBeforeValue;
  } else if (state_ == State::kBeforeValue) {
    BeginValue(c);
  } else if (state_ == State::kBehindValue && c == ',') {
    state_ = State::kBeforeKey;
  } else if ((state_ == State::kBehindValue || state_ == State::kBeforeKey) && c == '}') {
    state_ = State::kDone;
  } else if (state_ != State::kBeforeKey || c != ',') {  // Two commas in a row do no harm.
    state_ = State::kBroken;
  }
}

void KinetoTopLevel::BeginValue(char c) {
  if (key_ == "traceEvents" && c == '[') {
    state_ = State::kEvents;
    return;
  }
  is_wanted_ = std::find(kWanted.begin(), kWanted.end(), key_) != kWanted.end();
  value_.clear();
  depth_ = 0;
  in_string_ = false;
  is_escaped_ = false;
  is_scalar_ = c != '{' && c != '[' && c != '"';
  state_ = State::kInValue;
  TakeValue(c);
}

void KinetoTopLevel::TakeValue(char c) {
  if (is_scalar_) {
    // A number or word ends where the object goes on.
    if (c != ',' && c != '}' && !IsBlank(c)) return Keep(c);
    EndValue();
    return Take(c);
  }
  Keep(c);
  if (in_string_) {
    const bool ends = c == '"' && !is_escaped_;
    is_escaped_ = c == '\\' && !is_escaped_;
    in_string_ = !ends;
    if (ends && depth_ == 0) EndValue();
    return;
  }
  if (c == '"') in_string_ = true;
  if (c == '{' || c == '[') ++depth_;
  if ((c == '}' || c == ']') && --depth_ == 0) EndValue();
}

void KinetoTopLevel::Keep(char c) {
  if (is_wanted_ && value_.size() < kLongestValue) value_ += c;
}

void KinetoTopLevel::EndValue() {
  state_ = State::kBehindValue;
  if (is_wanted_) values_[key_] = value_;
}

}  // namespace xsp
