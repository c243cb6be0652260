"""Solvers for ARC-AGI-1 training tasks c0000000 to ffffffff."""


# Fill the hollow of each frame with a colour that depends on the size of the hollow.
def solve_c0f76784(I):
    x1 = colorfilter(objects(I, T, F, F), ZERO)
    x2 = fill(I, SIX, merge(sizefilter(x1, ONE)))
    x3 = fill(x2, SEVEN, merge(sizefilter(x1, FOUR)))
    O = fill(x3, EIGHT, merge(sizefilter(x1, NINE)))
    return O


# Full rows and columns of black become red.
def solve_c1d99e64(I):
    x1 = merge(frontiers(I))
    O = fill(I, TWO, x1)
    return O


# A copy of the grid for every cell that has the most common colour.
def solve_c3e719e8(I):
    x1 = hconcat(I, hconcat(I, I))
    x2 = vconcat(x1, vconcat(x1, x1))
    x3 = ofcolor(upscale(I, THREE), mostcolor(I))
    x4 = canvas(ZERO, shape(x2))
    O = paint(x4, toobject(x3, x2))
    return O


# Fill the holes of a pattern that is constant along antidiagonals.
def solve_c3f564a4(I):
    x1 = difference(asindices(I), ofcolor(I, ZERO))
    x2 = toobject(x1, I)
    x3 = apply(rbind(multiply, UP_RIGHT), interval(-9, TEN, ONE))
    x4 = mapply(lbind(shift, x2), x3)
    O = paint(I, x4)
    return O


# The one room with dots in it is copied to all the rooms.
def solve_c444b776(I):
    x1 = colorfilter(objects(I, T, F, F), ZERO)
    x2 = argmax(x1, compose(numcolors, rbind(subgrid, I)))
    x3 = asobject(subgrid(x2, I))
    x4 = mapply(lbind(shift, x3), apply(ulcorner, x1))
    O = paint(I, x4)
    return O


def solve_c59eb873(I):
    O = upscale(I, TWO)
    return O


# The shapes of all the colours are laid over each other, centred.
def solve_c8cbb738(I):
    x1 = fgpartition(I)
    x2 = astuple(valmax(x1, height), valmax(x1, width))
    x3 = chain(halve, lbind(subtract, x2), shape)
    x4 = mapply(fork(shift, normalize, x3), x1)
    O = paint(canvas(mostcolor(I), x2), x4)
    return O


def solve_c8f0f002(I):
    O = replace(I, SEVEN, FIVE)
    return O


# Cut out the frame of the rarest colour.
def solve_c909285e(I):
    x1 = ofcolor(I, leastcolor(I))
    O = subgrid(x1, I)
    return O


def solve_c9e6f938(I):
    O = hconcat(I, vmirror(I))
    return O


# Grey cells take the colour of the first cell of their row.
def solve_c9f8e694(I):
    x1 = crop(I, ORIGIN, astuple(height(I), ONE))
    x2 = hupscale(x1, width(I))
    O = paint(I, toobject(ofcolor(I, FIVE), x2))
    return O


# The pattern moves one to the left and goes on over the whole grid.
def solve_caa06a1f(I):
    x1 = index(I, decrement(shape(I)))
    x2 = difference(asindices(I), ofcolor(I, x1))
    x3 = toobject(x2, I)
    x4 = interval(ZERO, height(I), vperiod(x3))
    x5 = interval(NEG_ONE, width(I), hperiod(x3))
    O = paint(I, mapply(lbind(shift, x3), product(x4, x5)))
    return O


# A cell between two dots of one colour, a block away on either side, takes their colour.
def solve_cbded52d(I):
    x1 = combine(ofcolor(I, ZERO), ofcolor(I, ONE))
    x2 = toobject(difference(asindices(I), x1), I)
    x3 = intersection(shift(x2, (0, 3)), shift(x2, (0, -3)))
    x4 = intersection(shift(x2, (3, 0)), shift(x2, (-3, 0)))
    O = paint(I, combine(x3, x4))
    return O


# A copy of the grid for every red cell.
def solve_cce03e0d(I):
    x1 = hconcat(I, hconcat(I, I))
    x2 = vconcat(x1, vconcat(x1, x1))
    x3 = ofcolor(upscale(I, THREE), TWO)
    O = paint(canvas(ZERO, shape(x2)), toobject(x3, x2))
    return O


# The colours of the dots from left to right, laid in a snake.
def solve_cdecee7f(I):
    x1 = apply(color, order(objects(I, T, F, T), leftmost))
    x2 = repeat(combine(x1, repeat(ZERO, NINE)), ONE)
    x3 = crop(x2, ORIGIN, (1, 3))
    x4 = vmirror(crop(x2, (0, 3), (1, 3)))
    x5 = crop(x2, (0, 6), (1, 3))
    O = vconcat(x3, vconcat(x4, x5))
    return O


