// SPDX-License-Identifier: Apache-2.0
#include <cairo.h>

#include <algorithm>
#include <memory>

#include "halfling/error.hpp"
#include "strokes.hpp"

namespace halfling {

namespace {

constexpr double canvas = 256, width = 16, margin = 24;

struct Release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using Surface = std::unique_ptr<cairo_surface_t, Release>;
using Context = std::unique_ptr<cairo_t, Release>;

/// By how much an axis is moved so that what is drawn lies in the middle.
double shift_of(const std::vector<Stroke>& strokes, std::vector<std::uint8_t> Stroke::*axis) {
  std::uint8_t most = 0;
  for (const Stroke& stroke : strokes) most = std::max(most, *std::ranges::max_element(stroke.*axis));
  return (canvas - most) / 2;
}

void draw(cairo_t* context, const std::vector<Stroke>& strokes) {
  const double right = shift_of(strokes, &Stroke::x), down = shift_of(strokes, &Stroke::y);
  for (const Stroke& stroke : strokes) {
    cairo_move_to(context, stroke.x[0] + right, stroke.y[0] + down);
    // The first point once more: a stroke of one point is a dot.
    for (std::size_t i = 0; i < stroke.x.size(); ++i)
      cairo_line_to(context, stroke.x[i] + right, stroke.y[i] + down);
    cairo_stroke(context);
  }
}

}  // namespace

void render(const std::vector<Stroke>& strokes, int size, std::span<std::uint8_t> to) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size, size));
  const Context context(cairo_create(surface.get()));
  cairo_set_antialias(context.get(), CAIRO_ANTIALIAS_BEST);
  cairo_set_line_cap(context.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(context.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(context.get(), width);
  const double scale = size / (canvas + 2 * margin);
  cairo_scale(context.get(), scale, scale);
  cairo_translate(context.get(), margin, margin);
  cairo_set_source_rgb(context.get(), 0, 0, 0);
  cairo_paint(context.get());
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  draw(context.get(), strokes);
  if (cairo_status(context.get()) != CAIRO_STATUS_SUCCESS)
    throw Error({.what = std::string("cairo could not draw: ") +
                         cairo_status_to_string(cairo_status(context.get()))});
  cairo_surface_flush(surface.get());
  const unsigned char* pixels = cairo_image_surface_get_data(surface.get());
  const auto row = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const auto side = static_cast<std::size_t>(size);
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) to[y * side + x] = pixels[y * row + 4 * x];
}

}  // namespace halfling
