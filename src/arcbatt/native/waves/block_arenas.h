// Which arenas a block of a GPU has: those of one of the places its multiprocessor has for blocks. There are no more
// places than blocks that can run at a time, whatever waves they are of, so that little of the heap lies in arenas
// that are not full, and any number of waves may run beside one another.
//
// At an address stand a word for each multiprocessor, a bit of which says that a place is taken, and behind them the
// arenas (abi.h).
#pragma once

#include "waves/wave.h"

#if AB_DEVICE

namespace arcbatt {

struct BlockArenas {
    u64 base;
    u32 row, number;  // of the multiprocessor, and of the place among all

    AB_FN explicit BlockArenas(u64 address) : base(address) {
        __shared__ u32 taken;
        asm("mov.u32 %0, %%smid;" : "=r"(row));
        row %= WAVE_ROWS;
        if (threadIdx.x == 0) {
            u32* places = device_pointer<u32>(base) + row;
            u32 place;
            do {
                u32 free = ~load_volatile(*places);
                place = free ? lowest_bit(free) : 0;
            } while (atomicOr(places, 1u << place) >> place & 1);
            __threadfence();
            taken = place;
        }
        __syncthreads();
        number = row * WAVE_ROW_BLOCKS + taken;
    }
    AB_FN u64 arenas() const { return base + sizeof(u32) * WAVE_ROWS; }
    AB_FN void give_back() const {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicAnd(device_pointer<u32>(base) + row, ~(1u << number % WAVE_ROW_BLOCKS));
    }
};

}  // namespace arcbatt

#endif
