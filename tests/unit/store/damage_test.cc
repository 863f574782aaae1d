#include <catch2/catch.hpp>
#include <thread>

#include "base/error.h"
#include "store/stored_trace.h"
#include "tests/unit/store/reseal.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using test::EditManifest;
using test::ReadFile;
using test::Reseal;
using test::TemporaryFolder;
using test::WriteFile;

// A stored trace to be damaged.
class Victim {
 public:
  Victim() : trace_(test::SampleTrace(20)) { WriteStoredTrace(trace_, {}, folder()); }

  fs::path folder() const { return temporary_ / "run.xsp"; }
  fs::path File(const std::string& name) const { return folder() / name; }
  const Trace& trace() const { return trace_; }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // What loading says, and that it is told what to do.
  std::string Complaint() const {
    try {
      LoadStoredTrace(folder());
    } catch (const Error& e) {
      CHECK_FALSE(e.hint().empty());
      return e.what();
    }
    return "no complaint";
  }

 private:
  TemporaryFolder temporary_;
  Trace trace_;
};

TEST_CASE("a flipped bit anywhere in a stored trace is found, and the file named") {
  Victim victim;
  for (const std::string& name : victim.Files()) {
    const std::string good = ReadFile(victim.File(name));
    for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 16) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      WriteFile(victim.File(name), bad);
      INFO(name << " byte " << at);
      CHECK_THAT(victim.Complaint(), Contains(name));
    }
    WriteFile(victim.File(name), good);
  }
  CHECK(LoadStoredTrace(victim.folder()) == victim.trace());
}

TEST_CASE("a stored trace with a file cut short or grown is not loaded") {
  Victim victim;
  for (const std::string& name : victim.Files()) {
    const std::string good = ReadFile(victim.File(name));
    for (const std::string& bad :
         {std::string(), good.substr(0, 1), good.substr(0, good.size() / 2),
          good.substr(0, good.size() - 3), good + "x"}) {
      WriteFile(victim.File(name), bad);
      INFO(name << " with " << bad.size() << " bytes");
      CHECK_THAT(victim.Complaint(), Contains(name));
    }
    WriteFile(victim.File(name), good);
  }
}

TEST_CASE("a stored trace with a missing file is not loaded, and the file named") {
  Victim victim;
  for (const std::string& name : victim.Files()) {
    fs::rename(victim.File(name), victim.File("away"));
    CHECK_THAT(victim.Complaint(), Contains(name));
    fs::rename(victim.File("away"), victim.File(name));
  }
}

TEST_CASE("a file of another stored trace is noticed") {
  Victim victim;
  TemporaryFolder other;
  WriteStoredTrace(test::SampleTrace(20, 2), {}, other / "run.xsp");
  const auto replace = fs::copy_options::overwrite_existing;
  fs::copy_file(other / "run.xsp/events.parquet", victim.File("events.parquet"), replace);
  CHECK_THAT(victim.Complaint(), Contains("events.parquet"));
}

TEST_CASE("a folder in place of a file is an error") {
  Victim victim;
  for (const char* name : {"events.parquet", "manifest.json"}) {
    fs::remove(victim.File(name));
    fs::create_directory(victim.File(name));
    CHECK_THAT(victim.Complaint(), Contains(name));
  }
}

TEST_CASE("a newer major version is refused with a way out") {
  Victim victim;
  EditManifest(victim.folder(), [](auto& json) { json["xsp_stored_trace"]["major"] = 2; });
  CHECK_THAT(victim.Complaint(),
             Contains("written by a newer xsp (format 2.1), this one reads 1.x"));
  CHECK_THROWS_AS(ReadManifest(victim.folder()), Error);
  CHECK(IsStoredTrace(victim.folder()));
  try {
    ReadManifest(victim.folder());
  } catch (const Error& e) {
    CHECK(e.hint() == "update xsp or import again");
  }
}

TEST_CASE("a newer minor version with tables and fields unknown here loads") {
  Victim victim;
  EditManifest(victim.folder(), [](auto& json) {
    json["xsp_stored_trace"]["minor"] = 7;
    json["tables"]["novelties"] = {{"rows", 3}, {"bytes", 5}, {"sha256", "?"}};
    json["novelty"] = {{"a", 1.5}};
  });
  CHECK(LoadStoredTrace(victim.folder()) == victim.trace());
}

TEST_CASE("an older minor version loads without what came later") {
  Victim victim;
  const auto erase = [](auto& json) {
    json["xsp_stored_trace"]["minor"] = 0;
    json["tables"].erase("operators");
    json["tables"].erase("operands");
  };
  EditManifest(victim.folder(), erase);
  const Trace loaded = LoadStoredTrace(victim.folder());
  CHECK(loaded.operators().event.empty());
  CHECK(loaded.events() == victim.trace().events());
  // Columns that version 1 added: read as null, whatever the file holds.
  for (const Process& process : loaded.processes()) {
    CHECK(process.rank == kMissing<std::uint32_t>);
  }
  CHECK(loaded.collectives().event == victim.trace().collectives().event);
  CHECK(loaded.collectives().sequence ==
        std::vector(loaded.collectives().event.size(), kMissing<std::uint64_t>));
  for (StringId type : loaded.collectives().type) CHECK_FALSE(type.valid());
  EditManifest(victim.folder(), [](auto& json) { json["xsp_stored_trace"]["minor"] = 1; });
  CHECK_THAT(victim.Complaint(), Contains("table operators is missing"));
}