# Each dot becomes a blue three by three square.
def solve_ce22a75a(I):
    x1 = ofcolor(I, FIVE)
    x2 = fill(I, ONE, mapply(neighbors, x1))
    O = fill(x2, ONE, x1)
    return O


# Green where either half has a cell.
def solve_ce4f8723(I):
    x1 = ofcolor(tophalf(I), ZERO)
    x2 = ofcolor(bottomhalf(I), ZERO)
    x3 = canvas(THREE, shape(tophalf(I)))
    O = fill(x3, ZERO, intersection(x1, x2))
    return O


# Cut out the shape that, at twice the size, the shape at the edge is a part of.
def solve_ce602527(I):
    x1 = fgpartition(I)
    x2 = extract(x1, rbind(bordering, I))
    x3 = interval(-9, TEN, ONE)
    x4 = apply(lbind(shift, normalize(toindices(x2))), product(x3, x3))
    x5 = chain(toindices, rbind(upscale, TWO), normalize)
    x6 = chain(rbind(valmin, size), lbind(lbind(prapply, difference), x4), compose(initset, x5))
    O = subgrid(argmin(remove(x2, x1), x6), I)
    return O


# The lower half of each bar turns light blue.
def solve_ce9e57f2(I):
    x1 = objects(I, T, F, T)
    x2 = chain(toivec, halve, compose(increment, height))
    x3 = mapply(fork(shift, identity, x2), x1)
    O = fill(I, EIGHT, x3)
    return O


# Three panels laid over each other, the first on top.
def solve_cf98881b(I):
    x1 = hsplit(I, THREE)
    x2 = ofcolor(second(x1), NINE)
    x3 = ofcolor(first(x1), FOUR)
    O = fill(fill(last(x1), NINE, x2), FOUR, x3)
    return O


# Each cell runs down to the bottom.
def solve_d037b0a7(I):
    x1 = difference(asindices(I), ofcolor(I, ZERO))
    x2 = fork(recolor, first, compose(rbind(shoot, DOWN), last))
    x3 = mapply(x2, toobject(x1, I))
    O = paint(I, x3)
    return O


# Grey stairs run from the dot to the upper right and to the lower left.
def solve_d06dbe63(I):
    x1 = combine(connect(UP, (-2, 0)), connect((-2, 0), (-2, 2)))
    x2 = apply(rbind(multiply, (-2, 2)), interval(ZERO, TEN, ONE))
    x3 = mapply(lbind(shift, x1), x2)
    x4 = combine(x3, apply(invert, x3))
    x5 = shift(x4, first(ofcolor(I, EIGHT)))
    O = fill(I, FIVE, x5)
    return O


# Diagonal rays run from the dots; on each ground they have the colour of the dots on that ground.
def solve_d07ae81c(I):
    x1 = sizefilter(objects(I, T, F, F), ONE)
    x2 = mapply(rbind(shoot, UNITY), apply(ulcorner, x1))
    x3 = mapply(rbind(shoot, NEG_UNITY), apply(ulcorner, x1))
    x4 = mapply(rbind(shoot, UP_RIGHT), apply(ulcorner, x1))
    x5 = mapply(rbind(shoot, DOWN_LEFT), apply(ulcorner, x1))
    x6 = combine(combine(x2, x3), combine(x4, x5))
    x7 = chain(mostcolor, rbind(toobject, I), outbox)
    x8 = chain(lbind(intersection, x6), lbind(ofcolor, I), x7)
    O = paint(I, mapply(fork(recolor, color, x8), x1))
    return O


# A diagonal as long as there are objects.
def solve_d0f5fe59(I):
    x1 = size(objects(I, T, F, T))
    x2 = canvas(ZERO, astuple(x1, x1))
    O = fill(x2, EIGHT, shoot(ORIGIN, UNITY))
    return O


def solve_d10ecb37(I):
    O = crop(I, ORIGIN, TWO_BY_TWO)
    return O


# The cells run to the lower right over a grid of twice the size.
def solve_d13f3404(I):
    x1 = toobject(difference(asindices(I), ofcolor(I, ZERO)), I)
    x2 = apply(rbind(multiply, UNITY), interval(ZERO, TEN, ONE))
    x3 = mapply(lbind(shift, x1), x2)
    O = paint(canvas(ZERO, double(shape(I))), x3)
    return O


