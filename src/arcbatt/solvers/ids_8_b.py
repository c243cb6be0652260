"""Solvers for ARC-AGI-1 training tasks 80000000 to bfffffff."""


# The pattern of blocks, with each block replaced by the whole pattern made small.
def solve_80af3007(I):
    big = subgrid(ofcolor(I, FIVE), I)
    small = downscale(big, THREE)
    row = hconcat(hconcat(small, small), small)
    tiled = vconcat(vconcat(row, row), row)
    O = cellwise(big, tiled, ZERO)
    return O


# Closed rectangular rings turn green.
def solve_810b9b61(I):
    objs = o_g(I, R5)
    boxes = sfilter(objs, fork(equality, toindices, box))
    rings = mfilter(boxes, compose(positive, compose(size, delta)))
    O = fill(I, THREE, rings)
    return O


# Each partial row repeats the full row's two-colour pattern in its own two colours.
def solve_82819916(I):
    objs = o_g(I, R1)
    full = argmax(objs, size)
    lead = compose(lbind(index, I), ulcorner)
    tail = fork(other, palette, lead)
    shape_a = sfilter(normalize(full), matcher(first, lead(full)))
    shape_b = difference(normalize(full), shape_a)
    paint_a = fork(recolor, lead, compose(lbind(shift, shape_a), ulcorner))
    paint_b = fork(recolor, tail, compose(lbind(shift, shape_b), ulcorner))
    half = paint(I, mapply(paint_a, objs))
    O = paint(half, mapply(paint_b, objs))
    return O


# Rooms whose walls are whole are squares and turn green; all other empty cells turn yellow.
def solve_83302e8f(I):
    rooms = colorfilter(o_g(I, R4), ZERO)
    whole = mfilter(rooms, square)
    O = fill(replace(I, ZERO, FOUR), THREE, whole)
    return O


# The cell falls one step; every second column above it, counted from its own, turns yellow.
def solve_834ec97d(I):
    obj = first(o_g(I, R5))
    place = ulcorner(obj)
    j = last(place)
    cols = combine(interval(j, width(I), TWO), interval(j, NEG_ONE, NEG_TWO))
    rows = interval(ZERO, increment(first(place)), ONE)
    moved = move(I, obj, DOWN)
    O = fill(moved, FOUR, product(rows, cols))
    return O


# Every second column from the cell on is coloured; grey caps alternate at top and bottom between them.
def solve_8403a5d5(I):
    obj = first(o_g(I, R5))
    j = leftmost(obj)
    lines = product(interval(ZERO, TEN, ONE), interval(j, TEN, TWO))
    tops = product(initset(ZERO), interval(add(j, ONE), TEN, FOUR))
    bottoms = product(initset(NINE), interval(add(j, THREE), TEN, FOUR))
    striped = fill(I, color(obj), lines)
    O = fill(striped, FIVE, combine(tops, bottoms))
    return O


# The two-coloured shape moves into the frame, mirrored if need be so that its colours face their bars.
def solve_846bdb03(I):
    frame = subgrid(ofcolor(I, FOUR), I)
    has_four = compose(lbind(contained, FOUR), palette)
    obj = extract(o_g(I, R1), compose(flip, has_four))
    left_color = first(argmin(obj, compose(last, last)))
    same = equality(left_color, index(frame, DOWN))
    turned = branch(same, obj, vmirror(obj))
    O = paint(frame, shift(normalize(turned), UNITY))
    return O


# Each black cell becomes a line across its own stripe.
def solve_855e0971(I):
    level = equality(index(I, ORIGIN), index(vmirror(I), ORIGIN))
    turn = branch(level, identity, dmirror)
    grid = turn(I)
    dots = ofcolor(grid, ZERO)
    stripes = apply(backdrop, difference(o_g(grid, R4), colorfilter(o_g(grid, R4), ZERO)))
    across = compose(lbind(mapply, vfrontier), lbind(intersection, dots))
    lines = mapply(fork(intersection, identity, across), stripes)
    O = turn(fill(grid, ZERO, lines))
    return O


# Concentric rings take each other's colours, inside out.
def solve_85c4e7cd(I):
    rings = order(o_g(I, R4), size)
    back = order(rings, compose(invert, size))
    cells = mpapply(recolor, apply(color, back), rings)
    O = paint(I, combine(initset(first(cells)), cells))
    return O


# Inside of rings: red where the ring's side is even, orange where it is odd.
def solve_868de0fa(I):
    rings = o_g(I, R5)
    evens = mapply(delta, sfilter(rings, compose(even, height)))
    O = fill(fill(I, SEVEN, mapply(delta, rings)), TWO, evens)
    return O


# The one plain rectangle, with lines of the odd colour through its odd cells.
def solve_8731374e(I):
    obj = argmax(o_g(I, R4), size)
    tile = recolor(color(obj), asindices(canvas(ZERO, THREE_BY_THREE)))
    alone = paint(canvas(NEG_ONE, shape(I)), obj)
    area = subgrid(mapply(lbind(shift, tile), occurrences(alone, tile)), I)
    c = leastcolor(area)
    dots = ofcolor(area, c)
    O = fill(area, c, combine(mapply(hfrontier, dots), mapply(vfrontier, dots)))
    return O


