// The steps of a study: timed, reported, and ended when the caller cancels.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include <ulna/study/study.hpp>

namespace ulna::internal {

/// One after the other, on the thread that runs them.
class Steps {
 public:
  /// `go_on` and `done` as in StudyOptions.
  explicit Steps(std::function<bool()> go_on, std::function<void(const StudyStep&)> done = {}) : go_on_(std::move(go_on)), done_(std::move(done)) {}

  /// `work` returns the result, in a few words, and whether it is as it should be.
  template <class Work>
  void run(const char* name, const Work& work) {
    require_go_on();
    const auto start = std::chrono::steady_clock::now();
    StudyStep step{name, "", 0, true};
    step.result = work(step.good);
    step.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    add(step);
  }
  void add(const StudyStep& step) {
    all_.push_back(step);
    if (done_) done_(step);
  }
  void require_go_on() const {
    if (go_on_ && !go_on_()) throw StudyInterrupted();
  }
  const std::vector<StudyStep>& all() const { return all_; }

 private:
  std::function<bool()> go_on_;
  std::function<void(const StudyStep&)> done_;
  std::vector<StudyStep> all_;
};

/// Steps on a second thread, parallel to those of the caller, on whose thread alone go_on() is called. They end with the object.
class StepsBeside {
 public:
  template <class Work>
  explicit StepsBeside(const Work& work) : end_(std::async(std::launch::async, [this, work] { work(own_); })) {}
  ~StepsBeside() { stop_ = true; }
  StepsBeside(const StepsBeside&) = delete;
  StepsBeside& operator=(const StepsBeside&) = delete;

  /// Waits for all of them, and counts them to `steps`.
  void join(Steps& steps) {
    while (end_.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) steps.require_go_on();
    end_.get();
    for (const StudyStep& step : own_.all()) steps.add(step);
  }

 private:
  std::atomic<bool> stop_{false};
  Steps own_{[this] { return !stop_; }};
  std::future<void> end_;  // waits when it is destroyed: before the others
};

}  // namespace ulna::internal
