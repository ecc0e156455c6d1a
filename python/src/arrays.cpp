#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>

#include "programs/interface.hpp"

namespace ulna::python {

bool Memory::open(nb::handle object, bool writable) {
  release();
  if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  open_ = true;
  return true;
}

void Memory::release() {
  if (open_) PyBuffer_Release(&view_);
  open_ = false;
}

std::vector<std::size_t> Memory::shape() const {
  std::vector<std::size_t> out;
  for (int k = 0; k < view_.ndim; ++k) out.push_back(static_cast<std::size_t>(view_.shape[k]));
  return out;
}

Real Memory::real() const {
  if (!open_) return Real::none;
  std::string_view format = view_.format == nullptr ? "B" : view_.format;
  if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);  // native: this is x86-64 or another little-endian
  if (format == "d" && view_.itemsize == sizeof(double)) return Real::float64;
  if (format == "f" && view_.itemsize == sizeof(float)) return Real::float32;
  return Real::none;
}

std::size_t Memory::row_size(std::size_t inner) const {
  std::size_t size = 1;
  for (std::size_t k = 0; k < inner; ++k) size *= static_cast<std::size_t>(view_.shape[static_cast<std::size_t>(view_.ndim) - 1 - k]);
  return size;
}

bool Memory::in_rows(std::size_t inner) const {
  const auto axes = static_cast<std::size_t>(view_.ndim);
  if (axes < inner || axes > inner + 1 || reinterpret_cast<std::uintptr_t>(view_.buf) % static_cast<std::uintptr_t>(view_.itemsize) != 0) return false;
  Py_ssize_t dense = view_.itemsize;
  for (std::size_t k = 0; k < inner; ++k) {
    const std::size_t axis = axes - 1 - k;
    if (view_.shape[axis] > 1 && view_.strides[axis] != dense) return false;
    dense *= view_.shape[axis];
  }
  return axes == inner || view_.shape[0] <= 1 || (view_.strides[0] >= dense && view_.strides[0] % view_.itemsize == 0);
}

std::size_t Memory::row_stride(std::size_t inner) const {
  const std::size_t dense = row_size(inner);
  if (static_cast<std::size_t>(view_.ndim) == inner || view_.shape[0] <= 1) return dense;
  return static_cast<std::size_t>(view_.strides[0] / view_.itemsize);
}

const std::byte* Memory::end(std::size_t inner) const {
  const std::size_t rows = static_cast<std::size_t>(view_.ndim) == inner ? 1 : static_cast<std::size_t>(view_.shape[0]);
  if (rows == 0) return data();
  return data() + ((rows - 1) * row_stride(inner) + row_size(inner)) * item();
}

namespace {

/// The beginning of every array object: PyArrayObject of NumPy's C interface, which compiled extensions have in them since NumPy 1.0.
struct ArrayObject {
  PyObject_HEAD std::byte* data;
  int axes;
  Py_ssize_t *shape, *strides;
  PyObject *base, *dtype;
  int flags;
};
constexpr int kAligned = 0x100, kWritable = 0x400;  // of the flags

/// NumPy's names that are used in every call, looked up once. Never freed: the interpreter may be gone by the time statics are.
struct NumPy {
  nb::handle empty, float64, float32;
  PyObject* array = nullptr;  // the type, where its objects are laid out as ArrayObject; else null

  static const NumPy& get() {
    static const NumPy names = [] {
      const nb::module_ numpy = nb::module_::import_("numpy");
      const auto dtype = [&](const char* name) { return nb::object(numpy.attr("dtype")(name)).release(); };
      NumPy made{nb::object(numpy.attr("empty")).release(), dtype("float64"), dtype("float32")};
      if (made.is_laid_out_so(numpy)) made.array = nb::object(numpy.attr("ndarray")).release().ptr();
      return made;
    }();
    return names;
  }
  nb::handle dtype(Real real) const { return real == Real::float32 ? float32 : float64; }

 private:
  /// Whether the fields of some arrays are what the buffer protocol says of them.
  bool is_laid_out_so(const nb::module_& numpy) const {
    if (nb::cast<std::size_t>(numpy.attr("ndarray").attr("__basicsize__")) < sizeof(ArrayObject)) return false;
    for (const bool single : {false, true})
      for (const bool writable : {false, true}) {
        const nb::object example = empty(nb::make_tuple(2, 3, 5), single ? float32 : float64).attr("transpose")(1, 0, 2);
        example.attr("setflags")(writable);
        const auto* fields = reinterpret_cast<const ArrayObject*>(example.ptr());
        Memory told;
        if (!told.open(example, false) || fields->data != told.data() || fields->axes != 3 || fields->dtype != (single ? float32 : float64).ptr()) return false;
        for (std::size_t k = 0; k < 3; ++k)
          if (fields->shape[k] != told.view().shape[k] || fields->strides[k] != told.view().strides[k]) return false;
        if ((fields->flags & kAligned) == 0 || ((fields->flags & kWritable) != 0) != writable) return false;
      }
    return true;
  }
};

nb::object numpy(const char* function) { return nb::module_::import_("numpy").attr(function); }

nb::tuple shape_tuple(const std::vector<std::size_t>& shape) {
  nb::list out;
  for (const std::size_t n : shape) out.append(n);
  return nb::tuple(out);
}

}  // namespace

