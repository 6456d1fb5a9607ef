// SPDX-License-Identifier: Apache-2.0
#include "run/quality_json.hpp"

#include "base/json_number.hpp"

namespace halfling {
namespace {

using nlohmann::ordered_json;

ordered_json measured(double value) {
  return std::isnan(value) ? ordered_json() : json_number(value);
}

ordered_json images_json(const ImageQuality& images, const std::vector<std::string>& classes) {
  ordered_json accuracy = {{"total", measured(images.class_accuracy)}, {"classes", ordered_json::object()}};
  for (std::size_t i = 0; i < images.class_accuracy_of.size(); ++i)
    accuracy["classes"][classes.at(i)] = measured(images.class_accuracy_of[i]);
  return {{"frechet_distance", measured(images.frechet_distance)},
          {"kernel_distance", measured(images.kernel_distance)},
          {"precision", measured(images.precision)},
          {"recall", measured(images.recall)},
          {"class_accuracy", accuracy},
          {"class_balance", measured(images.class_balance)}};
}

/// Of the classes that the real images have: what reads it pairs them.
ImageQuality images_of(const ordered_json& json, const std::vector<std::string>& classes) {
  ImageQuality images{.frechet_distance = number_of(json.at("frechet_distance")),
                      .kernel_distance = number_of(json.at("kernel_distance")),
                      .precision = number_of(json.at("precision")),
                      .recall = number_of(json.at("recall")),
                      .class_accuracy = number_of(json.at("class_accuracy").at("total")),
                      .class_balance = number_of(json.at("class_balance"))};
  for (const auto& [name, accuracy] : json.at("class_accuracy").at("classes").items())
    images.class_accuracy_of.push_back(number_of(accuracy));
  if (images.class_accuracy_of.size() != classes.size()) throw std::out_of_range("other classes");
  return images;
}

}  // namespace

ordered_json quality_json(const Quality& quality) {
  if (!quality.error.empty()) return {{"error", quality.error}};
  ordered_json result = {{"extractor", quality.extractor},
                         {"extractor_accuracy", measured(quality.extractor_accuracy)},
                         {"samples", quality.samples},
                         {"iteration", quality.iteration},
                         {"generated", images_json(quality.generated, quality.classes)}};
  if (quality.averages) result["averages"] = images_json(*quality.averages, quality.classes);
  result["real"] = images_json(quality.real, quality.classes);
  for (const QualityAt& at : quality.course) {
    ordered_json images = images_json(at.generated, quality.classes);
    images["iteration"] = at.iteration;
    result["course"].push_back(std::move(images));
  }
  return result;
}

Quality quality_of(const ordered_json& json) {
  Quality quality;
  quality.error = json.value("error", "");
  if (!quality.error.empty()) return quality;
  json.at("extractor").get_to(quality.extractor);
  quality.extractor_accuracy = number_of(json.at("extractor_accuracy"));
  quality.samples = whole_of(json.at("samples"));
  quality.iteration = whole_of(json.at("iteration"));
  for (const auto& [name, accuracy] : json.at("real").at("class_accuracy").at("classes").items())
    quality.classes.push_back(name);
  const auto images_of = [&](const ordered_json& images) {
    return halfling::images_of(images, quality.classes);
  };
  quality.generated = images_of(json.at("generated"));
  if (const auto found = json.find("averages"); found != json.end()) quality.averages = images_of(*found);
  quality.real = images_of(json.at("real"));
  if (const auto found = json.find("course"); found != json.end())
    for (const ordered_json& at : *found)
      quality.course.push_back({whole_of(at.at("iteration")), images_of(at)});
  return quality;
}

}  // namespace halfling
