#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/tables/json.h"
#include "report/tables/report.h"

namespace xsp {

// A page holds at most so many bytes, whatever the trace. Waterfalls get what the rest leaves.
inline constexpr std::size_t kPageBudget = 3'000'000;

// Rows of a list that a page shows; nobody reads on, and each command has all of them.
inline constexpr std::size_t kLongestList = 400;

// The JSON document of a command, as `--format json` writes it, without some of its fields. Lists
// that are too long for a page keep their first rows: `cut` gets a line for each.
Json DocumentOf(Report report, const std::vector<std::string_view>& without,
                std::vector<std::string>& cut, std::size_t longest_list = kLongestList);

// The same cuts for a document that was written before.
void ShortenDocument(Json& document, std::vector<std::string>& cut);

// How many bytes a page has without data.
std::size_t PageFrameBytes();

// "dir/train.sqlite" -> "train.sqlite": what a page calls a trace.
std::string BaseName(std::string_view path);

// The text without the folders of the paths in it: "/home/me/model.py(12)" -> "model.py(12)".
std::string WithoutFolders(std::string_view text);
// The texts of a document.
void RemoveFolders(Json& value);
// From these the folder of a path that the user gave, which may be relative: "../secret/a.sqlite".
// Not for packed columns.
void RemoveFolderOf(std::string_view path, Json& value);

// One self-contained HTML document: the page's own script and style (report/html/*.js, *.css), and
// what they show. Nothing in `data` can become markup, and nothing is fetched.
std::string WritePage(const std::string& title, const Json& data);

// What was written: the file, and how large it is.
Report MakePageReport(const std::string& file, std::size_t bytes,
                      const std::vector<std::string>& traces);

}  // namespace xsp
