# Other libraries to compare with, where they are installed; never needed. Each that is found is a target: ulna_kdl_library, ulna_mujoco_library.
find_package(Eigen3 QUIET NO_MODULE)
find_package(orocos_kdl QUIET)
# Debian's MuJoCo package names an include folder that does not exist, so its CMake target cannot be used.
find_path(mujoco_INCLUDE mujoco/mujoco.h)
find_library(mujoco_LIBRARY mujoco)
mark_as_advanced(mujoco_INCLUDE mujoco_LIBRARY)

if(orocos_kdl_FOUND AND Eigen3_FOUND AND NOT TARGET ulna_kdl_library)
  add_library(ulna_kdl_library INTERFACE)
  target_include_directories(ulna_kdl_library SYSTEM INTERFACE ${orocos_kdl_INCLUDE_DIRS})
  target_link_libraries(ulna_kdl_library INTERFACE ${orocos_kdl_LIBRARIES} Eigen3::Eigen)
endif()
if(mujoco_INCLUDE AND mujoco_LIBRARY AND Eigen3_FOUND AND NOT TARGET ulna_mujoco_library)
  add_library(ulna_mujoco_library INTERFACE)
  target_include_directories(ulna_mujoco_library SYSTEM INTERFACE ${mujoco_INCLUDE})
  target_link_libraries(ulna_mujoco_library INTERFACE ${mujoco_LIBRARY} Eigen3::Eigen)
endif()