# A copy of the shape is centred on the grey cell.
def solve_88a10436(I):
    spot = ofcolor(I, FIVE)
    bare = fill(I, ZERO, spot)
    obj = first(o_g(bare, R3))
    O = paint(bare, shift(obj, subtract(ulcorner(spot), center(obj))))
    return O


# Of the four quarters, the one unlike the rest.
def solve_88a62173(I):
    parts = combine(hsplit(tophalf(I), TWO), hsplit(bottomhalf(I), TWO))
    O = leastcommon(parts)
    return O


# An empty rectangle as large as the framed one gets the same frame.
def solve_890034e9(I):
    c = leastcolor(I)
    frame = ofcolor(I, c)
    hole = recolor(ZERO, delta(frame))
    places = occurrences(I, hole)
    ring = shift(normalize(frame), NEG_UNITY)
    O = fill(I, c, mapply(lbind(shift, ring), places))
    return O


# The small sample, enlarged, is laid over its blocks in the frame.
def solve_8a004b2b(I):
    marks = ofcolor(I, FOUR)
    frame = subgrid(marks, I)
    sample = first(o_g(fill(I, ZERO, backdrop(marks)), R3))
    blocks = o_g(replace(frame, FOUR, ZERO), R5)
    scale = valmin(blocks, width)
    big = upscale(normalize(sample), scale)
    content = merge(blocks)
    where = first(occurrences(paint(canvas(ZERO, shape(big)), big), normalize(content)))
    O = paint(frame, shift(big, subtract(ulcorner(content), where)))
    return O


# The grid above its mirror image.
def solve_8be77c9e(I):
    O = vconcat(I, hmirror(I))
    return O


# Mirrored sideways, then stacked three times, every second one as in the input.
def solve_8d5021e8(I):
    row = hconcat(vmirror(I), I)
    turned = hmirror(row)
    O = vconcat(vconcat(turned, row), turned)
    return O


# Red cells grow to the grey line, blue cells away from it to the edge.
def solve_8d510a79(I):
    line = uppermost(ofcolor(I, FIVE))
    reds = ofcolor(I, TWO)
    to_line = fork(connect, identity, compose(lbind(astuple, line), last))
    blues = ofcolor(I, ONE)
    above = sfilter(blues, compose(lbind(greater, line), first))
    ups = mapply(rbind(shoot, UP), above)
    downs = mapply(rbind(shoot, DOWN), difference(blues, above))
    grown = underfill(I, TWO, mapply(to_line, reds))
    O = underfill(grown, ONE, combine(ups, downs))
    return O


# The line colours in order, as lines of a square as large as the grey one.
def solve_8e1813be(I):
    side = width(ofcolor(I, FIVE))
    lines = difference(fgpartition(I), colorfilter(fgpartition(I), FIVE))
    upright = portrait(first(lines))
    key = branch(upright, leftmost, uppermost)
    turn = branch(upright, dmirror, identity)
    O = turn(apply(rbind(repeat, side), apply(color, order(lines, key))))
    return O


# The first block turned by a quarter, then by a half.
def solve_8e5a5113(I):
    block = asobject(crop(I, ORIGIN, THREE_BY_THREE))
    quarter = vmirror(dmirror(block))
    half = hmirror(vmirror(block))
    one = paint(I, shift(quarter, (0, 4)))
    O = paint(one, shift(half, (0, 8)))
    return O


# The band repeats up and down over the whole grid.
def solve_8eb1be9a(I):
    band = merge(fgpartition(I))
    h = height(band)
    steps = apply(toivec, interval(multiply(h, -20), multiply(h, 20), h))
    O = paint(I, mapply(lbind(shift, band), combine(initset(ORIGIN), steps)))
    return O


# The rectangle with the most red cells in it.
def solve_8efcae92(I):
    obj = argmax(colorfilter(o_g(I, R4), ONE), compose(size, delta))
    O = subgrid(obj, I)
    return O


# The pattern stands at each cell of its own picture, enlarged.
def solve_8f2ea7aa(I):
    small = subgrid(merge(fgpartition(I)), I)
    row = hconcat(hconcat(small, small), small)
    tiled = vconcat(vconcat(row, row), row)
    O = cellwise(upscale(small, THREE), tiled, ZERO)
    return O


# Each patch of colour as one cell.
def solve_90c28cc7(I):
    area = subgrid(merge(fgpartition(I)), I)
    O = dmirror(dedupe(dmirror(dedupe(area))))
    return O


# Unfinished copies of the full pattern are completed in blue.
def solve_90f3ed37(I):
    cells = ofcolor(I, EIGHT)
    objs = o_g(I, R7)
    full = normalize(toindices(argmax(objs, size)))
    steps = apply(tojvec, interval(TWO, NEG_ONE, NEG_ONE))
    based = compose(lbind(shift, full), ulcorner)
    options = chain(rbind(apply, steps), lbind(lbind, shift), based)
    fit = compose(size, lbind(intersection, cells))
    O = underfill(I, ONE, mapply(compose(rbind(argmax, fit), options), objs))
    return O