# Every second square ring around each corner dot, up to where another dot is as near.
def solve_d22278a0(I):
    x1 = objects(I, T, F, T)
    x2 = compose(box, fork(insert, rbind(multiply, UNITY), compose(initset, rbind(multiply, NEG_UNITY))))
    x3 = mapply(x2, interval(ZERO, 30, TWO))
    x4 = compose(lbind(intersection, asindices(I)), compose(lbind(shift, x3), ulcorner))
    x5 = compose(rbind(compose, initset), lbind(rbind, manhattan))
    x6 = chain(x5, merge, compose(lbind(difference, x1), initset))
    x7 = fork(sfilter, x4, fork(lbind(fork, greater), x6, x5))
    O = paint(I, mapply(fork(recolor, color, x7), x1))
    return O


# Only the middle column stays.
def solve_d23f8c26(I):
    x1 = vfrontier(center(asindices(I)))
    O = paint(canvas(ZERO, shape(I)), toobject(x1, I))
    return O


# Objects of six cells turn red, the others blue.
def solve_d2abd087(I):
    x1 = merge(sizefilter(objects(I, T, F, T), SIX))
    x2 = replace(I, FIVE, ONE)
    O = fill(x2, TWO, x1)
    return O


# Each dot gets a cross of four colours around it.
def solve_d364b489(I):
    x1 = ofcolor(I, ONE)
    x2 = fill(I, EIGHT, shift(x1, DOWN))
    x3 = fill(x2, TWO, shift(x1, UP))
    x4 = fill(x3, SEVEN, shift(x1, LEFT))
    O = fill(x4, SIX, shift(x1, RIGHT))
    return O


# Cells in every other column, counted from the right, turn green.
def solve_d406998b(I):
    x1 = vmirror(I)
    x2 = sfilter(ofcolor(x1, FIVE), compose(even, last))
    O = vmirror(fill(x1, THREE, x2))
    return O


# Dots in line with the green square are joined to it.
def solve_d43fd935(I):
    x1 = ofcolor(I, THREE)
    x2 = sizefilter(objects(I, T, F, T), ONE)
    x3 = fork(either, rbind(hmatching, x1), rbind(vmatching, x1))
    x4 = fork(add, ulcorner, rbind(gravitate, x1))
    x5 = fork(recolor, color, fork(connect, ulcorner, x4))
    O = paint(I, mapply(x5, sfilter(x2, x3)))
    return O


# The colour says which row and which column of a small grid are grey.
def solve_d4469b4b(I):
    x1 = other(palette(I), ZERO)
    x2 = branch(equality(x1, TWO), ZERO, branch(equality(x1, ONE), ONE, TWO))
    x3 = branch(equality(x1, THREE), TWO, ONE)
    x4 = combine(hfrontier(toivec(x2)), vfrontier(tojvec(x3)))
    O = fill(canvas(ZERO, THREE_BY_THREE), FIVE, x4)
    return O


# Join the two dots with an angle, upright from the light blue one.
def solve_d4a91cb9(I):
    x1 = first(ofcolor(I, EIGHT))
    x2 = first(ofcolor(I, TWO))
    x3 = astuple(first(x2), last(x1))
    x4 = combine(connect(x1, x3), connect(x3, x2))
    O = underfill(I, FOUR, x4)
    return O


# Fill the vessel and let it run out of the gap.
def solve_d4f3cd78(I):
    x1 = ofcolor(I, FIVE)
    x2 = first(difference(box(x1), x1))
    x3 = first(intersection(dneighbors(x2), outbox(x1)))
    x4 = shoot(x2, subtract(x3, x2))
    O = fill(I, EIGHT, combine(delta(x1), x4))
    return O


def solve_d511f180(I):
    O = switch(I, FIVE, EIGHT)
    return O


# Only the hollows of the frames stay, in green.
def solve_d5d6de2d(I):
    x1 = mapply(delta, objects(I, T, F, T))
    O = fill(replace(I, TWO, ZERO), THREE, x1)
    return O


# A row with one cell for each coloured cell.
def solve_d631b094(I):
    x1 = other(palette(I), ZERO)
    O = canvas(x1, astuple(ONE, colorcount(I, x1)))
    return O


