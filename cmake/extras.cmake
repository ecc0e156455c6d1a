# The libraries that the program needs beyond those of a controller.
# A part stands after those that it needs.
list(APPEND ulna_parts formulation verify identify explain count sim emit campaign study)

# The papers' formulations, and the proof that they agree.
file(GLOB formulation_files CONFIGURE_DEPENDS src/formulation/*.cpp)
ulna_library(ulna_formulation formulation ${formulation_files})
target_link_libraries(ulna_formulation PUBLIC ulna_trace ulna_source)

file(GLOB verify_files CONFIGURE_DEPENDS src/verify/*.cpp)
ulna_library(ulna_verify verify ${verify_files})
target_link_libraries(ulna_verify PUBLIC ulna_formulation ulna_robot)

# Which parameters a robot's torques tell, and logs to parameters. Eigen stays inside.
find_package(Eigen3 REQUIRED NO_MODULE)
file(GLOB identify_files CONFIGURE_DEPENDS src/identify/*.cpp)
ulna_library(ulna_identify identify ${identify_files})
target_include_directories(ulna_identify SYSTEM PRIVATE $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(ulna_identify PUBLIC ulna_robot ulna_source PRIVATE Threads::Threads)

# Why two models disagree, or a model and logs.
file(GLOB explain_files CONFIGURE_DEPENDS src/explain/*.cpp)
ulna_library(ulna_explain explain ${explain_files})
target_link_libraries(ulna_explain PUBLIC ulna_source ulna_verify ulna_identify)

# Programs as source code; and that, with machine code, as verify() compares it.
file(GLOB emit_files CONFIGURE_DEPENDS src/emit/*.cpp)
ulna_library(ulna_emit emit ${emit_files})
target_link_libraries(ulna_emit PUBLIC ulna_verify ulna_sim PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)

# What formulations cost: operations as the papers write, the papers' own tables beside them, and the clock.
file(GLOB count_files CONFIGURE_DEPENDS src/count/*.cpp)
ulna_library(ulna_count count ${count_files})
target_link_libraries(ulna_count PUBLIC ulna_robot ulna_verify ulna_source)

# Forward dynamics put to work: integrators, torque laws, scenarios. Boost.Odeint is headers only and stays inside.
find_package(Boost REQUIRED)
file(GLOB scenario_files CONFIGURE_DEPENDS scenarios/*.yaml)
set(embedded_scenarios ${CMAKE_CURRENT_BINARY_DIR}/embedded_scenarios.cpp)
add_custom_command(
  OUTPUT ${embedded_scenarios}
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${embedded_scenarios}" "-DFILES=${scenario_files}" -DFUNCTION=embedded_scenarios -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_models.cmake
  DEPENDS ${scenario_files} cmake/embed_models.cmake
  VERBATIM)
file(GLOB sim_files CONFIGURE_DEPENDS src/sim/*.cpp)
ulna_library(ulna_sim sim ${sim_files} ${embedded_scenarios})
target_include_directories(ulna_sim SYSTEM PRIVATE ${Boost_INCLUDE_DIRS} $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(ulna_sim PUBLIC ulna_robot ulna_formulation ulna_source PRIVATE Threads::Threads)

# Many runs of one scenario: what varies, the runs in step with each other, their files.
file(GLOB campaign_files CONFIGURE_DEPENDS src/campaign/*.cpp)
ulna_library(ulna_campaign campaign ${campaign_files})
target_link_libraries(ulna_campaign PUBLIC ulna_robot ulna_source PRIVATE ulna_sim Threads::Threads)

# Everything about one robot, as a page with drawings and the data behind it.
file(GLOB study_files CONFIGURE_DEPENDS src/draw/*.cpp src/study/*.cpp)
list(REMOVE_ITEM study_files ${CMAKE_CURRENT_SOURCE_DIR}/src/study/no_script.cpp)
include(cmake/web.cmake)
ulna_library(ulna_study study ${study_files} ${ULNA_PAGE_SCRIPT})
target_link_libraries(ulna_study PUBLIC ulna_verify ulna_robot PRIVATE ulna_identify ulna_sim ulna_campaign ulna_count ulna_emit ulna_source Threads::Threads)
