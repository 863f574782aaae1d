#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/ids.h"

namespace xsp {

// The id behind this one.
template <class Tag>
constexpr Id<Tag> Next(Id<Tag> id) {
  return Id<Tag>(std::size_t{id.value} + 1);
}

// The ids from `first` up to, but without, `last`: `for (TaskId task : graph.host_tasks())`.
template <class Key>
struct IdRange {
  Key first{0};
  Key last{0};

  std::uint32_t size() const { return last.value - first.value; }
  bool empty() const { return first == last; }
  bool Contains(Key id) const { return first <= id && id < last; }
  Key front() const { return first; }
  Key back() const { return Key(last.value - std::size_t{1}); }

  struct Iterator {
    Key at;
    Key operator*() const { return at; }
    Iterator& operator++() {
      ++at.value;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {first}; }
  Iterator end() const { return {last}; }
};

// A column of a graph: a vector whose rows are named by one type of id and by no other, so that a
// device operation's row among the operations cannot be mistaken for its number among all tasks.
// The two are both small integers, and the wrong one reads some other row without any complaint.
template <class Key, class T>
class IdVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;

  T& operator[](Key row) { return std::vector<T>::operator[](row.value); }
  const T& operator[](Key row) const { return std::vector<T>::operator[](row.value); }
  IdRange<Key> rows() const { return {Key(0), Key(this->size())}; }
};

// The number of a task in its graph.
using TaskId = Id<struct TaskTag>;
using TaskRange = IdRange<TaskId>;
// The row of a device operation in the columns that only operations have. A task's number and an
// operation's row are both integers and differ by the number of host tasks: TaskGraph::RowOf and
// OpAt lead from one to the other.
using OpIndex = Id<struct OpTag>;
// A column with a row for every task (or for every host task, which come first), and one with a row
// for every device operation.
template <class T>
using PerTask = IdVector<TaskId, T>;
template <class T>
using PerOp = IdVector<OpIndex, T>;

// Of rows in which a column never falls, the first that is not below a value; `rows.last` if all
// are.
template <class Key, class T>
Key LowerBound(const IdVector<Key, T>& column, IdRange<Key> rows, const T& value) {
  const auto begin = column.begin();
  const auto found = std::lower_bound(begin + rows.first.value, begin + rows.last.value, value);
  return Key(static_cast<std::size_t>(found - begin));
}

}  // namespace xsp