# Each cell gets a ring, of a colour that goes with its own.
def solve_913fb3ed(I):
    ring = lbind(mapply, neighbors)
    sixes = fill(I, SIX, ring(ofcolor(I, THREE)))
    fours = fill(sixes, FOUR, ring(ofcolor(I, EIGHT)))
    O = fill(fours, ONE, ring(ofcolor(I, TWO)))
    return O


# As many copies as coloured cells, laid in rows of as many as there are empty cells.
def solve_91413438(I):
    empty = colorcount(I, ZERO)
    filled = subtract(NINE, empty)
    line = interval(ZERO, empty, ONE)
    places = apply(first, pair(product(line, line), interval(ZERO, filled, ONE)))
    cells = mapply(compose(lbind(shift, asobject(I)), lbind(multiply, THREE)), places)
    blank = canvas(ZERO, multiply(shape(I), empty))
    O = paint(blank, combine(asobject(I), cells))
    return O


# Only the one solid rectangle stays.
def solve_91714a58(I):
    c = color(argmax(o_g(I, R5), size))
    block = recolor(c, asindices(canvas(c, TWO_BY_TWO)))
    solid = mapply(lbind(shift, block), occurrences(I, block))
    O = paint(canvas(ZERO, shape(I)), solid)
    return O


# Three times as large.
def solve_9172f3a0(I):
    O = upscale(I, THREE)
    return O


# A box in the shape's colour just inside the grey cells.
def solve_928ad970(I):
    c = first(remove(ZERO, remove(FIVE, palette(I))))
    O = fill(I, c, inbox(ofcolor(I, FIVE)))
    return O


# Each of the four cells throws its colour into the opposite corner.
def solve_93b581b8(I):
    obj = first(o_g(I, R1))
    turned = upscale(hmirror(vmirror(obj)), THREE)
    spread = paint(I, shift(turned, (-2, -2)))
    cross = combine(mapply(hfrontier, toindices(obj)), mapply(vfrontier, toindices(obj)))
    O = paint(fill(spread, ZERO, cross), obj)
    return O


# Of the rooms in order the first, the middle and the last are coloured.
def solve_941d9a10(I):
    rooms = order(colorfilter(o_g(I, R4), ZERO), ulcorner)
    one = fill(I, ONE, first(rooms))
    two = fill(one, TWO, get_nth_t(rooms, halve(size(rooms))))
    O = fill(two, THREE, last(rooms))
    return O


# Red where both halves are empty.
def solve_94f9d214(I):
    upper = tophalf(I)
    lower = bottomhalf(I)
    both_empty = intersection(ofcolor(upper, ZERO), ofcolor(lower, ZERO))
    O = fill(canvas(ZERO, shape(upper)), TWO, both_empty)
    return O


# The four cells inside the box's corners jump out past the opposite corners.
def solve_952a094c(I):
    obj = first(o_g(I, R1))
    inner = inbox(obj)
    outer = outbox(obj)
    bare = fill(I, ZERO, inner)
    a = fill(bare, index(I, ulcorner(inner)), initset(lrcorner(outer)))
    b = fill(a, index(I, lrcorner(inner)), initset(ulcorner(outer)))
    c = fill(b, index(I, urcorner(inner)), initset(llcorner(outer)))
    O = fill(c, index(I, llcorner(inner)), initset(urcorner(outer)))
    return O


# All but the most common colour turns grey.
def solve_9565186b(I):
    c = mostcolor(I)
    O = fill(canvas(FIVE, shape(I)), c, ofcolor(I, c))
    return O


# Each grey square gets blue, red, green and yellow just past its four corners.
def solve_95990924(I):
    rings = apply(outbox, o_g(I, R5))
    a = fill(I, ONE, apply(ulcorner, rings))
    b = fill(a, TWO, apply(urcorner, rings))
    c = fill(b, THREE, apply(llcorner, rings))
    O = fill(c, FOUR, apply(lrcorner, rings))
    return O


# The pattern goes on for twice the width.
def solve_963e52fc(I):
    obj = asobject(I)
    wide = double(width(I))
    steps = apply(tojvec, interval(ZERO, wide, hperiod(obj)))
    cells = mapply(lbind(shift, obj), combine(initset(ORIGIN), steps))
    O = paint(canvas(ZERO, astuple(height(I), wide)), cells)
    return O


# From each cell to the right, its colour and grey take turns.
def solve_97999447(I):
    objs = o_g(I, R5)
    evens = apply(tojvec, interval(ZERO, width(I), TWO))
    again = merge(prapply(shift, objs, evens))
    painted = paint(I, again)
    O = fill(painted, FIVE, shift(toindices(again), RIGHT))
    return O


# The block drawn along its thread to the full rectangle; the thread is gone.
def solve_98cf29f8(I):
    objs = o_g(I, R5)
    anchor = extract(objs, fork(equality, toindices, backdrop))
    pulled = other(objs, anchor)
    tile = recolor(color(pulled), asindices(canvas(ZERO, TWO_BY_TWO)))
    body = mapply(lbind(shift, tile), occurrences(I, tile))
    bare = fill(I, ZERO, pulled)
    O = paint(bare, shift(body, gravitate(body, anchor)))
    return O


