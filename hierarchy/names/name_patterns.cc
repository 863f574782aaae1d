#include "hierarchy/names/name_patterns.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/ascii.h"

namespace xsp {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
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

}  // namespace

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
  if (domain == "python_function") return DomainKind::kPython;
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

bool NamesLoaderWorkers(std::string_view range) {
  return range.find("MultiProcessingDataLoaderIter") != range.npos;
}

}  // namespace xsp
