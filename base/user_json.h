#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xsp {

// JSON that a user wrote by hand: rules, policies, what-ifs, lists of runs. Read strictly: what is
// no JSON, not UTF-8, nested too deep, says a key twice, or is not what was asked for throws an
// Error with file, line, path and a hint: "my.json:12: changes[0].scale: is a text, not a number".
class UserJson {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kNumber, kText, kList, kObject };

  // `file` is its name in errors, `hint` says with each of them where the format is described.
  static UserJson Parse(std::string_view text, std::string_view file, std::string_view hint);
  static UserJson Read(const std::filesystem::path& file, std::string_view hint);

  // Throws: "my.json:12: changes[0].scale: " and `what` is wrong with this value.
  [[noreturn]] void Fail(const std::string& what) const;

  // The value as what it should be. Fails where it is something else.
  bool Bool() const;
  double Number(double least, double most) const;
  std::uint64_t Count(std::uint64_t least) const;  // A whole number.
  const std::string& Text() const;
  const std::string& Word(std::initializer_list<std::string_view> words) const;  // One of these.
  const std::vector<UserJson>& List() const;
  const std::vector<std::pair<std::string, UserJson>>& Members() const;  // Of an object, in order.

  // An object that holds no other keys than these. Unknown: fails for one of its members.
  void OnlyKeys(std::initializer_list<std::string_view> known) const;
  [[noreturn]] void Unknown(std::span<const std::string_view> known) const;

  // A member of an object. Find: nullptr where there is none. At: fails, and says what it is for.
  const UserJson* Find(std::string_view key) const;
  const UserJson& At(std::string_view key, const std::string& what_for) const;
  std::optional<std::string> TextOf(std::string_view key) const;

  Kind kind() const { return kind_; }

 private:
  class Reader;
  struct Source {
    std::string file, hint;
  };

  [[noreturn]] void FailAt(const std::string& path, const std::string& what) const;
  void Expect(Kind kind) const;
  std::string PathOf(std::string_view key) const;

  std::shared_ptr<const Source> source_;
  std::string path_;  // "changes[0].scale"; empty for the whole.
  std::uint32_t line_ = 1;
  Kind kind_ = Kind::kNull;
  double number_ = 0;  // Of a number; 1 for true.
  std::string text_;
  std::vector<UserJson> items_;
  std::vector<std::pair<std::string, UserJson>> members_;
};

}  // namespace xsp
