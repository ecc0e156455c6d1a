# For people. Each target does all its own set-up; the build itself is CMake's (see CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-asan bench format format-check install clean

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
ulna := build/release/bin/ulna

help:
	@echo "make demo          set up, build, and show what Ulna does on the Stanford arm"
	@echo "make test          set up, build, and run all tests"
	@echo "make build         the program at $(ulna)"
	@echo "make test-asan     all tests under the address and undefined-behaviour sanitizers"
	@echo "make bench         time the algorithms on this machine"
	@echo "make format        clang-format on every source file; format-check only looks"
	@echo "make install       into PREFIX ($(PREFIX))"
	@echo "make clean         remove build/"

setup:
	@tools/setup

build/%/CMakeCache.txt: | setup
	@cmake --preset $* -Wno-dev > /dev/null

build: build/release/CMakeCache.txt | setup
	@cmake --build --preset release --target program -j $(JOBS)

demo: build
	@tools/demo $(ulna)

test: build/release/CMakeCache.txt | setup
	@cmake --build --preset release -j $(JOBS)
	@cat build/release/peers.txt
	@ctest --preset release -j $(JOBS)

test-asan: build/asan/CMakeCache.txt | setup
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS)

bench: build/bench/CMakeCache.txt | setup
	@cmake --build --preset bench -j $(JOBS)
	@build/bench/bin/bench_dynamics
	@build/bench/bin/bench_trace

sources = $(shell git ls-files '*.cpp' '*.hpp')
format:
	@tools/setup clang-format
	@clang-format -i $(sources)

format-check:
	@tools/setup clang-format
	@clang-format --dry-run --Werror $(sources)

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
