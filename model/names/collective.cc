#include "model/names/collective.h"

#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/enum_names.h"

namespace xsp {
namespace {

std::string Lowered(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '_') continue;
    result += LowerCase(c);
  }
  return result;
}

}  // namespace

std::string_view NameOf(Collective collective) {
  constexpr EnumNames<Collective::kSendReceive> kNames({"all_reduce", "reduce_scatter",
                                                        "all_gather", "all_to_all", "broadcast",
                                                        "reduce", "send_receive"});
  return kNames[collective];
}

std::optional<Collective> CollectiveOf(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Collective>, 8> kWords = {
      {{"allreduce", Collective::kAllReduce},
       {"crossdevicereduce", Collective::kAllReduce},  // vLLM's own.
       {"reducescatter", Collective::kReduceScatter},
       {"allgather", Collective::kAllGather},
       {"alltoall", Collective::kAllToAll},
       {"broadcast", Collective::kBroadcast},
       {"sendrecv", Collective::kSendReceive},
       {"reduce", Collective::kReduce}}};
  const std::string text = Lowered(name);
  for (const auto& [word, collective] : kWords) {
    if (text.find(word) != std::string::npos) return collective;
  }
  return std::nullopt;
}

}  // namespace xsp
