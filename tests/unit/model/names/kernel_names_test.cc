#include "model/names/kernel_names.h"

#include <catch2/catch.hpp>
#include <random>

#include "model/names/call_names.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

const char kNsysNeg[] =
    "void at::native::vectorized_elementwise_kernel<(int)4, "
    "at::native::neg_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator ()() "
    "const::[lambda() (instance 7)]::operator ()() const::[lambda(float) (instance 1)], "
    "std::array<char *, (unsigned long)2>>(int, T2, T3)";
const char kKinetoNeg[] =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::neg_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
    "const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, "
    "at::native::neg_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
    "const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)";

TEST_CASE("the canonical name is the same from every demangler") {
  CHECK(ReadKernelName(kNsysNeg).name == ReadKernelName(kKinetoNeg).name);
  CHECK(ReadKernelName(kNsysNeg).name ==
        "at::native::vectorized_elementwise_kernel<4, at::native::neg_kernel_cuda(float), "
        "std::array<char*, 2>>");
  CHECK(ReadKernelName("void f<(bool)1, (unsigned int)3, ns::E>(int)").name ==
        ReadKernelName("void f<true, 3u, ns::E >(int)").name);
  CHECK(ReadKernelName("void <unnamed>::f<const float>(T1)").name ==
        ReadKernelName("void (anonymous namespace)::f<float const>(float)").name);
}

TEST_CASE("parameters of a kernel are told from those inside its name") {
  CHECK(ReadKernelName("saxpy(double *, int)").parameters == "double *, int");
  CHECK(ReadKernelName(kNsysNeg).parameters == "int, T2, T3");
  CHECK(ReadKernelName("ampere_sgemm_128x64_tn").parameters.empty());
}

TEST_CASE("short names keep function, functor and types") {
  CHECK(ShortKernelName(kNsysNeg) == "vectorized_elementwise_kernel<4, neg_kernel_cuda(float)>");
  CHECK(ShortKernelName("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, "
                        "7>(cublasGemvParams<int>)") == "gemvx::kernel<int, float, 7>");
  CHECK(ShortKernelName("unsigned int foo<3>(int)") == "foo<3>");
  CHECK(ShortKernelName(
            "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(T1::Params)") ==
        "cutlass_80_simt_sgemm_128x64_8x5_nt_align1");
  CHECK(
      ShortKernelName("void run<ns::A::operator ()(int) const::[lambda(long) (instance 3)]>(T1)") ==
      "run<A(long)#3>");
  CHECK(ShortKernelName("Foo<int>::kernel(int)") == "Foo<int>::kernel");
  CHECK(ShortKernelName("_ZN2ns3addIfEEvPT_i") == "add<float>");
}

TEST_CASE("short names keep apart what differs in the last lambda alone") {
  const std::string name = "void par<build(global &)::[lambda(int) (instance ";
  CHECK(ShortKernelName(name + "1)]>(Range, T1)") == "par<build(int)>");
  CHECK(ShortKernelName(name + "12)]>(Range, T1)") == "par<build(int)#12>");
}

TEST_CASE("the base name is the bare function") {
  CHECK(BaseKernelName(kNsysNeg) == "vectorized_elementwise_kernel");
  CHECK(BaseKernelName("Foo<int>::kernel(int)") == "kernel");
  CHECK(BaseKernelName("triton_poi_fused_0") == "triton_poi_fused_0");
}

TEST_CASE("names that are no C++ stay as they are") {
  for (const char* name :
       {"ampere_sgemm_128x64_tn", "fusion.123", "loop_add_fusion",
        "__omp_offloading_31_18a80bc__Z_1...", "main_53_gpu__red", "a b c", "(", ""}) {
    CHECK(ShortKernelName(name) == name);
  }
}

TEST_CASE("unbalanced brackets do no harm") {
  CHECK(ShortKernelName("foo<int") == "foo<int");
  CHECK(ShortKernelName("foo>int") == "foo>int");
  CHECK(ShortKernelName("void foo<int>(a") == "foo<int>(a");
  CHECK(ShortKernelName("f<(x>1)>(int)") == "f<(x>1)>");
  CHECK(ShortKernelName("f<a->b>(int)") == "f<a->b>");
  CHECK(ShortKernelName("f<[lambda(>(int)") == "f<[lambda(>");
  CHECK(ShortKernelName("bool operator<(A, B)") == "operator<");
  CHECK(ShortKernelName("[lambda() (instance 1)]") == "()");
}

