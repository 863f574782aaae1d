#include "live/spool/record_view.h"

namespace xsp::live {
namespace {

template <class T>
bool Take(std::string_view& from, T* value) {
  if (from.size() < sizeof *value) return false;
  std::memcpy(value, from.data(), sizeof *value);
  from.remove_prefix(sizeof *value);
  return true;
}

}  // namespace

bool ReadHostEvent(std::string_view& bytes, HostEventView* event) {
  HostEventHead head = {};
  if (bytes.size() < sizeof head) return false;
  bytes.copy(reinterpret_cast<char*>(&head), sizeof head);
  if (head.bytes < sizeof head || head.bytes > bytes.size()) return false;
  std::string_view rest = bytes.substr(sizeof head, head.bytes - sizeof head);
  *event = {};
  event->op = head.op;
  event->domain = head.domain;
  event->time = head.time;
  auto has = [&](HostPart part) { return (head.parts & part) != 0; };
  bool sound = true;
  if (has(kPartId)) sound &= Take(rest, &event->id);
  if (has(kPartId2)) sound &= Take(rest, &event->id2);
  if (has(kPartLook)) sound &= Take(rest, &event->color) && Take(rest, &event->category);
  if (has(kPartPayload)) sound &= Take(rest, &event->payload_type) && Take(rest, &event->payload);
  if (has(kPartRegistered)) sound &= Take(rest, &event->registered);
  if (has(kPartText)) {
    std::uint32_t length = 0;
    sound &= Take(rest, &length) && length <= rest.size();
    if (sound) event->text = rest.substr(0, length);
    event->has_text = true;
  }
  event->was_cut = has(kPartCut);
  bytes.remove_prefix(head.bytes);
  return sound;
}

}  // namespace xsp::live
