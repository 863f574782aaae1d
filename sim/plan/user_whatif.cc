#include "sim/plan/user_whatif.h"

#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "model/error.h"
#include "sim/plan/json_selector.h"

namespace xsp {

// One entry of "changes". Gives back how many tasks it was about.
using UserChange = std::function<std::size_t(Plan&)>;

struct UserWhatIf::Script {
  std::string name, title, help;
  std::vector<UserChange> changes;
  std::vector<std::string> assumptions;
  std::uint8_t evidence = 0;
};

namespace {

using Json = nlohmann::json;

// What an entry may hold besides "select" and "what"; exactly one of them.
constexpr std::string_view kActions[] = {"scale",  "duration_us", "gap_scale", "remove",
                                         "insert", "stream",      "schedule",  "wait",
                                         "retime", "ignore",      "whatif"};

class Reader {
 public:
  explicit Reader(std::string_view source) : place_(source) {}

  void Read(const Json& root, std::string& name, std::string& title, std::string& help,
            std::vector<UserChange>& changes, std::vector<std::string>& assumptions,
            std::uint8_t& evidence) {
    place_.Expect(root, "", Json::value_t::object);
    place_.OnlyKeys(root, "",
                    {"name", "title", "help", "changes", "assumptions", "$schema", "version"});
    name = place_.Text(root, "", "name").value_or("my-whatif");
    title = place_.Text(root, "", "title").value_or(name);
    help = place_.Text(root, "", "help").value_or("");
    if (!root.contains("changes")) place_.Fail("changes", "is missing: a list of changes");
    place_.Expect(root["changes"], "changes", Json::value_t::array);
    std::size_t i = 0;
    for (const Json& entry : root["changes"]) {
      changes.push_back(ReadChange(entry, "changes[" + std::to_string(i++) + "]", evidence));
    }
    if (changes.empty()) place_.Fail("changes", "is empty: nothing would change");
    if (!root.contains("assumptions")) return;
    place_.Expect(root["assumptions"], "assumptions", Json::value_t::array);
    for (const Json& text : root["assumptions"]) {
      place_.Expect(text, "assumptions", Json::value_t::string);
      assumptions.push_back(text.get<std::string>());
    }
  }

 private:
  UserChange ReadChange(const Json& entry, const std::string& path, std::uint8_t& evidence) {
    place_.Expect(entry, path, Json::value_t::object);
    std::string action;
    for (const std::string_view known : kActions) {
      if (!entry.contains(known)) continue;
      if (!action.empty()) place_.Fail(path, "has both " + action + " and " + std::string(known));
      action = known;
    }
    if (action.empty()) place_.Fail(path, "does nothing: it needs one of " + JoinedActions());
    std::set<std::string> allowed = {"what", "select", action};
    if (action == "whatif") allowed = {action, "options"};
    if (action == "ignore") allowed = {action};
    if (action == "retime") allowed = {action, "what"};
    place_.OnlyKeys(entry, path, allowed);
    const std::string what = place_.Text(entry, path, "what").value_or(action);
    const std::string at = path + "." + action;
    if (action == "whatif") return ReadNamed(entry, path);
    if (action == "ignore") return ReadIgnored(entry, at, evidence);
    if (action == "retime") {
      evidence |= kScaling;
      return ReadRetime(entry["retime"], at, what);
    }
    if (!entry.contains("select")) place_.Fail(path + ".select", "is missing: which work is meant");
    const Selector selector = place_.ReadSelector(entry["select"], path + ".select");
    if (action == "insert") {
      evidence |= kInserted;
      return ReadInsert(entry["insert"], at, selector, what);
    }
    evidence |= action == "scale" || action == "duration_us" ? kScaling : kStructural;
    if (action == "remove") return ReadRemove(entry, path, selector, what);
    if (action == "stream") return ReadStream(entry, path, selector, what);
    if (action == "schedule") return ReadSchedule(entry["schedule"], at, selector, what);
    if (action == "wait") return ReadWait(entry, path, selector, what);
    return ReadTimes(entry[action], at, action, selector, what);
  }

