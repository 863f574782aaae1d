#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "hierarchy/hardware/occupancy.h"
#include "model/names/communication.h"
#include "sim/models/kernel_bound.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/kernels/rewrite.h"

// Kernels of the program itself that leave multiprocessors idle: fewer blocks than there are of
// them, too few threads in each, or a last wave of blocks that is nearly empty. Their work is
// divided into as many blocks as the GPU takes.
namespace xsp {
namespace {

constexpr WhatIfOption kFillOptions[] = {
    {"reach", "50%", "of what evenly divided work would gain, how much is reached"}};

// Threads that keep a multiprocessor busy: two warps for each of its four schedulers.
constexpr double kBusyThreads = 256;

struct Launch {
  double blocks = 0, threads = 0;  // Threads of a block.
  double multiprocessors = 0;
  double per_wave = 0;  // Blocks that run at once; 0: unknown.

  // The share of the GPU that works while the kernel runs, in (0, 1].
  double FilledShare() const {
    const double busy = blocks * std::min(threads, kBusyThreads);
    return std::min(1.0, busy / (multiprocessors * kBusyThreads));
  }
  // How full its waves are on average, in (0, 1]; 1 where that is not known.
  double WaveShare() const {
    if (per_wave <= 0 || blocks <= per_wave) return 1;
    const double waves = blocks / per_wave;
    return waves / std::ceil(waves);
  }
};

// Libraries choose their grids by the size of the data: another grid would not make it larger.
bool IsOfLibrary(const KernelKind& kind, std::string_view name) {
  return MultipliesMatrices(kind.kernel_class) || IsCommunication(kind.kernel_class) ||
         HoldsAny(name, {"at::native", "at_cuda_detail", "at::cuda", "cudnn", "cublas", "cutlass",
                         "nccl", "thrust::", "cub::", "triton_", "flash", "cufft", "cusparse",
                         "xla", "tensorflow"});
}

class FillGpu {
 public:
  FillGpu(Plan& plan, double reach) : plan_(plan), graph_(plan.graph()), reach_(reach) {}

  Applied Apply() {
    FindIndifferent();
    for (const TaskId op : plan_.KernelsInOrder()) {
      const std::optional<Launch> launch = LaunchOf(op);
      if (!launch || IsOfLibrary(plan_.facts()[op].kind, plan_.facts().Name(op))) continue;
      const double filled = launch->FilledShare(), waves = launch->WaveShare();
      if (filled > kFullEnough && waves > kFullEnough) continue;
      if (indifferent_.contains(plan_.facts()[op].name)) continue;
      found_[Words(*launch)].push_back({op, filled, waves});
      is_in_unit_ |= plan_.Counts(op);
      times_[Words(*launch)] += plan_.Own(op);
    }
    if (!is_in_unit_) return Applied::No(WhyNot());
    std::vector<std::string> rows;
    for (const auto& [words, ns] : times_) rows.push_back(words);
    std::stable_sort(rows.begin(), rows.end(), [&](const std::string& a, const std::string& b) {
      return times_[a] > times_[b];
    });
    ChangeId change = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i <= kMostRows) {
        change = plan_.AddChange(i < kMostRows ? rows[i] : "other small grids", "kind=kernel");
      }
      for (const Found& found : found_[rows[i]]) SetTime(found, change);
    }
    plan_.RestsOn(kScaling);
    plan_.Assume("the work of a block can be divided, and reaches " +
                 std::to_string(static_cast<int>(100 * reach_ + 0.5)) + " % of what that gains");
    plan_.Caution("no trace tells whether a block's work can be done by several");
    return Applied::Yes();
  }

 private:
  static constexpr double kFullEnough = 0.8;
  static constexpr std::size_t kMostRows = 5;
  struct Found {
    TaskId op;
    double filled, waves;
  };

  // Kernels that take as long with many blocks as with a few of them: what a block does itself
  // decides, and more blocks would not share it. Many launches side by side, or in one, would.
  void FindIndifferent() {
    struct Seen {
      double blocks;
      DurationNs ns;
    };
    std::map<std::uint32_t, std::vector<Seen>> by_name;
    for (const TaskId op : plan_.KernelsInOrder()) {
      const std::optional<Launch> launch = LaunchOf(op);
      if (!launch || launch->FilledShare() > kFullEnough) continue;
      if (IsOfLibrary(plan_.facts()[op].kind, plan_.facts().Name(op))) continue;
      by_name[plan_.facts()[op].name].push_back({launch->blocks, plan_.Own(op)});
    }
    constexpr double kManyMore = 4, kSameTime = 1.25;
    for (auto& [name, seen] : by_name) {
      std::sort(seen.begin(), seen.end(),
                [](const Seen& a, const Seen& b) { return a.blocks < b.blocks; });
      const std::size_t part = seen.size() / 4;  // The quarters of fewest and of most blocks.
      if (part == 0) continue;
      DurationNs few = 0, many = 0;
      for (std::size_t i = 0; i < part; ++i) {
        few += seen[i].ns;
        many += seen[seen.size() - 1 - i].ns;
      }
      const bool has_more = seen[seen.size() - part].blocks >= kManyMore * seen[part - 1].blocks;
      const bool is_same = static_cast<double>(many) <= kSameTime * static_cast<double>(few);
      if (has_more && is_same) indifferent_.insert(name);
    }
  }

