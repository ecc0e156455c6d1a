# For people. Each target does all its own set-up; the build itself is CMake's (see CMakePresets.json).
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-build release-tests build demo test fresh test-arm test-asan test-tsan coverage fuzz soak bench bench-programs bench-page race-page bench-parts bench-python python wheel docs site format format-check lint install clean

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TIME ?= 60
SOAK_TIME ?= 3600
OPTIONS ?=
WITH ?=
ulna := build/release/bin/ulna

help:
	@echo "make demo          say what follows, set up, build, show what Ulna does on the Stanford arm, and write a report"
	@echo "make test          set up, build, and run all tests"
	@echo "make fresh         both of these in a bare Debian 12 that is thrown away, and how long they took; WITH=clang: with packages more. Needs mmdebstrap"
	@echo "make build         the program at $(ulna)"
	@echo "make python        the Python package in build/python, and its tests; make wheel: only the wheel, in build/wheel"
	@echo "make docs          the C++ reference, by Doxygen, in build/docs/html"
	@echo "make site          all pages as a site that opens from a file, with a search, in build/site; with the C++ reference where make docs made it"
	@echo "make test-arm      cross-compile for AArch64 and run the suites of mechanics and machine code under qemu"
	@echo "make test-asan     all tests under the address and undefined-behaviour sanitizers"
	@echo "make test-tsan     what has threads, batches and simulations, under the thread sanitizer"
	@echo "make coverage      which lines and branches the tests reach, by folder; pages in build/coverage/pages"
	@echo "make fuzz          feed random bytes to readers, graph and machine code, TIME ($(TIME)) seconds each; needs clang"
	@echo "make soak          the suites under all sanitizers and valgrind, 100,000 random robots and states, an hour of each fuzzer"
	@echo "make bench         time Ulna and other libraries on this machine, and Python beside C++; installs and builds what can be had"
	@echo "make bench-page    the same, kept in docs/figures/benchmarks.json; every figure in README and docs is written from it"
	@echo "make race-page     the papers' formulations against each other (ulna bench --formulations): tables and drawings of docs/formulations/race.md"
	@echo "make bench-python  its last part alone: a million states from one Python call, beside C++ and a loop over Pinocchio"
	@echo "make bench-parts   time the library's algorithms and the search by themselves"
	@echo "make format        clang-format on every source file; format-check only looks"
	@echo "make lint          clang's warnings as errors and clang-tidy, on every source file"
	@echo "make install       into PREFIX ($(PREFIX))"
	@echo "make clean         remove build/"

setup:
	@tools/setup

setup-build:
	@tools/setup --build

build/%/CMakeCache.txt: | setup
	@cmake --preset $* -Wno-dev $(OPTIONS) > /dev/null

# The program alone needs no libraries of the tests.
build/release/CMakeCache.txt: | setup-build
	@cmake --preset release -Wno-dev -DULNA_BUILD_TESTS=OFF -DULNA_BUILD_EXAMPLES=OFF $(OPTIONS) > /dev/null

# Configured after what the tests need is there, so that it is found.
release-tests: | setup
	@grep -qs 'ULNA_BUILD_TESTS:BOOL=ON' build/release/CMakeCache.txt || cmake --preset release -Wno-dev -DULNA_BUILD_TESTS=ON -DULNA_BUILD_EXAMPLES=ON $(OPTIONS) > /dev/null

build: build/release/CMakeCache.txt | setup-build
	@cmake --build --preset release --target program -j $(JOBS)

demo:
	@tools/demo --plan $(JOBS) $(ulna)
	@$(MAKE) --no-print-directory build
	@tools/demo $(ulna)

fresh:
	@tools/fresh $(if $(WITH),--with $(WITH))

test: release-tests
	@cmake --build --preset release -j $(JOBS)
	@cat build/release/peers.txt
	@failed=0; ctest --preset release -j $(JOBS) || failed=1; tools/python test || failed=1; exit $$failed

python: build | setup
	@tools/python test

wheel: build | setup
	@tools/python wheel

# Unpacks what it needs into build/arm (Debian's packages for AArch64), and installs a cross compiler and qemu. Other suites are about files, text and
# programs. test_verify would be one of them, but its long doubles, which are software on AArch64, do not end within twelve minutes under qemu.
arm_suites := test_expr test_scalar test_spatial test_model test_check test_plan test_loop test_trace test_dynamics test_jit test_robot test_property test_formulation
test-arm:
	@tools/setup --arm
	@cmake --preset arm -Wno-dev > /dev/null
	@cmake --build --preset arm --target $(arm_suites) -j $(JOBS)
	@tools/arm_suites $(arm_suites)

