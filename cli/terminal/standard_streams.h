#pragma once

namespace xsp {

// Opens those of standard input, output and error that the caller has closed (`xsp ... 2>&-`), on
// /dev/null. Else the next file that is opened gets the number, and messages end up in a result.
void OpenStandardStreams();

}  // namespace xsp
