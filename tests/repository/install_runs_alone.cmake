# An installed xsp must find every library beside itself or in the system: nothing
# may lead back into the checkout, its build tree or its wheels.
set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})

function(run result)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "exit ${code}: ${ARGN}\n${text}")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

run(_ ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(GLOB installed ${prefix}/bin/xsp ${prefix}/lib/xsp/*)
file(REAL_PATH ${WHEELS} real_wheels)
foreach(file IN LISTS installed)
  run(dynamic readelf -d ${file})
  run(libraries ldd ${file})
  string(REPLACE ${prefix} "" text "${dynamic}${libraries}")
  foreach(private ${SOURCE} ${BUILD} ${WHEELS} ${real_wheels} "not found")
    string(FIND "${text}" "${private}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} depends on ${private}:\n${text}")
    endif()
  endforeach()
endforeach()

foreach(file bin/xsp lib/xsp/libxsp_inject.so share/bash-completion/completions/xsp share/zsh/site-functions/_xsp share/man/man1/xsp.1
    share/doc/xsp/LICENSE)
  file(SIZE ${prefix}/${file} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${file} is empty")
  endif()
endforeach()

# What is shipped comes with its licence.
file(GLOB arrow ${prefix}/lib/xsp/libarrow.so*)
if(arrow AND NOT EXISTS ${prefix}/share/doc/xsp/arrow/LICENSE.txt)
  message(FATAL_ERROR "Arrow is installed without its licence")
endif()

# `xsp live` finds its library beside itself, and gives back the program's own exit code.
execute_process(COMMAND ${prefix}/bin/xsp live -o ${SCRATCH}/t.xsp -- ${prefix}/lib/xsp/xsp-live-self-test ${SCRATCH}/words
  RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 7)
  message(FATAL_ERROR "xsp live, installed: exit ${code}: ${text}")
endif()

run(version ${prefix}/bin/xsp --version)
if(NOT version MATCHES "xsp.*${VERSION}")
  message(FATAL_ERROR "xsp --version says: ${version}")
endif()
