// Meshes: closed forms of what they enclose, and what is wrong with bad ones.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include <ulna/source/load.hpp>

#include "source/mesh.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using internal::Mesh;
using internal::MeshInertia;
using internal::MeshSolid;

/// A box of half sizes a, b, c about m, whose faces are grids of so many squares, as OBJ.
std::string box_obj(double a, double b, double c, Vec3<double> m, int cells) {
  std::string points, faces;
  int count = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int end = 0; end < 2; ++end)
      for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
          const int corners[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
          std::string face = "f";
          for (int k = 0; k < 4; ++k) {
            double p[3];
            p[axis] = 2 * end - 1;
            p[(axis + 1) % 3] = 2.0 * corners[end == 1 ? k : 3 - k][0] / cells - 1;
            p[(axis + 2) % 3] = 2.0 * corners[end == 1 ? k : 3 - k][1] / cells - 1;
            points += cat("v ", m.x + a * p[0], " ", m.y + b * p[1], " ", m.z + c * p[2], "\n");
            face += cat(" ", ++count);
          }
          faces += face + "\n";
        }
  return points + faces;
}

std::optional<MeshSolid> solid(const std::string& bytes, const std::string& file, MeshInertia inertia, const internal::MeshTransform& transform = {}) {
  Diagnostics problems(file);
  const std::optional<Mesh> mesh = internal::read_mesh(bytes, file, problems);
  EXPECT_TRUE(mesh) << listing(problems.all());
  std::string why;
  const std::optional<MeshSolid> out = mesh ? internal::solid_of(*mesh, inertia, transform, -1, why) : std::nullopt;
  EXPECT_NE(out.has_value(), !why.empty()) << why;
  return out;
}

TEST(Meshes, BoxesOfEveryKind) {
  const double a = 0.25, b = 0.5, c = 1;  // floats, so that the closed forms hold to rounding
  for (const MeshInertia inertia : {MeshInertia::convex, MeshInertia::exact, MeshInertia::legacy, MeshInertia::shell})
    for (const bool mirrored : {false, true}) {
      const std::optional<MeshSolid> s =
          solid(box_obj(a, b, c, {1, 2, -4}, 4), "box.obj", inertia, {{1, 0, 0}, Mat3<double>::identity(), {mirrored ? -1.0 : 1.0, 1, 2}});
      ASSERT_TRUE(s);
      const double C = 2 * c, shell = inertia == MeshInertia::shell, area = 8 * (a * b + b * C + C * a);
      EXPECT_NEAR(s->volume, shell ? area : 8 * a * b * C, 1e-13);
      EXPECT_NEAR(s->X.p.x, 0, 1e-14);
      EXPECT_NEAR(s->X.p.y, 2, 1e-14);
      EXPECT_NEAR(s->X.p.z, -8, 1e-13);
      const auto mean = [&](double u, double v, double w) { return shell ? 8 * u * u * (v * w + (u * v + u * w) / 3) : 8 * a * b * C * u * u / 3; };
      EXPECT_NEAR(s->moments.x, mean(b, a, C) + mean(C, a, b), 1e-12);  // the longest side is across
      EXPECT_NEAR(s->moments.z, mean(a, b, C) + mean(b, a, C), 1e-12);
    }
}

TEST(Meshes, AHullOfManyPointsInItsPlanesIsTheBox) {
  std::string points;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      for (int k = 0; k < 12; ++k) points += cat("v ", i / 16.0, " ", j / 16.0 + 1e-7 * i, " ", k / 16.0, "\n");
  const std::optional<MeshSolid> s = solid(points, "grid.obj", MeshInertia::convex);
  ASSERT_TRUE(s);
  EXPECT_NEAR(s->volume, std::pow(11 / 16.0, 3), 1e-6);
}

// A pentagon that is not convex, between two heights: cut into triangles, and counted as positive.
TEST(Meshes, PolygonsOfManyCorners) {
  const std::string prism =
      "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 1 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 2 1\nv 1 1 1\nv 0 2 1\n"
      "f 5 4 3 2 1\nf 6 7 8 9 10\nf 1 2 7 6\nf 2 3 8 7\nf 3 4 9 8\nf 4 5 10 9\nf 5 1 6 10\n";
  for (const MeshInertia inertia : {MeshInertia::exact, MeshInertia::convex}) {
    const std::optional<MeshSolid> s = solid(prism, "prism.obj", inertia);
    ASSERT_TRUE(s);
    EXPECT_NEAR(s->volume, inertia == MeshInertia::exact ? 3 : 4, 1e-14);
  }
}

