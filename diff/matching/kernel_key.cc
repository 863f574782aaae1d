#include "diff/matching/kernel_key.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
// Bytes beyond ASCII are parts of letters.
bool IsWordChar(char c) {
  return IsDigit(c) || IsUpper(c) || IsLower(c) || static_cast<unsigned char>(c) >= 0x80;
}
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// Where a new word begins inside a run of letters and digits: "kernelHalf", "CUDAKernel".
bool BeginsWord(std::string_view text, std::size_t i) {
  if (i == 0 || !IsUpper(text[i])) return false;
  if (IsLower(text[i - 1])) return true;
  return IsUpper(text[i - 1]) && i + 1 < text.size() && IsLower(text[i + 1]);
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsWordChar(text[i])) {
      in_word = false;
      continue;
    }
    if (!in_word || BeginsWord(text, i)) words.emplace_back();
    in_word = true;
    words.back() += Lower(text[i]);
  }
  return words;
}

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// GPU generations, and words that only tell how a library tuned a kernel.
constexpr std::array<std::string_view, 26> kTuning = {
    "maxwell",   "pascal",   "volta",    "turing",  "ampere",  "ada",    "hopper",
    "blackwell", "stages",   "stage",    "aligned", "execute", "kernel", "interior",
    "small",     "medium",   "large",    "xregs",   "train",   "infer",  "unrolled",
    "split",     "tilesize", "warpsize", "trt",     "cudnn"};

constexpr std::array<std::string_view, 44> kTypes = {
    "float",    "double",  "half",    "bfloat",   "int",   "long",  "short", "char",  "unsigned",
    "signed",   "bool",    "true",    "false",    "fp",    "bf",    "tf",    "fp16",  "fp32",
    "fp64",     "bf16",    "tf32",    "fp8",      "f16",   "f32",   "f64",   "f8",    "float16",
    "bfloat16", "float32", "float64", "int8",     "int32", "int64", "uint8", "s8",    "s32",
    "f16f16",   "tf32f32", "bf16f32", "bf16bf16", "e4m3",  "e5m2",  "half2", "float2"};

bool HasDigit(std::string_view word) { return std::any_of(word.begin(), word.end(), IsDigit); }

// Operations whose precision and instruction stand in front of them without a separator:
// "s1688gemm", "h884gemm", "sgemm". Empty where the word is none.
std::string_view OperationIn(std::string_view word) {
  for (std::string_view operation : {"gemm", "gemv", "fprop", "dgrad", "wgrad", "syrk", "trsm"}) {
    const std::size_t at = word.find(operation);
    if (at != word.npos && at <= 8) return word.substr(at);
  }
  return {};
}

// "s1688gemm" without its instruction: "sgemm".
std::string WithoutDigits(std::string_view word) {
  std::string text;
  for (char c : word) {
    if (!IsDigit(c)) text += c;
  }
  return text;
}

std::vector<std::string> TuningFreeWords(std::string_view full_name) {
  std::vector<std::string> kept;
  for (const std::string& word : WordsOf(ShortKernelName(full_name))) {
    if (IsOneOf(kTypes, word)) {
      kept.push_back(word);
    } else if (IsOneOf(kTuning, word)) {
      continue;
    } else if (HasDigit(word)) {
      if (!OperationIn(word).empty()) kept.push_back(WithoutDigits(word));
    } else {
      kept.push_back(word);
    }
  }
  return kept;
}

// A name made of nothing but tuning ("kernel_128x64") is better than no name.
std::string OrItself(std::string key, std::string_view name) {
  return key.empty() ? std::string(name) : key;
}

}  // namespace

std::string TuningFreeKey(std::string_view full_name) {
  return OrItself(Joined(TuningFreeWords(full_name), " "), full_name);
}

std::string TypeFreeKey(std::string_view full_name) {
  std::vector<std::string> kept;
  for (const std::string& word : TuningFreeWords(full_name)) {
    if (IsOneOf(kTypes, word)) continue;
    const std::string_view operation = OperationIn(word);
    kept.push_back(operation.empty() ? word : std::string(operation));
  }
  return OrItself(Joined(kept, " "), full_name);
}

std::string LooseRangeName(std::string_view name) {
  std::vector<std::string> kept;
  for (const std::string& word : WordsOf(name)) {
    const bool is_number = HasDigit(word) && std::all_of(word.begin(), word.end(), [](char c) {
                             return IsDigit(c) || (c >= 'a' && c <= 'f') || c == 'x';
                           });
    if (!is_number) kept.push_back(word);
  }
  return OrItself(Joined(kept, " "), name);
}

}  // namespace xsp
