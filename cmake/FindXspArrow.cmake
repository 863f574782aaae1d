# xsp::arrow: Arrow and Parquet for C++, from an installed Arrow or from the pyarrow wheel.
#
# The wheel has headers and versioned libraries, but no CMake files and no
# unversioned .so, so the library files themselves are linked.
find_package(Arrow QUIET CONFIG)
find_package(Parquet QUIET CONFIG)

add_library(xsp_arrow INTERFACE)
add_library(xsp::arrow ALIAS xsp_arrow)

if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
  set(XspArrow_ORIGIN "installed Arrow ${Arrow_VERSION}")
  target_link_libraries(xsp_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared)
else()
  set(wheel ${XSP_WHEELS}/pyarrow)
  foreach(lib arrow parquet)
    file(GLOB files ${wheel}/lib${lib}.so.*)
    list(LENGTH files count)
    if(count EQUAL 1)
      add_library(xsp_wheel_${lib} SHARED IMPORTED)
      set_target_properties(xsp_wheel_${lib} PROPERTIES
        IMPORTED_LOCATION ${files}
        INTERFACE_INCLUDE_DIRECTORIES ${wheel}/include)  # SYSTEM, as of any imported target
      target_link_libraries(xsp_arrow INTERFACE xsp_wheel_${lib})
      set(XspArrow_ORIGIN ${wheel})
    else()
      unset(XspArrow_ORIGIN)
      break()
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XspArrow REQUIRED_VARS XspArrow_ORIGIN
  REASON_FAILURE_MESSAGE
    "Neither an installed Arrow and Parquet nor the pyarrow wheel in ${XSP_WHEELS}: run ./dev setup")
