#include "hierarchy/analyses/runs.h"

#include <catch2/catch.hpp>

#include "base/error.h"
#include "hierarchy/analyses/batch_manifest.h"
#include "hierarchy/analyses/catalog.h"
#include "hierarchy/analyses/groups.h"
#include "tests/unit/hierarchy/analyses/profile_of.h"

using namespace xsp;

namespace {

// A model of two layers whose first kernel takes `first` ns.
Profile RunWith(int first, const std::string& second_layer = "second") {
  const std::string end = std::to_string(10 + first), last = std::to_string(30 + first);
  return test::ProfileOfText(
      "T1 0-30 push model\nT1 0-10 push first\n"
      "T1 1-2 api cudaLaunchKernel #1\nT1 10-20 push " +
      second_layer +
      "\nT1 11-12 api cudaLaunchKernel #2\n"
      "S7 10-" +
      end + " kernel a #1\nS7 " + end + "-" + last + " kernel b #2\n");
}

std::string RefusalOf(std::vector<NamedProfile> runs) {
  try {
    CombineRuns(std::move(runs), Statistic::kTrimmed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Latency in ns by batch size.
std::vector<BatchProfile> Batches(std::initializer_list<std::pair<std::uint64_t, double>> rows) {
  std::vector<BatchProfile> batches;
  for (const auto& [batch, latency] : rows) {
    batches.push_back({batch, 1, {}});
    batches.back().profile.ranks.emplace_back().latency_ns = latency;
  }
  return batches;
}

std::string ManifestError(std::string_view text) {
  try {
    ParseBatchManifest(text, "runs/m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("runs of the same thing are combined value by value") {
  const std::vector<NamedProfile> runs = {
      {"a", RunWith(100)}, {"b", RunWith(900)}, {"c", RunWith(200)}};
  const auto first = [&](Statistic statistic) {
    return test::LayerAt(CombineRuns(runs, statistic), "model/first").latency_ns;
  };
  CHECK(first(Statistic::kTrimmed) == 200);
  CHECK(first(Statistic::kMedian) == 200);
  CHECK(first(Statistic::kMean) == 400);
  const Profile mean = CombineRuns(runs, Statistic::kMean);
  CHECK(mean.ranks[0].gpu.latency_ns == 420);
  CHECK(mean.ranks[0].kernels.at(0).gpu.latency_ns == 400);
  CHECK(mean.ranks[0].kernels.at(1).gpu.latency_ns == 20);
}

TEST_CASE("runs with other layers are not averaged and the first difference is named") {
  CHECK(RefusalOf({{"a", RunWith(1)}, {"b", RunWith(1, "other")}}) ==
        "b is no run of the same thing as a: it lacks 'model/second'");
  Profile more = RunWith(1);
  more.ranks[0].layers.push_back(more.ranks[0].layers.back());
  more.ranks[0].layers.back().occurrence = 1;
  CHECK(RefusalOf({{"a", RunWith(1)}, {"b", more}}) ==
        "b is no run of the same thing as a: 3 layers, not 2; only it has 'model/second' (no. 2)");
  const Profile no_layers =
      test::ProfileOfText("T1 1-2 api cudaLaunchKernel #1\nS7 3-4 kernel a #1");
  CHECK(RefusalOf({{"a", RunWith(1)}, {"b", no_layers}}) ==
        "b is no run of the same thing as a: only one of them has layers");
}

TEST_CASE("what a run lacks outside of layers counts as nothing in it") {
  Profile with = RunWith(100);
  std::swap(with.ranks[0].layers[0], with.ranks[0].layers[1]);  // Another order of rows...
  for (KernelRow& kernel : with.ranks[0].kernels) kernel.layer = 1 - kernel.layer;
  LayerRow& loose = with.ranks[0].layers.emplace_back();  // ...and one more.
  loose.path = "model/[no layer]";
  loose.is_layer = false;
  loose.latency_ns = 10;
  const Profile mean = CombineRuns({{"a", RunWith(300)}, {"b", with}}, Statistic::kMean);
  CHECK(test::LayerAt(mean, "model/[no layer]").latency_ns == 5);
  CHECK(test::LayerAt(mean, "model/first").latency_ns == 200);
  REQUIRE(mean.ranks[0].kernels.size() == 2);
  CHECK(mean.ranks[0].layers[mean.ranks[0].kernels[0].layer].path == "model/first");
}

TEST_CASE("the optimal batch is the largest that a doubling does not improve by 5 percent") {
  // Throughput rises by 100, 50, 4 and 3 percent.
  const auto batches = Batches({{1, 100}, {2, 100}, {4, 133.333}, {8, 256.41}, {16, 497.88}});
  const auto optimal = FindOptimalBatch(batches, std::nullopt);
  REQUIRE(optimal);
  CHECK(batches[optimal->place].batch == 16u);
  CHECK(optimal->is_saturated);
}

TEST_CASE("while throughput still rises no batch is optimal yet") {
  const auto batches = Batches({{1, 100}, {2, 110}, {4, 130}});
  const auto optimal = FindOptimalBatch(batches, std::nullopt);
  REQUIRE(optimal);
  CHECK_FALSE(optimal->is_saturated);
  CHECK(batches[optimal->place].batch == 4u);
}

TEST_CASE("a batch that loses throughput is not optimal however large") {
  const auto batches = Batches({{1, 100}, {2, 110}, {4, 212}, {8, 800}});
  CHECK(batches[FindOptimalBatch(batches, std::nullopt)->place].batch == 4u);
}

TEST_CASE("a latency target takes the fastest batch within it") {
  const auto batches = Batches({{1, 100}, {2, 110}, {4, 212}, {8, 400}});
  CHECK(batches[FindOptimalBatch(batches, 300)->place].batch == 4u);
  CHECK(FindOptimalBatch(batches, 300)->meets_target);
  CHECK_FALSE(FindOptimalBatch(batches, 50)->meets_target);
}

TEST_CASE("without batch sizes nothing is optimal") {
  std::vector<BatchProfile> batches = Batches({{1, 100}});
  batches[0].batch = std::nullopt;
  CHECK_FALSE(FindOptimalBatch(batches, std::nullopt));
}

TEST_CASE("stages are thirds of the layers by their place") {
  RankProfile rank;
  const double latencies[] = {5, 1, 1, 9, 1};
  for (std::uint32_t i = 0; i < 5; ++i) {
    LayerRow& row = rank.layers.emplace_back();
    row.index = i + 1;
    row.type = i < 2 ? "conv" : "relu";
    row.latency_ns = latencies[i];
  }
  const auto stages = StagesOf(rank);
  CHECK(stages[0].last_layer == 2);
  CHECK(stages[1].first_layer == 3);
  CHECK(stages[1].last_layer == 4);
  CHECK(stages[1].latency_ns == 10);
  CHECK(stages[2].first_layer == 5);
  CHECK(DominantStage(stages, [](const Stage& s) { return std::optional(s.latency_ns); }) == 1u);
  CHECK_FALSE(DominantStage(stages, [](const Stage& s) { return s.allocated_bytes; }));
  const auto types = LayersByType(rank);
  REQUIRE(types.size() == 2);
  CHECK(types[0].type == "relu");
  CHECK(types[0].count == 3);
  CHECK(types[0].latency_ns == 11);
}

TEST_CASE("kernels of one name are counted all, not all but one") {
  RankProfile rank;
  for (int i = 0; i < 3; ++i) {
    KernelRow& row = rank.kernels.emplace_back();
    row.name = "k";
    CallFigures call;
    call.latency_ns = 10;
    row.gpu = GpuFigures::OfCall(call);
  }
  REQUIRE(KernelsByName(rank).size() == 1);
  CHECK(KernelsByName(rank)[0].gpu.count == 3);
  CHECK(KernelsByName(rank)[0].gpu.latency_ns == 30);
}

TEST_CASE("a manifest names traces beside itself and their batch sizes") {
  const auto entries = ParseBatchManifest(
      R"([{"trace": "a.sqlite", "batch": 16}, {"trace": "/x/b.sqlite", "batch": 32}])",
      "runs/m.json");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0] == ManifestEntry{"runs/a.sqlite", 16});
  CHECK(entries[1] == ManifestEntry{"/x/b.sqlite", 32});
}

TEST_CASE("a broken manifest is told by its entry") {
  CHECK(ManifestError("{").starts_with("runs/m.json:1: is no JSON: "));
  CHECK(ManifestError("[]") == "runs/m.json:1: is an empty list");
  CHECK(ManifestError(R"([{"batch": 1}])") == "runs/m.json:1: [0].trace: is missing: a file");
  CHECK(ManifestError(R"([{"trace": "a", "batch": -1}])") ==
        "runs/m.json:1: [0].batch: must be at least 1");
  CHECK(ManifestError(R"([{"trace": "a"}, {"trace": "b", "size": 2}])") ==
        "runs/m.json:1: [1].size: is not known here; there is trace, batch");
  CHECK(ManifestError(R"([{"trace": "a"}, {"trace": "b", "batch": 2}])") ==
        "runs/m.json:1: [1]: some entries have a \"batch\" and some have none");
}

TEST_CASE("analyses are found by number and by name") {
  CHECK(FindAnalysis("a1")->id == AnalysisId::kModel);
  CHECK(FindAnalysis("A15")->id == AnalysisId::kModelKernels);
  CHECK(FindAnalysis("gpu-vs-host")->id == AnalysisId::kGpuVsHost);
  CHECK(FindAnalysis("a16") == nullptr);
  for (const AnalysisInfo& info : AllAnalyses()) CHECK(&InfoOf(info.id) == &info);
}
