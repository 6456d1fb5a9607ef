// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halfling::html {

/// Text with nothing left that means something in HTML.
std::string escaped(std::string_view text);
std::string base64(std::string_view bytes);
/// An image inside of the page; type is "image/png" or "image/svg+xml".
std::string image(std::string_view type, std::string_view bytes, std::string_view description);
/// The first row is the heading; cells are text, not HTML.
std::string table(const std::vector<std::vector<std::string>>& rows);
/// A whole document with the report's style.
std::string document(std::string_view title, std::string_view body);

}  // namespace halfling::html
