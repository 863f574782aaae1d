#include "hierarchy/names/name_patterns.h"

#include <algorithm>
#include <initializer_list>

#include "base/ascii.h"
#include "model/names/communication.h"
#include "model/names/words.h"

namespace xsp {

Phase PhaseOfName(std::string_view name) {
  const Words words(name);
  if (words.HasAny({"optimizer", "optim", "adam", "adamw", "sgd"}) ||
      words.HasPair("weight", "update") || words.HasPair("zero", "grad") ||
      words.HasPair("clip", "grad")) {
    return Phase::kOptimizer;
  }
  if (NamesCommunication(name)) return Phase::kCommunication;
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
