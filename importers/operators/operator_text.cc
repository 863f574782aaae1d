#include "importers/operators/operator_text.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "model/names/framework_names.h"

namespace xsp {
namespace {

// Cuts ", key = <rest>" off the end and gives the rest; the text stays whole where there is none.
std::string_view CutField(std::string_view& text, std::string_view key) {
  const std::size_t sign = key.size() - 2;  // Of "=": there are few, and rfind(key) is slow.
  for (std::size_t i = text.rfind('='); i != text.npos && i >= sign; i = text.rfind('=', i - 1)) {
    if (text.substr(i - sign, key.size()) != key) continue;
    const std::string_view value = text.substr(i + 2);
    text = text.substr(0, i - sign);
    return value;
  }
  return {};
}

// A number that fills the whole text; `none` otherwise.
template <class T>
T WholeNumber(std::string_view text, T none) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? value : none;
}

// "AddmmBackward0", "torch::autograd::CopyBackwards": one word that ends so, digits aside, and does
// not consist of it alone, as a user's "Backward" does.
bool EndsInBackward(std::string_view name) {
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  if (name.ends_with("Backwards")) name.remove_suffix(1);
  if (!name.ends_with("Backward")) return false;
  name.remove_suffix(8);
  return !name.empty() && (IsLetter(name.back()) || IsDigit(name.back()));
}

// The list that a text begins with, "[[64], [32, 128]]"; empty where it does not close.
std::string_view ListOf(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && depth > 0 && --depth == 0) return text.substr(0, i + 1);
    if (depth == 0) return {};
  }
  return {};
}

// "FSDP::pre_forward (blocks.3)" runs before the module blocks.3, "FSDP::post_forward (blocks.3)"
// behind it.
void FindHook(OperatorText& parsed) {
  const bool begins = parsed.name.starts_with("FSDP::pre_");
  const std::size_t open = parsed.name.find('(');
  if (!begins && !parsed.name.starts_with("FSDP::post_")) return;
  if (open == std::string_view::npos || !parsed.name.ends_with(')')) return;
  parsed.role = begins ? OperatorRole::kModuleBegin : OperatorRole::kModuleEnd;
  parsed.module = parsed.name.substr(open + 1, parsed.name.size() - open - 2);
}

// Fields come in this order, so they are taken from the right; the name may hold commas itself.
std::optional<OperatorText> ParseTorch(std::string_view text) {
  OperatorText parsed;
  const std::size_t whole = text.size();
  CutField(text, ", input_op_ids = ");
  parsed.inputs = ListOf(CutField(text, ", sizes = "));
  if (!parsed.inputs.empty()) parsed.form = InputsForm::kSizes;
  parsed.id = WholeNumber(CutField(text, ", op_id = "), parsed.id);
  parsed.sequence = WholeNumber(CutField(text, ", seq = "), parsed.sequence);
  parsed.name = text;
  parsed.is_backward = IsBackwardName(text);
  FindHook(parsed);
  const bool is_known = text.size() != whole || !parsed.module.empty() || IsTorchOperation(text);
  return is_known ? std::optional(std::move(parsed)) : std::nullopt;
}

