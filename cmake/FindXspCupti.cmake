# xsp::cupti and xsp::nvtx, for recording from a running program. Both optional:
# everything but live/ works without them.
find_package(CUDAToolkit QUIET)

add_library(xsp_cupti INTERFACE)
add_library(xsp_nvtx INTERFACE)

file(GLOB wheel_cupti ${XSP_WHEELS}/nvidia/cu*/lib/libcupti.so.*)
file(GLOB wheel_nvtx ${XSP_WHEELS}/nvidia/cu*/include/nvtx3/nvToolsExt.h)

if(TARGET CUDA::cupti)
  set(XspCupti_ORIGIN "CUDA toolkit ${CUDAToolkit_VERSION}")
  target_link_libraries(xsp_cupti INTERFACE CUDA::cupti)
elseif(wheel_cupti)
  list(GET wheel_cupti 0 library)
  cmake_path(GET library PARENT_PATH folder)
  set(XspCupti_ORIGIN ${library})
  add_library(xsp_wheel_cupti SHARED IMPORTED)
  set_target_properties(xsp_wheel_cupti PROPERTIES
    IMPORTED_LOCATION ${library}
    INTERFACE_INCLUDE_DIRECTORIES ${folder}/../include)
  target_link_libraries(xsp_cupti INTERFACE xsp_wheel_cupti)
endif()
if(XspCupti_ORIGIN)
  add_library(xsp::cupti ALIAS xsp_cupti)
endif()

if(TARGET CUDA::nvtx3)
  target_link_libraries(xsp_nvtx INTERFACE CUDA::nvtx3)
  add_library(xsp::nvtx ALIAS xsp_nvtx)
elseif(wheel_nvtx)
  list(GET wheel_nvtx 0 header)
  cmake_path(GET header PARENT_PATH folder)
  target_include_directories(xsp_nvtx SYSTEM INTERFACE ${folder}/..)
  add_library(xsp::nvtx ALIAS xsp_nvtx)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XspCupti REQUIRED_VARS XspCupti_ORIGIN
  REASON_FAILURE_MESSAGE "no CUDA toolkit and no CUPTI wheel in ${XSP_WHEELS}: no live recording")
