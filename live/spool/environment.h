#pragma once

// How `xsp live` tells the injected library what to do. All may be left out.
namespace xsp::live {

inline constexpr const char* kEnvSpool = "XSP_LIVE_SPOOL";  // Folder for spools; "xsp.spool".
inline constexpr const char* kEnvKinds = "XSP_LIVE_KINDS";  // See ParseKinds.
inline constexpr const char* kEnvDelay = "XSP_LIVE_DELAY_MS";
inline constexpr const char* kEnvDuration = "XSP_LIVE_DURATION_MS";
inline constexpr const char* kEnvSteps = "XSP_LIVE_STEPS";           // "20-40".
inline constexpr const char* kEnvStepRange = "XSP_LIVE_STEP_RANGE";  // Name of the range of a step.
inline constexpr const char* kEnvCapture = "XSP_LIVE_CAPTURE";       // "cudaProfilerApi".
inline constexpr const char* kEnvMaxBytes = "XSP_LIVE_MAX_BYTES";    // Of a spool, if no session.
inline constexpr const char* kEnvSession = "XSP_LIVE_SESSION";       // File with a Session.
inline constexpr const char* kEnvCupti = "XSP_LIVE_CUPTI";           // libcupti to use.

// In the folder of spools once `xsp live` has taken them, where they are kept.
inline constexpr const char* kEndedFile = "ended";

// Read by the CUDA driver and by NVTX.
inline constexpr const char* kEnvCudaInjection = "CUDA_INJECTION64_PATH";
inline constexpr const char* kEnvNvtxInjection = "NVTX_INJECTION64_PATH";

}  // namespace xsp::live
