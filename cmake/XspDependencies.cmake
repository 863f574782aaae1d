# Every third-party library, found once. The system's own packages come first;
# what Debian lacks (Arrow, CUPTI, NVTX) comes from wheels that `./dev setup`
# unpacks into XSP_WHEELS. Versions: requirements.txt.
set(XSP_WHEELS ${PROJECT_SOURCE_DIR}/.deps/python CACHE PATH "Folder with the unpacked wheels")

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)        # SQLite::SQLite3
find_package(ZLIB REQUIRED)           # ZLIB::ZLIB
find_package(OpenSSL REQUIRED)        # OpenSSL::Crypto
find_package(fmt REQUIRED)            # fmt::fmt
find_package(nlohmann_json REQUIRED)  # nlohmann_json::nlohmann_json
find_package(simdjson REQUIRED)       # simdjson::simdjson
find_package(XspRe2 REQUIRED)         # xsp::re2
find_package(CLI11 REQUIRED)          # CLI11::CLI11
find_package(Catch2 2 REQUIRED)       # Catch2::Catch2
find_package(XspArrow REQUIRED)       # xsp::arrow
find_package(XspCupti)                # xsp::cupti, xsp::nvtx: only for live/
