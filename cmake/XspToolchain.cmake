# How everything is compiled and linked: warnings, compiler cache, linker.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(xsp_warnings INTERFACE)
# GCC 12 takes the empty state of a std::variant for an uninitialised one.
target_compile_options(xsp_warnings INTERFACE -Wall -Wextra -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

find_program(XSP_CCACHE ccache)
if(XSP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the checkout, so that a fresh clone finds what another one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${XSP_CCACHE})
endif()

find_program(XSP_MOLD mold)
if(XSP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# All that is shipped: a buffer that is written beyond its end stops the program.
add_library(xsp_hardened INTERFACE)
target_compile_options(xsp_hardened INTERFACE -fstack-protector-strong
  $<$<CONFIG:Release>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)

# Tables that the loader fills in are read-only before the program's first line.
add_link_options(LINKER:-z,relro LINKER:-z,now)

# Most of a compilation is headers: in the presets with CMAKE_UNITY_BUILD, ten sources share them.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)

# For sources whose own names (columns of a table, say) stand in their neighbours, too.
function(xsp_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
