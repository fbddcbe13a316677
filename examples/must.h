// Results in programs as small as these: the value, or the reason and the end.
#pragma once

#include <cstdlib>
#include <iostream>

#include "base/result.h"

template <class T>
T must(qvid::Result<T> result) {
  if (result) return *std::move(result);
  std::cerr << result.error().message << "\n";
  std::exit(1);
}
