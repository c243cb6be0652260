"""Solvers for ARC-AGI-1 training tasks 00000000 to 3fffffff."""


# Each coloured cell becomes a copy of the whole grid.
def solve_007bbfb7(I):
    x1 = upscale(I, THREE)
    x2 = merge(repeat(I, THREE))
    x3 = dmirror(merge(repeat(dmirror(x2), THREE)))
    O = cellwise(x1, x3, ZERO)
    return O


# Regions closed in by green are filled yellow.
def solve_00d62c1b(I):
    x1 = colorfilter(objects(I, T, F, F), ZERO)
    x2 = compose(flip, rbind(bordering, I))
    O = fill(I, FOUR, mfilter(x1, x2))
    return O


# The vertical pattern is continued to nine rows, blue becomes red.
def solve_017c7c7b(I):
    x1 = vperiod(asobject(I))
    x2 = crop(I, ORIGIN, astuple(x1, width(I)))
    x3 = merge(repeat(x2, NINE))
    x4 = crop(x3, ORIGIN, astuple(NINE, width(I)))
    O = replace(x4, ONE, TWO)
    return O


# Each outline is sheared: all of it but the lowest component goes one to the right.
def solve_025d127b(I):
    x1 = objects(I, T, F, T)
    x2 = apply(lbind(colorfilter, x1), remove(ZERO, palette(I)))
    x3 = apply(rbind(argmax, lowermost), x2)
    x4 = merge(difference(x1, x3))
    O = paint(cover(I, x4), combine(shift(x4, RIGHT), merge(x3)))
    return O


# The big shape is repeated towards each fragment, in the fragment's colour.
def solve_045e512c(I):
    x1 = objects(I, T, T, T)
    x2 = argmax(x1, size)
    x3 = increment(height(x2))
    x4 = chain(lbind(lbind, multiply), rbind(multiply, x3), lbind(position, x2))
    x5 = compose(rbind(apply, interval(ONE, SIX, ONE)), x4)
    x6 = chain(lbind(lbind, shift), rbind(recolor, x2), color)
    x7 = mapply(fork(mapply, x6, x5), remove(x2, x1))
    O = paint(I, x7)
    return O


# Where both halves are blue the output is red.
def solve_0520fde7(I):
    x1 = cellwise(lefthalf(I), righthalf(I), ZERO)
    O = replace(x1, ONE, TWO)
    return O


# The three diagonal stripes are repeated over the grid.
def solve_05269061(I):
    x1 = merge(fgpartition(I))
    x2 = apply(lbind(astuple, -6), interval(-9, 24, THREE))
    x3 = mapply(rbind(shoot, DOWN_LEFT), x2)
    O = paint(I, mapply(lbind(shift, x1), x3))
    return O


# The red shape moves until it touches the cyan square.
def solve_05f2a901(I):
    x1 = recolor(TWO, ofcolor(I, TWO))
    x2 = gravitate(x1, ofcolor(I, EIGHT))
    O = move(I, x1, x2)
    return O


# Squares of one colour in one row or column of the lattice are joined through the lattice squares.
def solve_06df4c85(I):
    x1 = sfilter(fgpartition(I), compose(positive, color))
    x2 = fork(either, vline, hline)
    x3 = rbind(mfilter, x2)
    x4 = compose(x3, fork(lbind(prapply, connect), toindices, toindices))
    x5 = paint(I, mapply(fork(recolor, color, x4), x1))
    x6 = mostcolor(I)
    O = fill(x5, x6, ofcolor(I, x6))
    return O


# Bars are coloured by rank of height, the tallest blue.
def solve_08ed6ac7(I):
    x1 = order(objects(I, T, F, T), height)
    x2 = interval(size(x1), ZERO, NEG_ONE)
    O = paint(I, mpapply(recolor, x2, x1))
    return O


# The section with the fewest colours shows, scaled up, which section gets which colour.
def solve_09629e4f(I):
    x1 = mapply(rbind(hsplit, THREE), vsplit(I, THREE))
    x2 = argmin(x1, numcolors)
    x3 = crop(upscale(x2, FOUR), ORIGIN, shape(I))
    O = fill(x3, FIVE, ofcolor(I, FIVE))
    return O


