#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace k3::visual {

/// Width of one line of text in pixels, estimated without a font: generous averages of common
/// sans-serif faces, so that what fits here fits on the screen too.
double text_width(std::string_view text, double size);

/// `text` if it is at most `width` wide, else its beginning and "…"; empty if not even two
/// characters fit.
std::string elided(std::string_view text, double size, double width);

/// Lines of at most `width`, broken between words; a longer word stands alone.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

}  // namespace k3::visual
