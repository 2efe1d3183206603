#include "profiler/report/report.h"

#include "profiler/report/page_internal.h"

namespace k3::report {

Result<std::string> render_report(const figures::Input& input) {
  constexpr double kWidth = 976;  // of the page's text
  K3_TRY_VOID(figures::check(input));
  const figures::RunsView view = figures::view_of(input);
  return page(view,
              {step_figure(view, kWidth), layer_figure(view, kWidth), traffic_figure(view, kWidth),
               load_figure(view, kWidth), error_figure(view, kWidth)});
}

}  // namespace k3::report
