#include "importers/kineto/piece.h"

#include <algorithm>

#include "importers/kineto/text.h"

namespace xsp {
namespace {

bool IsBetweenEvents(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ','; }

// What could not be read, for a human; nothing of its content, which may be anything.
std::string Sample(std::string_view text) { return std::to_string(text.size()) + " bytes"; }

// Where an event ends by the look of it: before the next one begins, or the list ends. Nothing
// where the text ends in the middle of it.
std::optional<std::size_t> EndOfEvent(std::string_view text, std::size_t at) {
  const std::optional<ObjectBorder> next = NextObjectBorder(text, at + 1);
  const std::string_view rest = text.substr(0, next ? next->end : text.size());
  if (const auto end = EndOfObjectList(rest, at + 1)) return end;
  if (next) return next->end;
  const std::optional<std::size_t> size = EndOfObject(text.substr(at));
  if (!size) return std::nullopt;
  return at + *size;
}

constexpr std::size_t kLongEvent = 1 << 16;

}  // namespace

KinetoPieceResult KinetoPieceReader::Read(KinetoText& text, bool is_last) {
  KinetoPieceResult result;
  std::size_t at = 0;
  bool careful = is_last;
  if (!is_last) {
    // The parser overwrites what stands behind the text.
    const KinetoParser::Outcome outcome = parser_.ParseList(text.data(), text.size(), collector_);
    at = outcome.read;
    careful = outcome.has_error;
    result.list_ended = outcome.list_ended;
  }
  if (careful) at = ReadCarefully(text.view(), at, is_last, &result.list_ended);
  result.read = at;
  result.rows = collector_.Take();
  return result;
}

std::size_t KinetoPieceReader::ReadCarefully(std::string_view text, std::size_t at, bool is_last,
                                             bool* list_ended) {
  while (true) {
    while (at < text.size() && IsBetweenEvents(text[at])) ++at;
    if (at == text.size()) return at;
    if (text[at] == ']') {
      *list_ended = true;
      return at;
    }
    if (const std::optional<std::size_t> end = ReadOne(text, at)) {
      at = *end;
      continue;
    }
    // Cut off in the middle of an event: whoever called says so. Else what is here is lost.
    if (!is_last) collector_.NoteDamage(Sample(text.substr(at)));
    return is_last ? at : text.size();
  }
}

std::optional<std::size_t> KinetoPieceReader::ReadOne(std::string_view text, std::size_t at) {
  const std::optional<std::size_t> end = EndOfEvent(text, at);
  if (!end) return std::nullopt;
  const std::string_view piece = text.substr(at, *end - at);
  if (parser_.ParseOne(piece, collector_)) return end;
  // It may hold objects of its own, with commas between them.
  const std::optional<std::size_t> size = EndOfObject(text.substr(at, kLongEvent));
  if (size && *size > piece.size() && parser_.ParseOne(text.substr(at, *size), collector_)) {
    return at + *size;
  }
  if (!parser_.ParseOne(RepairObject(piece), collector_)) collector_.NoteDamage(Sample(piece));
  return end;
}

}  // namespace xsp
