#pragma once

#include <QObject>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace k3::gui {

/// A thread for one question that is asked again and again, of which only the latest counts: the
/// frame of a timeline, the rows of a table. Public functions: GUI thread only.
class LatestTask : public QObject {
  Q_OBJECT

 public:
  /// Called on the GUI thread with the answer inside.
  using Answer = std::function<void()>;
  /// Called on the thread of the task. Long ones look at the token.
  using Question = std::function<Answer(const std::stop_token& stop)>;

  explicit LatestTask(QObject* parent = nullptr);
  ~LatestTask() override;
  LatestTask(const LatestTask&) = delete;
  LatestTask& operator=(const LatestTask&) = delete;
  LatestTask(LatestTask&&) = delete;
  LatestTask& operator=(LatestTask&&) = delete;

  /// Cancels the question before.
  void ask(Question question);

  void cancel();

  /// True while something is asked and not answered.
  bool busy() const { return asked_ != answered_; }

 Q_SIGNALS:
  void failed(const QString& message);

 private:
  void work(const std::stop_token& stop);

  std::uint64_t asked_ = 0;     ///< number of the latest question
  std::uint64_t answered_ = 0;  ///< the same: it was answered or cancelled
  std::mutex mutex_;
  std::condition_variable_any wake_;
  Question waiting_;
  std::uint64_t waiting_number_ = 0;
  std::stop_source running_;
  std::jthread thread_;  ///< last: ends before what it uses
};

}  // namespace k3::gui
