// SPDX-License-Identifier: Apache-2.0
// What an hour of a machine costs, and what training costs by it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halfling/run.hpp"

namespace halfling {

/// "0.35 USD/h"
std::string price_text(const Price& price);
/// "0.35 USD/h (gcp-t4, 2025)" of one that was found in a list.
std::string price_and_name(const Price& price);

/// "0.35 USD/h", "12 EUR/h"; nullopt where the text is no price above zero.
std::optional<Price> parse_price(std::string_view text);

/// What a price list (prices.toml) names. `file` is for messages. Throws Error (usage) for what is no price
/// list.
std::vector<Price> parse_price_list(const std::string& toml, const std::string& file);

/// "0.35 USD/h", or a name from the list at `own`, or from the shipped one. Throws Error (usage) where the
/// list cannot be read, and for an unknown name, with the nearest known one.
Price find_price(const std::string& text, const std::optional<std::filesystem::path>& own);

/// The shipped price list.
std::vector<Price> shipped_price_list();

}  // namespace halfling
