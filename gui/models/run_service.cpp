#include "gui/models/run_service.h"

#include <QMetaObject>
#include <exception>
#include <utility>

namespace k3::gui {

RunService::RunService(QObject* parent)
    : QObject(parent), thread_([this](const std::stop_token& stop) { work(stop); }) {}

RunService::~RunService() {
  blockSignals(true);  // those who listen may be half gone
  cancel_all();
}

void RunService::open(std::vector<std::filesystem::path> paths) {
  cancel_all();
  ask(this, "open", [this, paths = std::move(paths)](Runs& runs, const std::stop_token&) -> Answer {
    Result<Runs> opened = open_runs(paths);
    if (!opened) {
      return [this, text = opened.error().text()] { Q_EMIT failed(QString::fromStdString(text)); };
    }
    runs = *std::move(opened);
    return [this, facts = runs.facts] {
      facts_ = facts;
      Q_EMIT this->opened();
    };
  });
}

void RunService::ask(QObject* asker, std::string key, Question question) {
  const bool was_busy = busy();
  auto job = std::make_shared<Job>();
  job->asker = asker;
  job->key = {asker, std::move(key)};
  job->question = std::move(question);
  std::shared_ptr<Job>& latest = latest_[job->key];
  if (latest) latest->stop.request_stop();
  latest = job;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&job](const auto& other) { return other->key == job->key; });
    waiting_.push_back(std::move(job));
  }
  wake_.notify_one();
  if (!was_busy) Q_EMIT busy_changed(true);
}

void RunService::cancel_all() {
  const bool was_busy = busy();
  {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  for (const auto& [key, job] : latest_)
    job->stop.request_stop();
  latest_.clear();
  if (was_busy) Q_EMIT busy_changed(false);
}

void RunService::work(const std::stop_token& stop) {
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    Answer answer;
    try {
      answer = job->question(runs_, job->stop.get_token());
    } catch (const std::exception& error) {  // out of memory: the window stays
      answer = [this, text = QString::fromUtf8(error.what())] { Q_EMIT failed(text); };
    }
    QMetaObject::invokeMethod(
        this, [this, job, answer = std::move(answer)] { finish(job, answer); },
        Qt::QueuedConnection);
  }
}

void RunService::finish(const std::shared_ptr<Job>& job, const Answer& answer) {
  const auto latest = latest_.find(job->key);
  if (latest == latest_.end() || latest->second != job) return;  // replaced or cancelled
  latest_.erase(latest);
  if (answer && job->asker) answer();
  if (!busy()) Q_EMIT busy_changed(false);
}

}  // namespace k3::gui
