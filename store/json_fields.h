#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

// Fields of a JSON object, read strictly: what is missing or of another type is an Error that names
// the field, never a default.
namespace xsp {

using Json = nlohmann::ordered_json;

const Json& FieldOf(const Json& object, std::string_view name);
const Json& ObjectField(const Json& object, std::string_view name);
const Json& ListField(const Json& object, std::string_view name);
std::string TextField(const Json& object, std::string_view name);
std::uint64_t CountField(const Json& object, std::string_view name);
std::int64_t NumberField(const Json& object, std::string_view name);
bool BoolField(const Json& object, std::string_view name);

// The same, null for nothing.
std::optional<std::string> OptionalText(const Json& object, std::string_view name);
std::optional<std::int64_t> OptionalNumber(const Json& object, std::string_view name);

}  // namespace xsp
