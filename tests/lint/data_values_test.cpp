// Every figure under data/ that came from outside says what it is: value with unit, source, date.

#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "engine/text/toml.h"
#include "tests/lint/source_tree.h"
#include "tests/support/shared_data.h"

namespace k3::lint {
namespace {

bool has_text(const Json& table, const char* key, const std::regex& form) {
  const Json* value = table.find(key);
  return value != nullptr && value->is(Json::Kind::string) &&
         std::regex_match(value->string(), form);
}

/// A quantity with its unit, a count, a share between 0 and 1, or a list of them.
bool says_its_unit(const Json& value) {
  static const std::regex kQuantity(R"([0-9.]+(e-?[0-9]+)? [A-Za-z][A-Za-z/]*)");
  if (value.is(Json::Kind::string)) return std::regex_match(value.string(), kQuantity);
  if (value.is(Json::Kind::array)) {
    return !value.items().empty() && std::ranges::all_of(value.items(), says_its_unit);
  }
  if (value.is(Json::Kind::real)) return value.number() >= 0 && value.number() <= 1;
  return value.is(Json::Kind::integer);
}

void check_value(const Json& table, const std::string& place) {
  static const std::regex kSource(".{4,}");
  static const std::regex kDate("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  EXPECT_TRUE(says_its_unit(*table.find("value"))) << place << ": a value without unit";
  EXPECT_TRUE(has_text(table, "source", kSource)) << place << ": no source";
  EXPECT_TRUE(has_text(table, "date", kDate)) << place << ": no date like 2026-01-31";
}

/// Checks the figures of a table and returns how many there are.
int check_figures(const Json& node, const std::string& place) {
  if (node.is(Json::Kind::array)) {
    int num_figures = 0;
    for (const Json& item : node.items())
      num_figures += check_figures(item, place + "[]");
    return num_figures;
  }
  if (!node.is(Json::Kind::object)) {
    EXPECT_FALSE(node.is_number()) << place << ": a bare number; write {value, source, date}";
    return 0;
  }
  if (node.find("value") != nullptr) {
    check_value(node, place);
    return 1;
  }
  int num_figures = 0;
  for (const Json::Member& member : node.members()) {
    num_figures += check_figures(member.value, place + "." + member.key);
  }
  return num_figures;
}

TEST(DataValues, CarryUnitSourceAndDate) {
  int num_figures = 0;
  for (const SourceFile& file : source_tree()) {
    const bool is_data = file.is_below("data/hardware") || file.is_below("data/calibration");
    if (!is_data || !file.path.ends_with(".toml")) continue;
    const auto document = load_toml(test::source_dir() / file.path);
    ASSERT_TRUE(document) << document.error().text();
    num_figures += check_figures(*document, file.path + ": ");
  }
  EXPECT_GT(num_figures, 0);
}

}  // namespace
}  // namespace k3::lint
