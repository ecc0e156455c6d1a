#include "direct.hpp"

#include <structmember.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "evaluate.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"
#include "states.hpp"

namespace ulna::python {

namespace {

/// Whether a state's q can be given to a kernel as it is. Loops are to be closed, and quaternions that are off unit length normalised or refused, first.
template <class T>
bool is_ready(const Model& model, const T* q) {
  if (model.closed()) return false;
  const auto unit = [&](std::size_t at) { return std::fabs(internal::quaternion_length(q + at) - 1) <= unit_rounding<T>(); };
  if (!model.has_balls()) return model.base() != RootJoint::free || unit(3);
  const std::vector<std::size_t> quaternions = model.quaternions();
  return std::all_of(quaternions.begin(), quaternions.end(), unit);
}

/// One state whose arrays are dense. False where that takes more than a kernel.
template <class T>
bool compute_one(const RobotDynamics& robot, Quantity quantity, std::size_t link, const std::array<const void*, 3>& in, void* out) {
  const DynamicsOf<T>* dynamics = robot.one<T>();
  const RobotDynamics::Shapes& shapes = robot.shapes(quantity);
  const auto* q = static_cast<const T*>(in[0]);
  if (dynamics == nullptr || !is_ready(robot.model(), q)) return false;
  const InputsOf<T> inputs{q, static_cast<const T*>(in[1]), static_cast<const T*>(in[2]), link};
  auto* to = static_cast<T*>(out);
  if (!shapes.reordered) {
    dynamics->compute(quantity, inputs, to);
    return true;
  }
  constexpr std::size_t kSome = 512;
  T few[kSome];
  std::vector<T> many(shapes.size > kSome ? shapes.size : 0);
  T* columns = many.empty() ? few : many.data();
  dynamics->compute(quantity, inputs, columns);
  reorder(quantity, shapes, columns, to);
  return true;
}

bool compute_one(const RobotDynamics& robot, Quantity quantity, std::size_t link, bool single, const std::array<const void*, 3>& in, void* out) {
  return single ? compute_one<float>(robot, quantity, link, in, out) : compute_one<double>(robot, quantity, link, in, out);
}

/// Objects of this file that are looked up once and never freed: the interpreter may be gone by the time statics are.
struct Names {
  PyObject *core, *out, *dynamics, *method, *bound, *python_method;
};
Names names{};

// Methods.

struct Method {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;  // the same in Python
  PyObject* attributes;
  Quantity quantity;
  bool of_link;
};

/// The result; null, without an exception, for what the function in Python serves.
PyObject* call_one(const Method& method, PyObject* core, PyObject* const* arguments, PyObject* out) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(core)) != names.dynamics) return nullptr;
  const RobotDynamics& robot = *nb::inst_ptr<RobotDynamics>(core);
  const RobotDynamics::Shapes& shapes = robot.shapes(method.quantity);
  std::array<const void*, 3> in{};
  ArrayFields fields;
  Real real = Real::none;
  for (std::size_t k = 0; k < shapes.inputs; ++k) {
    if (!fields_of(arguments[k], fields) || !fields.is_dense(1, &shapes.in[k]) || (k > 0 && fields.real != real)) return nullptr;
    real = fields.real;
    in[k] = fields.data;
  }
  std::size_t link = kNone;
  if (method.of_link) {
    Py_ssize_t length = 0;
    const char* name = PyUnicode_Check(arguments[1]) ? PyUnicode_AsUTF8AndSize(arguments[1], &length) : nullptr;
    const std::optional<std::size_t> found = name == nullptr ? std::nullopt : robot.model().find_link(std::string_view(name, static_cast<std::size_t>(length)));
    PyErr_Clear();
    if (!found) return nullptr;
    link = *found;
  }
  PyObject* result = nullptr;
  if (out == nullptr || out == Py_None) {
    result = new_array({shapes.out.begin(), shapes.out.begin() + static_cast<std::ptrdiff_t>(shapes.axes)}, real).release().ptr();
    fields_of(result, fields);
  } else {
    const std::size_t item = real == Real::float32 ? sizeof(float) : sizeof(double);
    if (!fields_of(out, fields) || fields.real != real || !fields.writable || !fields.is_dense(shapes.axes, shapes.out.data())) return nullptr;
    const std::byte* end = fields.data + item * shapes.out[0] * (shapes.axes > 1 ? shapes.out[1] : 1) * (shapes.axes > 2 ? shapes.out[2] : 1);
    for (std::size_t k = 0; k < shapes.inputs; ++k) {
      const auto* input = static_cast<const std::byte*>(in[k]);
      if (input < end && fields.data < input + item * shapes.in[k]) return nullptr;
    }
    result = out;
    Py_INCREF(result);
  }
  if (compute_one(robot, method.quantity, link, real == Real::float32, in, fields.data)) return result;
  Py_DECREF(result);
  return nullptr;
}

