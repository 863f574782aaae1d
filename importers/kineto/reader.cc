#include "importers/kineto/reader.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/workers.h"
#include "importers/byte_source.h"
#include "importers/kineto/piece.h"
#include "importers/kineto/text.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// A piece of the list of events: large enough that its seams cost nothing, small enough that a few
// of them are no memory to speak of.
constexpr std::size_t kPieceBytes = std::size_t{1} << 22;
// An event that is larger is none.
constexpr std::size_t kLargestPiece = std::size_t{1} << 24;
constexpr unsigned kMostThreads = 6;

struct Piece {
  KinetoText text;
  bool is_last = false;
};

// Cuts the list of events into pieces that begin and end with whole events.
class PieceCutter {
 public:
  PieceCutter(ByteSource& source, std::string rest) : source_(source), carry_(std::move(rest)) {}

  // The next piece; the last one may end anywhere.
  std::unique_ptr<Piece> Next() {
    for (std::size_t room = std::max(kPieceBytes, carry_.size() * 2);; room *= 2) {
      auto piece = std::make_unique<Piece>(Piece{KinetoText(room)});
      std::memcpy(piece->text.data(), carry_.data(), carry_.size());
      const std::size_t got =
          source_.Read(piece->text.data() + carry_.size(), room - carry_.size());
      piece->text.set_size(carry_.size() + got);
      piece->is_last = piece->text.size() < room;
      if (piece->is_last) return piece;
      const std::optional<ObjectBorder> border = LastObjectBorder(piece->text.view());
      if (border) {
        carry_.assign(piece->text.view().substr(border->begin));
        piece->text.set_size(border->end);
        return piece;
      }
      carry_.assign(piece->text.view());
      if (room >= kLargestPiece)
        throw Error("an event is larger than 16 MB", "the file is damaged: record again");
    }
  }

  // What was read and not handed out.
  std::string TakeCarry() { return std::move(carry_); }

 private:
  ByteSource& source_;
  std::string carry_;
};

// Readers that wait for work.
class Readers {
 public:
  explicit Readers(KinetoShared& shared) : shared_(shared) {}

  KinetoPieceResult Read(Piece& piece) {
    std::unique_ptr<KinetoPieceReader> reader = Take();
    KinetoPieceResult result = reader->Read(piece.text, piece.is_last);
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
    return result;
  }

 private:
  std::unique_ptr<KinetoPieceReader> Take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<KinetoPieceReader>(shared_);
    auto reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }

  KinetoShared& shared_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<KinetoPieceReader>> idle_;
};

// Pieces that are being read, in the order of the file.
struct InFlight {
  std::unique_ptr<Piece> piece;
  std::future<KinetoPieceResult> result;
};

class FileReader {
 public:
  FileReader(const fs::path& file, KinetoShared& shared, const ImportOptions& options)
      : source_(file), readers_(shared), progress_(options.progress) {
    const unsigned threads = options.threads > 0 ? options.threads : ThreadsUpTo(kMostThreads);
    most_in_flight_ = threads;
    std::error_code error;
    if (progress_ != nullptr) progress_->Start("importing", fs::file_size(file, error), "bytes");
  }

  KinetoFile Read() {
    PieceCutter cutter(source_, ReadHead());
    if (!file_.top.at_events()) {
      throw Error("has no list of events (\"traceEvents\")", "record again with torch.profiler");
    }
    bool at_end = false;
    while (!at_end) {
      std::unique_ptr<Piece> piece = cutter.Next();
      at_end = piece->is_last;
      Start(std::move(piece));
      if (in_flight_.size() >= most_in_flight_ && Retire()) return Tail(cutter.TakeCarry());
    }
    while (!in_flight_.empty()) {
      if (Retire()) return Tail({});
    }
    NoteDamage("the list of events has no end: the file was cut off");
    return std::move(file_);
  }

 private:
  // Everything in front of the events; gives what was read beyond that.
  std::string ReadHead() {
    std::string bytes(std::size_t{1} << 16, '\0');
    while (true) {
      const std::size_t got = source_.Read(bytes.data(), bytes.size());
      const std::string_view read(bytes.data(), got);
      const std::size_t taken = file_.top.Feed(read);
      if (file_.top.at_events()) return std::string(read.substr(taken));
      if (got < bytes.size() || file_.top.has_ended()) return {};
    }
  }

  void Start(std::unique_ptr<Piece> piece) {
    Piece& text = *piece;
    InFlight next{std::move(piece), {}};
    next.result = std::async(std::launch::async, [this, &text] { return readers_.Read(text); });
    in_flight_.push_back(std::move(next));
  }

  // Takes the result of the oldest piece; true if the list of events ended in it.
  bool Retire() {
    InFlight& oldest = in_flight_.front();
    KinetoPieceResult result = oldest.result.get();
    const std::string_view text = oldest.piece->text.view();
    if (result.list_ended) {
      tail_.assign(text.substr(result.read + 1));
    } else if (result.read < text.size()) {
      cut_off_ = true;
    }
    const bool list_ended = result.list_ended;
    file_.pieces.push_back(std::move(result.rows));
    in_flight_.pop_front();
    if (progress_ != nullptr) progress_->Advance(source_.position() - reported_);
    reported_ = source_.position();
    return list_ended;
  }

  // What stands behind the events. Pieces that were cut beyond their end are no events.
  KinetoFile Tail(std::string carry) {
    for (InFlight& beyond : in_flight_) {
      beyond.result.wait();
      tail_ += beyond.piece->text.view();
      tail_ += ',';
    }
    in_flight_.clear();
    tail_ += carry;
    file_.top.ResumeBehindEvents();
    file_.top.Feed(tail_);
    std::string bytes(std::size_t{1} << 16, '\0');
    while (const std::size_t got = source_.Read(bytes.data(), bytes.size())) {
      file_.top.Feed(std::string_view(bytes.data(), got));
    }
    if (!source_.damage().empty()) NoteDamage(source_.damage());
    return std::move(file_);
  }

  void NoteDamage(const std::string& why) {
    file_.damage = source_.damage().empty() ? why : source_.damage();
  }

  ByteSource source_;
  Readers readers_;
  Progress* progress_;
  std::uint64_t reported_ = 0;
  std::size_t most_in_flight_ = 1;
  bool cut_off_ = false;
  std::string tail_;
  KinetoFile file_;
  std::deque<InFlight> in_flight_;  // Last: its readers must end before what they use.
};

}  // namespace

KinetoFile ReadKinetoFile(const fs::path& file, KinetoShared& shared,
                          const ImportOptions& options) {
  try {
    return FileReader(file, shared, options).Read();
  } catch (const Error& error) {
    const std::string what = error.what();
    if (what.starts_with(file.string())) throw;
    throw Error(file.string() + ": " + what, error.hint());
  }
}

}  // namespace xsp
