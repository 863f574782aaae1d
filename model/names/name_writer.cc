#include "model/names/name_writer.h"

#include <algorithm>
#include <utility>

#include "model/names/name_lexer.h"

namespace xsp {

namespace {

constexpr std::string_view kAnonymous[] = {"<unnamed>", "(anonymous namespace)", "{anonymous}",
                                           "(anonymous)"};

// Identifiers that say nothing without what they belong to.
constexpr std::string_view kGenericNames[] = {"kernel", "kentry",     "impl", "globalKernel",
                                              "run",    "value_type", "type", "Params"};

// Template arguments that follow from others: how PyTorch passes pointers and finds elements.
constexpr std::string_view kNoiseArguments[] = {"array<char*",       "Array<char*",
                                                "OffsetCalculator<", "TrivialOffsetCalculator<",
                                                "LoadWithoutCast",   "StoreWithoutCast"};

// PyTorch's launchers: a lambda over indices stands for their first template argument.
constexpr std::string_view kLaunchers[] = {"gpu_kernel_impl_nocast", "gpu_kernel_impl",
                                           "gpu_index_kernel"};

template <class List>
bool Contains(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

}  // namespace

NameWriter::NameWriter(std::string_view text, Detail detail)
    : text_(text), detail_(detail), match_(MatchBrackets(text)) {
  FindParameters();
}

// The parameter list is the first bracket after a name, outside all others, that is not followed by
// "::" (those belong to functions that have a lambda or a class inside).
void NameWriter::FindParameters() {
  bool after_name = false;
  for (std::size_t i = 0; i < text_.size();) {
    if (IsNameChar(text_[i])) {
      const std::string_view name = NameAt(text_, i);
      i += name.size();
      if (name == "operator") i = EndOfOperator(text_, i);
      after_name = true;
    } else if (match_[i] == kNone) {
      if (text_[i] != ' ') after_name = false;
      ++i;
    } else {
      const std::size_t close = match_[i];
      std::size_t next = SkipSpaces(text_, close + 1);
      if (Rest(next).starts_with("const")) next = SkipSpaces(text_, next + 5);
      if (text_[i] == '(' && after_name && !Rest(next).starts_with("::")) {
        parameters_ = i;
        return;
      }
      after_name = !Contains(kAnonymous, text_.substr(i, close + 1 - i));
      i = close + 1;
    }
  }
}

std::string_view NameWriter::parameters() const {
  if (parameters_ == kNone) return {};
  return text_.substr(parameters_ + 1, match_[parameters_] - parameters_ - 1);
}

void NameWriter::Write() {
  out_.reserve(text_.size());
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (!frames_.empty() && at_ == frames_.back().close) {
      Close();
    } else if (c == ' ') {
      spaced_ = true;
      ++at_;
    } else if (IsNameChar(c)) {
      WriteIdentifier();
    } else if (Rest(at_).starts_with("::")) {
      WriteScope();
    } else if (c == '<') {
      WriteTemplate();
    } else if (c == '(') {
      WriteParenthesis();
    } else if (c == ',') {
      WriteComma();
    } else if (!WriteLambda() && !SkipAnonymous()) {
      out_ += c;
      component_ = kNone;
      ++at_;
    }
  }
}

void NameWriter::WriteIdentifier() {
  const std::string_view token = NameAt(text_, at_);
  const std::size_t end = at_ + token.size();
  const bool spaced = std::exchange(spaced_, false);
  if (token == "const" || token == "volatile" ||
      (token == "void" && end < text_.size() && text_[end] == ' ' && StartsName(end + 1))) {
    at_ = end;
    spaced_ = spaced || !out_.empty();
    return;
  }
  if (spaced && !out_.empty()) {
    const bool is_result_type = frames_.empty() && parameters_ != kNone && at_ < parameters_;
    if (is_result_type) {
      out_.clear();
    } else if (IsNameChar(out_.back()) || out_.back() == '>' || out_.back() == '*') {
      out_ += ' ';
    }
  }
  after_wrapper_ = false;
  component_ = out_.size();
  if (frames_.empty()) base_ = token;
  if (token == "operator") return WriteOperator();
  out_ += WithoutSuffix(token);
  at_ = end;
}

void NameWriter::WriteOperator() {
  const std::size_t word_end = at_ + std::string_view("operator").size();
  const std::size_t end = EndOfOperator(text_, word_end);
  out_ += "operator";
  if (end > word_end)
    out_ += Rest(SkipSpaces(text_, word_end)).substr(0, end - SkipSpaces(text_, word_end));
  at_ = end;
}

void NameWriter::WriteScope() {
  at_ += 2;
  spaced_ = false;
  const std::size_t next = SkipSpaces(text_, at_);
  const std::string_view name = next < text_.size() ? NameAt(text_, next) : std::string_view();
  if (IsLambda(next)) {
    component_ = kNone;
  } else if (name == "operator" && Rest(SkipSpaces(text_, next + 8)).starts_with("()") &&
             !Rest(SkipSpaces(text_, EndOfOperator(text_, next + 8))).starts_with("<")) {
    at_ = EndOfOperator(text_, next + 8);  // The call operator is what a functor is for.
    component_ = kNone;
  } else if (component_ != kNone && detail_ == Detail::kShort && !Contains(kGenericNames, name)) {
    out_.resize(component_);
    component_ = kNone;
  } else if (!out_.empty()) {
    out_ += "::";
    component_ = kNone;
  }
}

void NameWriter::WriteTemplate() {
  if (SkipAnonymous()) return;
  if (match_[at_] == kNone) {
    out_ += text_[at_++];
    component_ = kNone;
    return;
  }
  const std::string_view name =
      component_ == kNone ? std::string_view() : std::string_view(out_).substr(component_);
  bool is_silent = false;
  if (detail_ == Detail::kShort) {
    is_silent = name == "gpu_kernel_impl_nocast" ||
                ((name == "Kernel" || name == "Kernel2") &&
                 Rest(SkipSpaces(text_, at_ + 1)).starts_with("cutlass_") &&
                 !NameAt(text_, at_ + 1).empty() &&
                 !Rest(at_ + 1 + NameAt(text_, at_ + 1).size()).starts_with("::"));
  }
  Frame frame{};
  frame.close = match_[at_];
  frame.resume = frame.close + 1;
  frame.is_template = true;
  frame.is_silent = is_silent;
  frame.is_launcher = detail_ == Detail::kShort && Contains(kLaunchers, name);
  if (is_silent) {
    out_.resize(component_);
  } else {
    out_ += '<';
  }
  at_ += 1;
  Open(frame);
}

void NameWriter::WriteParenthesis() {
  if (SkipAnonymous()) return;
  const std::size_t close = match_[at_];
  if (close == kNone) {
    out_ += text_[at_++];
    component_ = kNone;
  } else if (at_ == parameters_) {
    at_ = text_.size();
  } else if (IsCast(at_)) {
    const bool is_bool = text_.substr(at_, close + 1 - at_) == "(bool)";
    at_ = close + 1;
    if (is_bool && (text_[at_] == '0' || text_[at_] == '1')) {
      out_ += text_[at_++] == '0' ? "false" : "true";
      component_ = kNone;
    }
  } else if (!out_.empty() &&
             (IsNameChar(out_.back()) || out_.back() == '>' || out_.back() == ')') &&
             !(component_ != kNone && std::string_view(out_).substr(component_) == "decltype")) {
    at_ = close + 1;  // The parameters of a function that is an argument or holds a lambda.
    component_ = kNone;
  } else {
    Frame frame{};
    frame.close = close;
    frame.resume = close + 1;
    out_ += '(';
    at_ += 1;
    Open(frame);
  }
}

// A lambda: "[lambda(int) (instance 2)]" or "{lambda(int)#2}" becomes "(int)#2" behind its
// function. The lambdas that PyTorch's type dispatch puts around the one that matters are dropped.
bool NameWriter::WriteLambda() {
  if (!IsLambda(at_)) return false;
  const std::size_t close = match_[at_];
  if (const std::size_t inner = EndOfDispatch(close); inner != kNone) {
    at_ = inner;
    return true;
  }
  const std::size_t bracket = text_.find('(', at_);
  std::size_t last = close;
  while (last > match_[bracket] && !IsDigit(text_[last - 1])) --last;
  std::size_t first = last;
  while (IsDigit(text_[first - 1])) --first;
  std::string_view number = text_.substr(first, last - first);
  if (number == "1") number = {};
  if (std::exchange(after_wrapper_, false) && number.empty()) {
    at_ = close + 1;
    return true;
  }
  Frame frame{};
  frame.close = match_[bracket];
  frame.resume = close + 1;
  frame.lambda_number = number;
  out_ += '(';
  at_ = bracket + 1;
  Open(frame);
  return true;
}

void NameWriter::WriteComma() {
  at_ += 1;
  component_ = kNone;
  if (frames_.empty()) {
    out_ += ',';
    return;
  }
  Frame& frame = frames_.back();
  EndArgument(frame);
  frame.argument = out_.size();
  if (out_.size() > frame.content) out_ += ", ";
  spaced_ = false;
  after_wrapper_ = false;
}

void NameWriter::Open(Frame frame) {
  frame.content = frame.argument = out_.size();
  frames_.push_back(frame);
  component_ = kNone;
  spaced_ = false;
  after_wrapper_ = false;
}

void NameWriter::Close() {
  Frame frame = frames_.back();
  EndArgument(frame);
  frames_.pop_back();
  if (!frame.is_template) {
    out_ += ')';
    if (!frame.lambda_number.empty()) (out_ += '#') += frame.lambda_number;
  } else if (!frame.is_silent) {
    if (out_.size() == frame.content) {
      out_.pop_back();
    } else {
      out_ += '>';
    }
  }
  at_ = frame.resume;
  component_ = kNone;
  spaced_ = false;
  after_wrapper_ = frame.is_launcher;
}

void NameWriter::EndArgument(Frame& frame) {
  if (detail_ != Detail::kShort || !frame.is_template) return;
  std::string_view argument = std::string_view(out_).substr(frame.argument);
  if (argument.starts_with(", ")) argument.remove_prefix(2);
  const bool is_noise =
      std::any_of(std::begin(kNoiseArguments), std::end(kNoiseArguments),
                  [&](std::string_view noise) { return argument.starts_with(noise); });
  if (is_noise) out_.resize(frame.argument);
}

bool NameWriter::SkipAnonymous() {
  for (std::string_view word : kAnonymous) {
    if (!Rest(at_).starts_with(word)) continue;
    at_ += word.size();
    if (Rest(at_).starts_with("::")) at_ += 2;
    return true;
  }
  return false;
}

// "(int)4", "(cub::SortOrder)0": a type before a number, where an argument begins.
bool NameWriter::IsCast(std::size_t open) const {
  const std::size_t close = match_[open];
  if (close + 1 >= text_.size() || (!IsDigit(text_[close + 1]) && text_[close + 1] != '-')) {
    return false;
  }
  if (!out_.empty() && (IsNameChar(out_.back()) || out_.back() == '>')) return false;
  return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                     text_.begin() + static_cast<std::ptrdiff_t>(close), [](char c) {
                       return IsNameChar(c) || c == ' ' || c == ':' || c == '<' || c == '>';
                     });
}

bool NameWriter::IsLambda(std::size_t open) const {
  constexpr std::string_view kWord = "lambda(";
  if (open >= text_.size() || (text_[open] != '[' && text_[open] != '{')) return false;
  if (!Rest(open + 1).starts_with(kWord) || match_[open] == kNone) return false;
  const std::size_t close = match_[open + kWord.size()];
  return close != kNone && close < match_[open];
}

// For a lambda that ends at `close`: where the lambda inside its call operator begins, if any.
std::size_t NameWriter::EndOfDispatch(std::size_t close) const {
  for (std::string_view middle : {"::operator()() const::", "::operator ()() const::"}) {
    const std::size_t next = close + 1 + middle.size();
    if (Rest(close + 1).starts_with(middle) && IsLambda(next)) return next;
  }
  return kNone;
}

bool NameWriter::StartsName(std::size_t from) const {
  from = SkipSpaces(text_, from);
  if (from >= text_.size()) return false;
  const std::string_view rest = Rest(from);
  return IsNameChar(rest.front()) || rest.starts_with("::") ||
         std::any_of(std::begin(kAnonymous), std::end(kAnonymous),
                     [&](std::string_view word) { return rest.starts_with(word); });
}

}  // namespace xsp