# Each of three blocks stands for the colour the demonstrations give it.
def solve_995c5fa3(S, I, C):
    split = rbind(hsplit, THREE)
    entries = fork(pair, compose(split, first), compose(lbind(apply, first), last))
    table = mapply(entries, S)
    entry = compose(lbind(extract, table), lbind(matcher, first))
    colors = apply(compose(last, entry), split(I))
    O = apply(rbind(repeat, THREE), colors)
    return O


# Green where just one of the halves has a cell.
def solve_99b1bc43(I):
    a = ofcolor(tophalf(I), ZERO)
    b = ofcolor(bottomhalf(I), ZERO)
    one = difference(combine(a, b), intersection(a, b))
    O = fill(canvas(ZERO, shape(tophalf(I))), THREE, one)
    return O


# Each cell runs to the right edge and then down it until the next one.
def solve_99fa7670(I):
    objs = order(o_g(I, R5), uppermost)
    rows = apply(uppermost, objs)
    edge = decrement(width(I))
    nexts = combine(remove(first(rows), rows), repeat(height(I), ONE))
    starts = papply(astuple, rows, repeat(edge, size(objs)))
    ends = papply(astuple, apply(decrement, nexts), repeat(edge, size(objs)))
    falls = papply(connect, starts, ends)
    runs = papply(connect, apply(ulcorner, objs), starts)
    lines = papply(combine, runs, falls)
    cells = mpapply(recolor, apply(color, objs), lines)
    O = paint(I, combine(first(objs), cells))
    return O


# The shape is set in the frame; each of its cells takes the colour of the nearest side, on diagonals its own.
def solve_9aec4887(I):
    bare = replace(I, EIGHT, ZERO)
    frame = subgrid(merge(fgpartition(bare)), bare)
    cells = shift(normalize(ofcolor(I, EIGHT)), UNITY)
    sides = o_g(frame, R5)
    nearest = chain(lbind(argmin, sides), lbind(rbind, manhattan), initset)
    tinted = mapply(fork(recolor, compose(color, nearest), initset), cells)
    falling = fork(equality, first, last)
    rising = matcher(fork(add, first, last), decrement(width(frame)))
    diagonal = sfilter(cells, fork(either, falling, rising))
    O = fill(paint(frame, tinted), EIGHT, diagonal)
    return O


# A column for each colour, as tall as its count, the tallest first.
def solve_9af7a82c(I):
    parts = order(partition(I), compose(invert, size))
    top = size(first(parts))
    lack = compose(lbind(subtract, top), size)
    bar = fork(combine, fork(repeat, color, size), compose(lbind(repeat, ZERO), lack))
    O = dmirror(apply(bar, parts))
    return O


# The cells are mirrored into all quarters; those off the diagonals are joined by dotted sides.
def solve_9d9215db(I):
    cells = compose(merge, fgpartition)
    one = paint(I, cells(vmirror(I)))
    two = paint(one, cells(hmirror(one)))
    above = fork(greater, compose(last, last), compose(first, last))
    in_left = chain(lbind(greater, halve(width(I))), last, last)
    pick = rbind(sfilter, fork(both, above, in_left))
    mirrored = fork(astuple, first, compose(lbind(subtract, decrement(width(I))), last))
    side = fork(recolor, first, compose(fork(connect, identity, mirrored), last))
    odd = interval(ONE, width(I), TWO)
    grid = product(odd, odd)
    on_grid = compose(rbind(contained, grid), last)
    dots = compose(rbind(sfilter, on_grid), compose(lbind(mapply, side), compose(pick, cells)))
    three = dmirror(paint(two, dots(two)))
    four = dmirror(paint(three, dots(three)))
    five = paint(four, cells(vmirror(four)))
    O = paint(five, cells(hmirror(five)))
    return O


# Mirrored at the diagonal.
def solve_9dfd6313(I):
    O = dmirror(I)
    return O


# What the erased square of the symmetric picture held.
def solve_9ecd008a(I):
    O = subgrid(ofcolor(I, ZERO), vmirror(I))
    return O


# Blue floods the empty areas it touches.
def solve_9edfc990(I):
    areas = colorfilter(o_g(I, R4), ZERO)
    O = fill(I, ONE, mfilter(areas, rbind(adjacent, ofcolor(I, ONE))))
    return O


# Each room of the lattice as one cell, mirrored sideways.
def solve_9f236235(I):
    side = valmin(sfilter(frontiers(I), hline), uppermost)
    O = vmirror(downscale(compress(I), side))
    return O


# The red shape moves into the green corners.
def solve_a1570a43(I):
    obj = recolor(TWO, ofcolor(I, TWO))
    target = increment(ulcorner(ofcolor(I, THREE)))
    O = move(I, obj, subtract(target, ulcorner(obj)))
    return O


# A path from red along its row, then along the column of green.
def solve_a2fd1cf0(I):
    a = ulcorner(ofcolor(I, TWO))
    b = ulcorner(ofcolor(I, THREE))
    bend = astuple(first(a), last(b))
    O = underfill(I, EIGHT, combine(connect(a, bend), connect(bend, b)))
    return O


