# The commands of everyday work; each does the set-up that it needs.
# CMake alone is enough, too: cmake --preset dev && ninja -C build check-fuse

JOBS ?= $(shell nproc)
BUILD := build

.DEFAULT_GOAL := help
.PHONY: help setup configure build demo test test-torch fuzz mutate fuzz-text lint docs docs-check release clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: ## Install what is missing (Debian 12 packages, and .venv)
	@tools/dev/setup.sh

# Ninja runs CMake again when a CMakeLists.txt has changed.
configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset dev

build: configure ## Build everything into build/
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: configure ## Five programs become one kernel each: run, checked, inspected
	@cmake --build $(BUILD) --parallel $(JOBS) --target fuse
	@tools/dev/demo.sh $(BUILD)

test: build ## All tests: lit, GoogleTest, pytest
	@.venv/bin/python tools/dev/run_tests.py --build $(BUILD) --jobs $(JOBS)

test-torch: build ## Python tests with torch and JAX, on the CPU; installs 6 GB
	@tools/dev/setup.sh --torch
	@.venv-torch/bin/python tools/dev/run_tests.py --build $(BUILD) --torch

fuzz: build ## Random programs in several ways; N=500 of them, SEED= for one run again
	@python3 tools/fuzz/fuzz.py --count $(or $(N),500) $(if $(SEED),--seed $(SEED))

fuzz-text: build ## Changed program texts, which must not crash: N=3000 of them
	@$(BUILD)/bin/text-fuzz --count $(or $(N),3000) --keep $(BUILD)/text-fuzz test examples

mutate: setup ## Deliberate faults, each of which a test must notice; NAMES= for some
	@.venv/bin/python tools/mutation/mutate.py $(NAMES)

lint: build ## clang-format, clang-tidy on what changed, ruff
	@tools/dev/lint.sh $(BUILD)

docs: setup ## Write generated pages anew, from the .td files and results/
	@tools/dev/generate-docs.sh
	@.venv/bin/python tools/dev/generate_pages.py

docs-check: setup ## Fail if a generated page does not fit its sources
	@tools/dev/generate-docs.sh --check
	@.venv/bin/python tools/dev/generate_pages.py --check

release: setup ## Static, stripped tools in build-release/bin
	@cmake --preset release
	@cmake --build --preset release --parallel $(JOBS)

clean: ## Remove the build folders
	rm -rf build build-release
