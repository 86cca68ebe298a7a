//===- HtmlReport.h - What a program became, as a page ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file to pass on: it needs no network, no other file, and for its text no
// JavaScript. The page is data, made here, in the template
// html/report.mustache, which escapes all that comes from the program; how it
// looks is html/report.css.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_HTMLREPORT_H
#define FUSE_TOOLS_FUSE_HTMLREPORT_H

#include "KernelReport.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace fuse::driver {

/// What the page is about.
struct HtmlSubject {
  const jit::Code &code;
  llvm::ArrayRef<KernelReport> kernels;
  llvm::ArrayRef<jit::KernelCandidates> candidates;
  /// Seconds of kernels that were measured, by name; else the model's count.
  std::map<std::string, double> measured;
  /// The program's text, and what its file is called.
  llvm::StringRef text, fileName;
  std::string chip;
};

/// An edge of the graph: what a launch leaves for a later one.
struct GraphEdge {
  unsigned from, to;
  std::string label, title;
};

/// What a launch takes from the program's caller, or gives back.
struct GraphPort {
  bool isOutput;
  std::string label, title;
};

struct GraphBox {
  std::string id, name, ops, summary, title;
  std::vector<GraphPort> ports;
};

/// The picture: `width`, `height`, `boxes` and `edges` with their places.
/// Launches stand one below the other, in their order. What goes to the next
/// one is an arrow between the two; what goes further passes others on the
/// right, in lanes.
llvm::json::Object layOutGraph(llvm::ArrayRef<GraphBox> boxes,
                               llvm::ArrayRef<GraphEdge> edges);

/// The PTX of one kernel, cut where it is longer than `mostBytes`: `lines`,
/// `cut`, and `segments` of `text` and `class`.
llvm::json::Object markPTX(llvm::StringRef ptx, const KernelReport &kernel,
                           size_t mostBytes);

/// Everything that the template names.
llvm::json::Object htmlData(const HtmlSubject &subject);

/// The page.
std::string htmlReport(const HtmlSubject &subject);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_HTMLREPORT_H
