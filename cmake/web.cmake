# The script of the study page: built from web/ by Node where that is available, and put into the library. Without it the page is the same, but still.
# Sets ULNA_PAGE_SCRIPT, the source to compile.
set(ulna_web_default OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(ulna_web_default AUTO)
endif()
set(ULNA_WEB ${ulna_web_default} CACHE STRING "Build the study page's script with Node: AUTO (where it can be), ON (or fail), OFF")
set_property(CACHE ULNA_WEB PROPERTY STRINGS AUTO ON OFF)
set(ULNA_PAGE_SCRIPT ${PROJECT_SOURCE_DIR}/src/study/no_script.cpp)
set(ULNA_WEB_DIR ${PROJECT_BINARY_DIR}/web)
set(ULNA_WEB_WHY_NOT "")

function(ulna_find_node)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/web/package.json)
    set(ULNA_WEB_WHY_NOT "this copy of Ulna has no web/" PARENT_SCOPE)
    return()
  endif()
  find_program(ULNA_NODE NAMES node nodejs)
  find_program(ULNA_NPM NAMES npm)
  mark_as_advanced(ULNA_NODE ULNA_NPM)
  if(NOT ULNA_NODE OR NOT ULNA_NPM)
    set(ULNA_WEB_WHY_NOT "node and npm were not found" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${ULNA_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REGEX REPLACE "^v" "" version "${version}")
  if(NOT version OR version VERSION_LESS 18)
    set(ULNA_WEB_WHY_NOT "node is version ${version}; 18 or later is needed" PARENT_SCOPE)
  endif()
endfunction()

if(ULNA_WEB STREQUAL "OFF")
  set(ULNA_WEB_WHY_NOT "ULNA_WEB is OFF")
else()
  ulna_find_node()
  if(ULNA_WEB_WHY_NOT AND ULNA_WEB STREQUAL "ON")
    message(FATAL_ERROR "ULNA_WEB is ON, but ${ULNA_WEB_WHY_NOT}")
  endif()
endif()

if(ULNA_WEB_WHY_NOT)
  message(STATUS "study page without its script: ${ULNA_WEB_WHY_NOT}")
else()
  file(GLOB_RECURSE web_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/test/* ${PROJECT_SOURCE_DIR}/web/tools/*)
  file(GLOB web_settings CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.json ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/.npmrc)
  set(ULNA_PAGE_SCRIPT ${PROJECT_BINARY_DIR}/page_script.cpp)
  add_custom_command(
    OUTPUT ${ULNA_PAGE_SCRIPT}
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}/web" "-DBUILD=${ULNA_WEB_DIR}" "-DOUTPUT=${ULNA_PAGE_SCRIPT}" "-DNPM=${ULNA_NPM}" "-DMODE=${ULNA_WEB}"
            "-DFALLBACK=${PROJECT_SOURCE_DIR}/src/study/no_script.cpp" -P ${PROJECT_SOURCE_DIR}/cmake/build_web.cmake
    DEPENDS ${web_files} ${web_settings} ${PROJECT_SOURCE_DIR}/cmake/build_web.cmake ${PROJECT_SOURCE_DIR}/src/study/no_script.cpp
    COMMENT "Building the study page's script"
    VERBATIM)
endif()
