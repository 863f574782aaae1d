#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace xsp {

// A small result that was worked out of a stored trace and lies beside its tables, so that it need
// not be worked out again: NAME.kept, four lines and then the result as text.
//
// It is no part of the stored trace, and nothing hangs on it. It counts only where it is an
// ordinary file, belongs to this very manifest, was made by the same rules, is whole, and all
// tables are still there at the size that the manifest says; anything else is as if there were
// none. That stops accidents, not people: whoever reads the text takes nothing on trust.
class KeptResult {
 public:
  // Of the trace as it is stored now. `rules`: one line that tells apart whatever could give
  // another result.
  KeptResult(std::filesystem::path stored, std::string_view name, std::string rules);

  std::optional<std::string> Read() const;

  // Keeps a result that was worked out of the trace after this was made. Does nothing, and says
  // nothing, where it is too large, where the stored trace belongs to another user or cannot be
  // written to, and where another one has taken its place meanwhile.
  void Write(std::string_view text) const;

 private:
  // The lines before a result of this content.
  std::string HeadOf(std::string_view text) const;

  std::filesystem::path stored_;
  std::filesystem::path file_;
  std::string rules_;
  std::string manifest_sha256_;  // Empty: it could not be read.
};

}  // namespace xsp
