// Frames of an SDFormat file: where each model, link, joint and frame stands, by way of those that it refers to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

inline constexpr char kSdfWorld[] = "world";

/// A model, link, joint or frame: where it stands, and on which link.
struct SdfFrame {
  std::string name;                          // in full: "arm::hand"
  Pose<double> X{};                          // in the frame `base`
  std::string base_name{}, attached_name{};  // in full; empty: nothing else
  std::size_t base = kNone, attached = kNone;
  std::string placement{};  // of a model: the frame to which its pose belongs
  bool link = false;
  Diagnostics* messages = nullptr;  // of its file
  int line = 0;
};

/// All of them; the world is the first.
class SdfFrames {
 public:
  SdfFrames();

  std::size_t size() const { return frames_.size(); }
  SdfFrame& operator[](std::size_t i) { return frames_[i]; }
  const SdfFrame& operator[](std::size_t i) const { return frames_[i]; }

  /// False where the name is taken, which is said.
  bool declare(SdfFrame frame);
  /// The frame of this name, or kNone.
  std::size_t find(const std::string& name) const;
  /// Follows all names. False where one is wrong or depends on itself, which is said.
  bool resolve();
  /// X_AB: frame b in frame a, by way of the nearest frame on which both depend, so that poses that cancel leave no rounding.
  Pose<double> between(std::size_t a, std::size_t b) const;
  /// The link that carries a frame; the world's is 0.
  std::size_t link_of(std::size_t frame) const;

 private:
  bool require(const std::string& name, const SdfFrame& user, std::size_t& out) const;

  std::vector<SdfFrame> frames_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

}  // namespace ulna::internal
