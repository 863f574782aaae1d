#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/names/name_lexer.h"

namespace xsp {

// Rewrites one C++ function name as a demangler printed it. The parts of kernel_names.h that know
// the syntax; one pass over the text with a stack of open brackets.
class NameWriter {
 public:
  enum class Detail : unsigned char {
    kCanonical,  // All template arguments, with namespaces.
    kShort,      // Without namespaces and without arguments that never tell kernels apart.
  };

  NameWriter(std::string_view text, Detail detail);

  void Write();

  const std::string& name() const { return out_; }
  std::string_view parameters() const;
  // The function's own name: the last identifier outside all brackets.
  std::string_view base() const { return base_; }

 private:
  static constexpr std::size_t kNone = kNoPartner;

  // An open bracket whose content is being written.
  struct Frame {
    std::size_t close;     // Where the bracket closes in text_.
    std::size_t content;   // Where its content begins in out_.
    std::size_t argument;  // Where the current argument begins in out_, with its separator.
    std::size_t resume;    // Where reading goes on after the bracket.
    bool is_template;
    bool is_silent;                  // A wrapper: written without name and brackets.
    bool is_launcher;                // The lambda that follows says nothing.
    std::string_view lambda_number;  // To be written after the bracket.
  };

  void FindParameters();

  void WriteIdentifier();
  void WriteOperator();
  void WriteScope();
  void WriteTemplate();
  void WriteParenthesis();
  bool WriteLambda();
  void WriteComma();
  void Open(Frame frame);
  void Close();
  void EndArgument(Frame& frame);

  bool SkipAnonymous();
  bool IsCast(std::size_t open) const;
  bool IsLambda(std::size_t open) const;
  std::size_t EndOfDispatch(std::size_t close) const;
  std::string_view Rest(std::size_t from) const { return text_.substr(from); }
  bool StartsName(std::size_t from) const;

  std::string_view text_;
  Detail detail_;
  std::vector<std::size_t> match_;  // For each opening bracket of text_: the closing one, or kNone.
  std::size_t parameters_ = kNone;  // The bracket that opens the parameter list.

  std::size_t at_ = 0;  // Next character of text_.
  std::string out_;
  std::vector<Frame> frames_;
  std::size_t component_ = kNone;  // Where in out_ the identifier just written begins.
  bool spaced_ = false;            // Space before the next token.
  bool after_wrapper_ = false;  // A launcher was just closed: the lambda that follows says nothing.
  std::string_view base_;
};

}  // namespace xsp