PyObject* call_method(PyObject* self, PyObject* const* arguments, std::size_t flags, PyObject* keywords) {
  const Method& method = *reinterpret_cast<Method*>(self);
  const std::size_t given = static_cast<std::size_t>(PyVectorcall_NARGS(flags)),
                    keys = keywords == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(keywords));
  const std::size_t wanted = 1 + row_of(method.quantity).inputs.size() + (method.of_link ? 1 : 0);
  if (given == wanted && (keys == 0 || (keys == 1 && PyTuple_GetItem(keywords, 0) == names.out))) {
    PyObject* core = PyObject_GetAttr(arguments[0], names.core);
    if (core == nullptr) return nullptr;
    PyObject* result = nullptr;
    try {
      result = call_one(method, core, arguments + 1, keys == 0 ? nullptr : arguments[given]);
    } catch (nb::python_error& e) {
      e.restore();
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    }
    Py_DECREF(core);
    if (result != nullptr || PyErr_Occurred() != nullptr) return result;
  }
  return PyObject_Vectorcall(method.function, arguments, flags, keywords);
}

PyObject* get_method(PyObject* self, PyObject* owner, PyObject*) {
  if (owner == nullptr || owner == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyObject_CallFunctionObjArgs(names.python_method, self, owner, nullptr);
}

int traverse_method(PyObject* self, visitproc visit, void* arg) {
  const Method& method = *reinterpret_cast<Method*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(method.function);
  Py_VISIT(method.attributes);
  return 0;
}

int clear_method(PyObject* self) {
  Method& method = *reinterpret_cast<Method*>(self);
  Py_CLEAR(method.function);
  Py_CLEAR(method.attributes);
  return 0;
}

void free_object(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

void free_method(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_method(self);
  free_object(self);
}

nb::object direct(nb::handle function) {
  const auto name = nb::cast<std::string>(function.attr("__name__"));
  const QuantityRow* row = find_quantity(name);
  if (row == nullptr) throw nb::value_error("a direct method is named after a quantity");
  auto* type = reinterpret_cast<PyTypeObject*>(names.method);
  PyObject* object = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (object == nullptr) throw nb::python_error();
  Method& made = *reinterpret_cast<Method*>(object);
  made.call = call_method;
  made.function = function.inc_ref().ptr();
  made.quantity = row->quantity;
  made.of_link = row->of_link;
  return nb::module_::import_("functools").attr("update_wrapper")(nb::steal(object), function);
}

// Bound calls.

struct Bound {
  PyObject_HEAD vectorcallfunc call;
  PyObject *general, *out;
  const RobotDynamics* robot;  // kept by `general`
  std::array<const void*, 3> in;
  void* to;
  std::size_t link;
  Quantity quantity;
  bool single, one_state;
};

PyObject* call_bound(PyObject* self, PyObject* const*, std::size_t flags, PyObject* keywords) {
  const Bound& bound = *reinterpret_cast<Bound*>(self);
  if (PyVectorcall_NARGS(flags) != 0 || (keywords != nullptr && PyTuple_Size(keywords) != 0)) {
    PyErr_SetString(PyExc_TypeError, "a bound call takes no arguments: it reads the arrays that it was made with");
    return nullptr;
  }
  bool done = false;
  try {
    done = bound.one_state && compute_one(*bound.robot, bound.quantity, bound.link, bound.single, bound.in, bound.to);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  if (!done && bound.general != nullptr) {
    PyObject* result = PyObject_CallNoArgs(bound.general);
    if (result == nullptr) return nullptr;
    Py_DECREF(result);
  }
  Py_INCREF(bound.out);
  return bound.out;
}

int traverse_bound(PyObject* self, visitproc visit, void* arg) {
  const Bound& bound = *reinterpret_cast<Bound*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(bound.general);
  Py_VISIT(bound.out);
  return 0;
}

int clear_bound(PyObject* self) {
  Bound& bound = *reinterpret_cast<Bound*>(self);
  bound.one_state = false, bound.robot = nullptr;  // which may go with `general`
  Py_CLEAR(bound.general);
  Py_CLEAR(bound.out);
  return 0;
}

void free_bound(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_bound(self);
  free_object(self);
}

PyObject* repr_bound(PyObject* self) {
  const Bound& bound = *reinterpret_cast<Bound*>(self);
  return PyUnicode_FromFormat("Bound('%s', %R)", row_of(bound.quantity).id.data(), bound.robot == nullptr ? Py_None : text(bound.robot->model().name()).ptr());
}

PyObject* make_type(const char* name, int size, unsigned long flags, PyType_Slot* slots) {
  PyType_Spec spec{name, size, 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | flags), slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return type;
}

template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

nb::object make_bound(const RobotDynamics& robot, Quantity quantity, std::size_t link, bool single, bool one_state, const std::array<const void*, 3>& in,
                      void* to, nb::handle out, nb::object general) {
  auto* type = reinterpret_cast<PyTypeObject*>(names.bound);
  PyObject* object = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (object == nullptr) throw nb::python_error();
  Bound& made = *reinterpret_cast<Bound*>(object);
  made.call = call_bound;
  made.general = general.release().ptr();
  made.out = out.inc_ref().ptr();
  made.robot = &robot;
  made.in = in;
  made.to = to;
  made.link = link;
  made.quantity = quantity;
  made.single = single;
  made.one_state = one_state;
  return nb::steal(object);
}

void bind_direct(nb::module_& m) {
  static PyMemberDef method_members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY, nullptr},
                                         {"__dictoffset__", T_PYSSIZET, offsetof(Method, attributes), READONLY, nullptr},
                                         {nullptr, 0, 0, 0, nullptr}};
  static PyMemberDef bound_members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Bound, call), READONLY, nullptr}, {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef method_properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
  PyType_Slot of_method[] = {
      {Py_tp_call, slot(PyVectorcall_Call)}, {Py_tp_descr_get, slot(get_method)}, {Py_tp_traverse, slot(traverse_method)}, {Py_tp_clear, slot(clear_method)},
      {Py_tp_dealloc, slot(free_method)},    {Py_tp_members, method_members},     {Py_tp_getset, method_properties},       {0, nullptr}};
  PyType_Slot of_bound[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                            {Py_tp_traverse, slot(traverse_bound)},
                            {Py_tp_clear, slot(clear_bound)},
                            {Py_tp_dealloc, slot(free_bound)},
                            {Py_tp_repr, slot(repr_bound)},
                            {Py_tp_members, bound_members},
                            {0, nullptr}};
  names = {PyUnicode_InternFromString("_core"),
           PyUnicode_InternFromString("out"),
           nb::type<RobotDynamics>().inc_ref().ptr(),
           make_type("ulna._core.Method", sizeof(Method), Py_TPFLAGS_METHOD_DESCRIPTOR, of_method),
           make_type("ulna._core.Bound", sizeof(Bound), 0, of_bound),
           nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr()};
  m.attr("Bound") = nb::handle(names.bound);
  m.def("direct", &direct);
}

}  // namespace ulna::python
