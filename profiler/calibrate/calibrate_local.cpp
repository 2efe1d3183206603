#include "profiler/calibrate/calibrate_local.h"

#include <memory>

#include "kernels/registry/registry.h"
#include "profiler/calibrate/host_tables.h"
#include "profiler/calibrate/operator_tables.h"
#include "profiler/calibrate/recorder.h"
#include "profiler/calibrate/this_host.h"

namespace k3::calibrate {

Result<sim::Calibration> calibrate_local(const LocalRequest& request, Progress& progress) {
  K3_TRY(sim::Calibration calibration, describe_local(request.backend));
  K3_TRY(const std::unique_ptr<Backend> backend, make_backend(request.backend));
  Recorder recorder(
      {.seconds = request.seconds, .source = calibration.source, .date = calibration.date});
  add_core_tables(*backend, calibration.host.cores, calibration.host.cache.value(), recorder);
  add_transport_tables(*backend, calibration.host.cores, recorder);
  K3_TRY_VOID(add_operator_tables(*backend, recorder));
  K3_TRY(calibration.set, recorder.run(progress));
  return calibration;
}

}  // namespace k3::calibrate
