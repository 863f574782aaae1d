#include "importers/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"

namespace xsp {
namespace {

constexpr std::size_t kInputBytes = 1 << 18;

// What a compressed file may unpack to: profilers' traces come to 10 to 30 times their size, what
// is made to fill the memory to 1000 times.
constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostPerByte = 60;

bool IsGzip(const char* bytes, std::size_t size) {
  return size >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

struct ByteSource::Inflater {
  z_stream stream{};
  std::vector<char> input = std::vector<char>(kInputBytes);
  bool is_open = false;

  // 15 bits of window, 16: expect the header of gzip.
  Inflater() { is_open = inflateInit2(&stream, 15 + 16) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_open) inflateEnd(&stream);
  }
};

ByteSource::ByteSource(const std::filesystem::path& file)
    : file_(file), in_(file, std::ios::binary) {
  if (!in_) {
    throw Error(file.string() + ": cannot be opened: " + std::strerror(errno ? errno : EIO));
  }
  char head[2] = {};
  in_.read(head, sizeof head);
  const bool is_gzip = IsGzip(head, static_cast<std::size_t>(in_.gcount()));
  in_.clear();
  in_.seekg(0);
  if (!is_gzip) return;
  inflater_ = std::make_unique<Inflater>();
  if (!inflater_->is_open) throw Error(file.string() + ": zlib cannot be started: no memory");
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::Read(char* to, std::size_t room) {
  std::size_t got = 0;
  while (got < room) {
    const std::size_t more = inflater_ ? ReadGzip(to + got, room - got)  //
                                       : ReadFile(to + got, room - got);
    if (more == 0) break;
    got += more;
  }
  unpacked_ += got;
  if (inflater_ && unpacked_ > kFreeBytes + kMostPerByte * position_) {
    throw Error(file_.string() + ": unpacks to more than " + std::to_string(kMostPerByte) +
                    " times its size",
                "no profiler writes such a file; unpack it to have it read all the same");
  }
  return got;
}

std::size_t ByteSource::ReadFile(char* to, std::size_t room) {
  if (!in_) return 0;
  in_.read(to, static_cast<std::streamsize>(room));
  const auto got = static_cast<std::size_t>(in_.gcount());
  if (in_.bad()) damage_ = "the file cannot be read any further";
  position_ += got;
  return got;
}

std::size_t ByteSource::ReadGzip(char* to, std::size_t room) {
  z_stream& stream = inflater_->stream;
  if (!damage_.empty()) return 0;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out =
      static_cast<uInt>(std::min<std::size_t>(room, std::numeric_limits<uInt>::max()));
  const std::size_t wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(inflater_->input.data());
      stream.avail_in = static_cast<uInt>(ReadFile(inflater_->input.data(), kInputBytes));
      // Between members of the file this is the end; inside of one it was cut off.
      if (stream.avail_in == 0) {
        if (stream.total_in > 0) damage_ = "the compressed data ends in the middle";
        break;
      }
    }
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      // Another member may follow: programs that append write one each time.
      const bool more = stream.avail_in == 0 ||
                        IsGzip(reinterpret_cast<const char*>(stream.next_in), stream.avail_in);
      inflateReset(&stream);
      if (!more) stream.avail_in = 0, in_.setstate(std::ios::eofbit | std::ios::failbit);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      damage_ = "the compressed data is damaged";
      break;
    }
  }
  return wanted - stream.avail_out;
}

}  // namespace xsp