# The colours of the largest objects from left to right, as tall as they have cells.
def solve_a3325580(I):
    objs = o_g(I, R5)
    n = valmax(objs, size)
    colors = apply(color, order(sizefilter(objs, n), leftmost))
    O = repeat(colors, n)
    return O


# A ball bounces upwards between the sides.
def solve_a3df8b1e(I):
    start = decrement(height(I))
    period = double(decrement(width(I)))
    rows = combine(initset(start), interval(start, -10, invert(period)))
    starts = apply(toivec, rows)
    rising = mapply(rbind(shoot, UP_RIGHT), starts)
    falling = mapply(rbind(shoot, UNITY), starts)
    O = fill(I, ONE, combine(rising, falling))
    return O


# The grid twice, side by side.
def solve_a416b8f3(I):
    O = hconcat(I, I)
    return O


# Each grey cell goes to the nearest place around the red square.
def solve_a48eeaf7(I):
    dots = ofcolor(I, FIVE)
    ring = apply(initset, outbox(ofcolor(I, TWO)))
    nearest = compose(lbind(argmin, ring), compose(lbind(rbind, manhattan), initset))
    O = fill(fill(I, ZERO, dots), FIVE, mapply(nearest, dots))
    return O


# Enclosed empty areas turn blue.
def solve_a5313dff(I):
    areas = colorfilter(o_g(I, R4), ZERO)
    O = fill(I, ONE, mfilter(areas, compose(flip, rbind(bordering, I))))
    return O


# The cells in every second column turn yellow.
def solve_a5f85a15(I):
    cols = interval(ONE, width(I), TWO)
    cells = product(interval(ZERO, height(I), ONE), cols)
    O = fill(I, FOUR, difference(cells, ofcolor(I, ZERO)))
    return O


# The four corner pieces come together to a ring.
def solve_a61ba2ce(I):
    gap = chain(ulcorner, delta, normalize)
    place = chain(double, lbind(subtract, UNITY), gap)
    pieces = mapply(fork(shift, normalize, place), o_g(I, R5))
    O = paint(canvas(ZERO, (4, 4)), pieces)
    return O


# The tallest bar turns blue and the shortest red; the others go.
def solve_a61f2674(I):
    bars = o_g(I, R5)
    blank = canvas(ZERO, shape(I))
    tall = fill(blank, ONE, argmax(bars, size))
    O = fill(tall, TWO, argmin(bars, size))
    return O


# Stairs: green rows ever longer above the red one, blue rows ever shorter below it.
def solve_a65b410d(I):
    end = urcorner(ofcolor(I, TWO))
    leftward = lbind(mapply, rbind(shoot, LEFT))
    green = leftward(shoot(end, UP_RIGHT))
    blue = leftward(shoot(end, DOWN_LEFT))
    O = underfill(underfill(I, THREE, green), ONE, blue)
    return O


# The four quarters laid over each other, the upper left one on top.
def solve_a68b268e(I):
    upper = tophalf(I)
    lower = bottomhalf(I)
    cells = compose(rbind(sfilter, compose(positive, first)), asobject)
    a = paint(righthalf(lower), cells(lefthalf(lower)))
    b = paint(a, cells(righthalf(upper)))
    O = paint(b, cells(lefthalf(upper)))
    return O


# Red between two blue cells of a row.
def solve_a699fb00(I):
    dots = ofcolor(I, ONE)
    O = fill(I, TWO, intersection(shift(dots, RIGHT), shift(dots, LEFT)))
    return O


# The object cut out, on black.
def solve_a740d043(I):
    O = replace(subgrid(merge(fgpartition(I)), I), ONE, ZERO)
    return O


# Each grey triangle gives way to a second diagonal past its far corner.
def solve_a78176bb(I):
    triangles = colorfilter(o_g(I, R5), FIVE)
    bare = replace(I, FIVE, ZERO)
    c = last(p_g(bare))
    has_ll = fork(contained, llcorner, toindices)
    lower = sfilter(triangles, compose(flip, fork(contained, urcorner, toindices)))
    upper = sfilter(triangles, compose(flip, has_ll))
    a = apply(compose(rbind(add, DOWN_LEFT), llcorner), lower)
    b = apply(compose(rbind(add, UP_RIGHT), urcorner), upper)
    line = fork(combine, rbind(shoot, UNITY), rbind(shoot, NEG_UNITY))
    O = fill(bare, c, mapply(line, combine(a, b)))
    return O


# The object moves down one step and turns red.
def solve_a79310a0(I):
    cells = ofcolor(I, EIGHT)
    O = fill(fill(I, ZERO, cells), TWO, shift(cells, DOWN))
    return O


# Each row takes the colour that goes with the column of its grey cell.
def solve_a85d4709(I):
    dots = ofcolor(I, FIVE)
    rows = compose(lbind(mapply, hfrontier), compose(lbind(sfilter, dots), lbind(matcher, last)))
    a = fill(I, TWO, rows(ZERO))
    b = fill(a, FOUR, rows(ONE))
    O = fill(b, THREE, rows(TWO))
    return O