// Polygons that lie in no plane: their triangles are those of MuJoCo 4.0, whose volumes and mass centres these are. Of the second it leaves out a part, and of
// more than 100 corners all.
TEST(Meshes, BentPolygonsAreCutAsInMujoco) {
  const std::string pentagon =
      "v 1.25 0.3 0.13\nv 1.08 0.4 -0.2\nv 0.19 1.06 0.14\nv -0.2 -0.39 -0.19\nv 0.67 -0.69 0.09\nv 0.25 0.25 1.5\nf 5 4 3 2 1\nf 1 2 6\nf 2 3 6\nf 3 4 6\n"
      "f 4 5 6\nf 5 1 6\n";
  const std::string heptagon =
      "v 0.01 0.82 0.13\nv 0.04 0.69 -0.03\nv -0.27 0.67 -0.1\nv -0.27 0.44 0.04\nv 0.45 -0.41 0.04\nv 0.71 -0.23 0.06\nv 0.9 0.15 0.16\nv 0.25 0.25 1.5\n"
      "f 7 6 5 4 3 2 1\nf 1 2 8\nf 2 3 8\nf 3 4 8\nf 4 5 8\nf 5 6 8\nf 6 7 8\nf 7 1 8\n";
  const std::tuple<std::string, double, Vec3<double>> kSolids[] = {
      {pentagon, 0.7074974914898965, {0.4370187888407531, 0.13421615410283938, 0.3832992132286111}},
      {heptagon, 0.2959910579822588, {0.29833195970117404, 0.20275692486319136, 0.4599474032829711}}};
  for (const auto& [text, volume, centre] : kSolids) {
    const std::optional<MeshSolid> s = solid(text, "bent.obj", MeshInertia::legacy);
    ASSERT_TRUE(s);
    EXPECT_NEAR(s->volume, volume, 1e-12);
    EXPECT_NEAR(s->X.p.x, centre.x, 1e-12);
    EXPECT_NEAR(s->X.p.y, centre.y, 1e-12);
    EXPECT_NEAR(s->X.p.z, centre.z, 1e-12);
  }
  std::string large = "f";
  for (int k = 0; k < 101; ++k) large += cat(" ", k % 5 + 1);
  EXPECT_NEAR(solid(pentagon + large + "\n", "large.obj", MeshInertia::legacy)->volume, 0.7074974914898965, 1e-12);
}

std::string binary_stl(const std::vector<std::array<float, 9>>& triangles, std::uint32_t stated) {
  std::string out(80, ' ');
  const auto add = [&](const void* from, std::size_t bytes) { out.append(static_cast<const char*>(from), bytes); };
  add(&stated, 4);
  for (const auto& t : triangles) out.append(12, '\0'), add(t.data(), 36), out.append(2, '\0');
  return out;
}

/// A robot whose only mass is this mesh.
LoadResult with_mesh(const support::Folder& folder, const std::string& file, const std::string& bytes, const std::string& attributes = "") {
  folder.write(file, bytes);
  folder.write("robot.xml", cat("<mujoco><asset><mesh name='m' file='", file, "' ", attributes,
                                "/></asset>\n<worldbody><body><joint/>\n<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"));
  return try_load(folder.at("robot.xml"));
}