  std::optional<Launch> LaunchOf(TaskId op) const {
    const EventId event = graph_.event[op];
    const double multiprocessors = plan_.machine().gpu.sm_count;
    if (!event.valid() || multiprocessors <= 0) return std::nullopt;
    const Kernels& kernels = graph_.trace->kernels();
    const std::uint32_t row = graph_.trace->Row(event, EventKind::kKernel);
    const std::uint32_t facts[] = {kernels.grid_x[row],  kernels.grid_y[row],
                                   kernels.grid_z[row],  kernels.block_x[row],
                                   kernels.block_y[row], kernels.block_z[row]};
    for (const std::uint32_t fact : facts) {
      if (fact == 0 || fact == kMissing<std::uint32_t>) return std::nullopt;
    }
    Launch launch;
    launch.blocks = 1.0 * facts[0] * facts[1] * facts[2];
    launch.threads = 1.0 * facts[3] * facts[4] * facts[5];
    launch.multiprocessors = multiprocessors;
    if (const auto occupancy = TheoreticalOccupancy(*graph_.trace, event)) {
      launch.per_wave = occupancy->blocks * multiprocessors;
    }
    return launch;
  }

  static std::string Plural(double count, const std::string& what) {
    const auto whole = static_cast<std::uint64_t>(count);
    return std::to_string(whole) + " " + what + (whole == 1 ? "" : "s");
  }

  static std::string Words(const Launch& launch) {
    if (launch.FilledShare() <= kFullEnough) {
      return Plural(launch.blocks, "block") + " of " + Plural(launch.threads, "thread") + " on " +
             Plural(launch.multiprocessors, "SM");
    }
    return Plural(launch.blocks, "block") + " where " +
           std::to_string(static_cast<std::uint64_t>(launch.per_wave)) + " run at once";
  }

  std::string WhyNot() const {
    if (!indifferent_.empty()) {
      return "its kernels take as long with many blocks as with few: each block's own work decides";
    }
    return plan_.machine().gpu.sm_count == 0
               ? "the trace does not tell how many multiprocessors the GPU has"
               : "its own kernels have blocks and threads enough for the GPU";
  }

  void SetTime(const Found& found, ChangeId change) {
    const auto ns = static_cast<double>(plan_.Own(found.op));
    const double fixed = std::min(ns, plan_.machine().memory.fixed_ns);
    const auto at = [&](double share) { return fixed + (ns - fixed) * std::min(1.0, share); };
    // A wave that is not full is not all lost: its blocks have the memory to themselves.
    const double gained = found.filled <= kFullEnough ? found.filled : found.waves;
    const double likely = found.filled <= kFullEnough ? gained / reach_ : 1 - (1 - gained) * reach_;
    const double slow = found.filled <= kFullEnough ? 4 * likely : 1;
    plan_.SetDuration(found.op, {at(likely), at(std::min(gained, likely)), at(slow)}, change);
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const double reach_;
  std::map<std::string, std::vector<Found>> found_;
  std::map<std::string, DurationNs> times_;
  std::set<std::uint32_t> indifferent_;  // By name.
  bool is_in_unit_ = false;
};

Applied ApplyFillGpu(Plan& plan, const WhatIfValues& values) {
  const double reach = values.Number("reach");
  if (!(reach > 0) || reach > 1) {
    throw Error("--fill-gpu: reach=" + values.Text("reach") + " is no share",
                "above 0 and up to 100%");
  }
  return FillGpu(plan, reach).Apply();
}

}  // namespace

const WhatIf kFillGpu = {"fill-gpu",
                         "Fill the GPU",
                         "kernels with too few blocks or threads for the GPU are divided further",
                         kScaling,
                         "grids and blocks of kernels",
                         Effort::kLines,
                         {"fill the GPU", "", "more blocks and threads: <<<grid, block>>>"},
                         kFillOptions,
                         ApplyFillGpu};

}  // namespace xsp
