# xsp_module(<name> [ROOMS <folder>...] [EXCEPT <file>...] [GENERATED <file>...] [THIRD_PARTY <target>...])
#
# One static library, xsp_<name>, per folder, of all sources in it and below: a new file is found, none
# has to be listed. ROOMS: of these sub-folders only. It sees only the headers of the
# folders that XSP_USES_<name> grants it: every module exports an include root of
# its own, a directory that holds one symlink to that module, and the source root
# is on nobody's include path. THIRD_PARTY headers stay private to the module.
function(xsp_module name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "ROOMS;EXCEPT;GENERATED;THIRD_PARTY")
  xsp_granted_targets(${name} uses)
  xsp_include_root(${name} root)
  xsp_files_of("${ARG_ROOMS}" cc sources)
  xsp_files_of("${ARG_ROOMS}" h headers)
  list(REMOVE_ITEM sources "" ${ARG_EXCEPT})
  list(TRANSFORM headers PREPEND ${root}/${name}/)

  add_library(xsp_${name} STATIC ${sources} ${ARG_GENERATED})
  target_sources(xsp_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
  target_link_libraries(xsp_${name} PUBLIC ${uses} PRIVATE ${ARG_THIRD_PARTY} xsp_warnings xsp_hardened)
  target_compile_features(xsp_${name} PUBLIC cxx_std_20)
endfunction()

# All files of this folder with an ending, or of some rooms of it, sorted; looked for at every build.
function(xsp_files_of rooms ending result)
  set(patterns *.${ending})
  if(rooms)
    list(TRANSFORM rooms APPEND /*.${ending} OUTPUT_VARIABLE patterns)
  endif()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# The libraries that `name` may use. A granted folder that has not been written yet
# is skipped; a grant that does not point back in XSP_MODULES is an error.
function(xsp_granted_targets name result)
  list(FIND XSP_MODULES ${name} own_place)
  set(targets)
  foreach(dep IN LISTS XSP_USES_${name})
    list(FIND XSP_MODULES ${dep} place)
    if(place EQUAL -1)
      message(FATAL_ERROR "xsp: '${name}' may not use '${dep}': no such module in XSP_MODULES")
    elseif(place GREATER_EQUAL own_place)
      message(FATAL_ERROR "xsp: '${name}' may not use '${dep}': it comes later in the pipeline")
    elseif(TARGET xsp_${dep})
      list(APPEND targets xsp_${dep})
    endif()
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# A directory in the build tree through which "<name>/header.h", and nothing else, is found.
function(xsp_include_root name result)
  set(root ${PROJECT_BINARY_DIR}/include_roots/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  set(${result} ${root} PARENT_SCOPE)
endfunction()
