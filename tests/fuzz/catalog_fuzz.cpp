// SPDX-License-Identifier: Apache-2.0
// What is kept as TOML beside experiments: price lists, accelerators, cards of data sets.
#include "fetch/card.hpp"
#include "measure/accelerator.hpp"
#include "measure/price.hpp"
#include "target.hpp"

using namespace halfling;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of({data, size}));
  const auto file = fuzz::write("own.toml", text);
  fuzz::read_or_refuse("own.toml", [&] {
    for (const Price& price : parse_price_list(text, "own.toml")) price_and_name(price);
  });
  fuzz::read_or_refuse("own.toml", [&] { known_accelerators(file); });
  fuzz::read_or_refuse("own.toml", [&] { read_card(file); });
  keys_of(file);
  return 0;
}
