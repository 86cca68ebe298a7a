//===- HtmlGraph.cpp - Where the boxes and arrows of a page stand ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace fuse::driver {

namespace {
/// Of the picture, in its own units.
constexpr int boxX = 190, boxWidth = 300, boxHeight = 64, gap = 38, margin = 12;
constexpr int right = boxX + boxWidth;
/// Labels stand between the boxes and the first lane.
constexpr int firstLane = right + 78, laneWidth = 14;
constexpr int portHeight = 15;
constexpr unsigned mostPorts = 4;

int topOf(unsigned box) { return margin + box * (boxHeight + gap); }

/// The lanes of edges that pass other boxes: short edges lie inside.
std::vector<unsigned> assignLanes(ArrayRef<GraphEdge> edges) {
  std::vector<unsigned> lanes(edges.size(), 0), order;
  for (unsigned i = 0; i < edges.size(); ++i)
    if (edges[i].to - edges[i].from > 1)
      order.push_back(i);
  stable_sort(order, [&](unsigned a, unsigned b) {
    return edges[a].to - edges[a].from < edges[b].to - edges[b].from;
  });
  std::vector<std::vector<unsigned>> taken;
  for (unsigned i : order) {
    auto overlaps = [&](unsigned j) {
      return edges[i].from <= edges[j].to && edges[j].from <= edges[i].to;
    };
    unsigned lane = 0;
    while (lane < taken.size() && any_of(taken[lane], overlaps))
      ++lane;
    if (lane == taken.size())
      taken.emplace_back();
    taken[lane].push_back(i);
    lanes[i] = lane;
  }
  return lanes;
}

json::Object arrow(StringRef title, StringRef label, std::string path,
                   std::string head, int textX, int textY, StringRef anchor) {
  return json::Object{{"title", title.str()},    {"label", label.str()},
                      {"path", std::move(path)}, {"head", std::move(head)},
                      {"textX", textX},          {"textY", textY},
                      {"anchor", anchor}};
}

/// What the caller passes and gets, on the left of a box.
void addPorts(const GraphBox &box, int top, json::Array &arrows) {
  unsigned shown = std::min<size_t>(box.ports.size(), mostPorts);
  bool areMore = box.ports.size() > mostPorts;
  int y = top + boxHeight / 2 - portHeight * int(shown - 1) / 2;
  for (unsigned i = 0; i < shown; ++i, y += portHeight) {
    const GraphPort &port = box.ports[i];
    std::string label = port.label, title = port.title;
    if (areMore && i + 1 == shown) {
      label = formatv("and {0} more", box.ports.size() - i);
      for (const GraphPort &other : drop_begin(box.ports, i + 1))
        title += "\n" + other.title;
    }
    int from = boxX - 24, to = boxX;
    std::string head = port.isOutput
                           ? formatv("M{0} {1}l7 -3.5v7z", from, y).str()
                           : formatv("M{0} {1}l-7 -3.5v7z", to, y).str();
    arrows.push_back(arrow(title, label, formatv("M{0} {1}H{2}", from, y, to),
                           std::move(head), from - 5, y + 4, "end"));
  }
}
} // namespace

json::Object layOutGraph(ArrayRef<GraphBox> boxes, ArrayRef<GraphEdge> edges) {
  json::Array placed, arrows;
  for (auto [number, box] : enumerate(boxes)) {
    int top = topOf(number);
    placed.push_back(json::Object{{"id", box.id},
                                  {"name", box.name},
                                  {"ops", box.ops},
                                  {"summary", box.summary},
                                  {"title", box.title},
                                  {"x", boxX},
                                  {"y", top},
                                  {"boxWidth", boxWidth},
                                  {"boxHeight", boxHeight},
                                  {"textX", boxX + 12},
                                  {"nameY", top + 20},
                                  {"opsY", top + 37},
                                  {"timeY", top + 54}});
    addPorts(box, top, arrows);
  }
  std::vector<unsigned> lanes = assignLanes(edges);
  std::vector<unsigned> in(boxes.size(), 0), out(boxes.size(), 0);
  unsigned most = 0;
  for (auto [edge, lane] : zip_equal(edges, lanes)) {
    int from = topOf(edge.from), to = topOf(edge.to);
    if (edge.to - edge.from == 1) {
      int x = boxX + boxWidth / 2;
      arrows.push_back(
          arrow(edge.title, edge.label,
                formatv("M{0} {1}V{2}", x, from + boxHeight, to - 6),
                formatv("M{0} {1}l-4 -8h8z", x, to), x + 10,
                from + boxHeight + gap / 2 + 4, "start"));
      continue;
    }
    most = std::max(most, lane + 1);
    int start = from + boxHeight - 8 - 7 * int(out[edge.from]++ % 4);
    int end = to + 14 + 15 * int(in[edge.to]++ % 4);
    int x = firstLane + laneWidth * int(lane);
    arrows.push_back(arrow(
        edge.title, edge.label,
        formatv("M{0} {1}H{2}V{3}H{4}", right, start, x, end, right + 7),
        formatv("M{0} {1}l8 -4v8z", right, end), right + 14, end - 4, "start"));
  }
  int height = boxes.empty() ? margin : topOf(boxes.size()) - gap + margin;
  return json::Object{{"width", firstLane + laneWidth * int(most) + margin},
                      {"height", height},
                      {"boxes", std::move(placed)},
                      {"edges", std::move(arrows)}};
}

} // namespace fuse::driver
