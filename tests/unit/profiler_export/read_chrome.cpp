#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/core.h>

#include "engine/text/json.h"
#include "tests/unit/profiler_export/exported.h"

namespace k3::test {
namespace {

constexpr std::int64_t kFirstRankProcess = 1000;

/// "12.345" microseconds after `"key":` as nanoseconds, without a detour through double.
std::int64_t exact_ns(const std::string& line, const std::string& key) {
  const std::size_t at = line.find("\"" + key + "\":");
  EXPECT_NE(at, std::string::npos) << line;
  std::string digits = line.substr(at + key.size() + 3);
  digits.resize(digits.find_first_not_of("-0123456789."));
  const std::size_t point = digits.find('.');
  EXPECT_EQ(digits.size() - point, 4U) << "not three decimals: " << line;
  digits.erase(point, 1);
  std::int64_t ns = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), ns);
  EXPECT_TRUE(parsed.ec == std::errc()) << line;
  return ns;
}

struct Slice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

using Place = std::pair<std::int64_t, std::int64_t>;  ///< process, thread

class ChromeReader {
 public:
  Trace read(const std::filesystem::path& path) {
    const std::string text = file_text(path);
    const auto json = Json::parse(text, "trace");
    EXPECT_TRUE(json) << json.error().text();
    if (!json) return {};
    EXPECT_EQ(json->find("baseTimeNanoseconds")->integer(), 0);
    for (const Json::Member& fact : json->find("otherData")->members())
      trace_.facts[fact.key] = fact.value.string();
    std::vector<std::string> lines;
    std::istringstream stream(text.substr(text.find("\"traceEvents\":[\n")));
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line) && line[0] == '{')
      lines.push_back(line);
    const Json::Array& events = json->find("traceEvents")->items();
    EXPECT_EQ(lines.size(), events.size()) << "one event per line";
    for (std::size_t i = 0; i < std::min(lines.size(), events.size()); ++i)
      event(events[i], lines[i]);
    check_nesting();
    std::ranges::sort(trace_.spans);
    return trace_;
  }

 private:
  static std::int64_t rank_of(std::int64_t process) {
    return process < kFirstRankProcess ? -1 : process - kFirstRankProcess;
  }

  void event(const Json& event, const std::string& line) {
    const std::string& phase = event.find("ph")->string();
    const Place place{event.find("pid")->integer(), event.find("tid")->integer()};
    if (phase == "M") metadata(event, place);
    if (phase == "X") complete(event, place, line);
    if (phase == "s" || phase == "f") arrow(event, place, line);
    if (phase == "C") {
      const Json::Member& series = event.find("args")->members()[0];
      const std::string name =
          fmt::format("{} {} {}", rank_of(place.first), event.find("name")->string(), series.key);
      trace_.counters[name].push_back({exact_ns(line, "ts"), series.value.number()});
    }
  }

  void metadata(const Json& event, Place place) {
    const std::string& what = event.find("name")->string();
    const Json& args = *event.find("args");
    if (what == "process_name") {
      trace_.processes[rank_of(place.first)] = args.find("name")->string();
    } else if (what == "thread_name") {
      EXPECT_TRUE(names_.emplace(place, args.find("name")->string()).second);
      EXPECT_TRUE(threads_.insert(place.second).second) << "thread numbers are unique";
      trace_.tracks.emplace(names_[place], 0);
    }
  }

  void complete(const Json& event, Place place, const std::string& line) {
    EXPECT_TRUE(names_.contains(place)) << "a track is named before its first span: " << line;
    const std::int64_t begin = exact_ns(line, "ts");
    const std::int64_t duration = exact_ns(line, "dur");
    slices_[place].push_back({begin, begin + duration});
    if (rank_of(place.first) < 0) {
      trace_.steps.push_back(event.find("name")->string());
      return;
    }
    ++trace_.tracks[names_[place]];
    const Json& args = *event.find("args");
    const auto integer = [&](const char* key) {
      const Json* value = args.find(key);
      return value != nullptr ? value->integer() : -1;
    };
    const auto real = [&](const char* key) {
      const Json* value = args.find(key);
      return value != nullptr ? value->number() : 0;
    };
    const auto word = [&](const char* key) {
      const Json* value = args.find(key);
      return value != nullptr ? value->string() : "";
    };
    trace_.spans.push_back(TraceSpan{.rank = rank_of(place.first),
                                     .begin_ns = begin,
                                     .duration_ns = duration,
                                     .name = event.find("name")->string(),
                                     .category = event.find("cat")->string(),
                                     .step = integer("step"),
                                     .layer = integer("layer"),
                                     .kind = word("kind"),
                                     .stage = word("stage"),
                                     .task = integer("task"),
                                     .flops = real("flops"),
                                     .bytes = real("bytes")}
                               .text());
  }

  /// An arrow's end stands right behind its span and at its begin, where viewers look for it.
  void arrow(const Json& event, Place place, const std::string& line) {
    const std::int64_t t_ns = exact_ns(line, "ts");
    ASSERT_FALSE(slices_[place].empty()) << line;
    EXPECT_EQ(slices_[place].back().begin_ns, t_ns) << line;
    Arrow& arrow = trace_.arrows[static_cast<std::uint64_t>(event.find("id")->integer())];
    const bool from = event.find("ph")->string() == "s";
    (from ? arrow.from_rank : arrow.to_rank) = rank_of(place.first);
    (from ? arrow.from_ns : arrow.to_ns) = t_ns;
    EXPECT_TRUE(from || event.find("bp")->string() == "e");
  }

  /// Slices of a track nest or follow each other, in the order in which viewers take them.
  void check_nesting() {
    for (auto& [place, slices] : slices_) {
      std::ranges::stable_sort(slices, {},
                               [](const Slice& s) { return std::tuple(s.begin_ns, -s.end_ns); });
      std::vector<std::int64_t> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back() <= slice.begin_ns)
          open.pop_back();
        EXPECT_TRUE(open.empty() || slice.end_ns <= open.back()) << "crosses another";
        open.push_back(slice.end_ns);
      }
    }
  }

  Trace trace_;
  std::map<Place, std::string> names_;
  std::set<std::int64_t> threads_;
  std::map<Place, std::vector<Slice>> slices_;
};

}  // namespace

Trace read_chrome(const std::filesystem::path& path) {
  return ChromeReader().read(path);
}

}  // namespace k3::test
