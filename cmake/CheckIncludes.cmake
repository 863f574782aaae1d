# Run as a test: cmake -DROOT=<source tree> -P CheckIncludes.cmake
#
# What the include roots of XspModule.cmake cannot see: third-party headers in
# /usr/include are visible to every folder, and so is a path through "../".
# A third-party header may be included only by the folders named in its row.
set(grants
  "sqlite3\\.h    = importers sample_traces tests"
  "arrow/         = importers store tests"
  "parquet/       = importers store tests"
  "simdjson       = importers tests"
  "zlib\\.h       = importers report tests"
  "nlohmann/      = base store diff report tests"
  "openssl/       = store"
  "re2/           = base model"
  "cupti          = live tests"
  "cuda           = live"
  "nvtx3/         = live tests"
  "CLI/           = cli"
  "catch2/        = tests"
  "benchmark/     = tests"
  "fmt/           = base importers store live stats hierarchy graph sim diff report cli sample_traces tests")

set(folders base model importers store live stats hierarchy graph sim diff report cli sample_traces tests)
list(JOIN folders "|" any_folder)

set(faults)
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE files ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  foreach(file IN LISTS files)
    file(STRINGS ${file} includes REGEX "^[ \t]*#[ \t]*include")
    foreach(include IN LISTS includes)
      if(include MATCHES "\"" AND NOT include MATCHES "\"(${any_folder})/")
        list(APPEND faults "${file}: ${include}: write the path from the root, \"folder/file.h\"")
      endif()
      if(include MATCHES "\\.\\./")
        list(APPEND faults "${file}: ${include}: \"../\" gets round the include grants")
      endif()
      foreach(grant IN LISTS grants)
        string(REGEX MATCH "^([^ ]+) += (.*)$" _ "${grant}")
        set(allowed " ${CMAKE_MATCH_2} ")
        if(include MATCHES "[<\"]${CMAKE_MATCH_1}" AND NOT allowed MATCHES " ${folder} ")
          list(APPEND faults "${file}: ${include}: only for${allowed}")
        endif()
      endforeach()
    endforeach()
  endforeach()
endforeach()

if(faults)
  list(JOIN faults "\n  " text)
  message(FATAL_ERROR "includes that the design does not grant:\n  ${text}")
endif()
