// Custom operations from libraries, for a module that runs operations.
#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "exec/dispatch.h"

#define AB_TEXT_OF(x) #x
#define AB_TEXT(x) AB_TEXT_OF(x)

namespace arcbatt {

// A custom operation from a library: its number, what it takes and gives, the address of its function.
inline bool add_custom(u32 number, const std::string& text, u64 address) {
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> hold(one_at_a_time);
    CustomList& list = customs();
    if (list.find(number)) return true;
    u32 count = list.count;
    if (count == CustomList::MOST) return false;
    static std::deque<std::string> texts;
    texts.push_back(text);
    list.entries[count] =
        CustomList::Entry{number, reinterpret_cast<CustomFunction>(uintptr_t(address)), texts.back().c_str()};
    list.count.store(count + 1, std::memory_order_release);
    return true;
}

}  // namespace arcbatt
