#include "report/tables/unit_json.h"

namespace xsp {

void AddUnitFields(const Unit& unit, Json& fields) {
  fields["unit"] = unit.is_step ? "step" : "span";
  fields["unit_steps"] = nullptr;
  if (unit.is_step) {
    fields["unit_steps"] = {
        {"first", unit.first_step + 1}, {"last", unit.end_step()}, {"period", unit.period}};
  }
}

}  // namespace xsp
