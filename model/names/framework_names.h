#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/details.h"

namespace xsp {

class UserJson;

// What a range stands for, as the framework that wrote its text means it.
enum class TextRole : std::uint8_t {
  kStep,           // One step of the program: a batch that a serving engine runs.
  kPhase,          // Forward, backward, optimizer.
  kLayer,          // A module of the model.
  kOperator,       // An operation within a layer.
  kHost,           // What the host does around the model: scheduling, sampling.
  kCommunication,  // Between ranks.
};
std::string_view NameOf(TextRole role);  // "step", "phase", ... as packs write it.

// Sums over the requests of a batch: of query lengths, of key lengths, and of their products.
struct StepLengths {
  std::uint64_t sq = 0;
  std::uint64_t sk = 0;
  std::uint64_t sqsq = 0;
  std::uint64_t sqsk = 0;
};

// What a step works on, as far as its text says.
struct StepContent {
  std::string kind;  // "prefill", "decode", "mixed", "idle", ...; empty: not told.
  std::uint64_t iteration = kMissing<std::uint64_t>;  // The framework's own count.
  std::uint64_t requests = kMissing<std::uint64_t>;   // Sequences in the batch.
  std::uint64_t tokens = kMissing<std::uint64_t>;     // That it processes, of all requests.
  std::optional<StepLengths> lengths;
};

// A text of which is known who wrote it. Views point into the text.
struct FrameworkText {
  std::uint32_t pattern = 0;  // A row of FrameworkNames::patterns().
  TextRole role = TextRole::kLayer;
  std::string_view module;  // A path; empty where the text has none.
  std::string_view shapes;  // Of the inputs, "[[64], [32, 128]]..."; what follows may be anything.
  std::string_view word;    // Of a phase or of what the host does: which.
  StepContent step;         // Of a step.
};

// One row of a pack: which texts it is about, and what it says of them.
struct FrameworkPattern {
  std::string id;         // Unique within the pack, such as "step".
  std::string framework;  // "vLLM".
  std::string match;      // A regular expression (RE2) for the whole text, with named parts.
  TextRole role = TextRole::kLayer;
  std::string word;  // Kind of a step, phase, or what the host does; empty: see below.
  // Of a step: the kind by the text of the part "mode". Neither this nor `word`: by whether there
  // are requests in their context phase, in their generation phase, both (mixed) or none (idle).
  std::vector<std::pair<std::string, std::string>> kinds;
  std::uint64_t tokens_per_request = 0;  // Of a decoding step that does not tell; 0: unknown.
  // The text says little by itself ("Decode"): it counts only in a trace in which another pattern
  // of the same framework does.
  bool is_weak = false;
  bool built_in = true;
};

// The texts that frameworks and serving engines write. Packs are data, one JSON file each
// (names/frameworks/): {"framework": ..., "texts": [{"id": ..., "match": ..., "role": ...}]}.
//
// Named parts of an expression: requests, tokens, iteration, mode; context_requests,
// context_tokens, generation_requests, generation_tokens; sq, sk, sqsq and sqsk with
// context_ or generation_ in front; module (the name of a layer), shapes (of its inputs).
class FrameworkNames {
 public:
  // The packs that come with xsp.
  static const FrameworkNames& BuiltIn();
  // A user's pack, then the built-in ones. Throws Error, with file and line.
  static FrameworkNames Load(const std::filesystem::path& file);
  // The same from text; `source` names it in errors.
  static FrameworkNames FromJson(std::string_view text, std::string_view source);

  // The packs that this run of the program reads traces with: the built-in ones, until others are
  // set, once, before any trace is opened.
  static const FrameworkNames& InUse();
  static void Use(FrameworkNames names);

  FrameworkNames(FrameworkNames&&) noexcept;
  FrameworkNames& operator=(FrameworkNames&&) noexcept;
  ~FrameworkNames();

  // By the first pattern that fits. Only so many bytes of a text are looked at. May be called from
  // several threads at once.
  static constexpr std::size_t kLongestText = 64 << 10;
  std::optional<FrameworkText> Match(std::string_view text) const;

  std::span<const FrameworkPattern> patterns() const { return patterns_; }

 private:
  class Matcher;

  explicit FrameworkNames(std::vector<FrameworkPattern> patterns);

  std::vector<FrameworkPattern> patterns_;
  std::unique_ptr<Matcher> matcher_;
};

}  // namespace xsp
