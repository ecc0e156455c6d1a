# What every target of Ulna is compiled with. Nothing here leaks into the user's flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(ulna_flags INTERFACE)
# Contraction would make results depend on the compiler's choice of fused operations.
target_compile_options(ulna_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off)
if(NOT APPLE)
  target_link_options(ulna_flags INTERFACE LINKER:--gc-sections)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ulna_flags INTERFACE -Wno-restrict)  # false alarms on std::string (GCC bug 105651)
endif()
if(ULNA_WERROR)
  target_compile_options(ulna_flags INTERFACE -Werror)
endif()
if(ULNA_SANITIZE)
  target_compile_options(ulna_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ulna_flags INTERFACE -fsanitize=address,undefined)
endif()
if(ULNA_SANITIZE_THREAD)
  target_compile_options(ulna_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(ulna_flags INTERFACE -fsanitize=thread)
endif()
if(ULNA_FUZZ)
  target_compile_options(ulna_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ulna_flags INTERFACE -fsanitize=address,undefined)
endif()

# ulna_library(target name files…): a part of Ulna, an archive. Users know it as ulna::name; Ulna's own programs and tests link the target, because
# they use names that a shared library hides.
function(ulna_library target name)
  add_library(${target} STATIC)
  ulna_sources(${target} ${ARGN})
  if(NOT BUILD_SHARED_LIBS)
    add_library(ulna::${name} ALIAS ${target})
  endif()
  # What no public header declares (see <ulna/export.hpp>) cannot be seen from outside the library.
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # The formulations take long to compile, and no fuzzer feeds them but through what reads.
  if(ULNA_FUZZ AND NOT target MATCHES "_(core|source|jit|sim)$")
    target_compile_options(${target} PRIVATE -O0 -ffp-contract=off)
    return()
  endif()
  # So that a linker can leave out what nothing calls, however large a batch is.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  # By value, not by linking: the flags are no business of the exported package.
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:ulna_flags,INTERFACE_COMPILE_OPTIONS>)
  target_link_options(${target} PRIVATE $<TARGET_PROPERTY:ulna_flags,INTERFACE_LINK_OPTIONS>)
endfunction()

configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in ${PROJECT_BINARY_DIR}/include/ulna/version.hpp @ONLY)
