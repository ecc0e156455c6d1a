"""Ulna for Conan 2: the library, by its own CMake. `conan create packaging/conan` in the repository."""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load, rmdir

PARTS = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CHANGELOG.md", "apps/*", "campaigns/*", "cmake/*", "include/*", "models/*", "scenarios/*", "src/*"]


class Ulna(ConanFile):
    name = "ulna"
    license = "BSD-3-Clause"
    description = "Manipulator dynamics: a robot description goes in, its equations of motion come out"
    topics = ("robotics", "dynamics", "urdf")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "extras": [True, False]}
    default_options = {"shared": False, "extras": True}  # extras: the papers, simulation, identification; a controller does without
    package_type = "library"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = text.split("project(ulna VERSION ")[1].split()[0]

    def export_sources(self):
        for part in PARTS:
            copy(self, part, os.path.join(self.recipe_folder, "..", ".."), self.export_sources_folder)

    def requirements(self):
        self.requires("pugixml/1.14")
        self.requires("yaml-cpp/0.8.0")
        # Headers that are compiled in.
        self.requires("xbyak/6.73", visible=False)
        if self.options.extras:
            self.requires("boost/1.83.0", visible=False, options={"header_only": True})
            self.requires("eigen/3.4.0", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in ("APPS", "TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"ULNA_BUILD_{name}"] = "OFF"
        toolchain.cache_variables["ULNA_BUILD_EXTRAS"] = "ON" if self.options.extras else "OFF"
        toolchain.cache_variables["ULNA_WEB"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        # Ulna's own ulna-config.cmake knows its parts.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "ulna")]
