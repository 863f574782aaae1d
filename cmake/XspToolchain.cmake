# How everything is compiled and linked: warnings, compiler cache, linker.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(xsp_warnings INTERFACE)
target_compile_options(xsp_warnings INTERFACE -Wall -Wextra -Werror)

find_program(XSP_CCACHE ccache)
if(XSP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the checkout, so that a fresh clone finds what another one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${XSP_CCACHE})
endif()

find_program(XSP_MOLD mold)
if(XSP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