# Each plus grows: arms by one, and diagonals of the centre's colour.
def solve_0962bcdd(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = ineighbors(ORIGIN)
    x4 = prapply(add, combine(x3, apply(double, x3)), x2)
    x5 = prapply(add, apply(double, dneighbors(ORIGIN)), x2)
    x6 = other(remove(ZERO, palette(I)), x1)
    O = fill(fill(I, x1, x4), x6, x5)
    return O


# Two cells become lines across the short side, repeated alternately to the end.
def solve_0a938d79(I):
    x1 = branch(portrait(I), dmirror, identity)
    x2 = x1(I)
    x3 = order(fgpartition(x2), leftmost)
    x4 = double(subtract(leftmost(last(x3)), leftmost(first(x3))))
    x5 = apply(tojvec, interval(ZERO, width(x2), x4))
    x6 = fork(recolor, color, chain(vfrontier, tojvec, leftmost))
    x7 = merge(apply(x6, totuple(x3)))
    x8 = mapply(lbind(shift, x7), x5)
    O = x1(paint(x2, x8))
    return O


# The quadrant of the odd colour.
def solve_0b148d64(I):
    O = subgrid(ofcolor(I, leastcolor(I)), I)
    return O


# Red gets yellow diagonal neighbours, blue gets orange direct neighbours.
def solve_0ca9ddb6(I):
    x1 = mapply(ineighbors, ofcolor(I, TWO))
    x2 = mapply(dneighbors, ofcolor(I, ONE))
    O = fill(fill(I, FOUR, x1), SEVEN, x2)
    return O


# Colours are exchanged in fixed pairs.
def solve_0d3d703e(I):
    x1 = switch(I, ONE, FIVE)
    x2 = switch(x1, TWO, SIX)
    x3 = switch(x2, THREE, FOUR)
    O = switch(x3, EIGHT, NINE)
    return O


# Holes in a doubly periodic mosaic are filled; the periods are read off rows and columns without holes.
def solve_0dfd9992(I):
    x1 = compose(flip, lbind(contained, ZERO))
    x2 = chain(hperiod, asobject, rbind(repeat, ONE))
    x3 = valmax(sfilter(dmirror(I), x1), x2)
    x4 = valmax(sfilter(I, x1), x2)
    x5 = product(interval(multiply(x3, -5), 21, x3), interval(multiply(x4, -5), 21, x4))
    x6 = sfilter(asobject(I), compose(positive, first))
    O = paint(I, mapply(lbind(shift, x6), x5))
    return O


# Figures are removed and drawn again, turned or mirrored, where their marker cells are found elsewhere.
def solve_0e206a2e(I):
    x1 = mostcolor(merge(fgpartition(I)))
    x2 = sfilter(objects(I, F, T, T), compose(lbind(contained, x1), palette))
    x3 = cover(I, merge(x2))
    x4 = combine(x2, apply(dmirror, x2))
    x5 = combine(x4, apply(hmirror, x4))
    x6 = combine(x5, apply(vmirror, x5))
    x7 = rbind(sfilter, chain(flip, matcher(identity, x1), first))
    x8 = chain(lbind(rbind, subtract), ulcorner, x7)
    x9 = fork(apply, x8, compose(lbind(occurrences, x3), x7))
    O = paint(x3, mapply(fork(mapply, lbind(lbind, shift), x9), x6))
    return O


# The grid is tiled two by two and every coloured cell gets cyan diagonal neighbours.
def solve_10fcaaa3(I):
    x1 = vconcat(I, I)
    x2 = hconcat(x1, x1)
    x3 = ofcolor(x2, leastcolor(x2))
    O = underfill(x2, EIGHT, mapply(ineighbors, x3))
    return O


# The pattern is completed to full symmetry of the square.
def solve_11852cab(I):
    x1 = merge(fgpartition(I))
    x2 = combine(x1, dmirror(x1))
    x3 = combine(x2, hmirror(x2))
    x4 = combine(x3, vmirror(x3))
    O = paint(I, x4)
    return O


# A plain grid with a cell for each region that the lines cut out.
def solve_1190e5a7(I):
    x1 = mostcolor(I)
    x2 = colorfilter(objects(I, T, F, F), x1)
    x3 = size(apply(uppermost, x2))
    x4 = size(apply(leftmost, x2))
    O = canvas(x1, astuple(x3, x4))
    return O


# The neighbourhoods of all grey cells laid over each other.
def solve_137eaa0f(I):
    x1 = compose(rbind(toobject, I), neighbors)
    x2 = fork(shift, x1, lbind(subtract, UNITY))
    x3 = mapply(x2, ofcolor(I, FIVE))
    O = paint(canvas(FIVE, THREE_BY_THREE), x3)
    return O


# Red cells make columns, blue and green cells make rows over them.
def solve_178fcbfb(I):
    x1 = fill(I, TWO, mapply(vfrontier, ofcolor(I, TWO)))
    x2 = fill(x1, ONE, mapply(hfrontier, ofcolor(I, ONE)))
    O = fill(x2, THREE, mapply(hfrontier, ofcolor(I, THREE)))
    return O


# Single cells go to the line of their colour; those without one vanish.
def solve_1a07d186(I):
    x1 = objects(I, T, F, T)
    x2 = sizefilter(x1, ONE)
    x3 = product(x2, difference(x1, x2))
    x4 = sfilter(x3, fork(equality, compose(color, first), compose(color, last)))
    x5 = mapply(fork(shift, first, fork(gravitate, first, last)), x4)
    O = paint(cover(I, merge(x2)), x5)
    return O


# Where both halves are black the output is cyan.
def solve_1b2d62fb(I):
    x1 = lefthalf(I)
    x2 = intersection(ofcolor(x1, ZERO), ofcolor(righthalf(I), ZERO))
    O = fill(canvas(ZERO, shape(x1)), EIGHT, x2)
    return O


# The missing left arm is the right arm turned by half a turn, in red.
def solve_1b60fb0c(I):
    x1 = ofcolor(I, ONE)
    x2 = hmirror(vmirror(x1))
    x3 = tojvec(subtract(width(x1), height(x1)))
    O = underfill(I, TWO, shift(x2, x3))
    return O


# Each half gets a row through its cell and its part of the outline in the cell's colour.
def solve_1bfc4729(I):
    x1 = box(asindices(I))
    x2 = fork(ofcolor, identity, leastcolor)
    x3 = chain(lbind(combine, x1), lbind(mapply, hfrontier), x2)
    x4 = tophalf(I)
    x5 = hmirror(bottomhalf(I))
    x6 = fill(x4, leastcolor(x4), x3(x4))
    x7 = fill(x5, leastcolor(x5), x3(x5))
    O = vconcat(x6, hmirror(x7))
    return O


# What is inside the rectangle outline.
def solve_1c786137(I):
    x1 = extract(partition(I), fork(equality, toindices, box))
    O = trim(subgrid(x1, I))
    return O


# All shapes move up or down to the rows of the blue one.
def solve_1caeab9d(I):
    x1 = uppermost(ofcolor(I, ONE))
    x2 = fgpartition(I)
    x3 = chain(toivec, lbind(subtract, x1), uppermost)
    x4 = mapply(fork(shift, identity, x3), x2)
    O = paint(cover(I, merge(x2)), x4)
    return O


# The shape, cut out.
def solve_1cf80156(I):
    x1 = merge(fgpartition(I))
    O = subgrid(x1, I)
    return O


# Cells fall to the floor.
def solve_1e0a9b12(I):
    x1 = apply(rbind(order, positive), dmirror(I))
    O = dmirror(x1)
    return O


# The first panel's pattern is completed in all panels in the colour of the lines.
def solve_1e32b0e9(I):
    x1 = first(frontiers(I))
    x2 = crop(I, ORIGIN, (5, 5))
    x3 = ofcolor(x2, leastcolor(x2))
    x4 = product(interval(ZERO, 18, SIX), interval(ZERO, 18, SIX))
    O = underfill(I, color(x1), mapply(lbind(shift, x3), x4))
    return O


# The square moves diagonally towards each red cell, leaving a trail.
def solve_1f0c79e5(I):
    x1 = merge(fgpartition(I))
    x2 = chain(decrement, double, rbind(subtract, ulcorner(x1)))
    x3 = apply(x2, ofcolor(I, TWO))
    x4 = mapply(lbind(shoot, ORIGIN), x3)
    x5 = mapply(lbind(shift, backdrop(x1)), x4)
    O = fill(I, other(palette(x1), TWO), x5)
    return O


# Each single cell colours the cell of the block that it faces.
def solve_1f642eb9(I):
    x1 = ofcolor(I, EIGHT)
    x2 = sizefilter(objects(I, T, F, T), ONE)
    x3 = compose(crement, rbind(gravitate, x1))
    O = paint(I, mapply(fork(shift, identity, x3), x2))
    return O


# The one big shape among noise, cut out.
def solve_1f85a75f(I):
    x1 = argmax(objects(I, T, T, T), size)
    O = subgrid(x1, I)
    return O


# Two cells of one colour are joined by a diagonal.
def solve_1f876c06(I):
    x1 = fork(connect, compose(first, toindices), compose(last, toindices))
    x2 = mapply(fork(recolor, color, x1), fgpartition(I))
    O = paint(I, x2)
    return O


# As many blue cells as there are blue squares.
def solve_1fad071e(I):
    x1 = colorfilter(objects(I, T, F, T), ONE)
    x2 = size(sizefilter(x1, FOUR))
    x3 = hconcat(canvas(ONE, astuple(ONE, x2)), canvas(ZERO, (1, 5)))
    O = crop(x3, ORIGIN, (1, 5))
    return O


# A quarter of the symmetric pattern.
def solve_2013d3e2(I):
    x1 = subgrid(merge(fgpartition(I)), I)
    O = tophalf(lefthalf(x1))
    return O


# Green cells take the colour of the nearer line.
def solve_2204b7a8(I):
    x1 = equality(first(first(I)), last(first(I)))
    x2 = branch(x1, dmirror, identity)
    x3 = x2(I)
    x4 = replace(lefthalf(x3), THREE, first(first(x3)))
    x5 = replace(righthalf(x3), THREE, last(first(x3)))
    O = x2(hconcat(x4, x5))
    return O


# Cells of one colour in one row are joined.
def solve_22168020(I):
    x1 = fork(lbind(prapply, connect), toindices, toindices)
    x2 = compose(rbind(mfilter, hline), x1)
    O = paint(I, mapply(fork(recolor, color, x2), fgpartition(I)))
    return O


# The two empty quarters of each diagonal pair of squares are drawn cyan, one square's size further out.
def solve_22233c11(I):
    x1 = objects(I, T, T, T)
    x2 = halve(width(first(x1)))
    x3 = compose(lbind(rbind, subtract), fork(add, ulcorner, lrcorner))
    x4 = compose(rbind(compose, double), x3)
    x5 = compose(lbind(lbind(chain, lbind(multiply, x2)), sign), x4)
    x6 = compose(lbind(lbind(fork, add), identity), x5)
    O = fill(I, EIGHT, mapply(fork(apply, x6, delta), x1))
    return O


# Where a marked row crosses a marked column the cell turns red.
def solve_2281f1f4(I):
    x1 = ofcolor(I, FIVE)
    x2 = sfilter(x1, matcher(first, ZERO))
    x3 = mapply(hfrontier, difference(x1, x2))
    O = underfill(I, TWO, intersection(mapply(vfrontier, x2), x3))
    return O


# Shapes, each the only one of its colour, move into the holes of their form.
def solve_228f6490(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = intersection(x1, fgpartition(I))
    x4 = compose(toindices, normalize)
    x5 = sfilter(product(x3, x2), fork(equality, compose(x4, first), compose(x4, last)))
    x6 = mapply(fork(recolor, compose(color, first), last), x5)
    O = paint(fill(I, ZERO, mapply(first, x5)), x6)
    return O


# A row whose two ends have one colour is filled with it.
def solve_22eb0ac0(I):
    x1 = fork(lbind(prapply, connect), toindices, toindices)
    x2 = compose(rbind(mfilter, hline), x1)
    O = paint(I, mapply(fork(recolor, color, x2), fgpartition(I)))
    return O


# Both cells make a cross of lines; where the crosses meet is red.
def solve_23581191(I):
    x1 = fork(combine, vfrontier, hfrontier)
    x2 = mapply(x1, ofcolor(I, EIGHT))
    x3 = mapply(x1, ofcolor(I, SEVEN))
    x4 = fill(fill(I, EIGHT, x2), SEVEN, x3)
    O = fill(x4, TWO, intersection(x2, x3))
    return O


# Cyan if the two red squares are joined by coloured cells, else black.
def solve_239be575(I):
    x1 = replace(I, EIGHT, TWO)
    x2 = colorfilter(objects(x1, T, T, F), TWO)
    x3 = sfilter(x2, chain(positive, size, compose(lbind(intersection, ofcolor(I, TWO)), toindices)))
    O = canvas(branch(equality(size(x3), ONE), EIGHT, ZERO), UNITY)
    return O


# The smallest rectangle.
def solve_23b5c85d(I):
    O = subgrid(ofcolor(I, leastcolor(I)), I)
    return O


# Cyan cells in one row or column are joined in green.
def solve_253bf280(I):
    x1 = ofcolor(I, EIGHT)
    x2 = mfilter(prapply(connect, x1, x1), fork(either, vline, hline))
    O = underfill(I, THREE, x2)
    return O


# The odd cell of the triangle shoots a ray through the tip.
def solve_25d487eb(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = position(x2, merge(fgpartition(I)))
    O = underfill(I, x1, shoot(first(x2), x3))
    return O


# Rows of one colour become grey, others black.
def solve_25d8a9c8(I):
    x1 = mfilter(frontiers(I), hline)
    O = fill(canvas(ZERO, shape(I)), FIVE, x1)
    return O


# The shape moves down by one.
def solve_25ff71a9(I):
    O = move(I, merge(fgpartition(I)), DOWN)
    return O


# The small figure is put on each seed of the rectangles, its tips drawn out to the rectangle's sides.
def solve_264363fd(I):
    x1 = objects(I, F, F, T)
    x2 = argmin(x1, size)
    x3 = center(x2)
    x4 = difference(toindices(x2), insert(x3, neighbors(x3)))
    x5 = apply(compose(sign, rbind(subtract, x3)), x4)
    x6 = remove(x2, x1)
    x7 = compose(toindices, rbind(sfilter, matcher(first, index(I, x3))))
    x8 = chain(merge, rbind(lbind(prapply, shoot), x5), x7)
    x9 = mapply(fork(intersection, toindices, x8), x6)
    x10 = fill(cover(I, x2), index(I, first(x4)), x9)
    x11 = toobject(difference(toindices(x2), x4), I)
    x12 = compose(lbind(shift, x11), rbind(subtract, x3))
    O = paint(x10, mapply(x12, mapply(x7, x6)))
    return O


# The five regions around the middle get fixed colours.
def solve_272f95fa(I):
    x1 = colorfilter(objects(I, T, F, F), ZERO)
    x2 = extract(x1, compose(flip, rbind(bordering, I)))
    x3 = sfilter(x1, rbind(vmatching, x2))
    x4 = sfilter(x1, rbind(hmatching, x2))
    x5 = fill(I, TWO, argmin(x3, uppermost))
    x6 = fill(x5, ONE, argmax(x3, uppermost))
    x7 = fill(x6, FOUR, argmin(x4, leftmost))
    x8 = fill(x7, THREE, argmax(x4, leftmost))
    O = fill(x8, SIX, x2)
    return O


# One cell for the pattern: which of the middle and two corners are black tells the four patterns apart.
def solve_27a28665(I):
    x1 = matcher(lbind(index, I), ZERO)
    x2 = branch(x1(astuple(ZERO, TWO)), SIX, THREE)
    x3 = branch(x1(ORIGIN), x2, TWO)
    x4 = branch(x1(UNITY), ONE, x3)
    O = canvas(x4, UNITY)
    return O


# The shape twice, side by side.
def solve_28bf18c6(I):
    x1 = subgrid(merge(fgpartition(I)), I)
    O = hconcat(x1, x1)
    return O


# A spiral: nested square outlines, each opened under its corner and joined to the next.
def solve_28e73c20(I):
    x1 = width(I)
    x2 = rbind(multiply, UNITY)
    x3 = apply(x2, interval(ZERO, halve(increment(x1)), TWO))
    x4 = compose(box, fork(connect, identity, lbind(subtract, decrement(shape(I)))))
    x5 = fill(I, THREE, merge(apply(x4, x3)))
    x6 = apply(x2, interval(ZERO, halve(decrement(x1)), TWO))
    x7 = fill(x5, ZERO, apply(rbind(add, DOWN), x6))
    O = fill(x7, THREE, apply(rbind(add, (2, 1)), x6))
    return O


# The sections with the most cells are filled, the others emptied.
def solve_29623171(I):
    x1 = leastcolor(difference(asobject(I), recolor(FIVE, asindices(I))))
    x2 = product(interval(ZERO, 12, FOUR), interval(ZERO, 12, FOUR))
    x3 = apply(lbind(shift, asindices(canvas(ZERO, THREE_BY_THREE))), x2)
    x4 = compose(size, lbind(intersection, ofcolor(I, x1)))
    x5 = mfilter(x3, matcher(x4, valmax(x3, x4)))
    O = fill(replace(I, x1, ZERO), x1, x5)
    return O


# The colours at both ends of a row meet at grey in the middle.
def solve_29c11459(I):
    x1 = halve(width(I))
    x2 = crop(I, ORIGIN, astuple(height(I), ONE))
    x3 = crop(I, tojvec(decrement(width(I))), astuple(height(I), ONE))
    x4 = fill(x2, FIVE, difference(asindices(x2), ofcolor(x2, ZERO)))
    O = hconcat(hconcat(hupscale(x2, x1), x4), hupscale(x3, x1))
    return O


# Holes in a doubly periodic mosaic are filled; the periods are read off rows and columns without holes.
def solve_29ec7d0e(I):
    x1 = compose(flip, lbind(contained, ZERO))
    x2 = chain(hperiod, asobject, rbind(repeat, ONE))
    x3 = valmax(sfilter(dmirror(I), x1), x2)
    x4 = valmax(sfilter(I, x1), x2)
    x5 = product(interval(multiply(x3, -4), 18, x3), interval(multiply(x4, -4), 18, x4))
    x6 = sfilter(asobject(I), compose(positive, first))
    O = paint(I, mapply(lbind(shift, x6), x5))
    return O


# The shape is mirrored over the side that red marks; the background turns green.
def solve_2bcee788(I):
    x1 = ofcolor(I, TWO)
    x2 = difference(merge(fgpartition(I)), recolor(TWO, x1))
    x3 = hmatching(x1, x2)
    x4 = branch(x3, vmirror, hmirror)
    x5 = multiply(position(x2, x1), branch(x3, RIGHT, DOWN))
    x6 = shift(x4(x2), multiply(x5, shape(x2)))
    O = replace(paint(cover(I, x1), x6), ZERO, THREE)
    return O


# Rows and columns that are clear inside the frame turn green.
def solve_2bee17df(I):
    x1 = merge(colorfilter(frontiers(trim(I)), ZERO))
    O = fill(I, THREE, shift(x1, UNITY))
    return O


# Single cells that face the block are joined to it.
def solve_2c608aff(I):
    x1 = objects(I, T, F, T)
    x2 = argmax(x1, size)
    x3 = fork(either, rbind(hmatching, x2), rbind(vmatching, x2))
    x4 = sfilter(remove(x2, x1), x3)
    x5 = fork(connect, ulcorner, fork(add, ulcorner, rbind(gravitate, x2)))
    O = fill(I, color(first(x4)), mapply(x5, x4))
    return O


# The quarter with the odd cell.
def solve_2dc579da(I):
    x1 = mapply(rbind(hsplit, TWO), vsplit(I, TWO))
    O = argmax(x1, numcolors)
    return O


# The first third.
def solve_2dee498d(I):
    O = first(hsplit(I, THREE))
    return O


# Only the cell of a colour that occurs once stays, with a red ring around.
def solve_31aa019c(I):
    x1 = leastcolor(I)
    x2 = ofcolor(I, x1)
    x3 = fill(canvas(ZERO, shape(I)), x1, x2)
    O = fill(x3, TWO, outbox(x2))
    return O


# The coloured shape goes to the places of the cyan ones.
def solve_321b1fc6(I):
    x1 = objects(I, F, F, T)
    x2 = colorfilter(x1, EIGHT)
    x3 = first(difference(x1, x2))
    x4 = mapply(compose(lbind(shift, normalize(x3)), ulcorner), x2)
    O = paint(cover(I, merge(x1)), x4)
    return O


# Blue cells in the box of the cyan ones turn green.
def solve_32597951(I):
    x1 = delta(ofcolor(I, EIGHT))
    O = fill(I, THREE, intersection(x1, ofcolor(I, ONE)))
    return O


# The block that hides part of a symmetric shape is removed;
# the shape is completed by its mirror image where that fits best.
def solve_3345333e(I):
    x1 = fgpartition(I)
    x2 = extract(x1, fork(equality, toindices, backdrop))
    x3 = other(x1, x2)
    x4 = apply(lbind(shift, vmirror(x3)), apply(tojvec, interval(-3, FOUR, ONE)))
    x5 = argmax(x4, compose(size, lbind(intersection, x3)))
    O = paint(cover(I, x2), x5)
    return O


# Green where the halves differ.
def solve_3428a4f5(I):
    x1 = cellwise(tophalf(I), bottomhalf(I), THREE)
    O = replace(x1, TWO, ZERO)
    return O


# Blue falls through its stalk to the floor.
def solve_3618c87e(I):
    x1 = recolor(ONE, ofcolor(I, ONE))
    O = move(I, x1, TWO_BY_ZERO)
    return O


# The maroon patches of a symmetric mosaic are filled in from its mirror images.
def solve_3631a71a(I):
    x1 = replace(I, NINE, ZERO)
    x2 = rbind(sfilter, compose(positive, first))
    x3 = paint(x1, x2(asobject(dmirror(x1))))
    x4 = hmirror(crop(x3, TWO_BY_ZERO, (28, 30)))
    x5 = paint(x3, shift(x2(asobject(x4)), TWO_BY_ZERO))
    x6 = vmirror(crop(x5, ZERO_BY_TWO, (30, 28)))
    O = paint(x5, shift(x2(asobject(x6)), ZERO_BY_TWO))
    return O


# The pattern in the corner is stamped on every blue cell.
def solve_363442ee(I):
    x1 = asobject(crop(I, ORIGIN, THREE_BY_THREE))
    x2 = compose(lbind(shift, x1), decrement)
    O = paint(I, mapply(x2, ofcolor(I, ONE)))
    return O


# The one complete figure shows, in all turns and mirrorings, how figures of yellow and red are completed.
def solve_36d67576(I):
    x1 = argmax(objects(I, F, T, T), numcolors)
    x2 = combine(initset(x1), initset(dmirror(x1)))
    x3 = combine(x2, apply(hmirror, x2))
    x4 = combine(x3, apply(vmirror, x3))
    x5 = rbind(sfilter, compose(rbind(contained, (2, 4)), first))
    x6 = chain(lbind(rbind, subtract), ulcorner, x5)
    x7 = fork(apply, x6, compose(lbind(occurrences, I), x5))
    O = paint(I, mapply(fork(mapply, lbind(lbind, shift), x7), x4))
    return O


# What lies in the box of red parts, where no black is in that box, turns yellow.
def solve_36fdfd69(I):
    x1 = colorfilter(objects(I, T, T, T), TWO)
    x2 = prapply(combine, x1, x1)
    x3 = chain(size, lbind(intersection, ofcolor(I, ZERO)), delta)
    x4 = mapply(delta, sfilter(x2, matcher(x3, ZERO)))
    O = fill(fill(I, FOUR, x4), TWO, ofcolor(I, TWO))
    return O


# Red bars rise until they are stopped.
def solve_3906de3d(I):
    x1 = rbind(order, matcher(identity, ZERO))
    O = dmirror(apply(x1, dmirror(I)))
    return O


# The shape that occurs most often.
def solve_39a8645d(I):
    x1 = objects(I, T, T, T)
    x2 = mostcommon(apply(color, totuple(x1)))
    O = subgrid(first(colorfilter(x1, x2)), I)
    return O


# The squares around the best surrounded square are repeated around the others of its colour.
def solve_39e1d7f9(I):
    x1 = sfilter(objects(I, T, F, F), fork(both, square, compose(positive, color)))
    x2 = increment(width(first(x1)))
    x3 = apply(rbind(multiply, x2), insert(ORIGIN, neighbors(ORIGIN)))
    x4 = chain(rbind(mapply, x3), lbind(lbind, shift), toindices)
    x5 = lbind(intersection, toindices(merge(x1)))
    x6 = argmax(x1, chain(size, x5, x4))
    x7 = shift(toobject(x4(x6), I), invert(ulcorner(x6)))
    x8 = mapply(compose(lbind(shift, x7), ulcorner), colorfilter(x1, color(x6)))
    O = paint(I, x8)
    return O


# The missing cell of each corner turns blue.
def solve_3aa6fb7a(I):
    O = fill(I, ONE, mapply(delta, objects(I, T, F, T)))
    return O


# Each cell of the top row starts a zigzag down the grid.
def solve_3ac3eb23(I):
    x1 = mapply(fork(recolor, color, chain(ineighbors, first, toindices)), fgpartition(I))
    x2 = crop(paint(I, x1), ORIGIN, astuple(TWO, width(I)))
    O = merge(repeat(x2, halve(height(I))))
    return O


# The grid is mirrored to the right, then down.
def solve_3af2c5a8(I):
    x1 = hconcat(I, vmirror(I))
    O = vconcat(x1, hmirror(x1))
    return O


# A red diagonal and a yellow floor start at the lower left.
def solve_3bd67248(I):
    x1 = llcorner(asindices(I))
    x2 = fill(I, TWO, shoot(add(x1, UP_RIGHT), UP_RIGHT))
    O = fill(x2, FOUR, shoot(add(x1, RIGHT), RIGHT))
    return O


# The middle row of each bar gets a hole at every other cell.
def solve_3bdb4ada(I):
    x1 = product(initset(ONE), interval(ONE, 30, TWO))
    x2 = chain(rbind(apply, x1), lbind(lbind, add), ulcorner)
    x3 = mapply(fork(intersection, toindices, x2), objects(I, T, F, T))
    O = fill(I, ZERO, x3)
    return O


# Each square exchanges its two colours and grows four arms as long as its core is wide.
def solve_3befdf3e(I):
    x1 = objects(I, F, F, T)
    x2 = leastcolor(merge(x1))
    x3 = mostcolor(merge(x1))
    x4 = chain(lbind(lbind, multiply), rbind(subtract, TWO), width)
    x5 = compose(rbind(apply, dneighbors(ORIGIN)), x4)
    x6 = fork(mapply, compose(lbind(lbind, shift), backdrop), x5)
    O = underfill(switch(I, x2, x3), x3, mapply(x6, x1))
    return O


# Half a turn.
def solve_3c9b0459(I):
    O = rot180(I)
    return O


# What is between the four corner cells, in their colour.
def solve_3de23699(I):
    x1 = fgpartition(I)
    x2 = argmax(x1, width)
    x3 = color(other(x1, x2))
    O = replace(trim(subgrid(x2, I)), x3, color(x2))
    return O


# Single cells are completed to the figure that contains their colour, mirrored where the colour is red.
def solve_3e980e27(I):
    x1 = objects(I, F, T, T)
    x2 = sizefilter(x1, ONE)
    x3 = sfilter(difference(x1, x2), compose(lbind(contained, TWO), palette))
    x4 = combine(difference(difference(x1, x2), x3), apply(vmirror, x3))
    x5 = fork(contained, compose(color, last), compose(palette, first))
    x6 = sfilter(product(x4, x2), x5)
    x7 = fork(sfilter, first, chain(lbind(matcher, first), color, last))
    x8 = fork(subtract, compose(ulcorner, last), compose(ulcorner, x7))
    O = paint(I, mapply(fork(shift, first, x8), x6))
    return O


# The largest black rectangle at least two cells high and wide turns pink.
def solve_3eda0437(I):
    x1 = product(interval(TWO, FIVE, ONE), interval(TWO, TEN, ONE))
    x2 = apply(compose(asobject, lbind(canvas, ZERO)), x1)
    x3 = lbind(occurrences, I)
    x4 = argmax(sfilter(x2, chain(positive, size, x3)), size)
    O = fill(I, SIX, shift(x4, first(x3(x4))))
    return O


# The part between the grey posts, with the row above and the row below.
def solve_3f7978a0(I):
    x1 = ofcolor(I, FIVE)
    O = subgrid(combine(shift(x1, UP), shift(x1, DOWN)), I)
    return O
