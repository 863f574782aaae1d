# cmake --install: a folder that runs after the build tree and the wheels are gone.
#
#   bin/xsp, lib/xsp/*.so (what bin/xsp needs and the system does not have, and the library
#   that `xsp live` loads into programs), completions for bash and zsh, the man page and the licences.
set_target_properties(xsp PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/xsp")
install(TARGETS xsp RUNTIME_DEPENDENCY_SET xsp_needs DESTINATION bin)
install(RUNTIME_DEPENDENCY_SET xsp_needs
  PRE_EXCLUDE_REGEXES "^ld-linux"
  POST_EXCLUDE_REGEXES "^/lib" "^/usr/lib"
  LIBRARY DESTINATION lib/xsp)

# `xsp live` looks for it in ../lib/xsp, here and in the build tree. It needs nothing beside itself.
install(TARGETS xsp_inject LIBRARY DESTINATION lib/xsp)
install(TARGETS xsp_live_self_test RUNTIME DESTINATION lib/xsp)

# Whose work it is: xsp's own licence, and those of the libraries that go with it.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/xsp)
file(GLOB xsp_licences ${XSP_WHEELS}/pyarrow-*.dist-info/licenses/*.txt
  ${XSP_WHEELS}/pyarrow-*.dist-info/LICENSE* ${XSP_WHEELS}/pyarrow-*.dist-info/NOTICE*)
install(FILES ${xsp_licences} DESTINATION share/doc/xsp/arrow)
foreach(part nlohmann-json3-dev libfmt-dev)
  if(EXISTS /usr/share/doc/${part}/copyright)
    install(FILES /usr/share/doc/${part}/copyright DESTINATION share/doc/xsp/${part})
  endif()
endforeach()

# Completions and man page come out of the program's own command table.
function(xsp_generated what file folder name)
  set(output ${PROJECT_BINARY_DIR}/generated/${file})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND xsp --generate ${what} > ${output}
    DEPENDS xsp VERBATIM)
  add_custom_target(xsp_${what} ALL DEPENDS ${output})
  install(FILES ${output} DESTINATION ${folder} RENAME ${name})
endfunction()

xsp_generated(bash xsp.bash share/bash-completion/completions xsp)
xsp_generated(zsh xsp.zsh share/zsh/site-functions _xsp)
xsp_generated(man xsp.1 share/man/man1 xsp.1)