# Of the three-by-three parts, the one whose shape is unlike the others.
def solve_a87f7484(I):
    split = branch(portrait(I), vsplit, hsplit)
    parts = split(I, divide(maximum(shape(I)), THREE))
    holes = rbind(ofcolor, ZERO)
    odd = leastcommon(apply(holes, parts))
    O = extract(parts, matcher(holes, odd))
    return O


# The coloured corner and side pieces find their places round a grey square.
def solve_a8c38be5(I):
    objs = o_g(I, R5)
    pieces = apply(normalize, difference(objs, colorfilter(objs, FIVE)))
    gap = compose(lbind(multiply, SEVEN), compose(ulcorner, delta))
    extent = compose(lbind(multiply, FOUR), shape)
    place = compose(lbind(subtract, 15), fork(add, gap, extent))
    O = paint(canvas(FIVE, (9, 9)), mapply(fork(shift, identity, place), pieces))
    return O


# The red cell gives way to four colours at its diagonal neighbours.
def solve_a9f96cdd(I):
    dot = ofcolor(I, TWO)
    a = fill(replace(I, TWO, ZERO), THREE, shift(dot, NEG_UNITY))
    b = fill(a, SIX, shift(dot, UP_RIGHT))
    c = fill(b, EIGHT, shift(dot, DOWN_LEFT))
    O = fill(c, SEVEN, shift(dot, UNITY))
    return O


# The object takes the colour of the cell in the corner, which goes.
def solve_aabf363d(I):
    dot = leastcolor(I)
    shape_color = color(argmax(o_g(I, R5), size))
    O = replace(replace(I, dot, ZERO), shape_color, dot)
    return O


# Yellow fills the box and pours out of its gap, straight and along both diagonals.
def solve_aba27056(I):
    obj = first(o_g(I, R5))
    gap = difference(box(obj), toindices(obj))
    out = position(obj, gap)
    side = subtract(UNITY, multiply(out, out))
    straight = mapply(rbind(shoot, out), gap)
    one = shoot(ulcorner(gap), subtract(out, side))
    two = shoot(lrcorner(gap), add(out, side))
    filled = fill(I, FOUR, delta(obj))
    O = fill(filled, FOUR, combine(straight, combine(one, two)))
    return O


# Enlarged by the number of coloured cells.
def solve_ac0a08a4(I):
    O = upscale(I, subtract(size(asindices(I)), colorcount(I, ZERO)))
    return O


# Green cells are drawn to the red one, orange cells to the blue one, until they touch.
def solve_ae3edfdc(I):
    green = ofcolor(I, THREE)
    orange = ofcolor(I, SEVEN)
    bare = replace(replace(I, THREE, ZERO), SEVEN, ZERO)
    to_red = compose(lbind(position, ofcolor(I, TWO)), initset)
    to_blue = compose(lbind(position, ofcolor(I, ONE)), initset)
    by_red = apply(compose(lbind(add, ulcorner(ofcolor(I, TWO))), to_red), green)
    by_blue = apply(compose(lbind(add, ulcorner(ofcolor(I, ONE))), to_blue), orange)
    O = fill(fill(bare, THREE, by_red), SEVEN, by_blue)
    return O


# The piece with the most blue cells.
def solve_ae4f1146(I):
    O = subgrid(argmax(o_g(I, R1), rbind(colorcount, ONE)), I)
    return O


# Single cells turn blue.
def solve_aedd82e4(I):
    reds = colorfilter(o_g(I, R4), TWO)
    O = fill(I, ONE, merge(sizefilter(reds, ONE)))
    return O


# Rectangles marked by four yellow corners are filled with red.
def solve_af902bf9(I):
    dots = ofcolor(I, FOUR)
    patches = apply(fork(insert, first, compose(initset, last)), product(dots, dots))
    hits = compose(size, compose(lbind(intersection, dots), corners))
    rects = sfilter(patches, matcher(hits, FOUR))
    O = fill(I, TWO, mapply(compose(backdrop, inbox), rects))
    return O


# As many cells, winding row by row, as the cup has empty rows.
def solve_b0c4d837(I):
    depth = decrement(height(ofcolor(I, FIVE)))
    n = subtract(depth, height(ofcolor(I, EIGHT)))
    there = totuple(connect(ORIGIN, (0, 2)))
    back = order(connect((1, 0), (1, 2)), compose(invert, last))
    way = combine(combine(there, back), connect((2, 0), (2, 2)))
    cells = apply(first, pair(way, interval(ZERO, n, ONE)))
    O = fill(canvas(ZERO, THREE_BY_THREE), EIGHT, combine(initset(ORIGIN), cells))
    return O


# The light blue shape stands, in its colour, at each cell of the other half.
def solve_b190f7f5(I):
    split = branch(portrait(I), vsplit, hsplit)
    parts = split(I, TWO)
    stamp = extract(parts, compose(lbind(contained, EIGHT), palette))
    plan = other(parts, stamp)
    n = width(stamp)
    place = compose(lbind(shift, ofcolor(stamp, EIGHT)), compose(lbind(multiply, n), last))
    O = paint(canvas(ZERO, multiply(shape(plan), n)), mapply(fork(recolor, first, place), asobject(plan)))
    return O


