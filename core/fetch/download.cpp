// SPDX-License-Identifier: Apache-2.0
#include "fetch/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include "fetch/web_page.hpp"
#include "halfling/build_id.hpp"
#include "halfling/error.hpp"
#include "train/interrupt.hpp"

namespace halfling {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Transfer {
 public:
  explicit Transfer(const DownloadRequest& request)
      : request_(request), curl_(curl_easy_init(), curl_easy_cleanup) {
    std::error_code none;
    const auto size = std::filesystem::file_size(request.to, none);
    at_ = none ? 0 : size;
    range_ = std::to_string(at_) + "-";
    file_.reset(std::fopen(request.to.c_str(), "ab"));
    if (!file_ || !curl_) fail("a file cannot be created", std::generic_category().message(errno));
  }

  void run() {
    set_options();
    CURLcode code = curl_easy_perform(curl_.get());
    if (code == CURLE_HTTP_RETURNED_ERROR && at_ > 0 && status() == 416 &&
        begin_anew()) {  // nothing comes after this
      first_ = true;
      set(CURLOPT_RANGE, static_cast<const char*>(nullptr));
      code = curl_easy_perform(curl_.get());
    }
    if (!told_.empty()) fail(told_.c_str(), got_);
    if (code != CURLE_OK) fail("a file cannot be fetched", reason(code));
    if (std::fflush(file_.get()) != 0)
      fail("a file cannot be written", std::generic_category().message(errno));
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  void set_options() {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 10L);
    set(CURLOPT_FAILONERROR, 1L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(1000 * std::min(request_.stall_s, 30.0)));
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(request_.stall_s)));
    set(CURLOPT_USERAGENT, "halfling/" HALFLING_VERSION);
    set(CURLOPT_ERRORBUFFER, reason_);
    if (at_ > 0)
      set(CURLOPT_RANGE, range_.c_str());  // unlike CURLOPT_RESUME_FROM, it takes the whole file, too
    set(CURLOPT_WRITEFUNCTION, &Transfer::write);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::tick);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }

  static std::size_t write(char* data, std::size_t, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take({data, count}) ? count : 0;
  }

  static int tick(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const auto* transfer = static_cast<Transfer*>(self);
    if (transfer->request_.progress) transfer->request_.progress(transfer->at_, transfer->request_.bytes);
    return interrupted() ? 1 : 0;
  }

  bool take(std::string_view data) {
    if (first_ && !may_take(data)) return false;
    first_ = false;
    if (request_.bytes != 0 && at_ + data.size() > request_.bytes)
      return tell("the server sends more than the file has",
                  fmt::format("more than {} bytes", request_.bytes));
    if (std::fwrite(data.data(), 1, data.size(), file_.get()) != data.size())
      return tell("a file cannot be written", std::generic_category().message(errno));
    at_ += data.size();
    return true;
  }

  long status() const {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return code;
  }

  std::string header(const char* name) const {
    curl_header* found = nullptr;
    return curl_easy_header(curl_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
  }

  /// Whether what begins to come can be the file, or what is missing of it.
  bool may_take(std::string_view data) {
    if (at_ > 0 && status() == 200 && !begin_anew()) return false;
    if (at_ > 0 && !header("Content-Range").starts_with("bytes " + range_))
      return tell("the server goes on at another place than it was asked for", header("Content-Range"));
    if (at_ == 0 && is_page(data))
      return tell("the server sent a web page in the place of the data", request_.url);
    const bool framed = !header("Content-Length").empty() || !header("Transfer-Encoding").empty();
    if (!framed && request_.bytes == 0)
      return tell("neither the card nor the server tells how long the file is", "no Content-Length");
    return true;
  }

  /// The server does not go on in the middle.
  bool begin_anew() {
    at_ = 0;
    file_.reset(std::fopen(request_.to.c_str(), "wb"));
    return file_ || tell("a file cannot be written", std::generic_category().message(errno));
  }

  bool tell(const char* what, std::string got) {
    told_ = what;
    got_ = std::move(got);
    return false;
  }

  std::string reason(CURLcode code) const {
    if (interrupted()) return "an interrupt; the same command goes on from here";
    return reason_[0] != '\0' ? reason_ : curl_easy_strerror(code);
  }

  [[noreturn]] void fail(const char* what, std::string got) const {
    throw Error({.what = what, .where = request_.url, .got = std::move(got)});
  }

  const DownloadRequest& request_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::uint64_t at_ = 0;
  bool first_ = true;
  std::string range_, told_, got_;
  char reason_[CURL_ERROR_SIZE] = {};
};

}  // namespace

void download(const DownloadRequest& request) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) throw Error({.what = "libcurl cannot begin", .got = curl_easy_strerror(ready)});
  Transfer(request).run();
}

}  // namespace halfling
