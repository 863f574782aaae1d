# Two tiny modules, built with the project's own XspModule.cmake: `graph` may use
# `model`, `model` may not use `graph`. Each step says what must happen.
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/model/CMakeLists.txt "xsp_module(model)\n")
file(WRITE ${SCRATCH}/graph/CMakeLists.txt "xsp_module(graph)\n")
file(WRITE ${SCRATCH}/model/a.h "#pragma once\n")
file(WRITE ${SCRATCH}/graph/b.h "#pragma once\n#include \"model/a.h\"\n")
file(WRITE ${SCRATCH}/graph/b.cc "#include \"graph/b.h\"\n")

function(write_project uses_of_model)
  file(WRITE ${SCRATCH}/CMakeLists.txt "
    cmake_minimum_required(VERSION 3.25)
    project(scratch CXX)
    set(CMAKE_CXX_STANDARD 20)
    set(XSP_MODULES model graph)
    set(XSP_USES_model ${uses_of_model})
    set(XSP_USES_graph model)
    add_library(xsp_warnings INTERFACE)
    include(${SOURCE}/cmake/XspModule.cmake)
    add_subdirectory(model)
    add_subdirectory(graph)\n")
endfunction()

# Runs a command and checks that it passes, or that it fails and says `message`.
function(expect outcome message)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(outcome STREQUAL "passes" AND code EQUAL 0)
    return()
  elseif(outcome STREQUAL "fails" AND NOT code EQUAL 0 AND text MATCHES "${message}")
    return()
  endif()
  message(FATAL_ERROR "expected that this ${outcome} (${message}), got ${code}: ${ARGN}\n${text}")
endfunction()

set(configure ${CMAKE_COMMAND} -G Ninja -S ${SCRATCH} -B ${SCRATCH}/build -DCMAKE_CXX_COMPILER=${CXX})
set(build ${CMAKE_COMMAND} --build ${SCRATCH}/build)

write_project("")
file(WRITE ${SCRATCH}/model/a.cc "#include \"model/a.h\"\n")
expect(passes "" ${configure})
expect(passes "" ${build})

file(WRITE ${SCRATCH}/model/a.cc "#include \"graph/b.h\"\n")
expect(fails "graph/b.h: No such file" ${build})

write_project(graph)
expect(fails "'model' may not use 'graph': it comes later" ${configure})
