#include "base/user_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/whole_file.h"

namespace xsp {
namespace {

constexpr std::size_t kDeepest = 64;

std::string_view WordsFor(UserJson::Kind kind) {
  constexpr std::array<std::string_view, 6> kWords = {"null",   "true or false", "a number",
                                                      "a text", "a list",        "an object"};
  return kWords[static_cast<std::size_t>(kind)];
}

// "0", "0.5", "1000000".
std::string Shown(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::to_string(whole) : std::to_string(number);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: ...": only what is behind.
std::string WithoutPlace(std::string_view text) {
  if (text.starts_with("[")) text.remove_prefix(text.find(' ') + 1);
  if (text.starts_with("parse error at")) text.remove_prefix(text.find(": ") + 2);
  return std::string(text);
}

}  // namespace

// Builds the value from the events of the parser.
class UserJson::Reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Reader(std::string_view text, std::string_view file, std::string_view hint)
      : text_(text), source_(new Source{std::string(file), std::string(hint)}) {}

  UserJson Read() {
    if (!IsUtf8(text_)) Make(Kind::kNull).Fail("is not UTF-8");
    const char* const end = text_.data() + text_.size();
    nlohmann::json::sax_parse(CountedBytes{text_.data(), &at_}, CountedBytes{end, &at_}, this);
    return std::move(whole_);
  }

