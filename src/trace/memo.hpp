// Values that are made once each.
#pragma once

#include <list>
#include <mutex>
#include <optional>

namespace ulna::internal {

/// Values by their keys. The first caller computes a value; callers for the same key wait, those for other keys do not. References stay valid.
template <class Key, class Value>
class Memo {
 public:
  template <class Make>
  const Value& operator()(const Key& key, const Make& make) {
    Entry& entry = of(key);
    std::call_once(entry.once, [&] { entry.value.emplace(make()); });
    return *entry.value;
  }

 private:
  struct Entry {
    explicit Entry(const Key& k) : key(k) {}
    Key key;
    std::once_flag once;
    std::optional<Value> value;
  };
  Entry& of(const Key& key) {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_)  // a handful
      if (entry.key == key) return entry;
    return entries_.emplace_back(key);
  }

  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace ulna::internal
