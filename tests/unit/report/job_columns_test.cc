#include "report/html/job_columns.h"

#include <catch2/catch.hpp>

#include "report/html/packed.h"

namespace xsp {
namespace {

Json Packed(const std::vector<std::int64_t>& values,
            PackedColumn::Kind kind = PackedColumn::Kind::kPlain) {
  PackedColumn column(kind);
  for (const std::int64_t value : values) column.Add(value);
  return column.ToJson();
}

// Two workers and three steps: each computes, then both meet. Worker 1 computes so much longer.
JobOperations TwoWorkers(const std::vector<DurationNs>& longer) {
  JobOperations job;
  job.workers.resize(2);
  job.workers[0].rank = 4;
  job.workers[1].rank = 5;
  job.types = {{"compute", "compute", false}, {"all_reduce", "all_reduce", true}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
  for (std::uint32_t step = 0; step < longer.size(); ++step) {
    job.steps.push_back(10 + step);
    const TimeNs begin = 1000 * TimeNs(step);
    const TimeNs met = begin + 100 + longer[step];
    for (WorkerRow worker = 0; worker < 2; ++worker) {
      const TimeNs ready = worker == 0 ? begin + 100 : met;
      for (const bool is_joint : {false, true}) {
        if (is_joint) members.emplace_back(step, static_cast<OpRow>(job.size()));
        job.worker.push_back(worker);
        job.step.push_back(step);
        job.type.push_back(is_joint ? 1 : 0);
        job.begin.push_back(is_joint ? ready : begin);
        job.duration.push_back(is_joint ? met + 20 - ready : ready - begin);
        job.joint.push_back(is_joint ? step : kNoJoint);
      }
    }
  }
  job.members = RowLists::Of(longer.size(), members);
  return job;
}

TEST_CASE("a job's steps are what each rank's time went to") {
  const Json json = JobColumns(TwoWorkers({10, 30, 50}), 1'000'000);
  CHECK(json["ranks"] == Packed({4, 5}));
  CHECK(json["steps"] == Packed({10, 11, 12}, PackedColumn::Kind::kSteps));
  CHECK(json["steps_in_all"] == 3);
  const Json& times = json["times"];
  CHECK(times["rows"] == 6);
  CHECK(times["worker"] == Packed({0, 1, 0, 1, 0, 1}));
  CHECK(times["length"] == Packed({130, 130, 150, 150, 170, 170}));
  CHECK(times["compute"] == Packed({100, 110, 100, 130, 100, 150}));
  CHECK(times["waiting"] == Packed({10, 0, 30, 0, 50, 0}));
}

TEST_CASE("arrivals begin with the typical step, then the one with most waiting") {
  const Json json = JobColumns(TwoWorkers({30, 10, 50}), 1'000'000);
  const Json& arrivals = json["arrivals"];
  REQUIRE(arrivals.size() == 3);
  CHECK(arrivals[0]["step"] == 10);
  CHECK(arrivals[0]["why"] == "typical");
  CHECK(arrivals[1]["step"] == 12);
  CHECK(arrivals[1]["why"] == "most waiting");
  CHECK(arrivals[2]["step"] == 11);
  CHECK(arrivals[1]["joints"]["at"] == Packed({100}, PackedColumn::Kind::kSteps));
  CHECK(arrivals[1]["joints"]["type"] == Packed({1}));
  CHECK(arrivals[1]["joints"]["members"] == Packed({2}));
  CHECK(arrivals[1]["members"]["worker"] == Packed({0, 1}));
  CHECK(arrivals[1]["members"]["late"] == Packed({0, 50}));
}

TEST_CASE("one step is shown whatever room there is") {
  const Json json = JobColumns(TwoWorkers({30, 10, 50}), 0);
  REQUIRE(json["arrivals"].size() == 1);
  CHECK(json["arrivals"][0]["why"] == "typical");
  CHECK(JobColumns(TwoWorkers({}), 0)["arrivals"].empty());
}

}  // namespace
}  // namespace xsp
