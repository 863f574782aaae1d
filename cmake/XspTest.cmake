# xsp_test(<module> SOURCES <file>... [LINK <target>...])
#
# One Catch2 program per module, <module>_test, that sees only that module, what the
# module itself may use, and tests/support. Each TEST_CASE becomes a ctest entry
# "<module>/<name>" with the label "unit". A case that prints "skipped: <why>"
# (tests/support/real_traces.h does) is shown by ctest as skipped, by name.
include(Catch)

add_custom_target(unit_tests)

function(xsp_test module)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  set(program ${module}_test)
  add_executable(${program} ${ARG_SOURCES})
  target_link_libraries(${program} PRIVATE xsp_${module} xsp_test_main ${ARG_LINK} xsp_warnings)
  # A test is compiled more often than it runs; what it tests is optimised as ever.
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  add_dependencies(unit_tests ${program})
  set(environment)
  if(module STREQUAL live)
    # The leak checker's own tracer falls over the threads of CUPTI; all other checks stay.
    set(environment ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  catch_discover_tests(${program}
    TEST_PREFIX "${module}/"
    EXTRA_ARGS --warn NoTests  # a name that ctest could not pass on whole must not pass
    PROPERTIES LABELS unit SKIP_REGULAR_EXPRESSION "skipped: " ${environment})
endfunction()
