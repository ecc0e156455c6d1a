// Arrays of the caller as the kernels read and write them: in place where the memory is as they need it, converted by NumPy where not.
//
// NumPy is imported when the first array is made or converted, not with the module: that keeps `import ulna` short.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulna::python {

namespace nb = nanobind;

enum class Real { none, float32, float64 };  // none: some other kind of number

/// The memory of an object by the buffer protocol, which every NumPy array speaks; released at the end.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  /// False when the object has none to give (for `writable`: none that may be written).
  bool open(nb::handle object, bool writable);
  void release();

  std::vector<std::size_t> shape() const;
  Real real() const;  // None where it is not open.
  std::size_t item() const { return static_cast<std::size_t>(view_.itemsize); }
  /// Can it be taken as rows of contiguous, aligned numbers? `inner` is how many trailing axes make up one row.
  bool in_rows(std::size_t inner) const;
  /// Numbers from one row to the next; rows may be further apart than they are long.
  std::size_t row_stride(std::size_t inner) const;
  std::byte* data() const { return static_cast<std::byte*>(view_.buf); }
  const Py_buffer& view() const { return view_; }
  /// First byte after the last one that is used.
  const std::byte* end(std::size_t inner) const;

 private:
  std::size_t row_size(std::size_t inner) const;
  Py_buffer view_{};
  bool open_ = false;
};

/// What is read of a NumPy array object itself. The buffer protocol writes a description of the array at every call, a fifth of a microsecond.
struct ArrayFields {
  std::byte* data = nullptr;
  int axes = 0;
  const Py_ssize_t* shape = nullptr;
  const Py_ssize_t* strides = nullptr;  // in bytes
  Real real = Real::none;
  bool writable = false;

  /// Are these its axes, C-contiguous and aligned?
  bool is_dense(std::size_t wanted_axes, const std::size_t* wanted) const;
};

/// False for everything but numpy.ndarray itself, and where NumPy keeps its arrays in another way than it has so far: the buffer protocol serves these.
bool fields_of(PyObject* object, ArrayFields& fields);

/// One argument. `data` stays valid as long as the object.
class Input {
 public:
  /// Looks at the object; converts nothing yet. `name` is used in messages.
  Input(const char* name, nb::handle object);

  const char* name() const { return name_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  Real real() const { return real_; }
  /// Throws where the object is not an array of float64 or float32 in rows: what is read again and again is not converted.
  void require_in_place(nb::handle given) const;
  /// Afterwards the memory holds numbers of this kind in rows: the caller's own, or a copy.
  void convert_to(Real real);
  const Memory& memory() const { return memory_; }

 private:
  const char* name_;
  nb::object object_;
  std::vector<std::size_t> shape_;
  Real real_ = Real::none;
  Memory memory_;
};

/// The object as a NumPy array of float64; refused as an Input is.
nb::object real_array(const char* name, nb::handle object);
/// A new NumPy array, its numbers not set.
nb::object new_array(const std::vector<std::size_t>& shape, Real real);
/// The numbers copied into a new NumPy array of float64.
nb::object array_of(const std::vector<double>& values, const std::vector<std::size_t>& shape);
nb::object array_of(const std::vector<double>& values);

/// "(3, 7)", "(7,)"
std::string shape_text(const std::vector<std::size_t>& shape);
std::string_view to_string(Real real);

}  // namespace ulna::python
