# find_package(ulna) and pkg-config, from the build tree and after installation.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ulna)

install(TARGETS ulna ${ulna_libraries} EXPORT ulna-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ulna TYPE INCLUDE PATTERN "emit" EXCLUDE PATTERN "count" EXCLUDE PATTERN "sim" EXCLUDE PATTERN "study" EXCLUDE)
if(ULNA_BUILD_EXTRAS)
  foreach(part emit count sim study)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ulna/${part} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulna)
  endforeach()
endif()
install(FILES ${PROJECT_BINARY_DIR}/include/ulna/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ulna)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/ulna)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md TYPE DOC)
if(ULNA_BUILD_APPS)
  install(TARGETS ulna_cli)
endif()

install(EXPORT ulna-targets NAMESPACE ulna:: DESTINATION ${package_dir})
export(EXPORT ulna-targets NAMESPACE ulna:: FILE ${PROJECT_BINARY_DIR}/ulna-targets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ulna-config.cmake.in ${PROJECT_BINARY_DIR}/ulna-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ulna-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ulna-config.cmake ${PROJECT_BINARY_DIR}/ulna-config-version.cmake DESTINATION ${package_dir})

# Libraries that need others come first.
set(ulna_pc_libraries ${ulna_parts})
list(REVERSE ulna_pc_libraries)
list(TRANSFORM ulna_pc_libraries PREPEND -lulna_)
list(JOIN ulna_pc_libraries " " ulna_pc_libraries)
# The way from the folder of ulna.pc back to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ulna.pc.in ${PROJECT_BINARY_DIR}/ulna.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ulna.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
