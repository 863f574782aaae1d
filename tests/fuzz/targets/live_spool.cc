// A spool of `xsp live`: blocks are sealed with right checksums and numbers.
#include <cstring>

#include "base/error.h"
#include "live/decode/decode.h"
#include "live/spool/format.h"
#include "tests/fuzz/targets/input_file.h"

namespace {

using namespace xsp::live;

void Seal(std::string& spool) {
  std::size_t at = sizeof(FileHead);
  for (std::uint64_t sequence = 0; at < spool.size(); ++sequence) {
    BlockHead head;
    if (spool.size() - at < sizeof head) return;
    std::memcpy(&head, &spool[at], sizeof head);
    const std::size_t room = spool.size() - at - sizeof head;
    if (head.front_bytes > room || head.body_bytes > room - head.front_bytes) return;
    const char* front = spool.data() + at + sizeof head;
    head.magic = kBlockMagic;
    head.sequence = sequence;
    head.checksum = ChecksumOf(head, front, front + head.front_bytes);
    std::memcpy(&spool[at], &head, sizeof head);
    at += sizeof head + head.front_bytes + head.body_bytes;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string spool(xsp::fuzz::TextOf(data, size));
  Seal(spool);
  try {
    DecodeSpools({xsp::fuzz::InputFile(spool)}, {});
  } catch (const xsp::Error&) {
  }
  return 0;
}
