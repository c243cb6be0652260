// Random draws by a seed, and what is printed when a case goes wrong.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace fuzz {

class Draw {
   public:
    explicit Draw(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}

    uint64_t bits() {  // splitmix64
        uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    uint32_t below(uint64_t n) { return n ? uint32_t(bits() % n) : 0; }
    int32_t between(int64_t low, int64_t high) { return int32_t(low + int64_t(bits() % uint64_t(high - low + 1))); }
    bool chance(uint32_t percent) { return below(100) < percent; }
    template <class T>
    T one_of(std::initializer_list<T> all) {
        return all.begin()[below(all.size())];
    }
    template <class T>
    const T& one_of(const std::vector<T>& all) {
        return all[below(all.size())];
    }

   private:
    uint64_t state_;
};

// The case that is running: printed by whatever ends the program.
struct Case {
    char line[512] = "";
    void name(const std::string& again) { std::snprintf(line, sizeof line, "run it again with: %s\n", again.c_str()); }
};
inline Case& current() {
    static Case one;
    return one;
}
inline void say_again() {
    const char* line = current().line;
    size_t n = 0;
    while (line[n]) ++n;
    if (write(2, line, n) < 0) _exit(2);
}
[[noreturn]] inline void wrong(const std::string& what) {
    std::fprintf(stderr, "%s\n", what.c_str());
    say_again();
    std::exit(1);
}
inline void too_long(int) {
    const char text[] = "a case that takes more than 60 s\n";
    if (write(2, text, sizeof text - 1) < 0) _exit(2);
    say_again();
    _exit(1);
}

}  // namespace fuzz
