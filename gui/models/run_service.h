#pragma once

#include <QObject>
#include <QPointer>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gui/models/runs.h"

namespace k3::gui {

/// The thread that reads sessions, so that the window never waits for a file. Questions are
/// functions over the open runs; what they return is called on the GUI thread, unless the asker is
/// gone or asked something newer under the same key meanwhile. Public functions: GUI thread only.
class RunService : public QObject {
  Q_OBJECT

 public:
  /// Called on the GUI thread with the answer inside.
  using Answer = std::function<void()>;
  /// Called on the thread of the service. Long ones look at the token.
  using Question = std::function<Answer(Runs& runs, const std::stop_token& stop)>;

  explicit RunService(QObject* parent = nullptr);
  ~RunService() override;
  RunService(const RunService&) = delete;
  RunService& operator=(const RunService&) = delete;
  RunService(RunService&&) = delete;
  RunService& operator=(RunService&&) = delete;

  /// Replaces the open runs; what was asked about the former ones is dropped. Where a file cannot
  /// be opened the former runs stay.
  void open(std::vector<std::filesystem::path> paths);

  /// What is open now.
  const std::vector<std::shared_ptr<const RunFacts>>& runs() const { return facts_; }

  /// An earlier question of this asker under the same key is cancelled.
  void ask(QObject* asker, std::string key, Question question);

  /// Asks the running question to stop and drops those that wait.
  void cancel_all();

  /// True while something is asked.
  bool busy() const { return !latest_.empty(); }

 Q_SIGNALS:
  void opened();
  void failed(const QString& message);
  void busy_changed(bool busy);

 private:
  using Key = std::pair<const QObject*, std::string>;

  struct Job {
    QPointer<QObject> asker;
    Key key;
    Question question;
    std::stop_source stop;
  };

  void work(const std::stop_token& stop);
  void finish(const std::shared_ptr<Job>& job, const Answer& answer);

  std::vector<std::shared_ptr<const RunFacts>> facts_;
  std::map<Key, std::shared_ptr<Job>> latest_;  ///< asked and not answered
  Runs runs_;                                   ///< of the thread
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::jthread thread_;  ///< last: ends before what it uses
};

}  // namespace k3::gui
