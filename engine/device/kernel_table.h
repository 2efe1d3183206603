#pragma once

#include "kernels/ops/dense.h"
#include "kernels/ops/kda.h"
#include "kernels/ops/mla.h"
#include "kernels/ops/moe.h"

namespace k3 {

class Stream;

/// The operators of one backend. A null entry means "not supported": the runtime names it and
/// stops.
struct KernelTable {
  void (*embed)(const ops::EmbedArgs&, Stream&) = nullptr;
  void (*linear)(const ops::LinearArgs&, Stream&) = nullptr;
  void (*rms_norm)(const ops::RmsNormArgs&, Stream&) = nullptr;
  void (*situ)(const ops::SituArgs&, Stream&) = nullptr;
  void (*add)(const ops::AddArgs&, Stream&) = nullptr;
  void (*sigmoid)(const ops::SigmoidArgs&, Stream&) = nullptr;
  void (*sigmoid_gate)(const ops::SigmoidGateArgs&, Stream&) = nullptr;
  void (*gather_rows)(const ops::GatherRowsArgs&, Stream&) = nullptr;
  void (*argmax)(const ops::ArgmaxArgs&, Stream&) = nullptr;
  void (*attn_res_mix)(const ops::AttnResMixArgs&, Stream&) = nullptr;
  void (*short_conv)(const ops::ShortConvArgs&, Stream&) = nullptr;
  void (*kda_gate)(const ops::KdaGateArgs&, Stream&) = nullptr;
  void (*kda_recurrence)(const ops::KdaRecurrenceArgs&, Stream&) = nullptr;
  void (*kda_output)(const ops::KdaOutputArgs&, Stream&) = nullptr;
  void (*mla_cache)(const ops::MlaCacheArgs&, Stream&) = nullptr;
  void (*mla_absorbed)(const ops::MlaArgs&, Stream&) = nullptr;
  void (*mla_expanded)(const ops::MlaArgs&, Stream&) = nullptr;
  void (*route)(const ops::RouteArgs&, Stream&) = nullptr;
  void (*expert_mlp)(const ops::ExpertMlpArgs&, Stream&) = nullptr;
  void (*combine)(const ops::CombineArgs&, Stream&) = nullptr;
};

}  // namespace k3
