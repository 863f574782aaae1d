#include "report/graph/path_json.h"

#include "report/tables/report.h"
#include "report/tables/step_set_json.h"

namespace xsp {
namespace {

Json NextJson(const std::optional<NextPath>& next) {
  if (!next) return nullptr;
  return {
      {"without", {{"kind", NameOf(next->without.kind)}, {"name", JsonText(next->without.name)}}},
      {"total_ns", next->total},
      {"breakdown", RowsOf("next")}};
}

}  // namespace

Json PathJson(const PathAnalysis& analysis) {
  const Overlap& overlap = analysis.overlap;
  Json fields = Json::object();
  AddUnitFields(analysis.unit, fields);
  fields["measured_ns"] = analysis.unit.measured;
  fields["total_ns"] = analysis.total;
  fields["breakdown"] = RowsOf("breakdown");
  fields["by_layer"] = RowsOf("by_layer");
  fields["by_range"] = RowsOf("by_range");
  fields["overlap"] = {{"both_ns", overlap.both},
                       {"host_only_ns", overlap.host_only},
                       {"device_only_ns", overlap.device_only}};
  fields["runs_of_step"] = analysis.unit.is_step ? Json(analysis.example + 1) : Json(nullptr);
  fields["runs"] = RowsOf("runs");
  fields["path"] = RowsOf("path");
  fields["next"] = NextJson(analysis.next);
  fields["slack"] = RowsOf("slack");
  return fields;
}

}  // namespace xsp