test-asan: build/asan/CMakeCache.txt | setup
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS)

test-tsan: build/tsan/CMakeCache.txt | setup
	@cmake --build --preset tsan --target test_jit test_robot test_sim -j $(JOBS)
	@build/tsan/bin/test_jit
	@build/tsan/bin/test_robot
	@build/tsan/bin/test_sim

# Those that read ULNA_SOAK (test/support/soak.hpp).
soak_suites := cli emit formulation identify loop robot verify
# Hours: everything under the sanitizers, many random robots, long fuzzing. Figures go to docs/reliability.md by hand.
soak: test-asan test-tsan release-tests
	@cmake --build --preset release --target program test_property test_features test_source $(addprefix test_,$(soak_suites)) ulna-accuracy -j $(JOBS)
	@tools/valgrind $(ulna)
	@cd build/release && ULNA_ROBOTS=100000 bin/test_property
	@cd build/release && ULNA_ROBOTS=100000 bin/test_emit --gtest_filter='LoadedC.*'
	@for suite in $(soak_suites); do (cd build/release && ULNA_SOAK=1 bin/test_$$suite) || exit 1; done
	@tools/python run -c '' && ULNA_SOAK=1 ULNA_MUJOCO_PYTHON=$(CURDIR)/build/python/bin/python build/release/bin/test_source --gtest_filter='MjcfRandom.*'
	@tools/features build/release/bin/test_features --python build/python/bin/python --write docs/reliability.md
	@ULNA_SOAK=1 ctest --preset release -L soak
	@ULNA_SOAK=1 tools/python test
	@tools/accuracy build/release/bin/ulna-accuracy --states 100000 --write docs/accuracy.md
	@$(MAKE) fuzz TIME=$(SOAK_TIME)

coverage: | setup
	@JOBS=$(JOBS) tools/coverage

fuzz: | setup
	@tools/setup --fuzz
	@JOBS=$(JOBS) tools/fuzz $(TIME)

# Configured after the peers are there, so that they are found.
bench-programs:
	@tools/setup --peers
	@cmake --preset release -Wno-dev > /dev/null
	@cmake --build --preset release --target program bench_programs -j $(JOBS)

robots := ur5 panda torso humanoid-38
bench: bench-programs
	@$(ulna) bench $(robots)
	@tools/python install
	@echo
	@tools/python run python/bench.py

# A million states from one Python call, beside the C++ batch and a Python loop over Pinocchio.
bench-python: build
	@tools/setup --peers
	@tools/python install
	@tools/python run python/bench.py

bench-page: bench-programs
	@mkdir -p build/bench-page
	@$(ulna) bench $(robots) --time 1 --json --force --svg build/bench-page/benchmarks.svg > build/bench-page/bench.json
	@cmake --build --preset release --target ulna-worst-case -j $(JOBS)
	@build/release/bin/ulna-worst-case panda > build/bench-page/worst_case.txt
	@tools/python install
	@tools/python run python/bench.py --json > build/bench-page/python.json
	@cp build/bench-page/benchmarks.svg docs/figures/benchmarks.svg
	@tools/benchmarks_page --take bench=build/bench-page/bench.json python=build/bench-page/python.json worst_case=build/bench-page/worst_case.txt

race-page: build
	@mkdir -p build/race-page
	@$(ulna) bench --formulations --time 0.2 --json --force --plot build/race-page > build/race-page/race.json
	@cp build/race-page/race-growth.svg build/race-page/race-stanford.svg build/race-page/race-panda.svg docs/figures/
	@tools/benchmarks_page --take race=build/race-page/race.json

bench-parts: build/bench/CMakeCache.txt | setup
	@cmake --build --preset bench --target bench_dynamics bench_trace -j $(JOBS)
	@build/bench/bin/bench_dynamics
	@build/bench/bin/bench_trace

docs:
	@tools/setup doxygen
	@tools/docs

# Python alone, and no network.
site:
	@tools/site

sources = $(shell git ls-files '*.cpp' '*.hpp')
format:
	@tools/setup clang-format
	@clang-format -i $(sources)

format-check:
	@tools/setup clang-format
	@clang-format --dry-run --Werror $(sources)

lint: | setup
	@JOBS=$(JOBS) tools/lint

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
