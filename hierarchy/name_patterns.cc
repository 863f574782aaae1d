#include "hierarchy/name_patterns.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace xsp {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// The words of a name in lower case: letters between other characters, and between humps
// ("trainStep_3" has "train" and "step"). Longer names than anyone reads are cut.
class Words {
 public:
  explicit Words(std::string_view text) {
    char before = 0;
    for (char c : text.substr(0, kLongest)) {
      if (IsUpper(c) && IsLower(before)) Close();
      if (IsUpper(c) || IsLower(c)) {
        letters_[size_++] = Lower(c);
      } else {
        Close();
      }
      before = c;
    }
    Close();
  }

  bool HasAny(std::initializer_list<std::string_view> words) const {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return Has(w); });
  }

  bool Has(std::string_view word) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (Word(i) == word) return true;
    }
    return false;
  }

  std::string_view First() const { return count_ == 0 ? std::string_view{} : Word(0); }
  std::string_view Last() const { return count_ == 0 ? std::string_view{} : Word(count_ - 1); }

  bool HasPair(std::string_view first, std::string_view second) const {
    for (std::size_t i = 0; i + 1 < count_; ++i) {
      if (Word(i) == first && Word(i + 1) == second) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kLongest = 120;

  std::string_view Word(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {letters_.data() + begin, ends_[i] - begin};
  }

  void Close() {
    const std::size_t begin = count_ == 0 ? 0 : ends_[count_ - 1];
    if (size_ > begin) ends_[count_++] = static_cast<std::uint8_t>(size_);
  }

  std::array<char, kLongest> letters_;
  std::array<std::uint8_t, kLongest> ends_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
};

bool ConsistsOf(std::string_view text, bool (*is)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is);
}

// Cuts ", key = <rest>" off the end and gives the rest; the text stays whole where there is none.
std::string_view CutField(std::string_view& text, std::string_view key) {
  const std::size_t at = text.rfind(key);
  if (at == std::string_view::npos) return {};
  const std::string_view value = text.substr(at + key.size());
  text = text.substr(0, at);
  return value;
}

std::int32_t ParseSequence(std::string_view digits) {
  if (digits.size() > 9 || !ConsistsOf(digits, IsDigit)) return -1;
  std::int32_t value = 0;
  for (char c : digits) value = value * 10 + (c - '0');
  return value;
}

// "AddmmBackward0", "torch::autograd::CopyBackwards": one word that ends so, digits aside, and does
// not consist of it alone, as a user's "Backward" does.
bool EndsInBackward(std::string_view name) {
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  if (name.ends_with("Backwards")) name.remove_suffix(1);
  if (!name.ends_with("Backward")) return false;
  name.remove_suffix(8);
  return !name.empty() && (IsUpper(name.back()) || IsLower(name.back()) || IsDigit(name.back()));
}

bool IsFrameworkOp(std::string_view name) {
  for (std::string_view prefix : {"aten::", "prims::", "prim::", "c10d::", "c10::", "autograd::",
                                  "torch::", "nccl:", "record_param_comms", "torchvision::",
                                  "xformers::", "flash_attn::", "vllm::", "quantized::"}) {
    if (name.starts_with(prefix)) return true;
  }
  return EndsInBackward(name);
}

// Fields come in this order, so they are taken from the right; the name may hold commas itself.
ParsedRangeName ParseTorch(std::string_view text) {
  ParsedRangeName parsed;
  const std::size_t whole = text.size();
  CutField(text, ", input_op_ids = ");
  CutField(text, ", sizes = ");
  CutField(text, ", op_id = ");
  if (std::string_view digits = CutField(text, ", seq = "); !digits.empty()) {
    parsed.sequence = ParseSequence(digits);
  }
  parsed.text = text;
  const bool has_fields = text.size() != whole;
  if (has_fields || IsFrameworkOp(text)) parsed.level = Level::kOp;
  parsed.is_backward = parsed.level && EndsInBackward(text);
  return parsed;
}

