//===- main.cpp - A server that loads a bundle ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A client sends the number of its rows, as 4 bytes, and the rows, of 4096 f32
// each; it gets as many back: their softmax. It may send more on the same
// connection. Each connection has a thread, and all share one program.
//
//===----------------------------------------------------------------------===//

#include "softmax.h"
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
constexpr int64_t columns = 4096, mostRows = 1 << 16;

/// Memory on the program's device, which grows.
class DeviceMemory {
public:
  explicit DeviceMemory(FuseLoaded *program) : program(program) {}
  DeviceMemory(const DeviceMemory &) = delete;
  ~DeviceMemory() { fuse_bundle_release(program, data); }

  void *atLeast(int64_t bytes) {
    if (bytes <= size)
      return data;
    char message[FUSE_BUNDLE_MESSAGE];
    fuse_bundle_release(program, data);
    size = 0;
    if (fuse_bundle_allocate(program, bytes, &data, message))
      throw std::runtime_error(message);
    size = bytes;
    return data;
  }

private:
  FuseLoaded *program;
  void *data = nullptr;
  int64_t size = 0;
};
} // namespace

static bool receive(int client, void *data, size_t bytes) {
  for (char *next = static_cast<char *>(data); bytes > 0;) {
    ssize_t got = recv(client, next, bytes, 0);
    if (got <= 0)
      return false;
    next += got;
    bytes -= got;
  }
  return true;
}

static bool answer(int client, const void *data, size_t bytes) {
  for (const char *next = static_cast<const char *>(data); bytes > 0;) {
    ssize_t sent = send(client, next, bytes, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    next += sent;
    bytes -= sent;
  }
  return true;
}

static void check(int status, const char *message) {
  if (status)
    throw std::runtime_error(message);
}

static void serve(FuseLoaded *program, int client) {
  DeviceMemory input(program), output(program);
  std::vector<float> rows;
  char message[FUSE_BUNDLE_MESSAGE];
  uint32_t count;
  while (receive(client, &count, sizeof(count)) && count <= mostRows) {
    rows.resize(count * columns);
    int64_t bytes = rows.size() * sizeof(float);
    if (!receive(client, rows.data(), bytes))
      return;
    int64_t shape[] = {count, columns};
    DLTensor x = {input.atLeast(bytes),
                  fuse_bundle_device(program),
                  2,
                  {kDLFloat, 32, 1},
                  shape,
                  nullptr,
                  0};
    DLTensor y = x;
    y.data = output.atLeast(bytes);
    const DLTensor *inputs[] = {&x}, *outputs[] = {&y};
    check(fuse_bundle_upload(program, x.data, rows.data(), bytes, message),
          message);
    check(fuse_bundle_run(program, inputs, 1, outputs, 1, nullptr, message),
          message);
    check(fuse_bundle_download(program, rows.data(), y.data, bytes, message),
          message);
    if (!answer(client, rows.data(), bytes))
      return;
  }
}

/// A socket that listens on the local host; port 0 is any that is free.
static int listenOn(uint16_t port, uint16_t &got) {
  int server = socket(AF_INET, SOCK_STREAM, 0);
  int yes = 1;
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  socklen_t length = sizeof(address);
  if (server < 0 || bind(server, generic, length) || listen(server, 64) ||
      getsockname(server, generic, &length))
    return -1;
  got = ntohs(address.sin_port);
  return server;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "expected the bundle's folder and a port\n");
    return 1;
  }
  char message[FUSE_BUNDLE_MESSAGE];
  FuseLoaded *program;
  if (fuse_bundle_open(&softmax_bundle, argv[1], 0, &program, message)) {
    std::fprintf(stderr, "%s\n", message);
    return 1;
  }
  uint16_t port = 0;
  int server = listenOn(std::atoi(argv[2]), port);
  if (server < 0) {
    std::perror("expected to listen");
    return 1;
  }
  std::printf("listening on port %d\n", port);
  std::fflush(stdout);
  for (;;) {
    int client = accept(server, nullptr, nullptr);
    if (client < 0)
      continue;
    std::thread([=] {
      try {
        serve(program, client);
      } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      close(client);
    }).detach();
  }
}
