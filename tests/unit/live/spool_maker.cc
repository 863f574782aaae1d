#include "tests/unit/live/spool_maker.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace xsp::live::test {
namespace {

void Require(bool condition) {
  if (!condition) throw std::runtime_error("cannot make a spool");
}

template <class T>
std::string Bytes(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string Padded(std::string text) {
  text.resize(RoundUp8(text.size()));
  return text;
}

std::string EventBytes(const MadeEvent& event) {
  std::uint8_t parts = 0;
  std::string body;
  auto add = [&](bool wanted, HostPart part, const std::string& bytes) {
    if (!wanted) return;
    parts |= part;
    body += bytes;
  };
  add(event.id != 0, kPartId, Bytes(event.id));
  add(event.id2 != 0, kPartId2, Bytes(event.id2));
  add(event.color != 0 || event.category != 0, kPartLook,
      Bytes(event.color) + Bytes(event.category));
  add(event.registered != 0, kPartRegistered, Bytes(event.registered));
  const auto length = static_cast<std::uint32_t>(event.text.size());
  add(!event.text.empty(), kPartText, Padded(Bytes(length) + event.text));
  const auto bytes = static_cast<std::uint16_t>(sizeof(HostEventHead) + body.size());
  return Bytes(HostEventHead{bytes, event.op, parts, event.domain, event.time}) + body;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "xsp_live_XXXXXX").string();
  Require(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

SpoolMaker::SpoolMaker(const std::filesystem::path& folder, std::uint32_t pid, std::uint32_t origin,
                       std::uint64_t start, std::uint64_t clock_distance,
                       const std::string& program)
    : folder_(folder) {
  inject::Settings settings = {};
  std::snprintf(settings.folder, sizeof settings.folder, "%s", folder.c_str());
  settings.most_bytes = ~std::uint64_t{0};
  char name[120];
  const std::string file = "made" + std::to_string(pid);
  Require(spool_.Open(settings, file.c_str(), name, nullptr) == 0);
  name_ = name;
  ProcessFront front = {};
  front.pid = pid;
  front.parent = 1;
  front.origin = origin;
  front.monotonic_ns = start;
  front.realtime_ns = 1'700'000'000'000'000'000 + start;
  std::snprintf(front.program, sizeof front.program, "%s", program.c_str());
  std::snprintf(front.system, sizeof front.system, "Linux");
  Append(BlockType::kProcess, Bytes(front), "");
  Clock({start, start + clock_distance, front.realtime_ns, start});
}

void SpoolMaker::Append(BlockType type, std::string_view front, std::string_view body) {
  Require(spool_.Append(type, front.data(), front.size(), body.data(), body.size()));
}

void SpoolMaker::AppendRecords(const std::vector<std::uint16_t>& sizes, const std::string& body) {
  const RecordsFront front = {130401, static_cast<std::uint32_t>(sizes.size())};
  std::string text = Bytes(front);
  for (std::uint16_t size : sizes) text += Bytes(size);
  Append(BlockType::kRecords, Padded(text), body);
}

void SpoolMaker::Text(TextSpace space, std::uint64_t key, std::string_view text) {
  const TextHead head = {key, space, static_cast<std::uint32_t>(text.size())};
  Append(BlockType::kTexts, "", Bytes(head) + Padded(std::string(text)));
}

void SpoolMaker::Events(std::uint32_t thread, const std::vector<MadeEvent>& events,
                        std::uint32_t use) {
  std::string body;
  for (const MadeEvent& event : events) body += EventBytes(event);
  Append(BlockType::kHostEvents, Bytes(HostEventsFront{thread, 0, use, 0}), body);
}

void SpoolMaker::Note(NoteKind kind, std::uint32_t subject, std::int32_t result,
                      std::string_view text) {
  const NoteFront front = {kind, subject, result, static_cast<std::uint32_t>(text.size())};
  Append(BlockType::kNote, Bytes(front), Padded(std::string(text)));
}

void SpoolMaker::Clock(const ClockReading& reading) {
  Append(BlockType::kClock, Bytes(reading), "");
}

void SpoolMaker::Counts(const CountsFront& counts) {
  Append(BlockType::kCounts, Bytes(counts), "");
}

DecodedRecording DecodeFolder(const std::filesystem::path& folder) {
  return DecodeSpools(SpoolsIn(folder), {});
}

}  // namespace xsp::live::test
