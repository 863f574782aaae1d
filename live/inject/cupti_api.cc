#include "live/inject/cupti_api.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace xsp::inject {
namespace {

// The first loaded library whose file name begins with libcupti.so.
int FindLoaded(dl_phdr_info* info, std::size_t, void* found) {
  const char* slash = info->dlpi_name == nullptr ? nullptr : std::strrchr(info->dlpi_name, '/');
  const char* name = slash == nullptr ? info->dlpi_name : slash + 1;
  if (name == nullptr || std::strncmp(name, "libcupti.so", 11) != 0) return 0;
  std::snprintf(static_cast<char*>(found), 512, "%s", info->dlpi_name);
  return 1;
}

constexpr const char* kToolkitFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64/",
                                           "/usr/local/cuda/lib64/",
                                           "/opt/cuda/extras/CUPTI/lib64/", "/opt/cuda/lib64/"};
// Newest first: a libcupti newer than the driver is passed over.
struct Candidate {
  const char* name;
  int major;
};
constexpr Candidate kCandidates[] = {
    {"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so.11.8", 11}, {"libcupti.so", 0}};

void* OpenCandidate(const Candidate& candidate, char* path, std::size_t size) {
  std::snprintf(path, size, "%s", candidate.name);
  if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  for (const char* folder : kToolkitFolders) {
    std::snprintf(path, size, "%s%s", folder, candidate.name);
    if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

void* OpenFitting(char* path, std::size_t size) {
  const int driver_major = DriverCudaVersion() / 1000;
  for (const Candidate& candidate : kCandidates) {
    if (driver_major != 0 && candidate.major > driver_major) continue;
    if (void* library = OpenCandidate(candidate, path, size)) return library;
  }
  // Older drivers run newer toolkits of the same major version, and nothing else fits: try anyway.
  for (const Candidate& candidate : kCandidates) {
    if (void* library = OpenCandidate(candidate, path, size)) return library;
  }
  return nullptr;
}

// Finds functions and remembers the first that is missing.
class Finder {
 public:
  explicit Finder(void* library) : library_(library) {}

  template <class F>
  void May(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
  }
  template <class F>
  void Must(F& function, const char* name) {
    May(function, name);
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

const char* FindFunctions(void* library, CuptiApi& api) {
  Finder find(library);
  find.Must(api.GetVersion, "cuptiGetVersion");
  find.Must(api.GetTimestamp, "cuptiGetTimestamp");
  find.May(api.GetResultString, "cuptiGetResultString");
  find.Must(api.GetCallbackName, "cuptiGetCallbackName");
  find.Must(api.Subscribe, "cuptiSubscribe");
  find.May(api.SubscribeV2, "cuptiSubscribe_v2");
  find.Must(api.Unsubscribe, "cuptiUnsubscribe");
  find.Must(api.EnableCallback, "cuptiEnableCallback");
  find.Must(api.RegisterCallbacks, "cuptiActivityRegisterCallbacks");
  find.Must(api.Enable, "cuptiActivityEnable");
  find.Must(api.Disable, "cuptiActivityDisable");
  find.Must(api.FlushAll, "cuptiActivityFlushAll");
  find.Must(api.GetNextRecord, "cuptiActivityGetNextRecord");
  find.Must(api.GetNumDropped, "cuptiActivityGetNumDroppedRecords");
  find.May(api.SetThreadIdType, "cuptiSetThreadIdType");
  find.May(api.ConfigureUnified, "cuptiActivityConfigureUnifiedMemoryCounter");
  find.May(api.GetGraphNodeId, "cuptiGetGraphNodeId");
  find.May(api.GetGraphId, "cuptiGetGraphId");
  find.May(api.GetGraphExecId, "cuptiGetGraphExecId");
  return find.missing();
}

void* Open(const char* wanted, char* path, std::size_t size) {
  if (wanted[0] != '\0') {
    std::snprintf(path, size, "%s", wanted);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  char loaded[512] = "";
  if (dl_iterate_phdr(FindLoaded, loaded) != 0) {
    std::snprintf(path, size, "%s", loaded);
    return dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  }
  return OpenFitting(path, size);
}

}  // namespace

int DriverCudaVersion() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  const auto get = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  return get != nullptr && get(&version) == 0 ? version : 0;
}

bool CuptiApi::Load(const char* wanted, char* why, std::size_t why_size) {
  void* library = Open(wanted, path, sizeof path);
  if (library == nullptr) {
    if (wanted[0] != '\0') {
      const char* error = dlerror();
      std::snprintf(why, why_size, "%s cannot be loaded: %s", wanted,
                    error == nullptr ? "unknown error" : error);
    } else {
      std::snprintf(why, why_size,
                    "no libcupti found: it comes with the CUDA toolkit, and with the Python "
                    "packages nvidia-cuda-cupti; name it with --cupti");
    }
    return false;
  }
  if (const char* missing = FindFunctions(library, *this)) {
    std::snprintf(why, why_size, "%s has no %s: too old, or no CUPTI", path, missing);
    return false;
  }
  if (GetVersion(&version) != kCuptiSuccess) version = 0;
  return true;
}

void CuptiApi::Describe(CuptiResult result, char* text, std::size_t size) const {
  const char* name = nullptr;
  if (result == kCuptiMissing) {
    std::snprintf(text, size, "this version of CUPTI does not have it");
  } else if (GetResultString != nullptr && GetResultString(result, &name) == kCuptiSuccess &&
             name != nullptr) {
    std::snprintf(text, size, "%s (%d)", name, result);
  } else {
    std::snprintf(text, size, "CUPTI answered %d", result);
  }
}

}  // namespace xsp::inject
