#include "sim/plan/user_whatif.h"

#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/user_json.h"
#include "sim/plan/json_selector.h"

namespace xsp {

// One entry of "changes". Gives back how many tasks it was about.
using UserChange = std::function<std::size_t(Plan&)>;

struct UserWhatIf::Script {
  std::string name, title, help;
  std::string file;  // Empty: it was no file.
  std::vector<UserChange> changes;
  std::vector<std::string> assumptions;
  std::uint8_t evidence = 0;
};

namespace {

constexpr std::string_view kHint = "docs/whatif.md describes the format";
constexpr double kMostNumber = 1e12;
constexpr std::size_t kMostChanges = 1000;  // Each is a walk over the graph, or a graph more.

// What an entry may hold besides "select" and "what"; exactly one of them.
constexpr std::string_view kActions[] = {"scale",  "duration_us", "gap_scale", "remove",
                                         "insert", "stream",      "schedule",  "wait",
                                         "retime", "ignore",      "whatif"};

UserChange ReadTimes(const UserJson& value, const std::string& action,
                     const UserSelection& selection, const std::string& what) {
  const double number = value.Number(0, kMostNumber);
  return [=](Plan& plan) {
    const std::vector<TaskId> tasks = selection.Of(plan);
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : tasks) {
      if (action == "scale") {
        plan.Scale(task, number, change);
      } else if (action == "duration_us") {
        plan.SetDuration(task, {number * 1e3, number * 1e3, number * 1e3}, change);
      } else if (plan.graph().IsHost(task)) {
        plan.SetGap(task, static_cast<DurationNs>(static_cast<double>(plan.Gap(task)) * number),
                    change);
      }
    }
    return tasks.size();
  };
}

UserChange ReadRemove(const UserJson& remove, const UserSelection& selection,
                      const std::string& what) {
  const std::string how = remove.Word({"operation", "work", "call"});
  return [=](Plan& plan) {
    const std::vector<TaskId> tasks = selection.Of(plan);
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : tasks) {
      const bool is_host = plan.graph().IsHost(task);
      if (is_host) {
        plan.RemoveCall(task, change);
      } else if (how == "work") {
        plan.RemoveWork(task, change);
      } else if (how == "operation") {
        plan.RemoveWithHost(task, change);
      } else {
        plan.RemoveCall(plan.CallOf(task), change);
      }
    }
    return tasks.size();
  };
}

UserChange ReadStream(const UserJson& name, const UserSelection& selection,
                      const std::string& what) {
  const std::string label = name.Text();
  return [=](Plan& plan) {
    std::size_t moved = 0;
    std::optional<std::uint32_t> stream;
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : selection.Of(plan)) {
      if (plan.graph().IsHost(task)) continue;
      if (!stream) stream = plan.edit().AddStream(plan.graph().lane[task], label);
      plan.edit().MoveToStream(task, *stream);
      plan.Touch(task, change);
      ++moved;
    }
    return moved;
  };
}

UserChange ReadWait(const UserJson& wait, const UserSelection& selection, const std::string& what) {
  wait.Word({"none"});
  return [=](Plan& plan) {
    std::size_t changed = 0;
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : selection.Of(plan)) {
      if (!plan.graph().IsHost(task) || !IsWait(plan.graph().question[task].ask)) {
        continue;
      }
      plan.edit().MakeAsync(task);
      plan.Touch(task, change);
      ++changed;
    }
    return changed;
  };
}

// A channel takes one operation at a time, by priority.
UserChange ReadSchedule(const UserJson& schedule, const UserSelection& selection,
                        const std::string& what) {
  schedule.OnlyKeys({"channel", "priority"});
  const std::string channel = schedule.At("channel", "what the work takes turns on").Text();
  const UserJson* const number = schedule.Find("priority");
  const auto priority = static_cast<std::int32_t>(number ? number->Number(0, 1'000'000) : 0);
  return [=](Plan& plan) {
    std::size_t placed = 0;
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : selection.Of(plan)) {
      if (plan.graph().IsHost(task)) continue;
      plan.PutOnChannel(task, channel, priority, change);
      ++placed;
    }
    return placed;
  };
}