# Dots go to the wall of their colour; those without a wall vanish.
def solve_d687bc17(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = difference(x1, x2)
    x4 = sfilter(x2, compose(rbind(contained, apply(color, x3)), color))
    x5 = chain(first, lbind(colorfilter, x3), color)
    x6 = fork(shift, identity, fork(gravitate, identity, x5))
    O = paint(cover(I, merge(x2)), mapply(x6, x4))
    return O


# Fill between the two boxes, one cell narrower than what they face each other with.
def solve_d6ad076f(I):
    x1 = apply(compose(backdrop, inbox), objects(I, T, F, T))
    x2 = prapply(connect, first(x1), last(x1))
    x3 = mfilter(x2, fork(either, vline, hline))
    O = underfill(I, EIGHT, x3)
    return O


# Each dot goes to the nearest cell of the light blue square.
def solve_d89b689b(I):
    x1 = apply(initset, ofcolor(I, EIGHT))
    x2 = sizefilter(objects(I, T, F, T), ONE)
    x3 = compose(lbind(argmin, x1), lbind(lbind, manhattan))
    x4 = mapply(fork(recolor, color, x3), x2)
    O = paint(canvas(ZERO, shape(I)), x4)
    return O


# The pattern goes on to the right.
def solve_d8c310e9(I):
    x1 = toobject(difference(asindices(I), ofcolor(I, ZERO)), I)
    x2 = apply(tojvec, interval(ZERO, width(I), hperiod(x1)))
    O = paint(I, mapply(lbind(shift, x1), x2))
    return O


# Where green and red touch, green turns light blue and red vanishes.
def solve_d90796e8(I):
    x1 = ofcolor(I, THREE)
    x2 = ofcolor(I, TWO)
    x3 = intersection(x1, mapply(dneighbors, x2))
    x4 = intersection(x2, mapply(dneighbors, x1))
    O = fill(fill(I, EIGHT, x3), ZERO, x4)
    return O


# Red lines rise from the bottom and step right below a grey dot.
def solve_d9f24cd1(I):
    x1 = ofcolor(I, FIVE)
    x2 = mapply(rbind(shoot, UP), ofcolor(I, TWO))
    x3 = intersection(x1, x2)
    x4 = fill(fill(I, TWO, x2), ZERO, mapply(rbind(shoot, UP), x3))
    x5 = fill(x4, TWO, mapply(rbind(shoot, UP), shift(x3, UNITY)))
    O = fill(x5, FIVE, x1)
    return O


# The colour of the cell that is ringed by one other colour.
def solve_d9fac9be(I):
    x1 = compose(rbind(toobject, I), neighbors)
    x2 = compose(matcher(numcolors, ONE), x1)
    x3 = chain(positive, mostcolor, x1)
    x4 = extract(asindices(I), fork(both, x2, x3))
    O = canvas(index(I, x4), UNITY)
    return O


# Pink where either half has a cell.
def solve_dae9d2b5(I):
    x1 = ofcolor(lefthalf(I), FOUR)
    x2 = ofcolor(righthalf(I), THREE)
    O = fill(canvas(ZERO, shape(lefthalf(I))), SIX, combine(x1, x2))
    return O


# To both sides of the bar ever shorter bars, orange and light blue in turn.
def solve_db3e9e38(I):
    x1 = ofcolor(I, SEVEN)
    x2 = interval(ZERO, TEN, TWO)
    x3 = combine(apply(rbind(multiply, UP_RIGHT), x2), apply(rbind(multiply, NEG_UNITY), x2))
    x4 = mapply(lbind(shift, x1), x3)
    x5 = combine(shift(x4, UP_RIGHT), shift(x4, NEG_UNITY))
    O = fill(fill(I, EIGHT, x5), SEVEN, x4)
    return O


# Squares get a frame half as thick as they are wide, and a blue shadow down to the bottom.
def solve_db93a21d(I):
    x1 = objects(I, T, F, T)
    x2 = fill(I, ONE, mapply(rbind(shoot, DOWN), ofcolor(I, NINE)))
    x3 = compose(halve, width)
    x4 = compose(initset, fork(add, lrcorner, x3))
    x5 = compose(backdrop, fork(insert, fork(subtract, ulcorner, x3), x4))
    O = paint(fill(x2, THREE, mapply(x5, x1)), merge(x1))
    return O


# Dots in one row or column are joined.
def solve_dbc1a6ce(I):
    x1 = ofcolor(I, ONE)
    x2 = mfilter(prapply(connect, x1, x1), fork(either, vline, hline))
    O = underfill(I, EIGHT, x2)
    return O


# What the green patch hides of the symmetric picture.
def solve_dc0a314f(I):
    x1 = ofcolor(I, THREE)
    O = subgrid(x1, rot180(I))
    return O


# A blue ring around each red dot.
def solve_dc1df850(I):
    x1 = mapply(neighbors, ofcolor(I, TWO))
    O = underfill(I, ONE, x1)
    return O


# Green goes one step towards yellow.
def solve_dc433765(I):
    x1 = ofcolor(I, THREE)
    x2 = position(x1, ofcolor(I, FOUR))
    O = move(I, recolor(THREE, x1), x2)
    return O


# Each grey block takes the colour of the dot above it.
def solve_ddf7fa4f(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = compose(lbind(extract, x2), lbind(lbind, vmatching))
    x4 = fork(recolor, compose(color, x3), identity)
    O = paint(I, mapply(x4, difference(x1, x2)))
    return O


# The colour of the region with the most dots.
def solve_de1cd16c(I):
    x1 = leastcolor(I)
    x2 = sfilter(partition(I), compose(flip, matcher(color, x1)))
    x3 = compose(rbind(colorcount, x1), rbind(subgrid, I))
    O = canvas(color(argmax(x2, x3)), UNITY)
    return O


# Dots in one row or column are joined.
def solve_ded97339(I):
    x1 = ofcolor(I, EIGHT)
    x2 = mfilter(prapply(connect, x1, x1), fork(either, vline, hline))
    O = fill(I, EIGHT, x2)
    return O


# A ball rises from the lower left and bounces between the walls.
def solve_e179c5f4(I):
    x1 = first(ofcolor(I, ONE))
    x2 = decrement(width(I))
    x3 = add(x1, multiply(x2, UP_RIGHT))
    x4 = subtract(x1, toivec(double(x2)))
    x5 = combine(connect(x1, x3), connect(x3, x4))
    x6 = apply(toivec, interval(ZERO, -20, multiply(NEG_TWO, x2)))
    O = fill(canvas(EIGHT, shape(I)), ONE, mapply(lbind(shift, x5), x6))
    return O


# The two arms of the cross repeat along their row and column.
def solve_e21d9049(I):
    x1 = merge(objects(I, F, T, T))
    x2 = mostcommon(apply(compose(first, last), totuple(x1)))
    x3 = mostcommon(apply(compose(last, last), totuple(x1)))
    x4 = sfilter(x1, matcher(compose(first, last), x2))
    x5 = sfilter(x1, matcher(compose(last, last), x3))
    x6 = apply(rbind(multiply, tojvec(width(x1))), interval(-9, TEN, ONE))
    x7 = apply(rbind(multiply, toivec(height(x1))), interval(-9, TEN, ONE))
    O = paint(paint(I, mapply(lbind(shift, x4), x6)), mapply(lbind(shift, x5), x7))
    return O


# Clean the noise off horizontal or vertical stripes.
def solve_e26a3af2(I):
    x1 = apply(compose(rbind(repeat, width(I)), mostcommon), I)
    x2 = dmirror(apply(compose(rbind(repeat, height(I)), mostcommon), dmirror(I)))
    x3 = chain(size, lbind(intersection, asobject(I)), asobject)
    O = argmax(astuple(x1, x2), x3)
    return O


# The right half is folded over the left.
def solve_e3497940(I):
    x1 = vmirror(righthalf(I))
    O = paint(lefthalf(I), merge(fgpartition(x1)))
    return O


# Complete the figure so that a quarter turn leaves it the same.
def solve_e40b9e2f(I):
    x1 = first(objects(I, F, T, T))
    x2 = interval(-6, SEVEN, ONE)
    x3 = chain(rbind(apply, product(x2, x2)), lbind(lbind, shift), compose(vmirror, dmirror))
    x4 = compose(lbind(compose, size), lbind(lbind, intersection))
    x5 = fork(combine, identity, fork(argmax, x3, x4))
    x6 = power(x5, THREE)
    O = paint(I, x6(x1))
    return O


# The cross moves down and left by as many cells as there are grey ones.
def solve_e48d4e1a(I):
    x1 = colorcount(I, FIVE)
    x2 = frontiers(I)
    x3 = shift(extract(x2, hline), toivec(x1))
    x4 = shift(extract(x2, vline), tojvec(invert(x1)))
    O = paint(canvas(ZERO, shape(I)), combine(x3, x4))
    return O


# Shapes with a fork turn red, plain corners blue, the others pink.
def solve_e509e548(I):
    x1 = objects(I, T, F, T)
    x2 = compose(lbind(lbind, intersection), toindices)
    x3 = compose(rbind(lbind(chain, size), dneighbors), x2)
    x4 = matcher(fork(valmax, toindices, x3), THREE)
    x5 = fork(equality, size, compose(decrement, fork(add, height, width)))
    x6 = fill(I, SIX, merge(x1))
    x7 = fill(x6, ONE, mfilter(x1, x5))
    O = fill(x7, TWO, mfilter(x1, x4))
    return O


# Cut out the block with the most red.
def solve_e50d258f(I):
    x1 = hconcat(I, canvas(ZERO, shape(I)))
    x2 = argmax(objects(x1, F, F, T), rbind(colorcount, TWO))
    O = subgrid(x2, I)
    return O


# Shapes go to the other half, onto the dots that match their own marks in just one place.
def solve_e6721834(I):
    x1 = branch(portrait(I), vsplit, hsplit)
    x2 = x1(I, TWO)
    x3 = argmin(x2, numcolors)
    x4 = remove(mostcolor(x3), palette(x3))
    x5 = rbind(sfilter, compose(rbind(contained, x4), first))
    x6 = compose(lbind(occurrences, x3), x5)
    x7 = sfilter(objects(argmax(x2, numcolors), F, T, T), matcher(compose(size, x6), ONE))
    x8 = fork(subtract, compose(first, x6), compose(ulcorner, x5))
    O = paint(x3, mapply(fork(shift, identity, x8), x7))
    return O


# Fill the rooms: rectangles whose walls do not go on past their corners.
def solve_e73095fd(I):
    x1 = ofcolor(I, FIVE)
    x2 = colorfilter(objects(I, T, F, F), ZERO)
    x3 = sfilter(x2, fork(equality, toindices, backdrop))
    x4 = chain(size, lbind(intersection, x1), dneighbors)
    x5 = compose(rbind(valmax, x4), compose(corners, outbox))
    x6 = mfilter(x3, chain(flip, rbind(greater, TWO), x5))
    O = fill(I, FOUR, x6)
    return O


# The patterned block is copied onto the grey ones.
def solve_e76a88a6(I):
    x1 = objects(I, F, F, T)
    x2 = argmax(x1, numcolors)
    x3 = apply(ulcorner, remove(x2, x1))
    O = paint(I, mapply(lbind(shift, normalize(x2)), x3))
    return O


# Holes are coloured by their size.
def solve_e8593010(I):
    x1 = colorfilter(objects(I, T, F, F), ZERO)
    x2 = fill(I, THREE, merge(sizefilter(x1, ONE)))
    x3 = fill(x2, TWO, merge(sizefilter(x1, TWO)))
    O = fill(x3, ONE, merge(sizefilter(x1, THREE)))
    return O


# The black shape repeats in the direction of the dot, each copy just clear of the one before.
def solve_e8dc4411(I):
    x1 = ofcolor(I, ZERO)
    x2 = leastcolor(I)
    x3 = position(x1, ofcolor(I, x2))
    x4 = chain(lbind(intersection, x1), lbind(shift, x1), rbind(multiply, x3))
    x5 = extract(interval(ONE, TEN, ONE), matcher(compose(size, x4), ZERO))
    x6 = apply(rbind(multiply, multiply(x5, x3)), interval(ONE, TEN, ONE))
    O = fill(I, x2, mapply(lbind(shift, x1), x6))
    return O


# A green plus midway between the two dots.
def solve_e9614598(I):
    x1 = center(ofcolor(I, ONE))
    O = fill(I, THREE, insert(x1, dneighbors(x1)))
    return O


# The lower half is laid over the upper.
def solve_e98196ab(I):
    x1 = merge(fgpartition(bottomhalf(I)))
    O = paint(tophalf(I), x1)
    return O


# Every other column is turned upside down.
def solve_e9afcf9a(I):
    x1 = sfilter(asindices(I), chain(flip, even, last))
    O = paint(I, toobject(x1, hmirror(I)))
    return O


# The longest bar turns blue, the shortest red, the others yellow.
def solve_ea32f347(I):
    x1 = objects(I, T, F, T)
    x2 = fill(I, FOUR, merge(x1))
    x3 = fill(x2, ONE, argmax(x1, size))
    O = fill(x3, TWO, argmin(x1, size))
    return O


# Both diagonals turn black.
def solve_ea786f4a(I):
    x1 = asindices(I)
    x2 = connect(ulcorner(x1), lrcorner(x1))
    x3 = connect(urcorner(x1), llcorner(x1))
    O = fill(I, ZERO, combine(x2, x3))
    return O


# The rows go back and forth twice.
def solve_eb281b96(I):
    x1 = vconcat(I, crop(hmirror(I), DOWN, shape(I)))
    O = vconcat(x1, crop(x1, DOWN, shape(x1)))
    return O


# Nested rectangles are drawn with rings one cell thick.
def solve_eb5a1d5d(I):
    x1 = dedupe(dmirror(dedupe(I)))
    x2 = vconcat(x1, crop(hmirror(x1), DOWN, shape(x1)))
    x3 = dmirror(x2)
    O = vconcat(x3, crop(hmirror(x3), DOWN, shape(x3)))
    return O


# Rays in the colour of the inner block run diagonally from the corners of the outer shape.
def solve_ec883f72(I):
    x1 = fgpartition(I)
    x2 = argmax(x1, compose(size, backdrop))
    x3 = color(other(x1, x2))
    x4 = shoot(lrcorner(x2), UNITY)
    x5 = shoot(ulcorner(x2), NEG_UNITY)
    x6 = shoot(urcorner(x2), UP_RIGHT)
    x7 = shoot(llcorner(x2), DOWN_LEFT)
    x8 = combine(combine(x4, x5), combine(x6, x7))
    O = fill(I, x3, difference(x8, backdrop(x2)))
    return O


# Red dots run to the next light blue line on either side and end in a ring there.
def solve_ecdecbb3(I):
    x1 = colorfilter(objects(I, T, F, T), TWO)
    x2 = colorfilter(objects(I, T, F, T), EIGHT)
    x3 = ofcolor(I, EIGHT)
    x4 = compose(crement, fork(gravitate, first, last))
    x5 = compose(ulcorner, first)
    x6 = apply(fork(connect, x5, fork(add, x5, x4)), product(x1, x2))
    x7 = mfilter(x6, matcher(compose(size, lbind(intersection, x3)), ONE))
    x8 = intersection(x7, x3)
    x9 = fill(fill(I, TWO, x7), EIGHT, mapply(neighbors, x8))
    O = fill(x9, TWO, x8)
    return O


def solve_ed36ccf7(I):
    O = rot270(I)
    return O


# Fill between blocks that face each other in some rows with no block between them.
def solve_ef135b50(I):
    x1 = apply(toindices, colorfilter(objects(I, T, F, F), TWO))
    x2 = fork(lbind(prapply, connect), first, last)
    x3 = compose(rbind(mfilter, hline), x2)
    x4 = fork(difference, x3, fork(combine, first, last))
    x5 = compose(size, lbind(intersection, merge(x1)))
    x6 = mfilter(apply(x4, product(x1, x1)), matcher(x5, ZERO))
    O = fill(I, NINE, x6)
    return O


# Rays run from the light blue cells and step away from the red edge at each red cell.
def solve_f15e1fac(I):
    x1 = branch(portrait(ofcolor(I, EIGHT)), dmirror, identity)
    x2 = x1(I)
    x3 = branch(positive(leftmost(ofcolor(x2, TWO))), vmirror, identity)
    x4 = branch(positive(uppermost(ofcolor(x2, EIGHT))), hmirror, identity)
    x5 = x4(x3(x2))
    x6 = lbind(intersection, ofcolor(x5, TWO))
    x7 = chain(lbind(connect, ORIGIN), toivec, first)
    x8 = fork(add, identity, chain(tojvec, size, compose(x6, x7)))
    x9 = apply(x8, mapply(vfrontier, ofcolor(x5, EIGHT)))
    O = x1(x3(x4(fill(x5, EIGHT, x9))))
    return O


# Bumps of the inner rectangle become lines across, with the two colours exchanged.
def solve_f1cefba8(I):
    x1 = first(objects(I, F, F, T))
    x2 = index(I, ulcorner(x1))
    x3 = other(palette(x1), x2)
    x4 = backdrop(inbox(inbox(x1)))
    x5 = difference(ofcolor(I, x3), x4)
    x6 = mapply(vfrontier, sfilter(x5, compose(rbind(vmatching, x4), initset)))
    x7 = mapply(hfrontier, sfilter(x5, compose(rbind(hmatching, x4), initset)))
    x8 = combine(x6, x7)
    x9 = fill(fill(I, x3, x8), x2, x5)
    O = fill(x9, x2, intersection(x8, backdrop(x1)))
    return O


# Cut out the shape and double it.
def solve_f25fbde4(I):
    x1 = subgrid(ofcolor(I, FOUR), I)
    O = upscale(x1, TWO)
    return O


# The lower half is mirrored up.
def solve_f25ffba3(I):
    x1 = bottomhalf(I)
    O = vconcat(hmirror(x1), x1)
    return O


# Green where neither half has a cell.
def solve_f2829549(I):
    x1 = ofcolor(lefthalf(I), ZERO)
    x2 = ofcolor(righthalf(I), ZERO)
    x3 = canvas(ZERO, shape(lefthalf(I)))
    O = fill(x3, THREE, intersection(x1, x2))
    return O


# Each dot is ringed in the other colour; grey dots at every second cell join them.
def solve_f35d900a(I):
    x1 = merge(fgpartition(I))
    x2 = sfilter(box(x1), chain(even, rbind(manhattan, x1), initset))
    x3 = compose(lbind(other, palette(x1)), color)
    x4 = mapply(fork(recolor, x3, outbox), objects(I, T, F, T))
    O = paint(paint(fill(I, FIVE, x2), x4), x1)
    return O


# Columns with a dot are filled with light blue; the grid is then tiled two by two.
def solve_f5b8619d(I):
    x1 = difference(asindices(I), ofcolor(I, ZERO))
    x2 = underfill(I, EIGHT, mapply(vfrontier, x1))
    x3 = hconcat(x2, x2)
    O = vconcat(x3, x3)
    return O


# Grey takes the other colour, which vanishes.
def solve_f76d97a5(I):
    x1 = other(palette(I), FIVE)
    O = replace(switch(I, FIVE, x1), FIVE, ZERO)
    return O


# Grey cells are mirrored outwards at the nearer bracket.
def solve_f8a8fe49(I):
    x1 = portrait(first(colorfilter(objects(I, T, F, T), TWO)))
    x2 = branch(x1, dmirror, identity)
    x3 = x2(I)
    x4 = ofcolor(x3, TWO)
    x5 = ofcolor(x3, FIVE)
    x6 = sfilter(x5, compose(lbind(greater, first(center(x4))), first))
    x7 = apply(rbind(multiply, UP_RIGHT), x6)
    x8 = apply(rbind(multiply, UP_RIGHT), difference(x5, x6))
    x9 = shift(x7, toivec(double(uppermost(x4))))
    x10 = shift(x8, toivec(double(lowermost(x4))))
    x11 = fill(replace(x3, FIVE, ZERO), FIVE, combine(x9, x10))
    O = x2(x11)
    return O


# The colours of the odd blocks, most frequent first.
def solve_f8b3ba0a(I):
    x1 = repeat(apply(color, order(partition(I), size)), ONE)
    O = rot270(crop(x1, ORIGIN, (1, 3)))
    return O


# The nested frames go on outwards at the same spacing, on grey.
def solve_f8c80d96(I):
    x1 = order(objects(I, T, F, T), size)
    x2 = last(x1)
    x3 = get_nth_t(x1, L2)
    x4 = subtract(shape(x2), shape(x3))
    x5 = minimum(x4)
    x6 = compose(lbind(subtract, ulcorner(x2)), rbind(multiply, x5))
    x7 = compose(lbind(add, lrcorner(x2)), rbind(multiply, x5))
    x8 = compose(box, fork(insert, x6, compose(initset, x7)))
    x9 = fill(I, color(x2), mapply(x8, interval(ONE, TEN, ONE)))
    O = replace(x9, ZERO, FIVE)
    return O


# The colours of the shapes from the largest down.
def solve_f8ff0b80(I):
    x1 = apply(color, order(fgpartition(I), size))
    O = rot270(repeat(x1, ONE))
    return O


# What the black patch hides of the periodic pattern.
def solve_f9012d9b(I):
    x1 = ofcolor(I, ZERO)
    x2 = sfilter(I, compose(flip, lbind(contained, ZERO)))
    x3 = tojvec(hperiod(asobject(x2)))
    x4 = toobject(difference(asindices(I), x1), I)
    x5 = apply(rbind(multiply, x3), interval(-9, TEN, ONE))
    O = subgrid(x1, paint(I, mapply(lbind(shift, x4), x5)))
    return O


# Red where neither half has a cell.
def solve_fafffa47(I):
    x1 = ofcolor(tophalf(I), ZERO)
    x2 = ofcolor(bottomhalf(I), ZERO)
    x3 = canvas(ZERO, shape(tophalf(I)))
    O = fill(x3, TWO, intersection(x1, x2))
    return O


# Cut out the largest frame, in the colour of the dots.
def solve_fcb5c309(I):
    x1 = argmax(objects(I, T, F, T), size)
    x2 = color(x1)
    x3 = other(remove(ZERO, palette(I)), x2)
    O = replace(subgrid(x1, I), x2, x3)
    return O


# Below each block green of as many rows as the block has colours.
def solve_fcc82909(I):
    x1 = fork(add, lrcorner, compose(toivec, numcolors))
    x2 = compose(lbind(add, DOWN), llcorner)
    x3 = compose(backdrop, fork(insert, x1, compose(initset, x2)))
    O = fill(I, THREE, mapply(x3, objects(I, F, F, T)))
    return O


# Five times as large as there are dots; each dot runs from the bottom to the upper right.
def solve_feca6190(I):
    x1 = toobject(difference(asindices(I), ofcolor(I, ZERO)), I)
    x2 = multiply(size(x1), width(I))
    x3 = shift(x1, toivec(decrement(x2)))
    x4 = mapply(fork(recolor, first, compose(rbind(shoot, UP_RIGHT), last)), x3)
    O = paint(canvas(ZERO, astuple(x2, x2)), x4)
    return O


# As many cells of a checkerboard are set as there are squares.
def solve_ff28f65a(I):
    x1 = size(objects(I, T, F, T))
    x2 = product(initset(ZERO), interval(ZERO, double(x1), TWO))
    x3 = fill(canvas(ZERO, (1, 9)), ONE, x2)
    O = merge(hsplit(x3, THREE))
    return O


# What the blue patch hides of the symmetric picture.
def solve_ff805c23(I):
    x1 = ofcolor(I, ONE)
    O = subgrid(x1, rot180(I))
    return O
