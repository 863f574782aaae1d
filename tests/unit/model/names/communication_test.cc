#include "model/names/communication.h"

#include <catch2/catch.hpp>

#include "model/names/kernel_rules.h"

namespace xsp {
namespace {

bool IsCommunicationKernel(std::string_view name) {
  return IsCommunication(KernelRules::BuiltIn().Classify(name).kernel_class);
}

TEST_CASE("kernels of communication libraries are communication") {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "rcclGenericKernel<8, true>(ncclDevComm*)",
        "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
        "void mscclpp::allpairKernel<float>(float*)",
        "void nvshmemi_transfer::barrier_on_stream_kernel<false>(int)", "nvshmemx_quiet_kernel()",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, "
        "vllm::RankSignals, vllm::Signal*, __nv_bfloat16*, int, int)",
        "void aiter::cross_device_reduce_2stage<bf16, 8, false>(aiter::RankData*)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<4>(int)",
        "void deep_ep::intranode::dispatch<(int)2, (int)768, (int)8192>(int4 *, float *)",
        "void deep_ep::internode_ll::combine<(bool)0, (int)6144>(void *, void *)",
        "void deep_ep::internode::notify_dispatch<false, 4>(int const*, int*, int)",
        "void userbuffers_fp16_sum_inplace_gpu_rw_ag<2>(int)",
        "kuserbuffers_pushsend(int*, int*, int4*, int4*, int)",
        "c10d::symmetric_memory::barrier_kernel(unsigned int**, unsigned long)"}) {
    INFO(name);
    CHECK(IsCommunicationKernel(name));
  }
}

TEST_CASE("kernels that only sound like communication are none") {
  for (const char* name :
       {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)",
        "mul_broadcast_2d_kernel",
        "void deep_ep::layout::get_dispatch_layout<256, 4, 8>(int const*, int*)",
        "void c10d::checkForNaN<c10::Half>(c10::Half*, unsigned long)",
        "void softmax_kernel<WarpAllReduce<4>>(float*)",
        "void block_all_reduce_sum<256>(float*, float*)", "void gather_kernel<int>(int*)",
        "sync_and_scatter(int*)", "void dispatch_experts<8>(int)"}) {
    INFO(name);
    CHECK(!IsCommunicationKernel(name));
  }
}

TEST_CASE("a user's rule says what is communication, too") {
  const KernelRules rules = KernelRules::FromJson(
      R"({"rules": [{"id": "mine", "match": "^exchange_halo", "class": "collective"}]})", "mine");
  CHECK(IsCommunication(rules.Classify("exchange_halo<3>(float*)").kernel_class));
  CHECK(!IsCommunicationKernel("exchange_halo<3>(float*)"));
}

TEST_CASE("ranges, operators and calls of communication are told by their names") {
  for (const char* name : {"nccl:all_reduce",
                           "nccl:_reduce_scatter_base",
                           "c10d::allreduce_",
                           "c10d::barrier",
                           "_c10d_functional::wait_tensor",
                           "record_param_comms",
                           "ncclAllReduce",
                           "ncclGroupEnd",
                           "AllReduce",
                           "all_reduce grad [lm_head.weight]",
                           "reduce-scatter",
                           "all_to_all_single",
                           "all2all",
                           "AllToAll",
                           "broadcast_buffers",
                           "gradient sync",
                           "deep_ep::dispatch",
                           "NVSHMEM barrier",
                           "rcclAllGather",
                           "send_recv"}) {
    INFO(name);
    CHECK(NamesCommunication(name));
  }
}

TEST_CASE("ranges that only sound like communication are none") {
  for (const char* name :
       {"aten::broadcast_tensors", "prims::broadcast_in_dim", "commit", "move all to device",
        "reduce loss", "gather outputs", "Stream Synchronization", "forward", ""}) {
    INFO(name);
    CHECK(!NamesCommunication(name));
  }
}

}  // namespace
}  // namespace xsp
