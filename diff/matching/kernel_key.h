#pragma once

#include <string>
#include <string_view>

// Names under which kernels of two builds can be found to be the same. Each is a list of words in
// lower case, looser than the one before:
//
//   hierarchy's ReadKernelName  equal functions, whatever demangler wrote the name
//   TuningFreeKey               also in another tile size, for another GPU, of another version
//   TypeFreeKey                 also in another precision
namespace xsp {

// The words of a kernel's short name without what a library chooses anew with every version: tile
// sizes, pipeline stages, alignments, architectures, version and line numbers, hashes, numbers.
// "ampere_sgemm_128x64_tn" and "ampere_sgemm_32x128_tn" are both "sgemm tn".
std::string TuningFreeKey(std::string_view full_name);

// The same without words that only name a type: "gemm tn" for both "ampere_sgemm_128x64_tn" and
// "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn".
std::string TypeFreeKey(std::string_view full_name);

// A range's name without what programs count or address in it: numbers, hexadecimal addresses,
// punctuation, case.
std::string LooseRangeName(std::string_view name);

}  // namespace xsp
