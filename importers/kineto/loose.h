#pragma once

#include <vector>

#include "importers/kineto/rows.h"

namespace xsp {

// Gives correlation ids to work and calls that the file has without one:
//  1. by the arrow from the call to the work ("ac2g"), whose id is the correlation id: its ends
//     stand at the place and time of the two;
//  2. by the operator that both name ("External id"): its n-th launch has issued its n-th piece of
//     work, if there are as many of each. Only where such an operator exists: files until 2024 give
//     rows without one a number of their own, which by chance may be that of another row.
// What has an id already is left as it is: an arrow is never believed against it, since old files
// drew arrows to rows of the CPU as well.
void LinkLooseRows(std::vector<KinetoRows>& pieces);

}  // namespace xsp
