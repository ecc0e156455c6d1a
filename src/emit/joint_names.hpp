// Names for the quantities of a joint and its link: "w3_x". The letters are those that equations_lines.cpp knows.
#pragma once

#include <string>

#include <ulna/expr/expr.hpp>
#include <ulna/spatial/vec3.hpp>

namespace ulna {

class JointNames {
 public:
  JointNames(Graph& graph, std::size_t joint) : graph_(graph), number_(std::to_string(joint + 1)) {}
  void operator()(const char* letter, const Expr& x, const char* entry = "") const { graph_.name(x, letter + number_ + entry); }
  void operator()(const char* letter, const Vec3<Expr>& v) const { (*this)(letter, v.x, "_x"), (*this)(letter, v.y, "_y"), (*this)(letter, v.z, "_z"); }
  void operator()(const char* letter, const Sym3<Expr>& s) const {
    (*this)(letter, s.xx, "_xx"), (*this)(letter, s.yy, "_yy"), (*this)(letter, s.zz, "_zz");
    (*this)(letter, s.xy, "_xy"), (*this)(letter, s.xz, "_xz"), (*this)(letter, s.yz, "_yz");
  }
  void operator()(const char* letter, const Mat3<Expr>& m) const {
    (*this)(letter, m.xx, "_xx"), (*this)(letter, m.xy, "_xy"), (*this)(letter, m.xz, "_xz");
    (*this)(letter, m.yx, "_yx"), (*this)(letter, m.yy, "_yy"), (*this)(letter, m.yz, "_yz");
    (*this)(letter, m.zx, "_zx"), (*this)(letter, m.zy, "_zy"), (*this)(letter, m.zz, "_zz");
  }

 private:
  Graph& graph_;
  std::string number_;
};

}  // namespace ulna
