#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/kineto/parser.h"
#include "importers/kineto/rows.h"
#include "importers/operators/operator_inputs.h"
#include "model/building/trace_builder.h"

namespace xsp {

// What the readers of all pieces share.
struct KinetoShared {
  TraceBuilder& builder;
  std::mutex mutex = {};  // Guards the signatures.
  Signatures signatures = {};
};

// Texts that a reader has met, so that the builder's lock is taken once per distinct text.
class KinetoTexts {
 public:
  explicit KinetoTexts(TraceBuilder& builder) : builder_(builder) {}
  StringId Intern(std::string_view text);

 private:
  TraceBuilder& builder_;
  std::unordered_map<std::string_view, StringId> known_;
};

// Counts rows by table: a handful of tables, millions of rows.
class KinetoTally {
 public:
  void Add(std::string_view table);
  const std::vector<std::pair<std::string, std::uint64_t>>& counts() const { return counts_; }
  void Clear() { counts_.clear(); }

 private:
  std::vector<std::pair<std::string, std::uint64_t>> counts_;
  std::size_t last_ = 0;
};

// Sorts the events of a piece into rows. One per thread; Take() hands over the rows of a piece.
class KinetoCollector : public KinetoSink {
 public:
  explicit KinetoCollector(KinetoShared& shared) : shared_(shared), texts_(shared.builder) {}

  void Add(const KinetoEvent& event) override;
  KinetoRows Take();

  // The rest of a text that could not be read.
  void NoteDamage(const std::string& sample);

 private:
  void AddComplete(const KinetoEvent& event);
  void AddKernel(const KinetoEvent& event);
  void AddCopy(const KinetoEvent& event);
  void AddMemset(const KinetoEvent& event);
  void AddCall(const KinetoEvent& event);
  void AddSync(const KinetoEvent& event);
  void AddRecord(const KinetoEvent& wait);
  // False for a range without a time.
  bool AddRange(const KinetoEvent& event, KinetoDomain domain);
  void AddOperator(const KinetoEvent& event);
  void AddAnnotation(const KinetoEvent& event);
  void AddModule(const KinetoEvent& event);
  void AddCollective(const KinetoEvent& event);
  void AddInstant(const KinetoEvent& event);
  void AddMemory(const KinetoEvent& event);
  void AddOverhead(const KinetoEvent& event);
  void AddFlow(const KinetoEvent& event);
  void AddName(const KinetoEvent& event);
  void Unused(const KinetoEvent& event);
  // Remembers the last of `events`, which the event has become, if it has no correlation id.
  void NoteLoose(const KinetoEvent& event, EventKind kind, const Events& events);

  // What all events have; nothing, and the log says why, for one without a time.
  std::optional<Events::Row> Place(const KinetoEvent& event, TrackId track, StringId name = {});
  SignatureId SignatureOf(std::string_view sizes, std::string_view element_types);
  StringId InternOrNone(std::string_view text);
  // The name of a kernel as in the source; `given` is the interned `name`.
  StringId PlainName(std::string_view name, StringId given);

  KinetoShared& shared_;
  KinetoTexts texts_;
  std::unordered_map<std::string, SignatureId> signatures_;  // Those met before, by text.
  std::string signature_key_;
  struct ModuleText {
    StringId name;  // Invalid for a text that names no module.
    SignatureId signature;
  };
  std::unordered_map<StringId, ModuleText> module_of_text_;  // Of annotations met before.
  std::unordered_map<StringId, StringId> plain_names_;       // Of symbols met before.
  KinetoRows rows_;
  KinetoTally kept_;
  KinetoTally halves_;      // Rows whose other half is in the file as well.
  std::string_view table_;  // Of the event at hand, for the log.
};

}  // namespace xsp
