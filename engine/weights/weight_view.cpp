#include "engine/weights/weight_view.h"

#include <functional>
#include <numeric>

namespace k3 {

std::int64_t WeightView::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace k3
