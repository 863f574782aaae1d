#include "sample_traces/jobs/job_program.h"

#include <deque>
#include <string_view>
#include <utility>

#include "sample_traces/kernels.h"
#include "sample_traces/noise.h"
#include "sample_traces/script.h"

namespace xsp::samples {
namespace {

constexpr int64_t kWarmUp = 2;
constexpr int32_t kLayers = 4;
constexpr int64_t kForwardNs = 900'000, kBackwardNs = 1'800'000, kUpdateNs = 500'000;
constexpr int64_t kGradientNs = 700'000, kTensorNs = 90'000, kMessageNs = 80'000;
constexpr int64_t kGradientBytes = 64 << 20, kTensorBytes = 8 << 20, kMessageBytes = 16 << 20;
constexpr int64_t kWorld = 0x1000, kTensorGroups = 0x2000, kReplicaGroups = 0x3000;

int64_t FactorOf(const std::map<int32_t, int64_t>& factors, int32_t key) {
  const auto it = factors.find(key);
  return it == factors.end() ? 1'000 : it->second;
}

// What NCCL runs: it needs next to nothing of the GPU, so that others keep their speed.
int32_t NcclKernel(Program& program, bool is_message) {
  KernelSpec kernel = AllReduceKernel(8);
  if (is_message) {
    kernel.short_name = "ncclDevKernel_SendRecv";
    kernel.demangled = kernel.short_name + "(ncclDevKernelArgsStorage<(unsigned long)4096>)";
  }
  kernel.sm_permille = 1;
  return program.AddKernel(kernel);
}

// Who works with whom.
class Layout {
 public:
  explicit Layout(const JobOptions& options) : options_(options) {}

  int32_t StageOf(int32_t rank) const { return rank / (options_.ranks / options_.stages); }
  int32_t Replicas() const { return options_.ranks / options_.stages / options_.tensor; }
  // Ranks of a part hold the same piece of the model.
  int32_t PartOf(int32_t rank) const {
    return StageOf(rank) * options_.tensor + rank % options_.tensor;
  }
  int32_t Parts() const { return options_.stages * options_.tensor; }
  int32_t PlaceInPart(int32_t rank) const { return rank / options_.tensor % Replicas(); }
  int32_t TensorGroupOf(int32_t rank) const { return rank / options_.tensor; }
  // The same replica at another stage.
  int32_t AtStage(int32_t rank, int32_t stage) const {
    const int32_t of_stage = options_.ranks / options_.stages;
    return stage * of_stage + rank % of_stage;
  }

 private:
  const JobOptions& options_;
};

// Where meetings of ranks are in Program::communicators.
struct Meetings {
  std::vector<int32_t> replicas;  // by part
  std::vector<int32_t> tensor;    // by group
  // By the rank that sends: to the next stage, to the one before.
  std::map<int32_t, int32_t> forward, backward;
};

// The program of one rank.
class JobRank {
 public:
  JobRank(const JobOptions& options, const Layout& layout, Program& program, int32_t rank)
      : options_(options),
        layout_(layout),
        program_(program),
        rank_(rank),
        stage_(layout.StageOf(rank)),
        process_(program.AddProcess("python3")),
        context_(program.AddContext(process_, rank)),
        compute_(program.DefaultStream(context_)),
        script_(program, program.AddThread(process_, "python3")) {
    if (!options.mpi) {
      domain_ = program.AddDomain(process_, "NCCL");
      program.processes[process_].nccl_payloads = kNcclCommunicator + 1;
    }
    for (int32_t* stream : {&gradients_, &tensor_, &sends_, &receives_}) {
      *stream = program.AddStream(context_, false, -5);
    }
    for (int32_t* event : {&ready_, &done_}) *event = program.AddEvent(context_);
    program.threads[script_.thread()].start_ns = 4'000'000 + 110'000 * rank;
  }

  int32_t context() const { return context_; }

  void Write(const Meetings& meetings) {
    meetings_ = &meetings;
    WriteSetup();
    for (int64_t step = -kWarmUp; step < options_.steps; ++step) WriteStep(step);
    script_.DeviceSync(context_);
  }

 private:
  void WriteSetup() {
    script_.Push("build model");
    script_.Malloc(context_, 1 << 30, false);
    if (!options_.mpi) {
      MakeCommunicator(kWorld, options_.ranks, rank_);
      MakeCommunicator(kReplicaGroups + layout_.PartOf(rank_), layout_.Replicas(),
                       layout_.PlaceInPart(rank_));
      if (options_.tensor > 1) {
        MakeCommunicator(kTensorGroups + layout_.TensorGroupOf(rank_), options_.tensor,
                         rank_ % options_.tensor);
      }
    }
    script_.DeviceSync(context_);
    script_.Pop();
  }

