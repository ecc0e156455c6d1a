// Robots as generated C, compiled and loaded. All are one translation unit and one shared object: a compiler that is started for each would take longer than
// everything else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>

#include "support/folder.hpp"

namespace ulna::test {

class CompiledRobots {
 public:
  /// Files of a robot under this name, with the functions inverse, mass and forward.
  void add(const std::string& name, const std::vector<GeneratedFile>& files);
  /// Empty, or what the compiler or the linker says, or which functions beside sine and cosine the code asks for.
  std::string compile();

  /// Of a robot; null if there is none such.
  template <class Function>
  Function* function(const std::string& robot, const std::string& name) const {
    return reinterpret_cast<Function*>(find(robot + "_" + name));
  }
  template <class T>
  using Inverse = void(const T* q, const T* v, const T* a, T* tau);
  template <class T>
  using Mass = void(const T* q, T* M);
  using Selftest = int();

 private:
  void* find(const std::string& name) const;
  struct Close {
    void operator()(void* library) const;
  };
  support::Folder folder_;
  std::string all_;
  std::unique_ptr<void, Close> library_;
};

}  // namespace ulna::test
