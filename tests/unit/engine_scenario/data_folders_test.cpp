#include "engine/scenario/data_folders.h"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/shared_data.h"
#include "tests/support/temp_dir.h"

namespace k3 {
namespace {

using testing::Contains;
using testing::ElementsAre;

void write(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "x";
}

TEST(DataFolders, TakeTheFirstFolderThatHasAFile) {
  const test::TempDir first;
  const test::TempDir second;
  write(second / "data/model/a.json");
  const DataFolders folders({first.path(), second.path()});
  EXPECT_EQ(folders.find("data/model/a.json"), second / "data/model/a.json");
  write(first / "data/model/a.json");
  EXPECT_EQ(folders.find("data/model/a.json"), first / "data/model/a.json");
  EXPECT_EQ(folders.preset(PresetKind::model, "a"), first / "data/model/a.json");
  EXPECT_FALSE(folders.find("data/model/b.json"));
}

TEST(DataFolders, ListPresetsOfAllFoldersOnce) {
  const test::TempDir first;
  const test::TempDir second;
  write(first / "data/hardware/b.toml");
  write(first / "data/hardware/notes.md");
  write(second / "data/hardware/a.toml");
  write(second / "data/hardware/b.toml");
  write(second / "scenarios/nvl72/k.toml");
  const DataFolders folders({first.path(), "no/such/folder", second.path()});
  EXPECT_THAT(folders.presets(PresetKind::machine), ElementsAre("a", "b"));
  EXPECT_THAT(folders.presets(PresetKind::scenario), ElementsAre("nvl72/k"));
  EXPECT_THAT(folders.presets(PresetKind::model), ElementsAre());
}

TEST(DataFolders, PresetNamesAreNoPaths) {
  const test::TempDir folder;
  write(folder / "data/hardware/a.toml");
  write(folder / "secret.toml");
  const DataFolders folders({folder.path()});
  EXPECT_FALSE(folders.preset(PresetKind::machine, "../../secret"));
  EXPECT_FALSE(folders.preset(PresetKind::machine, (folder / "secret").string()));
}

TEST(DataFolders, KnowWhatShips) {
  const DataFolders folders({test::source_dir()});
  EXPECT_THAT(folders.presets(PresetKind::machine), Contains("gb300-nvl72"));
  EXPECT_THAT(folders.presets(PresetKind::model), Contains("mini"));
  EXPECT_THAT(folders.presets(PresetKind::scenario), Contains("nvl72/k3-decode-72"));
}

}  // namespace
}  // namespace k3
