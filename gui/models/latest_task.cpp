#include "gui/models/latest_task.h"

#include <QMetaObject>
#include <QString>
#include <exception>
#include <utility>

namespace k3::gui {

LatestTask::LatestTask(QObject* parent)
    : QObject(parent), thread_([this](const std::stop_token& stop) { work(stop); }) {}

LatestTask::~LatestTask() {
  cancel();
}

void LatestTask::ask(Question question) {
  {
    const std::lock_guard lock(mutex_);
    running_.request_stop();
    waiting_ = std::move(question);
    waiting_number_ = ++asked_;
  }
  wake_.notify_one();
}

void LatestTask::cancel() {
  const std::lock_guard lock(mutex_);
  running_.request_stop();
  waiting_ = nullptr;
  answered_ = ++asked_;
}

void LatestTask::work(const std::stop_token& stop) {
  for (;;) {
    Question question;
    std::stop_token cancelled;
    std::uint64_t number = 0;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return waiting_ != nullptr; })) return;
      question = std::exchange(waiting_, nullptr);
      number = waiting_number_;
      running_ = std::stop_source();
      cancelled = running_.get_token();
    }
    Answer answer;
    try {
      answer = question(cancelled);
    } catch (const std::exception& error) {  // out of memory: the window stays
      answer = [this, text = QString::fromUtf8(error.what())] { Q_EMIT failed(text); };
    }
    QMetaObject::invokeMethod(
        this,
        [this, number, answer = std::move(answer)] {
          if (number != asked_ || answered_ == number) return;  // replaced or cancelled
          answered_ = number;
          if (answer) answer();
        },
        Qt::QueuedConnection);
  }
}

}  // namespace k3::gui