// The value of 'key' in a Python or JSON dictionary printed as text, strings only.
std::string_view DictionaryText(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  at = text.find_first_of("'\"", at + key.size() + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t end = text.find(text[at], at + 1);
  return end == std::string_view::npos ? std::string_view{} : text.substr(at + 1, end - at - 1);
}

// The innermost source line of the user's own files, "train.py:25".
std::string_view UserLine(std::string_view text) {
  const std::size_t list_end = text.find(']');
  std::string_view lines = text.substr(0, list_end);
  std::string_view found;
  std::size_t at = lines.find('[');
  while (at != std::string_view::npos) {
    at = lines.find_first_of("'\"", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = lines.find(lines[at], at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view line = lines.substr(at + 1, end - at - 1);
    if (line.find("-packages/") == std::string_view::npos) found = line;
    at = end + 1;
  }
  return found;
}

// '/<module>/Net::_call_impl/Net::forward/conv2d' without what says nothing.
std::string PlainStack(std::string_view stack) {
  std::string plain;
  while (!stack.empty()) {
    const std::size_t slash = stack.find('/');
    const std::string_view part = stack.substr(0, slash);
    stack = slash == std::string_view::npos ? std::string_view{} : stack.substr(slash + 1);
    if (part.empty() || part == "<module>" || part.ends_with("::_call_impl")) continue;
    if (!plain.empty()) plain += '/';
    plain += part;
  }
  return plain;
}

// PyProf and DLProf put dictionaries into range names: {'mod', 'op', 'args'} around an operation,
// {'traceMarker', 'funcStack'} around the call that leads to it.
ParsedRangeName ParseDictionary(std::string_view text) {
  ParsedRangeName parsed;
  parsed.text = text;
  const std::string_view op = DictionaryText(text.substr(0, 400), "op");
  const std::string_view mod = DictionaryText(text.substr(0, 400), "mod");
  if (text.find("traceMarker") < 4) {
    parsed.own = PlainStack(DictionaryText(text, "funcStack"));
    if (const std::string_view line = UserLine(text); !line.empty()) {
      parsed.own += parsed.own.empty() ? "" : " ";
      parsed.own.append("(").append(line.substr(line.rfind('/') + 1)).append(")");
    }
    parsed.level = Level::kLayer;
  } else if (!op.empty() && !mod.empty()) {
    parsed.own.append(mod).append(".").append(op);
    parsed.level = Level::kOp;
  }
  return parsed;
}

// "Thunk:#name=a,hlo_op=fusion.1#" and "XlaModule:#hlo_module=jit_f,program_id=3#".
ParsedRangeName ParseXla(std::string_view text) {
  ParsedRangeName parsed;
  parsed.text = text;
  const bool is_thunk = text.starts_with("Thunk:#");
  const std::string_view key = is_thunk ? "hlo_op=" : "module=";
  if (const std::size_t at = text.find(key); at != std::string_view::npos) {
    parsed.text = text.substr(at + key.size());
    parsed.text = parsed.text.substr(0, parsed.text.find_first_of(",#"));
  }
  parsed.level = is_thunk ? Level::kOp : Level::kPhase;
  return parsed;
}

}  // namespace

ParsedRangeName ParseRangeName(std::string_view text) {
  if (text.starts_with("{'") || text.starts_with("{\"")) return ParseDictionary(text);
  if (text.starts_with("Thunk:#") || text.starts_with("Xla")) return ParseXla(text);
  if (text.starts_with("layer:")) {
    ParsedRangeName parsed;
    parsed.text = text.substr(6);
    parsed.level = Level::kLayer;
    return parsed;
  }
  return ParseTorch(text);
}

Phase PhaseOfName(std::string_view name) {
  const Words words(name);
  if (words.HasAny({"optimizer", "optim", "adam", "adamw", "sgd"}) ||
      words.HasPair("weight", "update") || words.HasPair("zero", "grad") ||
      words.HasPair("clip", "grad")) {
    return Phase::kOptimizer;
  }
  if (words.HasAny({"allreduce", "allgather", "reducescatter", "communication", "comm", "nccl",
                    "broadcast"}) ||
      words.HasPair("all", "reduce") || words.HasPair("all", "gather") ||
      words.HasPair("reduce", "scatter") || words.HasPair("all", "to") ||
      words.HasPair("grad", "sync") || words.HasPair("gradient", "sync") ||
      words.HasPair("gradient", "synchronization")) {
    return Phase::kCommunication;
  }
  if (words.HasAny({"preprocess", "preprocessing"}) || words.HasPair("pre", "process") ||
      words.HasPair("pre", "processing")) {
    return Phase::kPreProcess;
  }
  if (words.HasAny({"postprocess", "postprocessing"}) || words.HasPair("post", "process") ||
      words.HasPair("post", "processing")) {
    return Phase::kPostProcess;
  }
  if (words.HasAny({"backward", "bwd", "backprop"})) return Phase::kBackward;
  if (words.HasAny({"forward", "fwd"})) return Phase::kForward;
  if (words.HasAny({"dataloader", "loader", "reader"}) || words.HasPair("data", "loader") ||
      words.HasPair("load", "data") || words.HasPair("data", "loading") ||
      words.HasPair("load", "batch") || words.HasPair("get", "batch") ||
      words.HasPair("next", "batch") || words.HasPair("data", "load") ||
      words.HasPair("data", "fetch") || words.HasPair("fetch", "data") ||
      words.HasPair("fetch", "batch")) {
    return Phase::kDataLoading;
  }
  if (words.HasAny({"predict", "prediction", "inference", "infer"})) return Phase::kPredict;
  return Phase::kNone;
}

int StepRank(std::string_view name) {
  const Words words(name);
  if (PhaseOfName(name) != Phase::kNone || words.HasAny({"scheduler", "lr", "grad"})) return 0;
  // "Compiler::validateIterDomain" is a function; "Trainer::step 7" may be a step.
  const bool is_function = name.find("::") != name.npos && !IsDigit(name.back());
  if (is_function) return 0;
  auto speaks_of = [&](std::initializer_list<std::string_view> kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
      return words.First() == kind || words.Last() == kind;
    });
  };
  if (speaks_of({"step", "iteration", "iter", "timestep"})) return 3;
  if (speaks_of({"batch", "minibatch", "frame", "request", "token"})) return 2;
  return speaks_of({"epoch"}) ? 1 : 0;
}