TEST_CASE("a manifest that does not fit its files is an error, checksums or not") {
  Victim victim;
  const std::string good = ReadFile(victim.File("manifest.json"));
  const auto complaint_after = [&](const auto& edit) {
    WriteFile(victim.File("manifest.json"), good);
    EditManifest(victim.folder(), edit);
    return victim.Complaint();
  };
  CHECK_THAT(complaint_after([](auto& j) { j["tables"]["events"]["rows"] = 5000; }),
             Contains("events.parquet: has 480 rows, but the manifest says 5000"));
  CHECK_THAT(complaint_after([](auto& j) { j["tables"].erase("kernels"); }), Contains("kernels"));
  CHECK_THAT(complaint_after([](auto& j) {
               j["tables"]["strings"] = {{"rows", 0}};
             }),
             Contains("points outside"));
  CHECK_THAT(complaint_after([](auto& j) { j["kinds"]["kernel"] = 21; }), Contains("fit together"));
  CHECK_THAT(complaint_after([](auto& j) { j["kinds"]["kernel"] = 1ULL << 40; }),
             Contains("too many events"));
  CHECK_THAT(complaint_after([](auto& j) {
               j["kinds"]["memcpy"] = 0xffffffffu;  // Wraps to the right sum in 32 bits.
               j["kinds"]["kernel"] = j["kinds"]["kernel"].template get<std::uint64_t>() + 1;
             }),
             Contains("counts per kind"));
  CHECK_THAT(complaint_after([](auto& j) { j["tables"]["kernels"]["rows"] = 1ULL << 31; }),
             Contains("more rows than events"));
  CHECK_THAT(complaint_after([](auto& j) {
               for (int i = 0; i < 100; ++i) j["trace"] = {{"deeper", j["trace"]}};
             }),
             Contains("nested too deeply"));
  CHECK_THAT(complaint_after([](auto& j) {
               for (int i = 0; i < 3000; ++i) j["trace"]["key " + std::to_string(i)] = i;
             }),
             Contains("too many keys"));
  CHECK_THAT(complaint_after([](auto& j) { j["kinds"]["novelty"] = 1; }), Contains("novelty"));
  CHECK_THAT(complaint_after([](auto& j) { j["trace"].erase("format"); }), Contains("format"));
  CHECK_THAT(complaint_after([](auto& j) { j["trace"]["partial"] = "yes"; }), Contains("partial"));
  CHECK_THAT(complaint_after([](auto& j) { j["source"]["bytes"] = -1; }), Contains("bytes"));
  CHECK_THAT(complaint_after([](auto& j) { j["source"]["mtime_ns"] = 1.5; }), Contains("mtime_ns"));
  CHECK_THAT(complaint_after([](auto& j) { j["import_log"]["issues"][0]["reason"] = "?"; }),
             Contains("reason"));
  CHECK_THAT(complaint_after([](auto& j) { j["tables"] = 3; }), Contains("tables"));
}

TEST_CASE("a table with the columns of another one is an error") {
  Victim victim;
  const auto replace = fs::copy_options::overwrite_existing;
  fs::copy_file(victim.File("memsets.parquet"), victim.File("sched.parquet"), replace);
  Reseal(victim.folder(), "sched");
  CHECK_THAT(victim.Complaint(), Contains("sched.parquet: column cpu is missing"));
  fs::copy_file(victim.File("gpu_metrics.parquet"), victim.File("memsets.parquet"), replace);
  Reseal(victim.folder(), "memsets");
  CHECK_THAT(victim.Complaint(), Contains("memsets.parquet") || Contains("sched.parquet"));
}

TEST_CASE("damage under a right checksum never crashes a reader") {
  Victim victim;
  const std::string table = GENERATE("events", "kernels", "strings", "tracks");
  const std::string good = ReadFile(victim.File(table + ".parquet"));
  for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 60) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    WriteFile(victim.File(table + ".parquet"), bad);
    Reseal(victim.folder(), table);
    try {
      LoadStoredTrace(victim.folder());
    } catch (const Error& e) {
      CHECK_THAT(e.what(), Contains("run.xsp"));
    }
  }
}

TEST_CASE("several threads load one stored trace at once") {
  Victim victim;
  std::array<bool, 4> equal{};
  {
    std::vector<std::jthread> readers;
    for (bool& result : equal) {
      readers.emplace_back([&] { result = LoadStoredTrace(victim.folder()) == victim.trace(); });
    }
  }
  CHECK(equal == std::array<bool, 4>{true, true, true, true});
}

}  // namespace
}  // namespace xsp
