# find_package(ulna) and pkg-config, from the build tree and after installation.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulna)

# Components, which are packages of their own: library, development (headers, archives, how they are found), program, and peers, which need other libraries.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS ${ulna_installed} EXPORT ulna-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
# Headers of the parts that were built: the core's folders have no part of their own.
foreach(part formulation verify identify explain sim emit campaign study)
  if(part IN_LIST ulna_parts)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ulna/${part} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulna)
  endif()
  list(APPEND optional_headers PATTERN ${part} EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ulna TYPE INCLUDE ${optional_headers})
install(FILES ${PROJECT_BINARY_DIR}/include/ulna/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulna)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/scenarios ${PROJECT_SOURCE_DIR}/campaigns DESTINATION ${CMAKE_INSTALL_DATADIR}/ulna
        COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md TYPE DOC COMPONENT program)
if(ULNA_BUILD_APPS)
  install(TARGETS ulna_cli COMPONENT program)
endif()

install(EXPORT ulna-targets NAMESPACE ulna:: DESTINATION ${package_dir})
export(EXPORT ulna-targets NAMESPACE ulna:: FILE ${PROJECT_BINARY_DIR}/ulna-targets.cmake)
list(JOIN ulna_parts ", " ulna_parts_text)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ulna-config.cmake.in ${PROJECT_BINARY_DIR}/ulna-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ulna-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ulna-config.cmake ${PROJECT_BINARY_DIR}/ulna-config-version.cmake DESTINATION ${package_dir})

# A static library hands its own libraries on to the program that links it; a shared one has them already, and pkg-config must not ask for their files.
if(BUILD_SHARED_LIBS)
  set(ulna_pc_libraries -lulna)
else()
  # Libraries that need others come first.
  set(ulna_pc_libraries ${ulna_parts})
  list(REVERSE ulna_pc_libraries)
  list(TRANSFORM ulna_pc_libraries PREPEND -lulna_)
  set(ulna_pc_requires pugixml yaml-cpp)
  list(APPEND ulna_pc_libraries -pthread)
endif()
foreach(field requires requires_private libraries libraries_private)
  list(JOIN ulna_pc_${field} " " ulna_pc_${field})
endforeach()
# The way from the folder of ulna.pc back to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ulna.pc.in ${PROJECT_BINARY_DIR}/ulna.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ulna.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
