// The compiled core as a Python extension. It says what it was built with; the engine is added here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

static std::string compiler() {
#if defined(__clang__)
    return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
    return std::string("gcc ") + __VERSION__;
#else
    return "unknown";
#endif
}

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of arcbatt.";
    m.def("compiler", &compiler, "The compiler the core was built with.");
}
