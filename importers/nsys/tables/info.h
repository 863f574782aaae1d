#pragma once

#include "importers/nsys/catalog.h"
#include "model/trace_info.h"

namespace xsp {

// Reads how and with what an export was recorded: only what a list in the .cc file allows. Tables
// of this kind also hold users, hosts, command lines, environments and outputs; none of that is
// read. What cannot be read is left empty.
void ReadInfo(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info);

// Says what the capture lacks, with the option of `nsys profile` that records it, and which tables
// have rows that the model does not take.
void FindMissing(const SqliteDb& db, const NsysCatalog& catalog, TraceInfo& info);

}  // namespace xsp
