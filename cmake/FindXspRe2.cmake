# xsp::re2: Google's RE2. Newer releases install CMake files; Debian's has none.
find_package(re2 QUIET CONFIG)

add_library(xsp_re2 INTERFACE)
add_library(xsp::re2 ALIAS xsp_re2)

if(TARGET re2::re2)
  set(XspRe2_ORIGIN "re2 ${re2_VERSION}")
  target_link_libraries(xsp_re2 INTERFACE re2::re2)
else()
  find_path(XSP_RE2_INCLUDE re2/re2.h)
  find_library(XSP_RE2_LIBRARY re2)
  mark_as_advanced(XSP_RE2_INCLUDE XSP_RE2_LIBRARY)
  if(XSP_RE2_INCLUDE AND XSP_RE2_LIBRARY)
    set(XspRe2_ORIGIN ${XSP_RE2_LIBRARY})
    add_library(xsp_system_re2 UNKNOWN IMPORTED)
    set_target_properties(xsp_system_re2 PROPERTIES
      IMPORTED_LOCATION ${XSP_RE2_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${XSP_RE2_INCLUDE})
    target_link_libraries(xsp_re2 INTERFACE xsp_system_re2)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XspRe2 REQUIRED_VARS XspRe2_ORIGIN
  REASON_FAILURE_MESSAGE "no RE2 in the system: run ./dev setup, or install libre2-dev")
