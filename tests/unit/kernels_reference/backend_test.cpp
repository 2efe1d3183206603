#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/reference/reference_backend.h"

namespace k3::test {
namespace {

TEST(ReferenceBackend, HasOneDeviceWithATitleAndEveryOperator) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  EXPECT_EQ(backend->name(), "reference");
  EXPECT_EQ(backend->num_devices(), 1);
  EXPECT_FALSE(backend->device_title(0).empty());
  EXPECT_TRUE(backend->uses_host_memory());
  // The table is function pointers only: none may be null.
  using Entry = void (*)();
  static_assert(sizeof(KernelTable) % sizeof(Entry) == 0);
  std::array<Entry, sizeof(KernelTable) / sizeof(Entry)> entries{};
  std::memcpy(entries.data(), &backend->kernels(), sizeof(KernelTable));
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_NE(entries[i], nullptr) << i;
}

TEST(ReferenceBackend, BuffersAreAlignedAndHoldWhatIsCopied) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  const auto buffer = backend->allocate(0, 12);
  const auto stream = backend->make_stream(0);
  ASSERT_TRUE(buffer && stream);
  EXPECT_EQ((*buffer)->size(), 12U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*buffer)->data()) % 64, 0U);
  const std::array<std::int32_t, 3> sent{1, 2, 3};
  std::array<std::int32_t, 3> back{};
  (*stream)->copy_to_device((*buffer)->data(), sent.data(), 12);
  (*stream)->copy_to_host(back.data(), (*buffer)->data(), 12);
  EXPECT_EQ(back, sent);
  (*stream)->fill_zero((*buffer)->data(), 8);
  (*stream)->copy_to_host(back.data(), (*buffer)->data(), 12);
  EXPECT_EQ(back, (std::array<std::int32_t, 3>{0, 0, 3}));
}

TEST(ReferenceBackend, NothingIsCopiedForZeroBytes) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  const auto buffer = backend->allocate(0, 0);
  const auto stream = backend->make_stream(0);
  ASSERT_TRUE(buffer && stream);
  EXPECT_EQ((*buffer)->size(), 0U);
  (*stream)->copy_to_device(nullptr, nullptr, 0);
  (*stream)->copy_to_host(nullptr, nullptr, 0);
  (*stream)->fill_zero(nullptr, 0);
}

TEST(ReferenceBackend, RefusesMoreThanTheComputerHas_ThoughTheSystemWouldGrantIt) {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto buffer = make_reference_backend()->allocate(0, pages * page + 1);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, Code::does_not_fit);
}

TEST(ReferenceBackend, RefusesWhatMemoryCannotHold) {
  const std::unique_ptr<Backend> backend = make_reference_backend();
  const auto buffer = backend->allocate(0, std::numeric_limits<std::size_t>::max() / 4);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, Code::does_not_fit);
}

TEST(ReferenceBackend, MarksAreInOrderAndClearable) {
  const auto stream = make_reference_backend()->make_stream(0);
  ASSERT_TRUE(stream);
  const int first = (*stream)->mark();
  const int second = (*stream)->mark();
  (*stream)->synchronize();
  EXPECT_LE((*stream)->time_ns(first), (*stream)->time_ns(second));
  EXPECT_GT((*stream)->time_ns(first), 0);
  (*stream)->clear_marks();
  EXPECT_EQ((*stream)->mark(), first);
}

}  // namespace
}  // namespace k3::test
