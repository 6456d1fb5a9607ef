// SPDX-License-Identifier: Apache-2.0
#include "run/profile_json.hpp"

#include <nlohmann/json.hpp>

#include "base/json_number.hpp"

namespace halfling {

using nlohmann::ordered_json;

ordered_json profile_json(const WorkProfile& profile) {
  ordered_json times = ordered_json::array();
  for (const WorkTime& time : profile.times)
    times.push_back({{"layer", time.layer},
                     {"work", time.work},
                     {"ms", time.ms},
                     {"flops", time.flops},
                     {"bytes", time.bytes}});
  return {{"iterations", profile.iterations}, {"ms_per_iteration", profile.ms}, {"work", std::move(times)}};
}

WorkProfile profile_of(const ordered_json& json) {
  WorkProfile profile;
  profile.iterations = whole_of(json.at("iterations"));
  profile.ms = number_of(json.at("ms_per_iteration"));
  for (const ordered_json& time : json.at("work"))
    profile.times.push_back({time.at("layer"), time.at("work"), number_of(time.at("ms")),
                             number_of(time.at("flops")), number_of(time.at("bytes"))});
  return profile;
}

}  // namespace halfling
