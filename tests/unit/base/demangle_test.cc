#include "base/demangle.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("symbols are shown as in the source, everything else as it is") {
  CHECK(Demangled("_ZN2ns3addIfEEvPT_i") == "void ns::add<float>(float*, int)");
  CHECK(Demangled("_Z1fIJiiiEEvDpT_") == "void f<int, int, int>(int, int, int)");
  CHECK(Demangled("_Z1fIJiiEEvDp1AIT_E") == "void f<int, int>(A<int>, A<int>)");
  CHECK(Demangled("_ZN8cublasLt19splitKreduce_kernelILi32EfEEvNS_6ParamsIT0_EE") ==
        "void cublasLt::splitKreduce_kernel<32, float>(cublasLt::Params<float>)");
  CHECK(Demangled("_Znot a symbol") == "_Znot a symbol");
  CHECK(Demangled("plain") == "plain");
  CHECK(Demangled("").empty());
}

TEST_CASE("a symbol that refers back to itself without bounds stays mangled") {
  std::string bomb = "_Z1fI1AE";
  for (int i = 0; i < 40; ++i) bomb += "S_IS0_S0_E";
  CHECK(Demangled(bomb) == bomb);
}

TEST_CASE("a symbol whose packs are expanded within each other stays mangled") {
  // Under a kilobyte that would be 136 MB.
  const std::string pack = "J" + std::string(300, 'i') + "E";
  const std::string bomb = "_Z1fI" + pack + pack + pack + "EvDp1AIT_Dp1BIT0_DpT1_EE";
  CHECK(Demangled(bomb) == bomb);
}

TEST_CASE("a symbol whose source form nobody could read stays mangled") {
  const std::string bomb =
      "_Z1fI1AI" + std::string(2000, 'i') + "EJ" + std::string(100, 'i') + "EEvDp1BIT0_S0_E";
  CHECK(Demangled(bomb) == bomb);
}

}  // namespace
}  // namespace xsp