TEST_CASE("long and deep names are read in one pass") {
  const std::size_t size = 65536;
  for (std::string_view piece :
       {"<", "(", "a<", "a(", "f<g(", "::", "Kernel<cutlass_", "[lambda(", "a, ",
        "{lambda()#1}::operator()() const::", "gpu_kernel_impl_nocast<", "(int)", "void "}) {
    std::string name;
    while (name.size() < size) name += piece;
    CHECK(ShortKernelName(name).size() <= 2 * name.size());
    CHECK(ReadKernelName(name).name.size() <= 2 * name.size());
  }
  std::string nested;
  while (nested.size() < size) nested += "ns::A<int, ";
  const std::size_t depth = nested.size() / 11;
  nested += "float";
  nested.append(depth, '>');
  CHECK(ShortKernelName(nested).starts_with("A<int, A<int, A<int"));

  std::string lambdas;
  while (lambdas.size() < size / 2) lambdas += "[lambda(";
  for (std::size_t i = lambdas.size() / 8; i > 0; --i) lambdas += ")]";
  CHECK(ShortKernelName(lambdas).starts_with("((("));
}

TEST_CASE("any bytes make a name, the same each time") {
  using namespace std::string_literals;
  std::mt19937 random(7);
  const std::string alphabet = "<>()[]{},:& *#0a_\xc3\xff\n\0lambda(operator ()const::void (int)1"s;
  for (int round = 0; round < 3000; ++round) {
    std::string name;
    while (name.size() < 60) {
      const std::size_t from = random() % alphabet.size();
      name += alphabet.substr(from, 1 + random() % 9);
    }
    CHECK(ShortKernelName(name) == ShortKernelName(name));
    CHECK(ReadKernelName(name).name.size() <= 2 * name.size());
    BaseKernelName(name);
  }
}

TEST_CASE("a call has one name, whichever entry point of the library was used") {
  CHECK(CallName("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
  CHECK(CallName("cudaLaunchKernelExC_v11060") == "cudaLaunchKernelExC");
  CHECK(CallName("cuMemAlloc_v2") == "cuMemAlloc");
  CHECK(CallName("cuMemAlloc") == "cuMemAlloc");
  CHECK(CallName("cudaMemcpyAsync_ptsz_v7000") == "cudaMemcpyAsync");
  CHECK(CallName("cuMemcpyHtoD_v2_ptds") == "cuMemcpyHtoD");
  CHECK(CallName("cudaMemcpy_v70x0") == "cudaMemcpy_v70x0");
  CHECK(CallName("_v7000") == "_v7000");
  CHECK(CallName("").empty());
}

TEST_CASE("full names with the same short form are numbered in the order of their bytes") {
  StringPool strings;
  const StringId third = strings.Intern("void c::f<int>(int)");
  const StringId first = strings.Intern("void a::f<int>(int)");
  const StringId second = strings.Intern("void b::f<int>(int)");
  const StringId other = strings.Intern("g(int)");
  const std::vector<StringId> names = {third, other, first, second, third};
  const ShortNames short_names(strings, names);
  CHECK(short_names.Of(first) == "f<int>");
  CHECK(short_names.Of(second) == "f<int> #2");
  CHECK(short_names.Of(third) == "f<int> #3");
  CHECK(short_names.Of(other) == "g");
  CHECK(short_names.collisions() == 2);
  CHECK(short_names.Of(strings.Intern("not in the set")).empty());
}

TEST_CASE("a numbered short name never equals another kernel's own") {
  StringPool strings;
  const std::vector<StringId> names = {strings.Intern("f"), strings.Intern("void f(int)"),
                                       strings.Intern("f #2")};
  const ShortNames short_names(strings, names);
  CHECK(short_names.Of(names[0]) == "f");
  CHECK(short_names.Of(names[1]) != short_names.Of(names[2]));
}

TEST_CASE("a kernel is shown in the wished form") {
  const Trace trace = test::MakeTrace("S7 0-10 kernel \"void ns::f<(int)4>(float *)\"\n");
  const EventId kernel(0u);
  CHECK(KernelLabels(trace, NameForm::kShort).Of(kernel) == "f<4>");
  CHECK(KernelLabels(trace, NameForm::kFull).Of(kernel) == "void ns::f<(int)4>(float *)");
  CHECK(KernelLabels(trace, NameForm::kMangled).Of(kernel) == "void ns::f<(int)4>(float *)");
  CHECK(NameFormFromName("base") == NameForm::kBase);
  CHECK(NameFormFromName("long") == std::nullopt);
}

}  // namespace
}  // namespace xsp
