#include "gui/timeline/lane_loader.h"

#include <cstddef>
#include <utility>

#include "profiler/store/session_reader.h"

namespace k3::gui {
namespace {

constexpr int kPollMs = 50;

using Facts = std::vector<std::shared_ptr<const RunFacts>>;

Result<std::vector<RunLanes>> read_all(const Facts& facts,
                                       const std::stop_token& stop,
                                       std::atomic<double>& share) {
  std::vector<RunLanes> runs;
  for (const std::shared_ptr<const RunFacts>& run : facts) {
    K3_TRY(const store::SessionReader reader, store::SessionReader::open(run->summary.path));
    const double before = static_cast<double>(runs.size());
    const auto progress = [&](double part) {
      share = (before + part) / static_cast<double>(facts.size());
    };
    K3_TRY(auto lanes, query::load_lanes(reader, {.stop = stop, .progress = progress}));
    query::DataRange data = query::data_range(*lanes);
    runs.push_back({run, std::move(lanes), std::move(data)});
  }
  return runs;
}

}  // namespace

LaneLoader::LaneLoader(TimelineFocus* focus, QObject* parent) : QObject(parent), focus_(focus) {
  poll_.setInterval(kPollMs);
  connect(&poll_, &QTimer::timeout, this, [this] { Q_EMIT progressed(share_->load()); });
  connect(&task_, &LatestTask::failed, this, [this](const QString& message) {
    poll_.stop();
    Q_EMIT failed(message);
  });
}

void LaneLoader::load(const Facts& runs) {
  share_ = std::make_shared<std::atomic<double>>(0);
  poll_.start();
  focus_->set_runs({});
  task_.ask([this, runs, share = share_](const std::stop_token& stop) -> LatestTask::Answer {
    auto read = std::make_shared<Result<std::vector<RunLanes>>>(read_all(runs, stop, *share));
    return [this, read] {
      poll_.stop();
      if (!*read) {
        Q_EMIT failed(QString::fromStdString(read->error().text()));
        return;
      }
      focus_->set_runs(std::move(**read));
      Q_EMIT loaded();
    };
  });
}

void LaneLoader::cancel() {
  task_.cancel();
  poll_.stop();
}

}  // namespace k3::gui