std::string KindOfName(std::string_view name) {
  std::string kind;
  for (char c : name) {
    if (!IsDigit(c)) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

DomainKind KindOfDomain(std::string_view domain) {
  for (std::string_view library : {"cuBLAS", "cuDNN", "cudnn", "cublas", "NCCL", "MPI", "CCCL",
                                   "cuFFT", "cuSPARSE", "cuSOLVER", "cuRAND", "UCX", "NVSHMEM",
                                   "libcudf", "libkvikio", "myelin-exec", "cuTENSOR"}) {
    if (domain.starts_with(library)) return DomainKind::kLibrary;
  }
  if (domain == "TensorRT") return DomainKind::kTensorRt;
  if (domain == "TSL") return DomainKind::kXla;
  return DomainKind::kUser;
}

bool IsLibraryCall(std::string_view name) {
  for (std::string_view prefix :
       {"nccl", "cublas", "cudnn", "cufft", "cusparse", "cusolver", "curand", "MPI_", "myelin"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() &&
        (IsUpper(name[prefix.size()]) || name[prefix.size()] == '_' || prefix == "MPI_")) {
      return true;
    }
  }
  return name.starts_with("cub::");
}

bool IsBackwardThread(std::string_view thread_name) {
  return thread_name.starts_with("pt_autograd");
}

bool IsLoaderThread(std::string_view thread_name) {
  return thread_name.starts_with("pt_data") || thread_name.find("pin_mem") != thread_name.npos ||
         thread_name.find("DataLoader") != thread_name.npos;
}

}  // namespace xsp
