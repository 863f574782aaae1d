#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim/whatif.h"

namespace xsp {

class UserJson;

// A what-if that a user wrote as JSON, from the same primitives as the named
// ones; docs/whatif.md and docs/whatif.schema.json describe the format. Throws
// Error that names the file and the path of the bad field: "my.json:7:
// changes[2].select.class: there is no class 'gem'".
class UserWhatIf {
 public:
  static std::unique_ptr<UserWhatIf> Load(const std::filesystem::path& file);
  // `source` names the text in errors.
  static std::unique_ptr<UserWhatIf> FromJson(std::string_view text, std::string_view source);

  ~UserWhatIf();
  UserWhatIf(const UserWhatIf&) = delete;
  UserWhatIf& operator=(const UserWhatIf&) = delete;

  // Valid as long as this is.
  const WhatIf& whatif() const { return whatif_; }

 private:
  struct Script;
  static std::unique_ptr<UserWhatIf> FromJson(const UserJson& root);
  UserWhatIf();

  std::unique_ptr<Script> script_;
  WhatIf whatif_;
};

}  // namespace xsp
