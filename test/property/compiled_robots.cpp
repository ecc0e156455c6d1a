#include "property/compiled_robots.hpp"

#include <dlfcn.h>

#include "text/message.hpp"

namespace ulna::test {

void CompiledRobots::add(const std::string& name, const std::vector<GeneratedFile>& files) {
  folder_.write(files);
  // Their own tests are static functions of one name in all files.
  for (const char* test : {"test_inverse", "test_mass", "test_forward"}) all_ += cat("#undef ", test, "\n#define ", test, " ", name, "_", test, "\n");
  all_ += cat("#include \"", name, ".c\"\n");
}

std::string CompiledRobots::compile() {
  folder_.write("all.c", all_);
  std::string output;
  if (folder_.run("cc -std=c99 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -O1 -fPIC -c all.c && cc -shared all.o -lm -o all.so", &output) != 0)
    return output;
  // Sine and cosine, and nothing that could take memory, a lock or the system's time.
  if (folder_.run("nm -u all.o | grep -v -w -e 'sinf\\?' -e 'cosf\\?' -e 'sincosf\\?' -e fabs -e _GLOBAL_OFFSET_TABLE_", &output) != 1)
    return "it asks for " + output;
  library_.reset(dlopen(folder_.at("all.so").c_str(), RTLD_NOW));
  return library_ ? std::string() : dlerror();
}

void* CompiledRobots::find(const std::string& name) const { return dlsym(library_.get(), name.c_str()); }
void CompiledRobots::Close::operator()(void* library) const { dlclose(library); }

}  // namespace ulna::test