std::string LatencyNames(const Plan& plan) {
  return Joined(plan.graph().constants.all(), ", ", &Constant::name);
}

// A latency of the graph, which all edges of its kind have.
UserChange ReadRetime(const UserJson& retime, const std::string& what) {
  retime.OnlyKeys({"latency", "scale"});
  const std::string latency = retime.At("latency", "xsp graph TRACE lists them").Text();
  const double factor = retime.At("scale", "a factor").Number(0, kMostNumber);
  return [=](Plan& plan) {
    const ChangeId change = plan.AddChange(what, "latency=" + latency);
    if (!plan.Retime(latency, factor, change)) {
      throw Error("this trace has no latency '" + latency + "'", "it has " + LatencyNames(plan));
    }
    return std::size_t{1};
  };
}

UserChange ReadIgnored(const UserJson& name) {
  const auto rule = RuleFromName(name.Text());
  if (!rule) name.Fail("names no rule; xsp graph TRACE lists them");
  return [rule = *rule](Plan& plan) {
    plan.edit().Ignore(rule);
    return std::size_t{1};
  };
}

UserChange ReadNamed(const UserJson& entry) {
  const UserJson& name = entry.At("whatif", "");
  const WhatIf* whatif = FindWhatIf(name.Text());
  if (whatif == nullptr) name.Fail("names none; xsp whatif --list shows all");
  const WhatIfValues values(whatif->name, whatif->options, entry.TextOf("options").value_or(""));
  return [whatif, values](Plan& plan) {
    const Applied applied = whatif->apply(plan, values);
    if (!applied.applies) plan.Caution(std::string(whatif->name) + ": " + applied.reason);
    if (applied.applies) plan.Commit();
    return applied.applies ? std::size_t{1} : std::size_t{0};
  };
}

UserChange InsertHost(const UserSelection& selection, const std::string& what, const NewCall& call,
                      bool before) {
  return [=](Plan& plan) {
    const std::vector<TaskId> tasks = selection.Of(plan);
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : tasks) {
      const TaskId host = plan.graph().IsHost(task) ? task : plan.CallOf(task);
      before ? plan.InsertCallBefore(host, call, change) : plan.InsertCallAfter(host, call, change);
    }
    return tasks.size();
  };
}

UserChange InsertKernels(const UserSelection& selection, const std::string& what,
                         const NewKernel& kernel, bool before) {
  return [=](Plan& plan) {
    std::size_t count = 0;
    const ChangeId change = plan.AddChange(what, selection.text);
    for (const TaskId task : selection.Of(plan)) {
      if (plan.graph().IsHost(task)) continue;
      NewKernel one = kernel;
      one.stream = plan.graph().lane[task];
      const TaskId call = plan.CallOf(task);
      before ? plan.InsertKernelBefore(call, one, change)
             : plan.InsertKernelAfter(call, one, change);
      ++count;
    }
    return count;
  };
}

UserChange ReadInsert(const UserJson& insert, const UserSelection& selection,
                      const std::string& what) {
  insert.OnlyKeys({"kernel", "host", "load", "class", "duration_us", "where"});
  const UserJson* const where = insert.Find("where");
  const bool before = where != nullptr && where->Word({"after", "before"}) == "before";
  const double ns = insert.At("duration_us", "how long it takes").Number(0, kMostNumber) * 1e3;
  const auto kernel_name = insert.TextOf("kernel");
  const auto host_name = insert.TextOf("host");
  const auto load_name = insert.TextOf("load");
  if ((kernel_name ? 1 : 0) + (host_name ? 1 : 0) + (load_name ? 1 : 0) != 1) {
    insert.Fail("needs one of kernel, host and load: what is put in");
  }
  if (!kernel_name) {
    NewCall call;
    call.label = host_name ? *host_name : *load_name;
    call.kind = host_name ? TaskKind::kCall : TaskKind::kLoad;
    call.own = static_cast<DurationNs>(ns);
    return InsertHost(selection, what, call, before);
  }
  NewKernel kernel;
  kernel.name = *kernel_name;
  kernel.kind.kernel_class = ClassOf(insert);
  kernel.ns = {ns, ns, ns};
  return InsertKernels(selection, what, kernel, before);
}

