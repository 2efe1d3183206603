#include "tests/unit/profiler_visual/markup_check.h"

#include <cctype>
#include <cstddef>
#include <set>
#include <stdexcept>
#include <vector>

namespace k3::test {
namespace {

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  void run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '<') {
        markup();
      } else {
        character("text");
      }
    }
    if (!open_.empty()) fail("<" + open_.back() + "> is never closed");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at " + std::to_string(at_) + ": " +
                             std::string(text_.substr(at_, 60)));
  }

  bool skip(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void character(const std::string& where) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 && c != '\n' && c != '\t') fail("control character in " + where);
    if (c == '<') fail("'<' in " + where);
    if (c == '&') {
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        if (skip(entity)) return;
      }
      fail("undefined entity in " + where);
    }
    ++at_;
  }

  std::string name() {
    std::string out;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-')) {
      out += text_[at_++];
    }
    if (out.empty()) fail("a name is missing");
    return out;
  }

  void attribute() {
    const std::string key = name();
    if (!skip("=\"")) fail("attribute " + key + " has no quoted value");
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"')
      character("attribute " + key);
    const std::string value(text_.substr(begin, at_ - begin));
    if (!skip("\"")) fail("attribute " + key + " never ends");
    if (key == "id" && !ids_.insert(value).second) fail("id " + value + " is repeated");
  }

  void markup() {
    if (skip("<!DOCTYPE html>")) return;
    if (skip("</")) {
      const std::string element = name();
      if (open_.empty() || open_.back() != element) fail("</" + element + "> closes nothing");
      open_.pop_back();
      if (!skip(">")) fail("'>' is missing");
      return;
    }
    skip("<");
    const std::string element = name();
    while (skip(" "))
      attribute();
    if (skip("/>")) return;
    if (!skip(">")) fail("'>' is missing");
    if (element == "meta") return;
    open_.push_back(element);
    if (element != "style") return;
    const std::size_t end = text_.find("</style>", at_);
    if (end == std::string_view::npos) fail("<style> never ends");
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
};

}  // namespace

std::string markup_error(std::string_view text) {
  try {
    Walk(text).run();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

}  // namespace k3::test
