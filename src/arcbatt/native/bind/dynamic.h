// The dynamic tier for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace arcbatt {

void bind_dynamic(nanobind::module_& m);

}  // namespace arcbatt
