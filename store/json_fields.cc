#include "store/json_fields.h"

#include "base/error.h"

namespace xsp {
namespace {

[[noreturn]] void Wrong(std::string_view name, const char* what) {
  throw Error("\"" + std::string(name) + "\" " + what);
}

}  // namespace

const Json& FieldOf(const Json& object, std::string_view name) {
  auto it = object.find(name);
  if (it == object.end()) Wrong(name, "is missing");
  return *it;
}

const Json& ObjectField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  if (!field.is_object()) Wrong(name, "is not an object");
  return field;
}

const Json& ListField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  if (!field.is_array()) Wrong(name, "is not a list");
  return field;
}

std::string TextField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  if (!field.is_string()) Wrong(name, "is not a text");
  return field.get<std::string>();
}

std::uint64_t CountField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  if (!field.is_number_unsigned()) Wrong(name, "is not a count");
  return field.get<std::uint64_t>();
}

std::int64_t NumberField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  const bool too_large =
      field.is_number_unsigned() && field.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (!field.is_number_integer() || too_large) Wrong(name, "is not a whole number");
  return field.get<std::int64_t>();
}

bool BoolField(const Json& object, std::string_view name) {
  const Json& field = FieldOf(object, name);
  if (!field.is_boolean()) Wrong(name, "is neither true nor false");
  return field.get<bool>();
}

std::optional<std::string> OptionalText(const Json& object, std::string_view name) {
  if (FieldOf(object, name).is_null()) return std::nullopt;
  return TextField(object, name);
}

std::optional<std::int64_t> OptionalNumber(const Json& object, std::string_view name) {
  if (FieldOf(object, name).is_null()) return std::nullopt;
  return NumberField(object, name);
}

}  // namespace xsp
