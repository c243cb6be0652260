// The interpreter: linear bytecode over slots, loops by an explicit stack of frames (exec/machine.h).
#pragma once

#include "loops/control.h"

namespace arcbatt {

// Goes from one instruction to the next.
struct Interpreter {
    static AB_FN void run(Machine& m, u32 pc) {
        while (m.code[pc] != HALT) {
            if (m.overspent()) break;
#if !AB_DEVICE
            if (m.c.g.from_one([&] { return m.c.stopped(); })) break;
#endif
            pc = instruction(m, pc);
        }
        m.c.g.sync();
    }

    // Run one instruction; where the next one is.
    static AB_FN u32 instruction(Machine& m, u32 pc) {
        m.c.g.sync();  // what one instruction wrote may be written over by the next
        Ins ins{m.code + pc};
        u32 op = ins.op();
        if (op == END_BODY) {
            return loops::end_body(m);
        }
        if (op >= FIRST_LOOP) return loops::begin(m, pc, ins);
        if (op == CHARGE)
            charge(m, ins);
        else
            plain_call(m, ins);
        return pc + ins.length();
    }
};

}  // namespace arcbatt