// The one thing that an entry does.
std::string_view ActionOf(const UserJson& entry) {
  std::string_view action;
  for (const std::string_view known : kActions) {
    if (entry.Find(known) == nullptr) continue;
    if (!action.empty()) {
      entry.Fail("has both " + std::string(action) + " and " + std::string(known));
    }
    action = known;
  }
  if (action.empty()) entry.Fail("does nothing: it needs one of " + Joined(kActions, ", "));
  return action;
}

UserChange ReadChange(const UserJson& entry, std::uint8_t& evidence) {
  const std::string action(ActionOf(entry));
  const UserJson& how = entry.At(action, "");
  if (action == "whatif") {
    entry.OnlyKeys({action, "options"});
    return ReadNamed(entry);
  }
  if (action == "ignore") {
    entry.OnlyKeys({action});
    evidence |= kStructural;
    return ReadIgnored(how);
  }
  const std::string what = entry.TextOf("what").value_or(action);
  if (action == "retime") {
    entry.OnlyKeys({action, "what"});
    evidence |= kScaling;
    return ReadRetime(how, what);
  }
  entry.OnlyKeys({"what", "select", action});
  const UserSelection selection = ReadSelection(entry.At("select", "which work is meant"));
  if (action == "insert") {
    evidence |= kInserted;
    return ReadInsert(how, selection, what);
  }
  evidence |= action == "scale" || action == "duration_us" ? kScaling : kStructural;
  if (action == "remove") return ReadRemove(how, selection, what);
  if (action == "stream") return ReadStream(how, selection, what);
  if (action == "schedule") return ReadSchedule(how, selection, what);
  if (action == "wait") return ReadWait(how, selection, what);
  return ReadTimes(how, action, selection, what);
}

}  // namespace

UserWhatIf::UserWhatIf() : script_(std::make_unique<Script>()) {}
UserWhatIf::~UserWhatIf() = default;

std::unique_ptr<UserWhatIf> UserWhatIf::FromJson(const UserJson& root) {
  std::unique_ptr<UserWhatIf> result(new UserWhatIf());
  Script& script = *result->script_;
  root.OnlyKeys(
      {"name", "title", "help", "changes", "assumptions", "one_time", "$schema", "version"});
  script.name = root.TextOf("name").value_or("my-whatif");
  script.title = root.TextOf("title").value_or(script.name);
  script.help = root.TextOf("help").value_or("");
  const UserJson& changes = root.At("changes", "a list of changes");
  if (changes.List().size() > kMostChanges) {
    changes.Fail("has more than " + std::to_string(kMostChanges) + " changes");
  }
  for (const UserJson& entry : changes.List()) {
    script.changes.push_back(ReadChange(entry, script.evidence));
  }
  if (script.changes.empty()) changes.Fail("is empty: nothing would change");
  if (const UserJson* assumptions = root.Find("assumptions")) {
    for (const UserJson& one : assumptions->List()) script.assumptions.push_back(one.Text());
  }
  auto apply = [&script](Plan& plan, const WhatIfValues&) {
    std::size_t about = 0;
    for (const UserChange& change : script.changes) about += change(plan);
    if (about == 0) return Applied::No("none of its selectors fits any work");
    for (const std::string& assumption : script.assumptions) plan.Assume(assumption);
    plan.RestsOn(script.evidence);
    return Applied::Yes();
  };
  result->whatif_ = {script.name,   script.title, script.help, script.evidence, "",
                     Effort::kDays, {},           {},          apply,           false};
  if (const UserJson* one_time = root.Find("one_time")) {
    result->whatif_.changes_one_time = one_time->Bool() ? OneTimeScope::kAll : OneTimeScope::kNone;
  }
  return result;
}

std::unique_ptr<UserWhatIf> UserWhatIf::FromJson(std::string_view text, std::string_view source) {
  return FromJson(UserJson::Parse(text, source, kHint));
}

std::unique_ptr<UserWhatIf> UserWhatIf::Load(const std::filesystem::path& file) {
  std::unique_ptr<UserWhatIf> result = FromJson(UserJson::Read(file, kHint));
  result->script_->file = file.string();
  result->whatif_.file = result->script_->file;
  return result;
}

}  // namespace xsp
