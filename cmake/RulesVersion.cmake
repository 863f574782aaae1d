# cmake -DROOT=<source tree> -DFOLDERS=<a,b> -DOUT=<file.cc> -P RulesVersion.cmake
#
# Writes a function that returns a checksum of all sources in the folders: what was worked out with
# other sources may be something else, whether or not somebody thought of raising a number.
string(REPLACE "," ";" folders "${FOLDERS}")
set(all)
foreach(folder IN LISTS folders)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc ${ROOT}/${folder}/*.json)
  list(SORT files)
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} sum)
    string(APPEND all "${file} ${sum}\n")
  endforeach()
endforeach()
string(SHA256 version "${all}")
file(WRITE ${OUT} "#include \"cli/inputs/rules_version.h\"

namespace xsp {

std::string_view RulesVersion() { return \"${version}\"; }

}  // namespace xsp
")
