#include "source/sdf_frames.hpp"

#include <algorithm>
#include <utility>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

SdfFrames::SdfFrames() {
  frames_.push_back({kSdfWorld});
  places_.emplace(kSdfWorld, 0);
}

bool SdfFrames::declare(SdfFrame frame) {
  const auto [place, is_new] = places_.try_emplace(frame.name, frames_.size());
  if (!is_new) {
    frame.messages->error(frame.line, cat("frame ", in_quotes(frame.name)),
                          place->second == 0 ? "this name is kept for the world" : cat("this name is already taken in line ", frames_[place->second].line),
                          "every link, joint, frame and model of a model needs a name of its own");
    return false;
  }
  frames_.push_back(std::move(frame));
  return true;
}

std::size_t SdfFrames::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? kNone : found->second;
}

bool SdfFrames::require(const std::string& name, const SdfFrame& user, std::size_t& out) const {
  out = find(name);
  if (out != kNone) return true;
  std::vector<std::string> known;
  for (const auto& [one, unused] : places_) known.push_back(one);
  user.messages->error(user.line, cat("frame ", in_quotes(user.name)), cat("there is no frame ", in_quotes(name)),
                       cat("correct the name", did_you_mean(name, known)));
  return false;
}

bool SdfFrames::resolve() {
  bool good = true;
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    SdfFrame& frame = frames_[i];
    const bool found = require(frame.base_name, frame, frame.base);
    good = good && found;
    if (found && !frame.link && !frame.attached_name.empty()) good = require(frame.attached_name, frame, frame.attached) && good;
  }
  if (!good) return false;
  for (const bool attached : {false, true}) {
    // A frame leads to the world within as many steps as there are frames, or never.
    std::vector<int> state(frames_.size(), 0);
    for (std::size_t i = 1; i < frames_.size(); ++i) {
      std::vector<std::size_t> path;
      std::size_t at = i;
      while (at != kNone && state[at] == 0) {
        state[at] = 1, path.push_back(at);
        at = attached ? frames_[at].attached : frames_[at].base;
      }
      if (at != kNone && state[at] == 1) {
        frames_[i].messages->error(frames_[i].line, cat("frame ", in_quotes(frames_[i].name)),
                                   cat("its ", attached ? "attachment" : "pose", " depends on itself"), "remove one of the references of the circle");
        return false;
      }
      for (const std::size_t done : path) state[done] = 2;
    }
  }
  for (std::size_t i = 1; i < frames_.size(); ++i) {
    if (frames_[i].placement.empty()) continue;
    std::size_t placed = kNone;
    if (!require(frames_[i].placement, frames_[i], placed)) return false;
    const Pose<double> X = frames_[i].X;
    frames_[i].X = {};
    frames_[i].X = X * between(placed, i);
  }
  return true;
}

Pose<double> SdfFrames::between(std::size_t a, std::size_t b) const {
  std::vector<std::size_t> above_a{a};
  while (frames_[above_a.back()].base != kNone) above_a.push_back(frames_[above_a.back()].base);
  std::vector<std::size_t> above_b{b};
  while (std::find(above_a.begin(), above_a.end(), above_b.back()) == above_a.end() && frames_[above_b.back()].base != kNone)
    above_b.push_back(frames_[above_b.back()].base);
  Pose<double> X_a, X_b;  // of both in the common frame
  const auto put_before = [](const Pose<double>& X, Pose<double>& to) { to = to == Pose<double>{} ? X : X * to; };
  for (const std::size_t at : above_b)
    if (at != above_b.back()) put_before(frames_[at].X, X_b);
  for (const std::size_t at : above_a) {
    if (at == above_b.back()) break;
    put_before(frames_[at].X, X_a);
  }
  if (X_a == Pose<double>{}) return X_b;
  return X_b == Pose<double>{} ? X_a.inverse() : X_a.inverse() * X_b;
}

std::size_t SdfFrames::link_of(std::size_t frame) const {
  while (frame != 0 && frame != kNone && !frames_[frame].link) frame = frames_[frame].attached;
  return frame;
}

}  // namespace ulna::internal