TEST(Meshes, FaultsAreNamedWithTheirPlace) {
  const std::vector<std::array<float, 9>> four{
      {0, 0, 0, 0, 1, 0, 1, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 0, 0, 0, 1}};
  std::vector<std::array<float, 9>> far = four, turned = four;
  far[2][4] = 2e9F;
  std::swap(turned[1][3], turned[1][6]), std::swap(turned[1][5], turned[1][8]);
  struct Fault {
    std::string file, bytes, attributes, problem;
  };
  const std::string corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const Fault faults[] = {
      {"a.stl", binary_stl(four, 5), "", "its header states 5 triangles, which take 334 bytes, and it has 284"},
      {"b.stl", binary_stl(four, 4).substr(0, 60), "", "it has 60 bytes, less than the header"},
      {"c.stl", binary_stl(far, 4), "", "triangle 3: the coordinate 2e+09 is beyond 2^30"},
      {"d.stl", binary_stl(turned, 4), "inertia='exact'", "one of them is badly oriented"},
      {"e.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "", "line 4: a vertex needs three numbers"},
      {"f.obj", corner + "f 1 2 9\n", "", "line 5: a face names point 9, and the file has 4"},
      {"g.obj", corner + "f 1 2 x\n", "", "line 5: 'x' is no corner of a face"},
      {"h.obj", "v 0 0 zero\n", "", "line 1: "},
      {"i.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", "", "its points lie in a plane"},
      {"j.obj", corner + "f 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n", "inertia='exact'", "badly oriented"},
      {"k.obj", corner + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n", "inertia='exact'", "its volume is negative"},
      {"l.msh", std::string("\x04\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 16), "", "its header does not fit its size"},
      {"m.dae", "<COLLADA/>", "", "meshes of the kind '.dae' are not read"},
      {"n.obj", corner, "maxhullvert='4' inertia='convex' builtin='cone'", "MuJoCo computes its points"},
  };
  const support::Folder folder;
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.file);
    const LoadResult result = with_mesh(folder, fault.file, fault.bytes, fault.attributes);
    expect_well_formed(result.diagnostics);
    EXPECT_FALSE(result.model);
    EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 3, "the body takes its mass from this geom, of mesh 'm': ")) << listing(result.diagnostics);
    EXPECT_NE(listing(result.diagnostics).find(fault.problem), std::string::npos) << listing(result.diagnostics);
  }
  EXPECT_TRUE(with_mesh(folder, "good.stl", binary_stl(four, 4), "inertia='exact'").model);
  // A limit, a file that is not there, and a model without a folder.
  LoadOptions small;
  small.limits.file_bytes = 250;
  const LoadResult large = try_load(folder.at("robot.xml"), small);
  EXPECT_NE(listing(large.diagnostics).find("--limit file-bytes=N"), std::string::npos) << listing(large.diagnostics);
  EXPECT_NE(listing(try_parse(folder.text_of("robot.xml"), "robot.xml").diagnostics).find("the model is a text without a folder"), std::string::npos);
}

// Copies of copies, and models that attach each other, end at limits, and soon.
TEST(Meshes, CopiesOfCopiesEndAtALimit) {
  const auto in_time = [](const auto& act) {
    const auto begin = std::chrono::steady_clock::now();
    act();
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);
  };
  for (const char* inside : {"<geom size='1'/>", "<body><joint/><geom size='1'/></body>", ""}) {
    std::string laughs = inside;
    for (int k = 0; k < 9; ++k) laughs = cat("<replicate count='100'>", laughs, "</replicate>");
    LoadResult result;
    in_time([&] { result = try_parse(cat("<mujoco><worldbody>", laughs, "</worldbody></mujoco>"), "robot.xml"); });
    EXPECT_FALSE(result.model);
    EXPECT_NE(listing(result.diagnostics).find("--limit "), std::string::npos) << listing(result.diagnostics);
  }
  const support::Folder folder;
  folder.write("robot.xml", "<mujoco><asset><model name='x' file='robot.xml'/></asset><worldbody><attach model='x' prefix='p'/></worldbody></mujoco>");
  EXPECT_NE(listing(try_load(folder.at("robot.xml")).diagnostics).find("takes itself in"), std::string::npos);
  for (int k = 0; k < 30; ++k)
    folder.write(cat("m", k, ".xml"), cat("<mujoco><asset><model name='x' file='m", k + 1,
                                          ".xml'/></asset><worldbody><attach model='x' prefix='p'/><attach model='x' prefix='q'/>", "</worldbody></mujoco>"));
  folder.write("m30.xml", "<mujoco><worldbody><body name='b'><joint/><geom size='1'/></body></worldbody></mujoco>");
  LoadResult result;
  in_time([&] { result = try_load(folder.at("m0.xml")); });
  EXPECT_FALSE(result.model);
  EXPECT_NE(listing(result.diagnostics).find("--limit "), std::string::npos) << listing(result.diagnostics);
}

}  // namespace
}  // namespace ulna::test
