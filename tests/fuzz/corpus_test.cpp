// Feeds every file of a fuzz target's corpus to it, in builds without libFuzzer too.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

TEST(Corpus, IsReadWithoutACrash) {
  int num_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(K3_CORPUS)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
    ++num_files;
  }
  EXPECT_GT(num_files, 0) << K3_CORPUS << " holds nothing";
}

}  // namespace
