# One way to list sources, one list of optimisation levels, and how many files a compiler takes at once.
set(ULNA_BATCH 20 CACHE STRING "Files of a library that are compiled at once, so that headers are read once: half the time of a first build. 1: each by itself, which suits who edits them")

# Levels that differ from the build type's own, which is -O2 in Release. The first row whose pattern a path begins with decides.
#   usual       an exception from a row below
#   small       runs once for a file or a robot, and the Python wheel carries it
#   fast        loops over many numbers: at -O2 gcc takes them one by one
#   contracted  the templates of torques, inertia matrices, accelerations and derivatives: fast, with fused operations
#   unrolled    loops that are unrolled and vectorised by hand, with fused operations: at -O3 a third larger, and no faster
#   test        tests and fuzzers, compiled often and run once
set(ulna_levels
  "contracted src/dynamics/whole"
  "unrolled   src/jit/tree_solve"
  "fast       src/(campaign/(dataset|metrics)|identify/(columns|condensed|low_pass|tall_qr)|sim/(lanes|normal|runge_kutta))\\."
  # Kernels of the production path, because a linker takes the first copy of a template that it meets; and what every sample is compared with.
  "usual      src/(formulation/ulna_row|verify/(bounds|reference))\\."
  # Reads and writes states by the million.
  "usual      apps/cli/(base_state|beside|campaign|centroidal|dataset|dependents|evaluate|instruction_set|json|progress|result_text|state_rows|states|table|whole_file)\\."
  "small      (apps/(bench/command|cli)|src/(campaign|count|draw|emit|explain|formulation|identify|model|source|study|verify))/"
  "small      src/(check/(advise|check|check_motion)|dynamics/(acting|loops|rounding|terms)|expr/(differentiate|drop|formula|schedule)|loop/(choose|resolve)|jit/(bits|code_memory|constant_table|encode|encode_neon|encode_x86|routine|x86_encoder)|robot/(analysis|(dual_)?derivative|programs|self_check)|trace/compute_expr(_loops)?)\\."
  "small      src/sim/(batch|check_scenario|drives|formulation_forward|kane_levinson_law|law|linearise|output|overrides|quantities|read_actions|read_law|read_scenario|scenario|scenario_fields|simulate|sticking|torques|variation)\\."
  "usual      python/src/(acting|arrays|bind_dynamics|direct|dynamics|evaluate|single_threaded)\\."
  "small      python/src/")
set(ulna_options_of_usual "")
set(ulna_options_of_small $<$<CONFIG:Release>:-Os>)
set(ulna_options_of_fast $<$<CONFIG:Release>:-O3> -fno-math-errno -fno-trapping-math)
set(ulna_options_of_contracted $<$<CONFIG:Release>:-O3> -ffp-contract=fast)
set(ulna_options_of_unrolled $<$<CONFIG:Release>:-Os> -ffp-contract=fast)
set(ulna_options_of_test $<$<CONFIG:Release>:-O1>)
# What a program may bring a version of its own of (test/adding does): in no batch, so that the linker can leave out the library's.
set(ulna_alone "src/formulation/registry\\.cpp|src/study/no_script\\.cpp")

# ulna_level(variable path): the level of a file, by its path from the root of the repository.
function(ulna_level variable path)
  foreach(row IN LISTS ulna_levels)
    string(REGEX MATCH "^([a-z]+) +(.*)$" matched "${row}")
    set(level ${CMAKE_MATCH_1})
    if(path MATCHES "^${CMAKE_MATCH_2}")
      set(${variable} ${level} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} usual PARENT_SCOPE)
endfunction()

# ulna_sources(target [PLAIN] files…): compiles the files of a library into the target, each at its level (PLAIN: at the target's own), in batches of
# ULNA_BATCH.
function(ulna_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PLAIN" "" "")
  if(arg_PLAIN)
    foreach(level usual small fast contracted unrolled)
      set(ulna_options_of_${level} "")
    endforeach()
  endif()
  set(levels "")
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ULNA_ROOT} OUTPUT_VARIABLE path)
    ulna_level(level ${path})
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${file} generated)
    if(NOT ULNA_BATCH GREATER 1 OR generated OR path MATCHES "^(${ulna_alone})$")
      target_sources(${target} PRIVATE ${file})
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ulna_options_of_${level}}")
    else()
      list(APPEND levels ${level})
      list(APPEND files_of_${level} ${path})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES levels)
  foreach(level IN LISTS levels)
    list(SORT files_of_${level})
    # Of about the same size, rather than one of a single file at the end.
    list(LENGTH files_of_${level} count)
    math(EXPR batches "(${count} + ${ULNA_BATCH} / 2) / ${ULNA_BATCH}")
    if(batches EQUAL 0)
      set(batches 1)
    endif()
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    while(files_of_${level})
      list(SUBLIST files_of_${level} 0 ${size} batch)
      list(REMOVE_ITEM files_of_${level} ${batch})
      list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE lines)
      string(JOIN "" lines ${lines})
      list(GET batch 0 first)
      cmake_path(GET first STEM first)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}/${level}_from_${first}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${lines}" @ONLY)
      target_sources(${target} PRIVATE ${file})
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ulna_options_of_${level}}" INCLUDE_DIRECTORIES ${ULNA_ROOT})
    endwhile()
  endforeach()
endfunction()
