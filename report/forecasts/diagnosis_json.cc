#include "report/forecasts/diagnosis_json.h"

namespace xsp {

Json DiagnosisToJson(const Diagnosis& diagnosis) {
  Json resources = Json::array();
  for (const ResourceTime& resource : diagnosis.resources) {
    resources.push_back({{"what", NameOf(resource.what)},
                         {"ns", resource.ns},
                         {"gain_ns", JsonOrNull(resource.gain)}});
  }
  return {{"what", NameOf(diagnosis.what)},
          {"share", diagnosis.share},
          {"ns", diagnosis.ns},
          {"mostly", diagnosis.mostly.empty() ? Json(nullptr) : JsonText(diagnosis.mostly)},
          {"busy_ns", diagnosis.busy},
          {"text", JsonText(diagnosis.text)},
          {"resources", std::move(resources)}};
}

}  // namespace xsp