# Pink turns red.
def solve_b1948b0a(I):
    O = replace(I, SIX, TWO)
    return O


# The object whose shape is unlike the others turns red, the others blue.
def solve_b230c067(I):
    objs = totuple(o_g(I, R7))
    odd = leastcommon(apply(normalize, objs))
    blue = replace(I, EIGHT, ONE)
    O = fill(blue, TWO, extract(objs, matcher(normalize, odd)))
    return O


# Pairs of cells get a green ring.
def solve_b27ca6d3(I):
    pairs = sizefilter(o_g(I, R5), TWO)
    O = underfill(I, THREE, mapply(outbox, pairs))
    return O


# Blue objects with a hole turn light blue.
def solve_b2862040(I):
    areas = colorfilter(o_g(I, R4), NINE)
    holes = mfilter(areas, compose(flip, rbind(bordering, I)))
    O = fill(I, EIGHT, mfilter(colorfilter(o_g(I, R4), ONE), rbind(adjacent, holes)))
    return O


# From the red cell on a bar's long side a red ray goes out, with green on either side as wide as the bar less one.
def solve_b527c5c6(I):
    upright = compose(rbind(sfilter, portrait), rbind(o_g, R1))
    red = compose(ulcorner, rbind(sfilter, matcher(first, TWO)))
    at_left = fork(equality, compose(last, red), leftmost)
    way = chain(tojvec, increment, compose(lbind(multiply, NEG_TWO), at_left))
    ray = fork(shoot, red, way)
    spread = fork(rbind(interval, ONE), chain(increment, invert, width), width)
    steps = compose(lbind(apply, toivec), spread)
    band = compose(merge, fork(lbind(prapply, shift), compose(initset, ray), steps))
    one = dmirror(fill(underfill(I, THREE, mapply(band, upright(I))), TWO, mapply(ray, upright(I))))
    flat = upright(dmirror(I))
    O = dmirror(fill(underfill(one, THREE, mapply(band, flat)), TWO, mapply(ray, flat)))
    return O


# The rectangle grows until it reaches the single cell.
def solve_b548a754(I):
    rect = argmax(o_g(I, R1), size)
    outer = index(I, ulcorner(rect))
    inner = other(palette(rect), outer)
    area = backdrop(merge(fgpartition(I)))
    O = fill(fill(I, inner, area), outer, box(area))
    return O


# Around each cell a ring of grey corners and blue sides; the cell goes.
def solve_b60334d2(I):
    dots = ofcolor(I, FIVE)
    corners_in = fill(replace(I, FIVE, ZERO), FIVE, mapply(ineighbors, dots))
    O = fill(corners_in, ONE, mapply(dneighbors, dots))
    return O


# Rectangles: corners blue, sides yellow, inside red.
def solve_b6afb2da(I):
    rects = colorfilter(o_g(I, R4), FIVE)
    a = replace(I, FIVE, TWO)
    b = fill(a, FOUR, mapply(box, rects))
    O = fill(b, ONE, mapply(corners, rects))
    return O


# Two cells reach out to each other and meet with open brackets half way.
def solve_b7249182(I):
    turn = branch(portrait(merge(fgpartition(I))), dmirror, identity)
    grid = turn(I)
    ends = order(o_g(grid, R5), leftmost)
    a = ulcorner(first(ends))
    middle = halve(add(a, ulcorner(last(ends))))
    stop = add(middle, LEFT)
    bar = connect(add(stop, (-2, 0)), add(stop, (2, 0)))
    tips = insert(add(middle, (-2, 0)), initset(add(middle, (2, 0))))
    half = combine(connect(a, stop), combine(bar, tips))
    rest = shift(vmirror(half), tojvec(width(half)))
    one = fill(grid, color(first(ends)), half)
    O = turn(fill(one, color(last(ends)), rest))
    return O


# Each shape is mirrored to the sides and corners where a cell of another colour touches it, in that colour.
def solve_b775ac94(I):
    main = fork(sfilter, identity, compose(lbind(matcher, first), mostcolor))
    beside = compose(fork(shift, vmirror, compose(tojvec, width)), main)
    across = compose(fork(shift, compose(hmirror, vmirror), shape), main)
    inside = chain(rbind(compose, last), lbind(rbind, contained), backdrop)
    tints_a = compose(palette, fork(sfilter, identity, compose(inside, beside)))
    tints_b = compose(palette, fork(sfilter, identity, compose(inside, across)))
    copy_a = compose(merge, fork(lbind(prapply, recolor), tints_a, compose(initset, beside)))
    copy_b = compose(merge, fork(lbind(prapply, recolor), tints_b, compose(initset, across)))
    copies = compose(lbind(mapply, fork(combine, copy_a, copy_b)), rbind(o_g, R3))
    one = paint(I, copies(I))
    two = paint(rot90(one), copies(rot90(I)))
    three = paint(rot90(two), copies(rot180(I)))
    O = rot90(paint(rot90(three), copies(rot270(I))))
    return O


