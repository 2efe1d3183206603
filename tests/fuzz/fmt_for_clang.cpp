// clang mangles this function of {fmt} differently from g++, which built the library; so fuzz
// programs bring their own.

#include <fmt/format-inl.h>

template void fmt::detail::vformat_to(buffer<char>&,
                                      string_view,
                                      basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                                      locale_ref);
