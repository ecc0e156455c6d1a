// Units of FMI, loaded as a simulator would load them.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>

#include "support/folder.hpp"
#include "text/message.hpp"

namespace ulna::test {

inline std::size_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number |= static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(at + i))) << (8 * i);
  return number;
}

/// Files of a ZIP archive that is not compressed, by their names.
inline std::map<std::string, std::string> unzipped(const std::string& bytes) {
  std::map<std::string, std::string> files;
  for (std::size_t at = 0; number_at(bytes, at, 4) == 0x04034b50;) {
    const std::size_t size = number_at(bytes, at + 18, 4), name = number_at(bytes, at + 26, 2), extra = number_at(bytes, at + 28, 2);
    files[bytes.substr(at + 30, name)] = bytes.substr(at + 30 + name + extra, size);
    at += 30 + name + extra + size;
  }
  return files;
}

/// The value reference of a variable.
inline unsigned reference(const std::string& description, const std::string& name) {
  const std::size_t at = description.find(cat("name=\"", name, "\" valueReference=\""));
  EXPECT_NE(at, std::string::npos) << name;
  return static_cast<unsigned>(std::stoul(description.substr(description.find("valueReference=\"", at) + 16)));
}

struct Callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...) = nullptr;
  void* (*allocate)(std::size_t, std::size_t) = nullptr;
  void (*release)(void*) = nullptr;
  void (*finished)(void*, int) = nullptr;
  void* environment = nullptr;
};

/// A unit that has been begun.
class Unit {
 public:
  /// Of a model, or of a scenario.
  template <class Robot>
  Unit(const support::Folder& folder, const Robot& robot, GenerateOptions options) {
    options.target = "fmi";
    options.name = "robot";
    const std::vector<GeneratedFile> made = generate(robot, options);
    EXPECT_EQ(made.at(0).name, "robot.fmu");
    const auto files = unzipped(made.at(0).text);
    description_ = files.at("modelDescription.xml");
    folder.write("robot.so", files.at("binaries/linux64/robot.so"));
    library_ = dlopen(folder.at("robot.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    const std::size_t at = description_.find("guid=\"") + 6;
    const std::string guid = description_.substr(at, description_.find('"', at) - at);
    auto* begin = function<void*(const char*, int, const char*, const char*, const Callbacks*, int, int)>("fmi2Instantiate");
    EXPECT_EQ(begin("x", 1, "another", "", &callbacks_, 0, 0), nullptr);
    unit_ = begin("x", 1, guid.c_str(), "", &callbacks_, 0, 0);
    EXPECT_NE(unit_, nullptr);
    EXPECT_EQ(function<int(void*, int, double, double, int, double)>("fmi2SetupExperiment")(unit_, 0, 0, 0, 0, 0), 0);
    EXPECT_EQ(call("fmi2EnterInitializationMode"), 0);
  }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() {
    function<void(void*)>("fmi2FreeInstance")(unit_);
    dlclose(library_);
  }
  template <class F>
  F* function(const char* name) const {
    void* found = dlsym(library_, name);
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<F*>(found);
  }
  void* handle() const { return unit_; }
  int call(const char* name) const { return function<int(void*)>(name)(unit_); }
  int set(const std::string& name, double value) const {
    const unsigned r = reference(description_, name);
    return function<int(void*, const unsigned*, std::size_t, const double*)>("fmi2SetReal")(unit_, &r, 1, &value);
  }
  double get(const std::string& name) const {
    const unsigned r = reference(description_, name);
    double value = 0;
    EXPECT_EQ(function<int(void*, const unsigned*, std::size_t, double*)>("fmi2GetReal")(unit_, &r, 1, &value), 0);
    return value;
  }
  int step(double time, double length) const { return function<int(void*, double, double, int)>("fmi2DoStep")(unit_, time, length, 1); }

 private:
  void* library_ = nullptr;
  void* unit_ = nullptr;
  Callbacks callbacks_;
  std::string description_;
};

inline bool can_load_units() {
#if defined(__linux__) && defined(__x86_64__)
  return support::installed("cc") || support::installed("gcc") || support::installed("clang");
#else
  return false;
#endif
}

/// One step of the classical method of fourth order.
template <class Rates>
std::vector<double> runge_kutta(const Rates& rates, const std::vector<double>& x, double h) {
  const auto plus = [](std::vector<double> a, double by, const std::vector<double>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] += by * b[k];
    return a;
  };
  const std::vector<double> a = rates(x), b = rates(plus(x, h / 2, a)), c = rates(plus(x, h / 2, b)), d = rates(plus(x, h, c));
  std::vector<double> out = x;
  for (std::size_t i = 0; i < x.size(); ++i) out[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  return out;
}

}  // namespace ulna::test
