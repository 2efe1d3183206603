#include "engine/scenario/setup.h"

#include "engine/model/row_size.h"

namespace k3 {

std::string_view name_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::float32:
      return "float32";
    case NumberFormat::bf16:
      return "bf16";
    case NumberFormat::fp8:
      return "fp8";
    case NumberFormat::mxfp8:
      return "mxfp8";
    case NumberFormat::mxfp4:
      return "mxfp4";
    case NumberFormat::nvfp4:
      return "nvfp4";
  }
  return "?";
}

std::string_view name_of(RoutingSourceKind source) {
  switch (source) {
    case RoutingSourceKind::uniform:
      return "uniform";
    case RoutingSourceKind::zipf:
      return "zipf";
    case RoutingSourceKind::lognormal:
      return "lognormal";
    case RoutingSourceKind::file:
      return "file";
    case RoutingSourceKind::recorded:
      return "recorded";
    case RoutingSourceKind::model:
      return "model";
  }
  return "?";
}

std::int64_t row_bytes(NumberFormat format, std::int64_t elements) {
  switch (format) {
    case NumberFormat::float32:
      return row_size(kFloat32Layout, elements);
    case NumberFormat::bf16:
      return row_size(kBf16Layout, elements);
    case NumberFormat::fp8:
    case NumberFormat::mxfp8:
      return row_size(kMxfp8Layout, elements);
    case NumberFormat::mxfp4:
      return row_size(kMxfp4Layout, elements);
    case NumberFormat::nvfp4:
      return row_size(kNvfp4Layout, elements);
  }
  return 0;
}

}  // namespace k3
