// Every source file stands as clang-format writes it.

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/lint/source_tree.h"
#include "tests/support/shared_data.h"

namespace k3::lint {
namespace {

TEST(Format, IsWhatClangFormatWrites) {
  if (std::system("clang-format-19 --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "clang-format-19 is not installed";
  }
  std::string command = "cd '" + test::source_dir().string() + "' && ";
  command += "clang-format-19 --dry-run --Werror --ferror-limit=1";
  for (const SourceFile& file : source_tree()) {
    if (file.is_cpp()) command += " '" + file.path + "'";
  }
  EXPECT_EQ(std::system(command.c_str()), 0) << "repair with: clang-format-19 -i FILE";
}

}  // namespace
}  // namespace k3::lint
