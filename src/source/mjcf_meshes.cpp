#include <algorithm>
#include <cmath>
#include <filesystem>

#include "source/mjcf_scope.hpp"
#include "text/message.hpp"

namespace ulna::internal {

void MjcfMeshes::add(const MjcfNode& mesh) {
  expect_known(mesh.element(), "mesh");
  std::string name = mesh.node.attribute("name").value();
  if (name.empty()) name = std::filesystem::path(mesh.node.attribute("file").value()).stem().string();
  if (!meshes_.try_emplace(name, Entry{mesh}).second)
    mesh.element().error_at("name", cat("there is a mesh ", in_quotes(name), " already"), "give every mesh a name of its own");
}

const MjcfMeshes::Entry& MjcfMeshes::find(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, unused] : meshes_) names.push_back(known);
  const auto [found, missing] = meshes_.try_emplace(name);
  Entry& entry = found->second;
  if (missing) entry.problem = "<asset> has no such mesh", entry.cure = cat("name one that is there", did_you_mean(name, names)), entry.read = true;
  if (!entry.read) read(entry);
  return entry;
}

/// The mesh itself: of the file, or of the numbers of `vertex` and `face`.
std::optional<Mesh> MjcfMeshes::mesh_of(const MjcfElement& element, Entry& entry) const {
  const XmlElement own = element.own();
  const auto refuse = [&](std::string problem, std::string cure) {
    entry.problem = std::move(problem), entry.cure = std::move(cure);
    return std::nullopt;
  };
  for (const char* other : {"builtin", "plugin"})
    if (own.has(other) || own.node().child(other)) return refuse("MuJoCo computes its points, which are not in the file", "let MuJoCo save the compiled model");
  Mesh out;
  if (!own.has("file")) {
    const std::size_t most = own.context().limits.file_bytes;
    const std::vector<double> vertex = own.numbers("vertex", 3, most), face = own.numbers("face", 3, most);
    if (vertex.size() % 3 != 0 || face.size() % 3 != 0) return refuse("the numbers of 'vertex' and 'face' come in threes", "complete them");
    for (std::size_t i = 0; i < vertex.size(); i += 3)
      out.points.push_back({static_cast<float>(vertex[i]), static_cast<float>(vertex[i + 1]), static_cast<float>(vertex[i + 2])});
    for (std::size_t i = 0; i < face.size(); i += 3) {
      MeshFace f;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!(face[i + k] >= 0 && face[i + k] < static_cast<double>(out.points.size()) && face[i + k] == std::floor(face[i + k])))
          return refuse(cat("triangle ", i / 3, " names point ", face[i + k], ", and there are ", out.points.size(), ", counted from 0"), "correct 'face'");
        f[k] = static_cast<int>(face[i + k]);
      }
      out.faces.push_back(f);
    }
    return out;
  }
  std::filesystem::path file = own.node().attribute("file").value();
  if (settings_.strippath) file = file.filename();
  const std::optional<MjcfFiles::Named> read =
      files_.read(element.node(), (std::filesystem::path(settings_.meshdir) / file).string(), entry.problem, entry.cure);
  if (!read) return {};
  Diagnostics problems(read->path);
  std::optional<Mesh> mesh = read_mesh(read->bytes, read->path, problems);
  for (const Diagnostic& d : problems.all()) {
    const std::string said = cat("the file ", in_quotes(read->path), d.line > 0 ? cat(", line ", d.line) : "", ": ", d.problem);
    if (d.severity == Severity::error)
      entry.problem = said, entry.cure = d.cure;
    else
      own.warning(said, d.cure);
  }
  if (mesh && mesh->faces.empty() && own.has("face")) return refuse("its file has points only, and 'face' is in the model", "write one file with both");
  return mesh;
}

void MjcfMeshes::read(Entry& entry) const {
  entry.read = true;
  const MjcfElement element(entry.node, cat("<mesh> ", in_quotes(entry.node.node.attribute("name").value())), defaults_, "", "mesh");
  const std::string word = element.word("inertia", {"legacy", "convex", "exact", "shell"});
  const MeshInertia inertia = word == "convex"  ? MeshInertia::convex
                              : word == "exact" ? MeshInertia::exact
                              : word == "shell" ? MeshInertia::shell
                                                : MeshInertia::legacy;
  MeshTransform transform;
  transform.origin = element.vector("refpos", {});
  transform.scale = element.vector("scale", {1, 1, 1});
  if (const std::vector<double> q = element.numbers("refquat", 4, 4); !q.empty()) transform.R = rotation_of_quaternion(q.data()).value_or(transform.R);
  std::optional<Mesh> mesh = mesh_of(element, entry);
  if (!mesh) return;
  entry.solid = solid_of(*std::move(mesh), inertia, transform, static_cast<int>(std::clamp(element.number("maxhullvert", -1), -1.0, 1e9)), entry.problem);
  entry.cure = "correct the mesh, or state the body's mass by <inertial>";
}

}  // namespace ulna::internal