bool ArrayFields::is_dense(std::size_t wanted_axes, const std::size_t* wanted) const {
  if (static_cast<std::size_t>(axes) != wanted_axes) return false;
  Py_ssize_t dense = real == Real::float32 ? sizeof(float) : sizeof(double);
  for (std::size_t k = wanted_axes; k-- > 0; dense *= shape[k])
    if (shape[k] != static_cast<Py_ssize_t>(wanted[k]) || (strides[k] != dense && shape[k] > 1)) return false;
  return true;
}

bool fields_of(PyObject* object, ArrayFields& fields) {
  const NumPy& numpy = NumPy::get();
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != numpy.array) return false;
  const auto* array = reinterpret_cast<const ArrayObject*>(object);
  const Real real = array->dtype == numpy.float64.ptr() ? Real::float64 : array->dtype == numpy.float32.ptr() ? Real::float32 : Real::none;
  if (real == Real::none || (array->flags & kAligned) == 0) return false;
  fields = {array->data, array->axes, array->shape, array->strides, real, (array->flags & kWritable) != 0};
  return true;
}

Input::Input(const char* name, nb::handle object) : name_(name), object_(nb::borrow(object)) {
  if (object.is_none()) throw nb::type_error(cat(name, " is None, but must be an array of numbers").c_str());
  if (memory_.open(object, false)) real_ = memory_.real();
  if (real_ != Real::none) {
    shape_ = memory_.shape();
    return;
  }
  memory_.release();
  object_ = numpy("asarray")(object);
  const nb::object dtype = object_.attr("dtype");
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  if (kind != "f" && kind != "i" && kind != "u")
    throw nb::type_error(cat(name, " has dtype ", nb::str(nb::handle(dtype)).c_str(), ", but must hold real numbers: float64 or float32").c_str());
  for (const nb::handle n : object_.attr("shape")) shape_.push_back(nb::cast<std::size_t>(n));
  if (memory_.open(object_, false)) real_ = memory_.real();
  if (real_ == Real::none) real_ = Real::float64;  // whole numbers, halves, other byte orders: converted below
}

void Input::require_in_place(nb::handle given) const {
  if (object_.ptr() != given.ptr())
    throw nb::type_error(cat(name_, " must be a NumPy array: a bound call reads it where it lies, and ", nb::str(given.type()).c_str(), " is none").c_str());
  if (memory_.real() == Real::none)
    throw nb::type_error(
        cat(name_, " has dtype ", nb::str(nb::handle(object_.attr("dtype"))).c_str(), ", but must be float64 or float32: a bound call reads it where it lies")
            .c_str());
  if (!memory_.in_rows(1)) throw nb::value_error(cat(name_, " must be C-contiguous: a bound call reads it where it lies").c_str());
}

void Input::convert_to(Real real) {
  // One row is the last axis; a single state is one row.
  if (memory_.real() == real && memory_.in_rows(1)) return;
  memory_.release();
  object_ = numpy("require")(object_, NumPy::get().dtype(real), nb::str("CA"));
  if (!memory_.open(object_, false)) throw nb::type_error(cat(name_, " cannot be read as numbers").c_str());
}

nb::object real_array(const char* name, nb::handle object) {
  const Input checked(name, object);
  return numpy("asarray")(object, NumPy::get().float64);
}

nb::object new_array(const std::vector<std::size_t>& shape, Real real) {
  const NumPy& numpy = NumPy::get();
  return numpy.empty(shape_tuple(shape), numpy.dtype(real));
}

nb::object array_of(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  nb::object array = new_array(shape, Real::float64);
  Memory memory;
  if (!memory.open(array, true)) throw nb::type_error("cannot write to a new array");
  if (!values.empty()) std::memcpy(memory.data(), values.data(), values.size() * sizeof(double));
  return array;
}

nb::object array_of(const std::vector<double>& values) { return array_of(values, {values.size()}); }

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) text += cat(k == 0 ? "" : ", ", shape[k]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string_view to_string(Real real) { return real == Real::float32 ? "float32" : "float64"; }

}  // namespace ulna::python
