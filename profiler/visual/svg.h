#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/visual/draw_list.h"

namespace k3::visual {

/// How colours are written.
enum class SvgColors : std::uint8_t {
  variables,  ///< CSS variables of svg_style(): the page chooses the theme, printing takes light
  light,      ///< fixed: a file that stands alone
  dark,
};

struct SvgOptions {
  SvgColors colors = SvgColors::variables;
  std::string id = "k3";  ///< prefix of element ids: different for each picture of a page
};

/// The list as one <svg> element with role="img", its description as label and the tips as <title>
/// elements. Needs no script, font file or other resource.
std::string to_svg(const DrawList& list, const SvgOptions& options = {});

/// Style sheet that defines the variables: light, dark where the reader prefers it, light in print.
std::string svg_style();

/// `text` with markup characters escaped, control characters and broken UTF-8 replaced by U+FFFD:
/// safe inside elements and quoted attributes of HTML and XML.
std::string escaped(std::string_view text);

}  // namespace k3::visual