  UserChange ReadTimes(const Json& value, const std::string& at, const std::string& action,
                       const Selector& selector, const std::string& what) {
    const double number = place_.Number(value, at);
    return [=](Plan& plan) {
      const std::vector<TaskId> tasks = plan.Select(selector);
      const ChangeId change = plan.AddChange(what, selector.text());
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

  UserChange ReadRemove(const Json& entry, const std::string& path, const Selector& selector,
                        const std::string& what) {
    const std::string how = place_.Word(entry, path, "remove", {"operation", "work", "call"});
    return [=](Plan& plan) {
      const std::vector<TaskId> tasks = plan.Select(selector);
      const ChangeId change = plan.AddChange(what, selector.text());
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

  UserChange ReadStream(const Json& entry, const std::string& path, const Selector& selector,
                        const std::string& what) {
    const std::string label = *place_.Text(entry, path, "stream");
    return [=](Plan& plan) {
      std::size_t moved = 0;
      std::optional<std::uint32_t> stream;
      const ChangeId change = plan.AddChange(what, selector.text());
      for (const TaskId task : plan.Select(selector)) {
        if (plan.graph().IsHost(task)) continue;
        if (!stream) stream = plan.edit().AddStream(plan.graph().lane[task], label);
        plan.edit().MoveToStream(task, *stream);
        plan.Touch(task, change);
        ++moved;
      }
      return moved;
    };
  }

  UserChange ReadWait(const Json& entry, const std::string& path, const Selector& selector,
                      const std::string& what) {
    place_.Word(entry, path, "wait", {"none"});
    return [=](Plan& plan) {
      std::size_t changed = 0;
      const ChangeId change = plan.AddChange(what, selector.text());
      for (const TaskId task : plan.Select(selector)) {
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
  UserChange ReadSchedule(const Json& schedule, const std::string& at, const Selector& selector,
                          const std::string& what) {
    place_.Expect(schedule, at, Json::value_t::object);
    place_.OnlyKeys(schedule, at, {"channel", "priority"});
    const auto channel = place_.Text(schedule, at, "channel");
    if (!channel) place_.Fail(at + ".channel", "is missing: what the work takes turns on");
    std::int32_t priority = 0;
    if (schedule.contains("priority")) {
      constexpr double kMost = 1'000'000;
      const double number = place_.Number(schedule["priority"], at + ".priority");
      if (number > kMost) place_.Fail(at + ".priority", "must be at most 1000000");
      priority = static_cast<std::int32_t>(number);
    }
    return [=, channel = *channel](Plan& plan) {
      std::size_t placed = 0;
      const ChangeId change = plan.AddChange(what, selector.text());
      for (const TaskId task : plan.Select(selector)) {
        if (plan.graph().IsHost(task)) continue;
        plan.PutOnChannel(task, channel, priority, change);
        ++placed;
      }
      return placed;
    };
  }

  // A latency of the graph, which all edges of its kind have.
  UserChange ReadRetime(const Json& retime, const std::string& at, const std::string& what) {
    place_.Expect(retime, at, Json::value_t::object);
    place_.OnlyKeys(retime, at, {"latency", "scale"});
    const auto latency = place_.Text(retime, at, "latency");
    if (!latency) place_.Fail(at + ".latency", "is missing: xsp graph TRACE lists them");
    if (!retime.contains("scale")) place_.Fail(at + ".scale", "is missing");
    const double factor = place_.Number(retime["scale"], at + ".scale");
    return [=, latency = *latency](Plan& plan) {
      const ChangeId change = plan.AddChange(what, "latency=" + latency);
      if (plan.Retime(latency, factor, change)) return std::size_t{1};
      plan.Caution("this trace has no latency '" + latency + "'; xsp graph TRACE lists them");
      return std::size_t{0};
    };
  }

  UserChange ReadIgnored(const Json& entry, const std::string& at, std::uint8_t& evidence) {
    place_.Expect(entry["ignore"], at, Json::value_t::string);
    const auto rule = RuleFromName(entry["ignore"].get<std::string>());
    if (!rule) place_.Fail(at, "names no rule; xsp graph TRACE lists them");
    evidence |= kStructural;
    return [rule = *rule](Plan& plan) {
      plan.edit().Ignore(rule);
      return std::size_t{1};
    };
  }

  UserChange ReadNamed(const Json& entry, const std::string& path) {
    const std::string name = *place_.Text(entry, path, "whatif");
    const WhatIf* whatif = FindWhatIf(name);
    if (whatif == nullptr) place_.Fail(path + ".whatif", "names none; xsp whatif --list shows all");
    const std::string options = place_.Text(entry, path, "options").value_or("");
    const WhatIfValues values(whatif->name, whatif->options, options);
    return [whatif, values](Plan& plan) {
      const Applied applied = whatif->apply(plan, values);
      if (!applied.applies) plan.Caution(std::string(whatif->name) + ": " + applied.reason);
      if (applied.applies) plan.Commit();
      return applied.applies ? std::size_t{1} : std::size_t{0};
    };
  }

  UserChange ReadInsert(const Json& insert, const std::string& at, const Selector& selector,
                        const std::string& what) {
    place_.Expect(insert, at, Json::value_t::object);
    place_.OnlyKeys(insert, at, {"kernel", "host", "load", "class", "duration_us", "where"});
    const bool before = place_.WordOr(insert, at, "where", {"after", "before"}) == "before";
    if (!insert.contains("duration_us")) place_.Fail(at + ".duration_us", "is missing");
    const double ns = place_.Number(insert["duration_us"], at + ".duration_us") * 1e3;
    const auto kernel_name = place_.Text(insert, at, "kernel");
    const auto host_name = place_.Text(insert, at, "host");
    const auto load_name = place_.Text(insert, at, "load");
    if ((kernel_name ? 1 : 0) + (host_name ? 1 : 0) + (load_name ? 1 : 0) != 1) {
      place_.Fail(at, "needs one of kernel, host and load: what is put in");
    }
    if (!kernel_name) {
      NewCall call;
      call.label = host_name ? *host_name : *load_name;
      call.kind = host_name ? TaskKind::kCall : TaskKind::kLoad;
      call.own = static_cast<DurationNs>(ns);
      return InsertHost(selector, what, call, before);
    }
    NewKernel kernel;
    kernel.name = *kernel_name;
    kernel.kind.kernel_class = place_.ClassOr(insert, at, KernelClass::kOther);
    kernel.ns = {ns, ns, ns};
    return InsertKernels(selector, what, kernel, before);
  }

  static UserChange InsertHost(const Selector& selector, const std::string& what,
                               const NewCall& call, bool before) {
    return [=](Plan& plan) {
      const std::vector<TaskId> tasks = plan.Select(selector);
      const ChangeId change = plan.AddChange(what, selector.text());
      for (const TaskId task : tasks) {
        const TaskId host = plan.graph().IsHost(task) ? task : plan.CallOf(task);
        before ? plan.InsertCallBefore(host, call, change)
               : plan.InsertCallAfter(host, call, change);
      }
      return tasks.size();
    };
  }

  static UserChange InsertKernels(const Selector& selector, const std::string& what,
                                  const NewKernel& kernel, bool before) {
    return [=](Plan& plan) {
      std::size_t count = 0;
      const ChangeId change = plan.AddChange(what, selector.text());
      for (const TaskId task : plan.Select(selector)) {
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

  static std::string JoinedActions() {
    std::string text;
    for (const std::string_view action : kActions) {
      text += (text.empty() ? "" : ", ") + std::string(action);
    }
    return text;
  }

  JsonPlace place_;
};

}  // namespace

UserWhatIf::UserWhatIf() : script_(std::make_unique<Script>()) {}
UserWhatIf::~UserWhatIf() = default;

std::unique_ptr<UserWhatIf> UserWhatIf::FromJson(std::string_view text, std::string_view source) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::exception& error) {  // Also a number that no type holds.
    throw Error(std::string(source) + ": not JSON: " + error.what(),
                "docs/whatif.md shows what it holds");
  }
  std::unique_ptr<UserWhatIf> result(new UserWhatIf());
  Script& script = *result->script_;
  Reader(source).Read(root, script.name, script.title, script.help, script.changes,
                      script.assumptions, script.evidence);
  auto apply = [&script](Plan& plan, const WhatIfValues&) {
    std::size_t about = 0;
    for (const UserChange& change : script.changes) about += change(plan);
    if (about == 0) return Applied::No("none of its selectors fits any work");
    for (const std::string& assumption : script.assumptions) plan.Assume(assumption);
    plan.RestsOn(script.evidence);
    return Applied::Yes();
  };
  result->whatif_ = {script.name, script.title,  script.help, "user", script.evidence,
                     "",          Effort::kDays, {},          apply,  false};
  return result;
}

std::unique_ptr<UserWhatIf> UserWhatIf::Load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("cannot read " + file.string(), "give a JSON file: docs/whatif.md");
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return FromJson(text, file.string());
}

}  // namespace xsp
