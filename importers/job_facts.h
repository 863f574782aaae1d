#pragma once

#include <filesystem>

#include "model/job_facts.h"

namespace xsp {

// What a file that ImportFile reads says of its job: a look at a few small tables or at what stands
// in front of the events. Nothing of an environment is looked at. What cannot be read says nothing:
// these facts explain a trace, they are not part of it.
JobFacts ReadJobFacts(const std::filesystem::path& file);

}  // namespace xsp