// The value of 'key' in a Python or JSON dictionary printed as text, strings only.
std::string_view DictionaryText(std::string_view text, std::string_view key) {
  // With its quotes: 'model.layers.3.mlp.topk' has no key "op".
  std::size_t at = text.find(key);
  while (at != text.npos &&
         (at == 0 || at + key.size() >= text.size() || text[at - 1] != text[at + key.size()] ||
          (text[at - 1] != '\'' && text[at - 1] != '"'))) {
    at = text.find(key, at + 1);
  }
  if (at == std::string_view::npos) return {};
  at = text.find_first_of("'\"", at + key.size() + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t end = text.find(text[at], at + 1);
  return end == std::string_view::npos ? std::string_view{} : text.substr(at + 1, end - at - 1);
}

// The innermost source line of the user's own files, "train.py:25".
std::string_view UserLine(std::string_view text) {
  const std::size_t list_end = text.find(']');
  std::string_view lines = text.substr(0, list_end);
  std::string_view found;
  std::size_t at = lines.find('[');
  while (at != std::string_view::npos) {
    at = lines.find_first_of("'\"", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = lines.find(lines[at], at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view line = lines.substr(at + 1, end - at - 1);
    if (line.find("-packages/") == std::string_view::npos) found = line;
    at = end + 1;
  }
  return found;
}

// '/<module>/Net::_call_impl/Net::forward/conv2d' without what says nothing.
std::string PlainStack(std::string_view stack) {
  std::string plain;
  while (!stack.empty()) {
    const std::size_t slash = stack.find('/');
    const std::string_view part = stack.substr(0, slash);
    stack = slash == std::string_view::npos ? std::string_view{} : stack.substr(slash + 1);
    if (part.empty() || part == "<module>" || part.ends_with("::_call_impl")) continue;
    if (!plain.empty()) plain += '/';
    plain += part;
  }
  return plain;
}

// {'traceMarker', 'funcStack'}: the call that leads to an operation, shown as a layer.
std::optional<OperatorText> ParseTraceMarker(std::string_view text) {
  OperatorText parsed;
  parsed.role = OperatorRole::kModule;
  parsed.own = PlainStack(DictionaryText(text, "funcStack"));
  if (const std::string_view line = UserLine(text); !line.empty()) {
    parsed.own += parsed.own.empty() ? "" : " ";
    parsed.own.append("(").append(line.substr(line.rfind('/') + 1)).append(")");
  }
  if (parsed.own.empty()) parsed.name = text;
  return parsed;
}

// PyProf and DLProf put dictionaries into range names: {'mod', 'op', 'args'} around an operation,
// {'traceMarker', 'funcStack'} around the call that leads to it.
std::optional<OperatorText> ParseDictionary(std::string_view text) {
  if (text.find("traceMarker") < 4) return ParseTraceMarker(text);
  // The names stand in front; the rest may be thousands of arguments long.
  const std::string_view front = text.substr(0, 400);
  const std::string_view op = DictionaryText(front, "op");
  const std::string_view mod = DictionaryText(front, "mod");
  if (op.empty() || mod.empty()) return std::nullopt;
  OperatorText parsed;
  parsed.own.append(mod).append(".").append(op);
  if (const std::size_t args = text.find("args"); args != std::string_view::npos) {
    const std::size_t list = text.find('[', args);
    if (list != std::string_view::npos) parsed.inputs = text.substr(list);
    if (!parsed.inputs.empty()) parsed.form = InputsForm::kDictionary;
  }
  return parsed;
}

// The value of "key=" in the "#a=1,b=2#" that XLA appends to its names.
std::string_view XlaField(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text = text.substr(at + key.size());
  return text.substr(0, text.find_first_of(",#"));
}

// "Thunk:#name=jit(f)/dot,hlo_op=fusion.1#" and "XlaModule:#hlo_module=jit_f,program_id=3#".
std::optional<OperatorText> ParseXla(std::string_view text) {
  OperatorText parsed;
  const bool is_thunk = text.starts_with("Thunk:#");
  parsed.role = is_thunk ? OperatorRole::kOperation : OperatorRole::kProgram;
  parsed.name = XlaField(text, is_thunk ? "hlo_op=" : "module=");
  if (parsed.name.empty()) parsed.name = text;
  if (is_thunk) {
    const std::string_view path = XlaField(text, "#name=");
    parsed.module = path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  } else {
    parsed.id = WholeNumber(XlaField(text, "program_id="), parsed.id);
  }
  return parsed;
}

}  // namespace

bool IsTorchOperation(std::string_view name) {
  for (std::string_view prefix : {"aten::", "prims::", "prim::", "c10d::", "c10::", "autograd::",
                                  "torch::", "nccl:", "record_param_comms", "torchvision::",
                                  "xformers::", "flash_attn::", "vllm::", "quantized::"}) {
    if (name.starts_with(prefix)) return true;
  }
  return EndsInBackward(name);
}

bool IsBackwardName(std::string_view name) {
  return EndsInBackward(name) || name.starts_with("autograd::engine");
}

std::optional<OperatorText> ParseOperatorText(std::string_view text) {
  if (text.starts_with("{'") || text.starts_with("{\"")) {
    auto known = ParseDictionary(text);
    return known ? std::move(known) : ParseModuleText(text);
  }
  if (text.starts_with("Thunk:#") || text.starts_with("Xla")) return ParseXla(text);
  if (text.starts_with("layer:")) {
    OperatorText parsed;
    parsed.role = OperatorRole::kModule;
    parsed.name = parsed.module = text.substr(6);
    return parsed;
  }
  auto known = ParseTorch(text);
  return known ? std::move(known) : ParseModuleText(text);
}

std::optional<OperatorText> ParseModuleText(std::string_view text) {
  const std::optional<FrameworkText> known = FrameworkNames::InUse().Match(text);
  if (!known || known->role != TextRole::kLayer || known->module.empty()) return std::nullopt;
  OperatorText parsed;
  parsed.role = OperatorRole::kModule;
  parsed.name = parsed.module = known->module;
  parsed.inputs = ListOf(known->shapes);
  if (!parsed.inputs.empty()) parsed.form = InputsForm::kSizes;
  return parsed;
}

std::string_view XlaModuleIn(std::string_view payload) {
  constexpr std::string_view kKey = "op_name=";
  const std::size_t at = payload.find(kKey);
  if (at == payload.npos) return {};
  std::string_view path = payload.substr(at + kKey.size());
  // Within a JSON text its quotes have a backslash in front.
  path.remove_prefix(std::min(path.size(), path.find_first_not_of("\\\"")));
  path = path.substr(0, path.find_first_of("\\\""));
  return path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
}

std::optional<OperatorText> ParseTslText(std::string_view text) {
  if (auto known = ParseOperatorText(text)) return known;
  // "model/dense/MatMul:MatMul#shape=(float[32,784];float[784,10])#"
  const std::size_t mark = text.find('#');
  const std::string_view plain = text.substr(0, mark);
  const std::size_t colon = plain.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == plain.size()) return {};
  const std::string_view type = plain.substr(colon + 1);
  const bool is_type = std::all_of(type.begin(), type.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '>';
  });
  if (!is_type || plain.find(' ') != plain.npos) return std::nullopt;
  OperatorText parsed;
  parsed.name = plain;
  const std::string_view node = plain.substr(0, colon);
  parsed.module = node.substr(0, node.rfind('/') == node.npos ? 0 : node.rfind('/'));
  if (mark != text.npos) {
    const std::size_t shape = text.find("shape=(", mark);
    if (shape != text.npos) parsed.inputs = text.substr(shape + 6);
    parsed.inputs = parsed.inputs.substr(0, parsed.inputs.find(')'));
    if (!parsed.inputs.empty()) parsed.form = InputsForm::kTyped;
  }
  return parsed;
}

}  // namespace xsp