# The two colours, by turns, flood the passages of the maze.
def solve_b782dc8a(I):
    c = leastcolor(I)
    start = first(ofcolor(I, c))
    d = other(remove(EIGHT, remove(ZERO, palette(I))), c)
    bare = replace(replace(I, c, ZERO), d, ZERO)
    way = toindices(extract(o_g(bare, R4), compose(lbind(contained, start), toindices)))
    far = compose(fork(add, first, last), lbind(subtract, start))
    evens = sfilter(way, compose(even, far))
    O = fill(fill(bare, d, way), c, evens)
    return O


# The symmetric picture without its yellow patches.
def solve_b8825c91(I):
    patches = rbind(ofcolor, FOUR)
    fix_v = fork(paint, identity, fork(toobject, patches, vmirror))
    fix_h = fork(paint, identity, fork(toobject, patches, hmirror))
    O = fix_h(fix_v(I))
    return O


# The middle colour of the base throws diagonals up to both sides from beside its cap.
def solve_b8cdaf2b(I):
    c = leastcolor(I)
    top = shift(ofcolor(I, c), UP)
    rays = combine(shoot(ulcorner(top), NEG_UNITY), shoot(urcorner(top), UP_RIGHT))
    O = underfill(I, c, rays)
    return O


# Enlarged by the number of colours besides black.
def solve_b91ae062(I):
    O = upscale(I, size(remove(ZERO, palette(I))))
    return O


# The square cut out, with its two colours exchanged.
def solve_b94a9452(I):
    area = subgrid(merge(fgpartition(I)), I)
    O = switch(area, first(p_g(area)), last(p_g(area)))
    return O


# The colour of the rectangle with a hole.
def solve_b9b7f026(I):
    obj = argmax(o_g(I, R5), compose(size, delta))
    O = canvas(color(obj), UNITY)
    return O


# Yellow turns pink in every third column.
def solve_ba26e723(I):
    cols = interval(ZERO, width(I), THREE)
    cells = product(interval(ZERO, height(I), ONE), cols)
    O = fill(I, SIX, intersection(cells, ofcolor(I, FOUR)))
    return O


# Where the two bars cross, the other one comes to lie on top.
def solve_ba97ae07(I):
    bars = fgpartition(I)
    crossing = intersection(backdrop(first(bars)), backdrop(last(bars)))
    top = index(I, first(crossing))
    O = fill(I, other(apply(color, bars), top), crossing)
    return O


# The inside of rectangles turns red.
def solve_bb43febb(I):
    rects = colorfilter(o_g(I, R4), FIVE)
    O = fill(I, TWO, mapply(compose(backdrop, inbox), rects))
    return O


# Half as many rows as columns, the bar longer by one in each.
def solve_bbc9ae5d(I):
    c = index(I, ORIGIN)
    rows = vupscale(I, halve(width(I)))
    ends = shoot(urcorner(ofcolor(I, c)), UNITY)
    O = fill(rows, c, mapply(rbind(shoot, LEFT), ends))
    return O


# The four corners of the grid laid over each other.
def solve_bc1d5164(I):
    c = last(p_g(I))
    right = tojvec(subtract(width(I), THREE))
    low = toivec(subtract(height(I), THREE))
    a = crop(I, ORIGIN, THREE_BY_THREE)
    b = fill(a, c, ofcolor(crop(I, right, THREE_BY_THREE), c))
    d = fill(b, c, ofcolor(crop(I, low, THREE_BY_THREE), c))
    O = fill(d, c, ofcolor(crop(I, add(low, right), THREE_BY_THREE), c))
    return O


# Below the grey row, the colours of the first row follow as rows, again and again.
def solve_bd4472b8(I):
    rows = apply(rbind(repeat, width(I)), first(I))
    head = crop(I, ORIGIN, astuple(TWO, width(I)))
    O = crop(vconcat(head, vconcat(rows, rows)), ORIGIN, shape(I))
    return O


# Each colour of the rings gives way to the next one out, the outermost to the last.
def solve_bda2d7a6(I):
    parts = order(partition(I), uppermost)
    colors = apply(color, parts)
    turned = combine(repeat(last(colors), ONE), colors)
    cells = mpapply(recolor, turned, parts)
    O = paint(I, combine(initset(first(cells)), cells))
    return O


# Both bars run through the grid and cross in yellow.
def solve_bdad9b1f(I):
    row = mapply(hfrontier, ofcolor(I, TWO))
    col = mapply(vfrontier, ofcolor(I, EIGHT))
    lines = fill(fill(I, TWO, row), EIGHT, col)
    O = fill(lines, FOUR, intersection(row, col))
    return O


# The largest object.
def solve_be94b721(I):
    O = subgrid(argmax(o_g(I, R5), size), I)
    return O


# The bars pile up by length at the right, the longest at the bottom.
def solve_beb8660c(I):
    bars = order(o_g(I, R5), compose(invert, size))
    rows = interval(decrement(height(I)), NEG_ONE, NEG_ONE)
    cols = apply(compose(lbind(subtract, width(I)), size), bars)
    cells = merge(papply(shift, apply(normalize, bars), papply(astuple, rows, cols)))
    O = paint(canvas(ZERO, shape(I)), combine(initset(first(cells)), cells))
    return O
