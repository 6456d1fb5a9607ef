// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halfling::html {

/// Text with nothing left that means something in HTML, and no control characters.
std::string escaped(std::string_view text);
std::string base64(std::string_view bytes);
/// Images inside of the page. As images, not as part of the document: nothing in them runs or leaves it.
std::string picture(std::string_view png, std::string_view description);
std::string plot(std::string_view svg, std::string_view description);
/// The first row is the heading, and the first cell of each row names it; cells are text, not HTML. It
/// scrolls where it is wider than the page; `name` is what a screen reader calls it.
std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view name);
std::string paragraph(std::string_view text);
std::string list(const std::vector<std::string>& texts);
/// A whole document with the report's style; `title` is text.
std::string document(std::string_view title, std::string_view body);

}  // namespace halfling::html
