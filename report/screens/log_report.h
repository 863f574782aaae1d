#pragma once

#include <string>

#include "model/import_log.h"
#include "report/tables/facts.h"
#include "report/tables/table.h"

namespace xsp {

// "1,234 rows read, 1,230 kept, 4 set aside".
std::string LogWords(const ImportLog& log);

// Rows read, kept and set aside, by source table, with the reasons.
Table LogTable(const ImportLog& log);

// What was odd, table by table, with what it means and the first such row.
Table OddRowsTable(const ImportLog& log);

// {read, kept, set_aside, tables [...], reasons [...]}: the rows of the tables above.
Facts LogFacts(const ImportLog& log);

}  // namespace xsp
