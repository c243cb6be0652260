// A warp emulated on a CPU, for tests: each lane of a group has its own stack, and one after the other runs up to
// the next barrier. Which comes first changes from barrier to barrier, by a fixed sequence. What a lane reads of
// another's without a barrier between is then mostly not what a plain loop would have seen.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace arcbatt {

// Told of each change of stacks, the address sanitizer knows which one it is on.
struct StackSwitch {
    void* held = nullptr;
    void leave(bool for_good, const void* bottom, size_t size) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(for_good ? nullptr : &held, bottom, size);
#else
        (void)for_good, (void)bottom, (void)size;
#endif
    }
    void arrive(const void** bottom, size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(held, bottom, size);
#else
        (void)bottom, (void)size;
#endif
    }
};

class Lanes {
   public:
    static constexpr uint32_t COUNT = AB_LANES;
    uint64_t board[COUNT] = {};  // what lanes show each other

    // f(lane) for all lanes, which must come to as many barriers as each other.
    void run(std::function<void(uint32_t)> f) {
        body_ = std::move(f);
        for (uint32_t k = 0; k < COUNT; ++k) {
            if (!stack_[k]) stack_[k].reset(new char[STACK]);
            done_[k] = started_[k] = false;
            getcontext(&place_[k]);
            place_[k].uc_stack.ss_sp = stack_[k].get();
            place_[k].uc_stack.ss_size = STACK;
            place_[k].uc_link = nullptr;
            auto self = reinterpret_cast<uintptr_t>(this);
            makecontext(&place_[k], reinterpret_cast<void (*)()>(&Lanes::start), 3, uint32_t(self),
                        uint32_t(uint64_t(self) >> 32), k);
        }
        for (;;) {
            schedule_ = schedule_ * 6364136223846793005ull + 1442695040888963407ull;
            uint32_t first = uint32_t(schedule_ >> 40) % COUNT,
                     step = 2 * (uint32_t(schedule_ >> 50) % (COUNT / 2)) + 1;
            uint32_t ended = 0;
            for (uint32_t k = 0; k < COUNT; ++k) {
                uint32_t lane = (first + k * step) % COUNT;
                enter(lane);
                ended += done_[lane];
            }
            if (ended == COUNT) return;
            if (ended) {
                std::fprintf(stderr, "lanes parted: %u of %u ended while others wait\n", ended, COUNT);
                std::abort();
            }
        }
    }

    void barrier(uint32_t lane) {
        if (_setjmp(here_[lane]) == 0) {
            switch_[lane].leave(false, bottom_, size_);
            _longjmp(back_, 1);
        }
        switch_[lane].arrive(&bottom_, &size_);
    }

   private:
    static constexpr size_t STACK = 64 << 10;

    // Contexts give a lane its stack; from then on jumps are enough, and make no calls of the system.
    void enter(uint32_t lane) {
        if (_setjmp(back_) != 0) {
            home_.arrive(nullptr, nullptr);
            return;
        }
        home_.leave(false, stack_[lane].get(), STACK);
        if (started_[lane]) _longjmp(here_[lane], 1);
        started_[lane] = true;
        setcontext(&place_[lane]);
    }

    static void start(uint32_t low, uint32_t high, uint32_t lane) {
        auto* self = reinterpret_cast<Lanes*>(uintptr_t(low) | uintptr_t(uint64_t(high) << 32));
        self->switch_[lane] = StackSwitch{};
        self->switch_[lane].arrive(&self->bottom_, &self->size_);
        self->body_(lane);
        self->done_[lane] = true;
        self->switch_[lane].leave(true, self->bottom_, self->size_);
        _longjmp(self->back_, 1);
    }

    std::function<void(uint32_t)> body_;
    ucontext_t place_[COUNT] = {};
    jmp_buf back_, here_[COUNT];
    std::unique_ptr<char[]> stack_[COUNT];
    bool done_[COUNT] = {}, started_[COUNT] = {};
    uint64_t schedule_ = 1;
    StackSwitch home_, switch_[COUNT];
    const void* bottom_ = nullptr;  // of the stack all lanes were started from
    size_t size_ = 0;
};

}  // namespace arcbatt
