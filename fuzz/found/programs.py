# Programs that the typed tier was once wrong about, refused or died of; `make fuzz-short` runs them again.
def solve_found_0(S, I, C):
    x3 = extract(TWO_BY_TWO, totuple)
    return first(astuple(size, rbind(difference_tuple, x3)))(C)


def solve_found_1(I):
    return mapply(branch(I, vfrontier, neighbors), I)


def solve_found_2(I):
    x5 = dneighbors(ORIGIN)
    return branch(ORIGIN, fill, fill)(I, 0, x5)


def solve_found_3(I):
    return branch(I, dmirror, hmirror)(I)


def solve_found_4(I):
    return branch(I, lbind(difference_tuple, I), rot180)(I)


def solve_found_5(I):
    x4 = shape(I)
    return branch(x4, maximum, minimum)(x4)


def solve_found_6(I):
    return branch(I, identity, identity)(I)


def solve_found_7(I):
    ring = ofcolor(I, TWO)
    return branch(I, fill, underfill)(I, L3, ring)


def solve_found_8(I):
    rings = o_g(I, R5)
    return apply(branch(I, lrcorner, ulcorner), rings)


def solve_found_9(I):
    return branch(F, I, 1000)


def solve_found_10(I):
    return branch(I, crement, cmirror)(0)


def solve_found_11(I):
    return branch(I, vconcat, hconcat)(I, I)


def solve_found_12(I):
    return apply(second, repeat(0, 0))


def solve_found_13(I):
    return branch(T, I, NEG_ONE)


def solve_found_14(I):
    return order(I, branch(I, first, rbind(get_nth_t, L5)))


def solve_found_15(S, I, C):
    return branch(even(F2), S, C)


def solve_found_16(I):
    return apply(hmirror, repeat(ZERO, 0))


def solve_found_17(I):
    x2 = apply(vmatching, repeat(L9, 0))
    return rbind(get_nth_f, 4)(x2)


def solve_found_18(I):
    return sfilter(ofcolor(I, THREE), chain(positive, maximum, fork(multiply, sign, identity)))


def solve_found_19(I):
    return branch(I, dmirror, identity)(I)


def solve_found_20(I):
    return sfilter(asindices(vmirror(ONE)), compose(even, last))


def solve_found_21(I):
    return fork(multiply, sign, identity)(shape(I))


def solve_found_22(I):
    return power(rbind(add, first(difference(asindices(I), asindices(I)))), multiply(height(I), 1000))(UNITY)


def solve_found_23(I):
    e = repeat(mostcolor(I), ZERO)
    x = repeat(e, 65536)
    y = repeat(x, 65536)
    return size(y)


def solve_found_24(I):
    e = crop(I, ORIGIN, astuple(ONE, ZERO))
    return dedupe(repeat(repeat(e, 300), 17))


def solve_found_25(I):
    return apply(last, repeat(astuple(difference(asobject(I), asobject(I)), ONE), SIX))


def solve_found_26(I):
    return size(branch(second(I), lbind(mirrortile, I), ineighbors)(subtract(RIGHT, (65535, -2147483647))))


def solve_found_27(I):
    x1 = branch(T, size, first)(objects(I, F, F, T))
    return last(rapply(astuple(identity, identity), double))(x1)


def solve_found_28(S, I, C):
    return both(mirrortile(C, UP), S)