  bool null() override { return Add(Make(Kind::kNull)); }
  bool boolean(bool value) override { return AddNumber(Kind::kBool, value ? 1 : 0); }
  bool number_integer(std::int64_t value) override {
    return AddNumber(Kind::kNumber, static_cast<double>(value));
  }
  bool number_unsigned(std::uint64_t value) override {
    return AddNumber(Kind::kNumber, static_cast<double>(value));
  }
  bool number_float(double value, const std::string&) override {
    return AddNumber(Kind::kNumber, value);
  }
  bool string(std::string& text) override {
    UserJson value = Make(Kind::kText);
    value.text_ = std::move(text);
    return Add(std::move(value));
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // Not in a text.
  bool start_object(std::size_t) override { return Begin(Kind::kObject); }
  bool start_array(std::size_t) override { return Begin(Kind::kList); }
  bool end_object() override { return End(); }
  bool end_array() override { return End(); }
  bool key(std::string& key) override {
    open_.back().key = key;
    if (!open_.back().keys.insert(key).second) Make(Kind::kNull).Fail("is there twice");
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    UserJson place = Make(Kind::kNull);
    place.path_.clear();
    place.Fail("is no JSON: " + WithoutPlace(error.what()));
  }

 private:
  struct Place {
    std::uint32_t line = 1;
    bool is_behind_line = false;  // Nothing of this line has been read.
  };

  // Bytes that count their lines as somebody reads them.
  struct CountedBytes {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    Place* place;

    const char& operator*() const { return *at; }
    CountedBytes& operator++() {
      place->line += *at == '\n';
      place->is_behind_line = *at++ == '\n';
      return *this;
    }
    bool operator==(const CountedBytes& other) const { return at == other.at; }
  };

  struct Open {
    UserJson value;
    std::string key = {};  // Of an object: the one whose value comes next.
    std::set<std::string> keys = {};
  };

  // The value that comes next, with its place.
  UserJson Make(Kind kind) const {
    UserJson value;
    value.source_ = source_;
    value.kind_ = kind;
    value.line_ = at_.line;
    if (open_.empty()) return value;
    const UserJson& parent = open_.back().value;
    value.path_ = parent.kind_ == Kind::kList
                      ? parent.path_ + "[" + std::to_string(parent.items_.size()) + "]"
                      : parent.PathOf(open_.back().key);
    return value;
  }

  bool AddNumber(Kind kind, double number) {
    UserJson value = Make(kind);
    value.number_ = number;
    // The end of a number shows in the byte behind it, which has been read.
    if (kind == Kind::kNumber && at_.is_behind_line) --value.line_;
    return Add(std::move(value));
  }

  bool Add(UserJson value) {
    if (open_.empty()) {
      whole_ = std::move(value);
    } else if (UserJson& parent = open_.back().value; parent.kind_ == Kind::kList) {
      parent.items_.push_back(std::move(value));
    } else {
      parent.members_.emplace_back(open_.back().key, std::move(value));
    }
    return true;
  }

  bool Begin(Kind kind) {
    UserJson value = Make(kind);
    if (open_.size() == kDeepest) value.Fail("is nested too deep");
    open_.push_back({std::move(value)});
    return true;
  }

  bool End() {
    UserJson value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  std::string_view text_;
  std::shared_ptr<const Source> source_;
  Place at_;
  std::vector<Open> open_;  // Lists and objects that have begun, the innermost last.
  UserJson whole_;
};

UserJson UserJson::Parse(std::string_view text, std::string_view file, std::string_view hint) {
  return Reader(text, file, hint).Read();
}

UserJson UserJson::Read(const std::filesystem::path& file, std::string_view hint) {
  return Parse(ReadWholeFile(file), file.string(), hint);
}

void UserJson::Fail(const std::string& what) const { FailAt(path_, what); }

void UserJson::FailAt(const std::string& path, const std::string& what) const {
  throw Error(
      source_->file + ":" + std::to_string(line_) + ": " + (path.empty() ? "" : path + ": ") + what,
      source_->hint);
}

void UserJson::Expect(Kind kind) const {
  if (kind_ == kind) return;
  Fail("is " + std::string(WordsFor(kind_)) + ", not " + std::string(WordsFor(kind)));
}

bool UserJson::Bool() const {
  Expect(Kind::kBool);
  return number_ != 0;
}

double UserJson::Number(double least, double most) const {
  Expect(Kind::kNumber);
  if (number_ < least) Fail("must be at least " + Shown(least));
  if (number_ > most) Fail("must be at most " + Shown(most));
  return number_;
}

std::uint64_t UserJson::Count(std::uint64_t least) const {
  constexpr double kMost = 0x1p53;
  const double number = Number(static_cast<double>(least), kMost);
  if (number != std::floor(number)) Fail("is not a whole number");
  return static_cast<std::uint64_t>(number);
}

const std::string& UserJson::Text() const {
  Expect(Kind::kText);
  return text_;
}

const std::string& UserJson::Word(std::initializer_list<std::string_view> words) const {
  Expect(Kind::kText);
  if (std::find(words.begin(), words.end(), text_) != words.end()) return text_;
  Fail("is '" + text_ + "', not one of " + Joined(words, ", "));
}

const std::vector<UserJson>& UserJson::List() const {
  Expect(Kind::kList);
  return items_;
}

const std::vector<std::pair<std::string, UserJson>>& UserJson::Members() const {
  Expect(Kind::kObject);
  return members_;
}

void UserJson::OnlyKeys(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : Members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) value.Unknown(known);
  }
}

void UserJson::Unknown(std::span<const std::string_view> known) const {
  const std::string key = path_.substr(path_.rfind('.') + 1);
  const std::string meant = DidYouMean(key, std::vector<std::string>(known.begin(), known.end()));
  Fail("is not known here; " + (meant.empty() ? "there is " + Joined(known, ", ") : meant));
}

std::string UserJson::PathOf(std::string_view key) const {
  return path_ + (path_.empty() ? "" : ".") + std::string(key);
}

const UserJson* UserJson::Find(std::string_view key) const {
  for (const auto& [name, value] : Members()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const UserJson& UserJson::At(std::string_view key, const std::string& what_for) const {
  if (const UserJson* found = Find(key)) return *found;
  FailAt(PathOf(key), "is missing: " + what_for);
}

std::optional<std::string> UserJson::TextOf(std::string_view key) const {
  const UserJson* found = Find(key);
  return found != nullptr ? std::optional(found->Text()) : std::nullopt;
}

}  // namespace xsp
