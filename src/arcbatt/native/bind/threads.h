// Threads that work while the thread Python called from waits, looks for signals and asks whether to stop.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/portability.h"

namespace arcbatt {

// Run `work` on so many threads; now and then tell `watch`, if it is not None, how many items are finished, and set
// `stop` where it answers yes. True where it raised, or a signal did: then a Python error is set. The interpreter's
// lock is not held meanwhile.
template <class F>
bool run_threads(u32 threads, F work, std::atomic<bool>& stop, const std::atomic<u32>& finished,
                 const nanobind::object& watch) {
    nanobind::gil_scoped_release release;
    std::mutex lock;
    std::condition_variable ended;
    u32 running = threads;
    bool raised = false;
    std::vector<std::thread> pool;
    for (u32 k = 0; k < threads; ++k)
        pool.emplace_back([&] {
            work();
            std::lock_guard<std::mutex> held(lock);
            if (--running == 0) ended.notify_all();
        });
    for (;;) {
        {
            std::unique_lock<std::mutex> held(lock);
            if (ended.wait_for(held, std::chrono::milliseconds(50), [&] { return running == 0; })) break;
        }
        if (stop) continue;
        nanobind::gil_scoped_acquire acquire;
        raised = PyErr_CheckSignals() != 0;
        if (!raised && !watch.is_none()) {
            PyObject* answer = PyObject_CallFunction(watch.ptr(), "I", finished.load());
            int wanted = answer ? PyObject_IsTrue(answer) : -1;
            Py_XDECREF(answer);
            raised = wanted < 0;
            if (wanted > 0) stop = true;
        }
        if (raised) stop = true;
    }
    for (auto& thread : pool) thread.join();
    return raised;
}

// One piece of work on a thread of its own, so that this one sees signals meanwhile. `work` looks at the flag.
template <class F>
void run_watching_signals(std::atomic<bool>& stop, F work) {
    std::atomic<u32> finished{0};
    std::atomic<bool> out_of_memory{false};
    auto guarded = [&] {
        try {
            work();
        } catch (const std::bad_alloc&) {
            out_of_memory = true;
        }
    };
    if (run_threads(1, guarded, stop, finished, nanobind::none())) throw nanobind::python_error();
    if (out_of_memory) throw std::bad_alloc();
}

}  // namespace arcbatt
