// SPDX-License-Identifier: Apache-2.0
// Protobuf's wire format, by the examples of its documentation.
#include "../../plugins/reporter/tensorboard/event.hpp"

#include <doctest/doctest.h>

using Message = halfling::ProtobufMessage;

TEST_CASE("fields are encoded as protobuf's documentation has it") {
  CHECK(Message().integer(1, 150).text() == "\x08\x96\x01");
  CHECK(Message().bytes(2, "testing").text() == "\x12\x07testing");
  CHECK(Message().message(3, Message().integer(1, 150)).text() == "\x1a\x03\x08\x96\x01");
  CHECK(Message().integer(1, ~std::uint64_t{0}).text() == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  using namespace std::string_literals;
  CHECK(Message().single(2, 1).text() == "\x15\x00\x00\x80\x3f"s);
  CHECK(Message().real(1, 1).text() == "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f"s);
  CHECK(Message().integer(16, 1).text() == "\x80\x01\x01");
}

TEST_CASE("settings keep their types for TensorBoard's page of hyperparameters") {
  using namespace std::string_literals;
  const std::string event = halfling::tensorboard::hparams_start_event(
      1, "trial", {{"precision.use", "\"mixed\""}, {"optimizer.beta1", "0.5"}, {"input.shuffle", "true"}});
  const auto has = [&](const std::string& part) { return event.find(part) != std::string::npos; };
  CHECK(has("_hparams_/session_start_info"));
  CHECK(has("\x0a\x0dprecision.use\x12\x07\x1a\x05mixed"s));
  CHECK(has("optimizer.beta1\x12\x09\x11\x00\x00\x00\x00\x00\x00\xe0\x3f"s));
  CHECK(has("input.shuffle\x12\x02\x20\x01"s));
  CHECK(halfling::tensorboard::hparams_end_event(1, true).find("\x08\x02"s) != std::string::npos);
}