  void MakeCommunicator(int64_t id, int64_t ranks, int64_t rank) {
    Op& range = script_.PushRegistered("ncclCommInitRank", domain_);
    range.payload = kNcclCommunicator;
    range.first = {id, rank};
    range.amount = ranks;
    script_.Work(300'000);
    script_.Pop(domain_);
  }

  void WriteStep(int64_t step) {
    step_ = step;
    const bool is_warm_up = step < 0;
    script_.Push(is_warm_up ? "warm-up %0" : std::string(kJobStep) + "%0",
                 is_warm_up ? step + kWarmUp : step);
    const bool pauses = !is_warm_up && step % options_.ranks == rank_;
    script_.Work(30'000 + (pauses ? options_.pause_ns : 0));
    if (options_.stages > 1) {
      WritePipeline();
      WriteGradients();
    } else {
      WriteLayers();
    }
    if (!options_.mpi && layout_.Replicas() > 1) {
      script_.EventRecord(done_, gradients_);
      script_.StreamWait(compute_, done_);
    }
    script_.Push("optimizer");
    Compute("multi_tensor_apply_kernel", kUpdateNs);
    script_.Pop();
    script_.StreamSync(compute_);
    script_.Pop();
  }

  void WriteLayers() {
    script_.Push("forward");
    for (int32_t layer = 0; layer < kLayers; ++layer) {
      Compute("layer_forward", kForwardNs);
      WriteTensor();
    }
    script_.Pop();
    script_.Push("backward");
    for (int32_t layer = 0; layer < kLayers; ++layer) {
      Compute("layer_backward", kBackwardNs);
      WriteTensor();
      WriteGradients();
    }
    script_.Pop();
  }

  // One forward, one backward, behind a warm-up.
  void WritePipeline() {
    const int32_t batches = 2 * options_.stages;
    const int32_t ahead = std::min(batches, options_.stages - stage_);
    for (int32_t i = 0; i < ahead; ++i) WritePass(true);
    for (int32_t i = 0; i < batches; ++i) {
      WritePass(false);
      if (ahead + i < batches) WritePass(true);
    }
  }

  void WritePass(bool is_forward) {
    const int32_t from = is_forward ? stage_ - 1 : stage_ + 1;
    const int32_t to = is_forward ? stage_ + 1 : stage_ - 1;
    const auto& senders = is_forward ? meetings_->forward : meetings_->backward;
    script_.Push(is_forward ? "forward" : "backward");
    if (from >= 0 && from < options_.stages) {
      const int32_t sender = layout_.AtStage(rank_, from);
      Message("ncclRecv", sender, senders.at(sender), receives_);
      script_.EventRecord(done_, receives_);
      script_.StreamWait(compute_, done_);
    }
    const int64_t more = FactorOf(options_.more_work, stage_);
    Compute(is_forward ? "layer_forward" : "layer_backward",
            (is_forward ? kForwardNs : kBackwardNs) * more / 1'000);
    if (to >= 0 && to < options_.stages) {
      Message("ncclSend", layout_.AtStage(rank_, to), senders.at(rank_), sends_);
    }
    script_.Pop();
  }

  // Two kernels that together take that long; what a rank's step is longer by chance is in them.
  void Compute(const char* name, int64_t ns) {
    if (options_.lengths > 0 && step_ >= 0) {
      const uint64_t bits = Mix(static_cast<uint64_t>(step_ * 4'096 + rank_) + options_.seed);
      ns += ns * static_cast<int64_t>(bits % 16) * options_.lengths / 15 / 1'000;
    }
    const int32_t kernel = program_.AddKernel(PlainKernel(name, "float*, int", 864, ns / 2));
    for (int i = 0; i < 2; ++i) script_.Launch(kernel, compute_);
  }

  // What was computed so far is exchanged on another stream.
  void Exchange(const char* text, NcclPayload payload, std::array<int64_t, 2> facts, int64_t bytes,
                int32_t stream, int32_t communicator, int64_t transfer) {
    script_.EventRecord(ready_, compute_);
    script_.StreamWait(stream, ready_);
    Op& range = script_.PushRegistered(text, domain_);
    range.payload = payload;
    range.first = facts;
    range.amount = bytes;
    script_.Collective(NcclKernel(program_, payload == kNcclMessage), stream, communicator,
                       transfer);
    script_.Pop(domain_);
  }

  void Message(const char* text, int32_t peer, int32_t communicator, int32_t stream) {
    Exchange(text, kNcclMessage, {kWorld, peer}, kMessageBytes, stream, communicator, kMessageNs);
  }

  void WriteTensor() {
    if (options_.tensor == 1) return;
    const int32_t group = layout_.TensorGroupOf(rank_);
    Exchange("ncclAllReduce", kNcclCollective, {kTensorGroups + group, 0}, kTensorBytes, tensor_,
             meetings_->tensor[static_cast<size_t>(group)], kTensorNs);
    script_.EventRecord(done_, tensor_);
    script_.StreamWait(compute_, done_);
  }

  void WriteGradients() {
    if (layout_.Replicas() == 1) return;
    const int32_t part = layout_.PartOf(rank_);
    int64_t factor = 1'000;
    for (const auto& [rank, slower] : options_.slow_link) {
      if (layout_.PartOf(rank) == part) factor = slower;
    }
    const int64_t transfer = kGradientNs * factor / 1'000;
    const int32_t meeting = meetings_->replicas[static_cast<size_t>(part)];
    if (options_.mpi) {
      script_.StreamSync(compute_);
      script_.MpiCollective("MPI_Allreduce", meeting, transfer);
      return;
    }
    Exchange("ncclAllReduce", kNcclCollective, {kReplicaGroups + part, 0}, kGradientBytes,
             gradients_, meeting, transfer);
  }

  const JobOptions& options_;
  const Layout& layout_;
  Program& program_;
  const int32_t rank_, stage_;
  const int32_t process_, context_, compute_;
  int32_t gradients_ = -1, tensor_ = -1, sends_ = -1, receives_ = -1;  // streams
  int32_t ready_ = -1, done_ = -1;                                     // events
  int32_t domain_ = 0;
  int64_t step_ = 0;
  Script script_;
  const Meetings* meetings_ = nullptr;
};

// Ranks that meet on their GPUs.
int32_t AddMeeting(const std::vector<int32_t>& contexts, Program& program) {
  program.communicators.push_back({contexts});
  return static_cast<int32_t>(program.communicators.size()) - 1;
}

Meetings AddMeetings(const JobOptions& options, const Layout& layout,
                     const std::deque<JobRank>& ranks, Program& program) {
  std::vector<std::vector<int32_t>> parts(static_cast<size_t>(layout.Parts()));
  std::vector<std::vector<int32_t>> groups(static_cast<size_t>(options.ranks / options.tensor));
  Meetings meetings;
  for (int32_t rank = 0; rank < options.ranks; ++rank) {
    const int32_t context = ranks[static_cast<size_t>(rank)].context();
    parts[static_cast<size_t>(layout.PartOf(rank))].push_back(context);
    groups[static_cast<size_t>(layout.TensorGroupOf(rank))].push_back(context);
    const auto with = [&](int32_t stage) {
      const int32_t peer = layout.AtStage(rank, stage);
      return AddMeeting({context, ranks[static_cast<size_t>(peer)].context()}, program);
    };
    const int32_t stage = layout.StageOf(rank);
    if (stage + 1 < options.stages) meetings.forward[rank] = with(stage + 1);
    if (stage > 0) meetings.backward[rank] = with(stage - 1);
  }
  for (const auto& part : parts) {
    meetings.replicas.push_back(options.mpi ? program.AddMpiGroup(static_cast<int32_t>(part.size()))
                                            : AddMeeting(part, program));
  }
  for (const auto& group : groups) meetings.tensor.push_back(AddMeeting(group, program));
  return meetings;
}

}  // namespace

Job MakeJob(const JobOptions& options) {
  Job job;
  const Layout layout(options);
  std::deque<JobRank> ranks;
  for (int32_t rank = 0; rank < options.ranks; ++rank) {
    ranks.emplace_back(options, layout, job.program, rank);
  }
  const Meetings meetings = AddMeetings(options, layout, ranks, job.program);
  for (JobRank& rank : ranks) rank.Write(meetings);
  job.machine.seed = options.seed;
  job.machine.clocks.resize(static_cast<size_t>(options.ranks));
  for (int32_t rank = 0; rank < options.ranks; ++rank) {
    job.machine.slowness.push_back(FactorOf(options.slow, rank));
  }
  return job;
}

}  // namespace xsp::samples
