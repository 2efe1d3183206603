#pragma once

#include "engine/device/kernel_table.h"

// The operators of the reference backend: contracts in kernels/ops. Work is done when a call
// returns; the stream is not used.
namespace k3::reference {

void embed(const ops::EmbedArgs& args, Stream& stream);
void linear(const ops::LinearArgs& args, Stream& stream);
void rms_norm(const ops::RmsNormArgs& args, Stream& stream);
void situ(const ops::SituArgs& args, Stream& stream);
void add(const ops::AddArgs& args, Stream& stream);
void sigmoid(const ops::SigmoidArgs& args, Stream& stream);
void sigmoid_gate(const ops::SigmoidGateArgs& args, Stream& stream);
void gather_rows(const ops::GatherRowsArgs& args, Stream& stream);
void argmax(const ops::ArgmaxArgs& args, Stream& stream);
void attn_res_mix(const ops::AttnResMixArgs& args, Stream& stream);
void short_conv(const ops::ShortConvArgs& args, Stream& stream);
void kda_gate(const ops::KdaGateArgs& args, Stream& stream);
void kda_recurrence(const ops::KdaRecurrenceArgs& args, Stream& stream);
void kda_output(const ops::KdaOutputArgs& args, Stream& stream);
void mla_cache(const ops::MlaCacheArgs& args, Stream& stream);
void mla_absorbed(const ops::MlaArgs& args, Stream& stream);
void mla_expanded(const ops::MlaArgs& args, Stream& stream);
void route(const ops::RouteArgs& args, Stream& stream);
void expert_mlp(const ops::ExpertMlpArgs& args, Stream& stream);
void combine(const ops::CombineArgs& args, Stream& stream);

}  // namespace k3::reference
