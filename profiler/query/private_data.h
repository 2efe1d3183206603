#pragma once

#include <string>
#include <string_view>

namespace k3::query {

/// The text with every absolute path (/…, ~/…, C:\…) cut down to its last component: folders tell
/// who somebody is. "900 GB/s" and relative paths stay.
std::string without_folders(std::string_view text);

/// The last component of a path.
std::string file_name(std::string_view path);

/// A resolved scenario without folders and without lines that name a host.
std::string public_scenario(std::string_view toml);

/// Whether a key of `meta` names what tells of people and computers: hosts, users, commands,
/// environments, folders.
bool is_private_key(std::string_view key);

/// Sixteen hexadecimal digits that identify a text (FNV-1a, 64 bit).
std::string fingerprint(std::string_view text);

}  // namespace k3::query
