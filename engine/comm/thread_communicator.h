#pragma once

#include <memory>
#include <vector>

#include "engine/device/communicator.h"

namespace k3 {

/// The ends of a group whose ranks are threads of this process, index = rank. Each end is used by
/// one thread (`abort` by any); buffers are host memory. Waiting threads sleep, so that there may
/// be many more ranks than cores.
///
/// `exchange` moves every row once: the receiver copies it out of the sender's buffer, which is
/// free again when the sender's call returns. Sizes that do not agree pairwise, or calls that
/// differ between ranks, are an Error (Code::internal) of that call on every rank and nothing is
/// copied. `abort` is final for the group.
///
/// The group lives as long as its last end.
std::vector<std::unique_ptr<Communicator>> make_thread_communicators(int num_ranks);

}  // namespace k3
