#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/plan/selector.h"

namespace xsp {

// Reads fields of a user's JSON and says, by their path, what is wrong with
// them.
class JsonPlace {
 public:
  using Json = nlohmann::json;

  explicit JsonPlace(std::string_view source) : source_(source) {}

  // Throws Error: "my.json: changes[0].scale: ...".
  [[noreturn]] void Fail(const std::string& path, const std::string& what) const;
  void Expect(const Json& value, const std::string& path, Json::value_t type) const;
  void OnlyKeys(const Json& object, const std::string& path,
                const std::set<std::string>& allowed) const;

  // Fields of `object`, which is at `path`.
  std::optional<std::string> Text(const Json& object, const std::string& path,
                                  const std::string& key) const;
  // One of the words; the first where the key is missing (WordOr).
  std::string Word(const Json& object, const std::string& path, const std::string& key,
                   std::initializer_list<std::string_view> words) const;
  std::string WordOr(const Json& object, const std::string& path, const std::string& key,
                     std::initializer_list<std::string_view> words) const;
  KernelClass ClassOr(const Json& object, const std::string& path, KernelClass otherwise) const;
  // A number of at least 0.
  double Number(const Json& value, const std::string& path) const;

  // {"class": "gemm", "phase": "forward", "not": {...}, "any": [{...}], "all":
  // [{...}]}: all conditions of an object must hold.
  Selector ReadSelector(const Json& select, const std::string& path) const;

 private:
  Selector ReadCondition(const std::string& key, const Json& value, const std::string& path,
                         int depth) const;
  Selector ReadSelector(const Json& select, const std::string& path, int depth) const;
  Selector ReadList(const Json& list, const std::string& path, bool all, int depth) const;

  std::string source_;
};

}  // namespace xsp
