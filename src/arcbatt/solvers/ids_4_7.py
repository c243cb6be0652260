"""Solvers for ARC-AGI-1 training tasks 40000000 to 7fffffff."""


# Join the two dots of each colour; vertical lines lie over horizontal ones.
def solve_40853293(I):
    lines = apply(fork(recolor, color, backdrop), fgpartition(I))
    across = paint(I, mfilter(lines, hline))
    O = paint(across, mfilter(lines, vline))
    return O


# Every dot falls straight towards the grey band, becomes grey and stacks up against it.
def solve_4093f84a(I):
    five = ofcolor(I, FIVE)
    turn = branch(portrait(five), identity, dmirror)
    dot = other(remove(ZERO, palette(I)), FIVE)
    G = turn(replace(I, dot, FIVE))
    edge = leftmost(ofcolor(turn(I), FIVE))
    left = crop(G, ORIGIN, astuple(height(G), edge))
    right = crop(G, tojvec(edge), shape(G))
    packed = hconcat(apply(rbind(order, identity), left), apply(rbind(order, invert), right))
    O = turn(packed)
    return O


# Lines through the middle of every square, in row and column, under the squares.
def solve_41e4d17e(I):
    middles = apply(center, objects(I, T, T, T))
    O = underfill(I, SIX, mapply(fork(combine, vfrontier, hfrontier), middles))
    return O


# A ring of ones around every grey cell.
def solve_4258a5f9(I):
    O = fill(I, ONE, mapply(neighbors, ofcolor(I, FIVE)))
    return O


# Cells without any neighbour of their colour vanish.
def solve_42a50994(I):
    O = cover(I, merge(sizefilter(objects(I, T, T, T), ONE)))
    return O


# Rectangles become hollow.
def solve_4347f46a(I):
    inside = mapply(fork(difference, toindices, box), objects(I, T, F, T))
    O = fill(I, ZERO, inside)
    return O


# Fill each pot with the colour of the dot in it, and lay that colour on the row above the pot.
def solve_444801d8(I):
    pots = colorfilter(objects(I, T, T, T), ONE)
    ink = chain(leastcolor, rbind(toobject, I), delta)
    lid = compose(rbind(shift, UP), fork(connect, ulcorner, urcorner))
    O = paint(I, mapply(fork(recolor, ink, fork(combine, delta, lid)), pots))
    return O


# Two by two of the colour of the largest object.
def solve_445eab21(I):
    O = canvas(color(argmax(objects(I, T, F, T), size)), TWO_BY_TWO)
    return O


# The red parts of the figure reappear at several scales; each gets the rest of the figure.
def solve_447fd412(I):
    P = paint(canvas(ZERO, add(shape(I), TWO)), shift(asobject(I), UNITY))
    figure = normalize(argmax(objects(I, F, T, T), numcolors))
    views = apply(lbind(upscale, figure), interval(ONE, FOUR, ONE))
    red = rbind(sfilter, matcher(first, TWO))
    around = fork(difference, compose(lbind(mapply, dneighbors), toindices), toindices)
    mark = fork(combine, identity, compose(lbind(recolor, ZERO), around))
    ways = fork(apply, compose(lbind(rbind, subtract), ulcorner), lbind(occurrences, P))
    done = mapply(fork(mapply, lbind(lbind, shift), chain(ways, mark, red)), views)
    O = trim(paint(P, done))
    return O


# Square holes are filled with two.
def solve_44d8ac46(I):
    holes = colorfilter(objects(I, T, F, F), ZERO)
    O = fill(I, TWO, mfilter(holes, square))
    return O


# One if the grid is its own left-right mirror image, else seven.
def solve_44f52bb0(I):
    O = canvas(branch(equality(I, vmirror(I)), ONE, SEVEN), UNITY)
    return O


# The diagonal of the little square that goes through the red cell, four times as large.
def solve_4522001f(I):
    three = ofcolor(I, THREE)
    ends = insert(UNITY, intersection(three, ineighbors(UNITY)))
    O = paint(canvas(ZERO, (9, 9)), upscale(recolor(THREE, ends), FOUR))
    return O


# The gaps of the outline, and of a line across it, are filled with two.
def solve_4612dd53(I):
    one = ofcolor(I, ONE)
    frame = box(one)
    inner = difference(one, frame)
    ray = branch(equality(width(inner), ONE), vfrontier, hfrontier)
    line = intersection(mapply(ray, inner), backdrop(one))
    O = underfill(I, TWO, combine(frame, line))
    return O


# The grid and its three turns, arranged in a pinwheel.
def solve_46442a0e(I):
    O = vconcat(hconcat(I, rot90(I)), hconcat(rot270(I), rot180(I)))
    return O


# Enlarge by the number of colours; diagonal rays of two from the corners of the block.
def solve_469497ad(I):
    G = upscale(I, decrement(numcolors(I)))
    block = argmax(sfilter(objects(G, T, F, T), square), size)
    rays = combine(shoot(ulcorner(block), NEG_UNITY), shoot(lrcorner(block), UNITY))
    more = combine(shoot(urcorner(block), UP_RIGHT), shoot(llcorner(block), DOWN_LEFT))
    O = underfill(G, TWO, combine(rays, more))
    return O


# Every second cell, counted from the lower right, four times as large.
def solve_46f33fce(I):
    O = upscale(rot180(downscale(rot180(I), TWO)), FOUR)
    return O


# The upper left quarter, in the colour of the dividing lines, mirrored both ways.
def solve_47c1f68c(I):
    ink = color(first(frontiers(I)))
    quarter = lefthalf(tophalf(I))
    Q = replace(quarter, other(palette(quarter), ZERO), ink)
    half = hconcat(Q, vmirror(Q))
    O = vconcat(half, hmirror(half))
    return O


# The gaps of the wallpaper are filled in from its repeats, downwards and then sideways.
def solve_484b58aa(I):
    whole = compose(flip, lbind(contained, ZERO))
    period = chain(hperiod, asobject, rbind(repeat, ONE))
    seen = compose(rbind(sfilter, compose(positive, first)), asobject)
    down = valmax(sfilter(dmirror(I), whole), period)
    across = valmax(sfilter(I, whole), period)
    rows = combine(interval(ZERO, 30, down), interval(ZERO, -30, invert(down)))
    J = paint(I, mapply(lbind(shift, seen(I)), apply(toivec, rows)))
    columns = combine(interval(ZERO, 30, across), interval(ZERO, -30, invert(across)))
    O = paint(J, mapply(lbind(shift, seen(J)), apply(tojvec, columns)))
    return O


# The shape that carries the grey marker.
def solve_48d8fb45(I):
    marked = extract(objects(I, F, T, T), compose(lbind(contained, FIVE), palette))
    body = sfilter(marked, compose(flip, matcher(first, FIVE)))
    O = subgrid(body, I)
    return O


# The red shape is mirrored at the green block, sideways and up and down.
def solve_4938f0c2(I):
    V = vmirror(I)
    sideways = subtract(ulcorner(ofcolor(I, THREE)), ulcorner(ofcolor(V, THREE)))
    J = fill(I, TWO, shift(ofcolor(V, TWO), sideways))
    H = hmirror(J)
    down = subtract(ulcorner(ofcolor(J, THREE)), ulcorner(ofcolor(H, THREE)))
    O = fill(J, TWO, shift(ofcolor(H, TWO), down))
    return O


# What is on top appears mirrored at the bottom.
def solve_496994bd(I):
    O = underpaint(I, asobject(hmirror(I)))
    return O


# The grid gets a border that repeats its outermost cells, with empty corners.
def solve_49d1d64f(I):
    cells = asobject(I)
    blank = canvas(ZERO, add(shape(I), TWO))
    rows = paint(paint(blank, shift(cells, RIGHT)), shift(cells, (2, 1)))
    columns = paint(paint(rows, shift(cells, DOWN)), shift(cells, (1, 2)))
    O = paint(columns, shift(cells, UNITY))
    return O


# The colours of the bands, one cell each.
def solve_4be741c5(I):
    flat = equality(size(dedupe(first(I))), ONE)
    turn = branch(flat, dmirror, identity)
    O = turn(repeat(dedupe(first(turn(I))), ONE))
    return O


# The upside down grid on top of the grid.
def solve_4c4377d9(I):
    O = vconcat(hmirror(I), I)
    return O


# The shape is mirrored at the symmetric cross, sideways and up and down.
def solve_4c5c2cf0(I):
    cross = color(extract(fgpartition(I), fork(equality, identity, vmirror)))
    ink = other(remove(ZERO, palette(I)), cross)
    V = vmirror(I)
    sideways = subtract(ulcorner(ofcolor(I, cross)), ulcorner(ofcolor(V, cross)))
    J = fill(I, ink, shift(ofcolor(V, ink), sideways))
    H = hmirror(J)
    down = subtract(ulcorner(ofcolor(J, cross)), ulcorner(ofcolor(H, cross)))
    O = fill(J, ink, shift(ofcolor(H, ink), down))
    return O


# The diagonal runs on to the red wall and is thrown back there.
def solve_508bd3b6(I):
    turn = branch(portrait(ofcolor(I, TWO)), identity, dmirror)
    G = turn(I)
    wall = ofcolor(G, TWO)
    face = branch(equality(leftmost(wall), ZERO), increment(rightmost(wall)), decrement(leftmost(wall)))
    line = ofcolor(G, EIGHT)
    way = sign(subtract(last(line), first(line)))
    ray = combine(shoot(first(line), way), shoot(first(line), invert(way)))
    bounce = fork(astuple, first, compose(lbind(subtract, double(face)), last))
    O = turn(underfill(G, THREE, combine(ray, apply(bounce, ray))))
    return O


# The inside of each rectangle becomes eight.
def solve_50cb2852(I):
    inside = mapply(fork(difference, toindices, box), objects(I, T, F, T))
    O = fill(I, EIGHT, inside)
    return O


# The shape with an eight in it, the eight in the colour of the shape.
def solve_5117e062(I):
    marked = extract(objects(I, F, T, T), compose(lbind(contained, EIGHT), palette))
    O = replace(subgrid(marked, I), EIGHT, mostcolor(marked))
    return O


# The red ring moves one dot further along the line of dots.
def solve_5168d44c(I):
    ring = ofcolor(I, TWO)
    step = branch(portrait(ofcolor(I, THREE)), TWO_BY_ZERO, ZERO_BY_TWO)
    O = fill(cover(I, ring), TWO, shift(ring, step))
    return O


# Nested corners: the colours of the first row repeat outwards over a ten by ten grid.
def solve_539a4f51(I):
    row = merge(repeat(remove(ZERO, first(I)), TEN))
    across = crop(repeat(row, TEN), ORIGIN, (10, 10))
    upper = sfilter(asindices(across), fork(greater, last, first))
    O = paint(dmirror(across), toobject(upper, across))
    return O


# The pattern goes on downwards, step by step as it began, to ten rows.
def solve_53b68214(I):
    ink = leastcolor(I)
    cells = ofcolor(I, ink)
    onto = compose(rbind(sfilter, compose(lbind(greater, height(I)), first)), lbind(shift, cells))
    steps = product(interval(ONE, height(I), ONE), interval(NEG_TWO, THREE, ONE))
    step = extract(steps, matcher(chain(size, rbind(difference, cells), onto), ZERO))
    ways = apply(lbind(multiply, step), interval(ZERO, TEN, ONE))
    O = fill(canvas(ZERO, (10, 10)), ink, mapply(lbind(shift, cells), ways))
    return O


# Shapes get an outline of three, their holes are filled with four.
def solve_543a7ed5(I):
    shapes = objects(I, T, F, T)
    ringed = fill(I, THREE, mapply(outbox, shapes))
    O = fill(ringed, FOUR, mapply(delta, shapes))
    return O


# On the last row, a four below the middle of each arch.
def solve_54d82841(I):
    middles = apply(center, objects(I, T, F, T))
    floor = hfrontier(toivec(decrement(height(I))))
    O = fill(I, FOUR, intersection(floor, mapply(vfrontier, middles)))
    return O


# Each compartment is filled with the colour of its dot plus five.
def solve_54d9e175(I):
    dots = mfilter(objects(I, T, F, F), compose(lbind(greater, FIVE), color))
    marks = sfilter(dots, compose(positive, first))
    ink = compose(lbind(add, FIVE), first)
    room = chain(backdrop, outbox, initset)
    O = paint(I, mapply(fork(recolor, ink, room), marks))
    return O


# Every block rises by its own height.
def solve_5521c0d9(I):
    blocks = objects(I, T, F, T)
    lift = fork(shift, identity, chain(toivec, invert, height))
    O = paint(cover(I, merge(blocks)), mapply(lift, blocks))
    return O


# All in the most common colour.
def solve_5582e5ca(I):
    O = canvas(mostcolor(I), shape(I))
    return O


# The main colour of each of the three by three blocks.
def solve_5614dbcf(I):
    O = apply(compose(lbind(apply, mostcolor), rbind(hsplit, THREE)), vsplit(I, THREE))
    return O


# The green shape moves up to the red line; a line of eight closes in on it from behind.
def solve_56dc2b01(I):
    shape3 = toobject(ofcolor(I, THREE), I)
    wall = ofcolor(I, TWO)
    way = gravitate(shape3, wall)
    back = multiply(increment(shape(shape3)), invert(sign(way)))
    O = fill(move(I, shape3, way), EIGHT, shift(wall, back))
    return O


# The dots of each colour are the corners of a rectangle to fill.
def solve_56ff96f3(I):
    O = paint(I, mapply(fork(recolor, color, backdrop), fgpartition(I)))
    return O


# Around every anchor the complete figure is drawn, at the scale of the anchor and in the colour next to it.
def solve_57aa92db(I):
    things = objects(I, F, T, T)
    common = mostcommon(mapply(compose(totuple, palette), totuple(things)))
    anchor = rbind(sfilter, matcher(first, common))
    model = argmax(things, fork(divide, size, compose(size, anchor)))
    origin = subtract(ulcorner(anchor(model)), ulcorner(model))
    scale = compose(width, anchor)
    ink = compose(rbind(other, common), palette)
    form = compose(lbind(upscale, normalize(model)), scale)
    place = fork(subtract, compose(ulcorner, anchor), compose(lbind(multiply, origin), scale))
    O = paint(paint(I, mapply(fork(recolor, ink, fork(shift, form, place)), things)), mapply(anchor, things))
    return O


# The large blob at one cell a block, in the colour of the noise.
def solve_5ad4f10b(I):
    blob = argmax(objects(I, T, T, T), size)
    noise = other(remove(ZERO, palette(I)), color(blob))
    G = fill(canvas(ZERO, shape(blob)), noise, normalize(blob))
    O = downscale(G, divide(width(G), THREE))
    return O


# The upper right three by three.
def solve_5bd6f4ac(I):
    O = crop(I, (0, 6), THREE_BY_THREE)
    return O


# The block of ones trails up and left, the block of twos down and right.
def solve_5c0a986e(I):
    J = underfill(I, ONE, shoot(ulcorner(ofcolor(I, ONE)), NEG_UNITY))
    O = underfill(J, TWO, shoot(lrcorner(ofcolor(I, TWO)), UNITY))
    return O


# Square outlines around the middle dot, as far apart as the dots.
def solve_5c2c9af4(I):
    ink = leastcolor(I)
    dots = ofcolor(I, ink)
    mid = center(dots)
    ring = compose(box, fork(insert, lbind(add, mid), compose(initset, lbind(subtract, mid))))
    O = fill(I, ink, mapply(ring, interval(ZERO, 30, halve(height(dots)))))
    return O


# The frame between the four lines; the dots in it stretch to the line of their colour.
def solve_5daaa586(I):
    rows = repeat(apply(mostcommon, I), ONE)
    columns = repeat(apply(mostcommon, dmirror(I)), ONE)
    r = difference(asindices(rows), ofcolor(rows, ZERO))
    c = difference(asindices(columns), ofcolor(columns, ZERO))
    G = crop(I, astuple(leftmost(r), leftmost(c)), astuple(width(r), width(c)))
    ink = maximum(palette(trim(G)))
    side = branch(equality(index(G, DOWN), ink), LEFT, RIGHT)
    low = branch(equality(index(rot180(G), RIGHT), ink), DOWN, side)
    way = branch(equality(index(G, RIGHT), ink), UP, low)
    O = underfill(G, ink, mapply(rbind(shoot, way), shift(ofcolor(trim(G), ink), UNITY)))
    return O


# What is missing from the box of each shape becomes seven.
def solve_60b61512(I):
    O = fill(I, SEVEN, mapply(delta, objects(I, T, T, T)))
    return O


# Half a turn.
def solve_6150a2bd(I):
    O = rot180(I)
    return O


# Diagonal rays from the dot in all four directions.
def solve_623ea044(I):
    ink = leastcolor(I)
    dot = first(ofcolor(I, ink))
    ways = ineighbors(ORIGIN)
    O = fill(I, ink, mapply(lbind(shoot, dot), ways))
    return O


# Mirrored to the right and then down.
def solve_62c24649(I):
    half = hconcat(I, vmirror(I))
    O = vconcat(half, hmirror(half))
    return O


# The shape that equals the one in the marked corner becomes grey.
def solve_63613498(I):
    corner = crop(I, ORIGIN, THREE_BY_THREE)
    form = compose(toindices, normalize)
    model = normalize(difference(asindices(corner), ofcolor(corner, ZERO)))
    J = fill(I, FIVE, mfilter(objects(I, T, T, T), matcher(form, model)))
    O = paint(J, asobject(corner))
    return O


# Three where both halves are empty.
def solve_6430c8c4(I):
    top = tophalf(I)
    empty = intersection(ofcolor(top, ZERO), ofcolor(bottomhalf(I), ZERO))
    O = fill(canvas(ZERO, shape(top)), THREE, empty)
    return O


# Of the empty rooms the largest becomes one, the smallest eight.
def solve_6455b5f5(I):
    rooms = colorfilter(objects(I, T, F, F), ZERO)
    J = fill(I, ONE, argmax(rooms, size))
    O = fill(J, EIGHT, merge(sizefilter(rooms, valmin(rooms, size))))
    return O


# Of the three squares, the one that is not symmetric about its diagonal.
def solve_662c240a(I):
    O = extract(vsplit(I, THREE), compose(flip, fork(equality, identity, dmirror)))
    return O


# Groups of three cells or more become eight.
def solve_67385a82(I):
    groups = colorfilter(objects(I, T, F, F), THREE)
    O = fill(I, EIGHT, mfilter(groups, compose(rbind(greater, TWO), size)))
    return O


# Dots are drawn to the upper wall; the lower wall sends a full row from the same heights.
def solve_673ef223(I):
    walls = order(colorfilter(objects(I, T, F, T), TWO), uppermost)
    dots = ofcolor(I, EIGHT)
    drop = subtract(uppermost(last(walls)), uppermost(first(walls)))
    J = underfill(I, EIGHT, mapply(hfrontier, shift(dots, toivec(drop))))
    foot = compose(rbind(astuple, leftmost(first(walls))), first)
    K = underfill(J, EIGHT, mapply(fork(connect, identity, foot), dots))
    O = fill(K, FOUR, dots)
    return O


# One for each compartment with two sixes.
def solve_6773b310(I):
    mark = compose(halve, rbind(colorcount, SIX))
    O = apply(compose(lbind(apply, mark), rbind(hsplit, THREE)), vsplit(I, THREE))
    return O


# Left-right mirror image.
def solve_67a3c6ac(I):
    O = vmirror(I)
    return O


# A ring of fours around the crossing of the two lines.
def solve_67a423a3(I):
    lines = fgpartition(I)
    crossing = intersection(backdrop(first(lines)), backdrop(last(lines)))
    O = fill(I, FOUR, mapply(neighbors, crossing))
    return O


# Mirrored to the right and then down.
def solve_67e8384a(I):
    half = hconcat(I, vmirror(I))
    O = vconcat(half, hmirror(half))
    return O


# The two pieces fit together to a full three by three square.
def solve_681b3aeb(I):
    pieces = objects(I, T, T, T)
    one = normalize(first(pieces))
    blank = canvas(color(last(pieces)), THREE_BY_THREE)
    rest = compose(lbind(difference, asindices(blank)), lbind(shift, toindices(one)))
    places = product(interval(ZERO, THREE, ONE), interval(ZERO, THREE, ONE))
    fits = matcher(compose(normalize, rest), normalize(toindices(last(pieces))))
    O = paint(blank, shift(one, extract(places, fits)))
    return O


# The grey shapes outside the brackets are reflected to the inside.
def solve_6855a6e4(I):
    bracket = first(colorfilter(objects(I, T, F, T), TWO))
    turn = branch(portrait(bracket), dmirror, identity)
    G = turn(I)
    red = ofcolor(G, TWO)
    grey = ofcolor(G, FIVE)
    above = sfilter(grey, compose(lbind(greater, uppermost(red)), first))
    high = fork(astuple, compose(lbind(subtract, double(uppermost(red))), first), last)
    low = fork(astuple, compose(lbind(subtract, double(lowermost(red))), first), last)
    inside = combine(apply(high, above), apply(low, difference(grey, above)))
    O = turn(fill(cover(G, grey), FIVE, inside))
    return O


# Upside down.
def solve_68b16354(I):
    O = hmirror(I)
    return O


# The inside of the smaller rectangle becomes one, of the larger two.
def solve_694f12f3(I):
    blocks = colorfilter(objects(I, T, F, F), FOUR)
    inside = fork(difference, toindices, box)
    J = fill(I, ONE, inside(argmin(blocks, size)))
    O = fill(J, TWO, inside(argmax(blocks, size)))
    return O


# The grey pieces go up into the gaps of the red comb that they fill exactly, as high as they can.
def solve_6a1e5592(I):
    J = replace(I, FIVE, ZERO)
    free = ofcolor(J, ZERO)
    gaps = sfilter(free, compose(lbind(greater, THREE), first))
    pieces = apply(compose(normalize, toindices), colorfilter(objects(I, T, F, F), FIVE))
    places = product(interval(ONE, THREE, ONE), interval(ZERO, width(I), ONE))
    beside = fork(difference, compose(rbind(intersection, gaps), lbind(mapply, dneighbors)), identity)
    bad = fork(combine, rbind(difference, free), beside)
    options = compose(rbind(apply, totuple(places)), lbind(lbind, shift))
    fit = compose(rbind(extract, matcher(compose(size, bad), ZERO)), options)
    O = fill(J, ONE, mapply(fit, pieces))
    return O


# The end marks of the figure reappear, mirrored and at several scales; each pair gets the body.
def solve_6aa20dc0(I):
    bg = mostcolor(I)
    P = paint(canvas(bg, add(shape(I), TWO)), shift(asobject(I), UNITY))
    figure = normalize(argmax(objects(I, F, T, T), numcolors))
    mirrored = insert(vmirror(figure), initset(figure))
    views = prapply(upscale, combine(mirrored, apply(hmirror, mirrored)), interval(ONE, FOUR, ONE))
    ends = rbind(sfilter, compose(flip, matcher(first, mostcolor(figure))))
    around = fork(difference, compose(lbind(mapply, dneighbors), toindices), toindices)
    mark = fork(combine, identity, compose(lbind(recolor, bg), around))
    ways = fork(apply, compose(lbind(rbind, subtract), ulcorner), lbind(occurrences, P))
    O = trim(paint(P, mapply(fork(mapply, lbind(lbind, shift), chain(ways, mark, ends)), views)))
    return O


# The shape is enlarged to fit into the red frame.
def solve_6b9890af(I):
    frame = ofcolor(I, TWO)
    form = extract(fgpartition(I), compose(flip, matcher(color, TWO)))
    factor = divide(subtract(width(frame), TWO), width(form))
    O = paint(subgrid(frame, I), shift(upscale(normalize(form), factor), UNITY))
    return O


# Rings of eight ones become crosses of twos.
def solve_6c434453(I):
    rings = sizefilter(objects(I, T, F, T), EIGHT)
    middles = apply(center, rings)
    O = fill(cover(I, merge(rings)), TWO, combine(middles, mapply(dneighbors, middles)))
    return O


# Lines between the marks of the rarest colour at opposite edges; all else vanishes.
def solve_6cdd2623(I):
    ink = leastcolor(I)
    marks = ofcolor(I, ink)
    rows = mapply(hfrontier, sfilter(marks, matcher(last, ZERO)))
    columns = mapply(vfrontier, sfilter(marks, matcher(first, ZERO)))
    O = fill(canvas(ZERO, shape(I)), ink, combine(rows, columns))
    return O


# Empty three by three squares are filled with one, but not where an earlier one overlaps.
def solve_6cf79266(I):
    hole = asobject(canvas(ZERO, THREE_BY_THREE))
    places = occurrences(I, hole)
    below = product(interval(ONE, THREE, ONE), interval(NEG_TWO, THREE, ONE))
    right = product(interval(ZERO, ONE, ONE), interval(ONE, THREE, ONE))
    later = mapply(lbind(shift, places), combine(below, right))
    O = fill(I, ONE, mapply(lbind(shift, hole), difference(places, later)))
    return O


# The compartment with the four moves to where the four lies within it; the others are emptied.
def solve_6d0160f0(I):
    four = first(ofcolor(I, FOUR))
    start = multiply(divide(four, FOUR), FOUR)
    cells = asobject(crop(I, start, THREE_BY_THREE))
    lines = fill(canvas(ZERO, shape(I)), FIVE, ofcolor(I, FIVE))
    O = paint(lines, shift(cells, multiply(subtract(four, start), FOUR)))
    return O


# The grid and its mirror image to the right.
def solve_6d0aefbc(I):
    O = hconcat(I, vmirror(I))
    return O


# Columns with a dot under the roof are filled from the roof down.
def solve_6d58a25d(I):
    roof = argmax(objects(I, T, T, T), size)
    ink = other(remove(ZERO, palette(I)), color(roof))
    under = mapply(rbind(shoot, DOWN), toindices(roof))
    dots = intersection(under, ofcolor(I, ink))
    O = underfill(I, ink, intersection(under, mapply(vfrontier, dots)))
    return O


# What is missing from the box of the shape becomes two.
def solve_6d75e8bb(I):
    O = fill(I, TWO, delta(ofcolor(I, EIGHT)))
    return O


# One colour gives the top row, two the falling diagonal, three the rising one.
def solve_6e02f1e3(I):
    n = numcolors(I)
    start = branch(equality(n, THREE), TWO_BY_ZERO, ORIGIN)
    end = branch(equality(n, TWO), TWO_BY_TWO, ZERO_BY_TWO)
    O = fill(canvas(ZERO, shape(I)), FIVE, connect(start, end))
    return O


# Each angle shoots a diagonal ray out of its opening.
def solve_6e19193c(I):
    gap = compose(first, delta)
    elbow = compose(first, fork(intersection, toindices, compose(ineighbors, gap)))
    way = fork(subtract, gap, elbow)
    ray = fork(shoot, fork(add, gap, way), way)
    O = fill(I, leastcolor(I), mapply(ray, objects(I, T, F, T)))
    return O


# Shapes of four cells become one, of three two, of two three.
def solve_6e82a1ae(I):
    ink = compose(lbind(subtract, FIVE), size)
    O = paint(I, mapply(fork(recolor, ink, identity), objects(I, T, F, T)))
    return O


# The small colour key, kept only where the large blob has a block.
def solve_6ecd11f4(I):
    things = objects(I, F, T, T)
    key = subgrid(argmin(things, size), I)
    blob = subgrid(argmax(things, size), I)
    mask = downscale(blob, divide(width(blob), width(key)))
    O = fill(key, ZERO, ofcolor(mask, ZERO))
    return O


# The edge of the grid becomes eight.
def solve_6f8cd79b(I):
    O = fill(I, EIGHT, box(asindices(I)))
    return O


# The grid and its mirror image below.
def solve_6fa7a44f(I):
    O = vconcat(I, hmirror(I))
    return O


# Parts of the two-coloured figures (only one of the colours there) are completed.
def solve_72322fa7(I):
    figures = sfilter(objects(I, F, T, T), matcher(numcolors, TWO))
    rare = fork(sfilter, identity, compose(lbind(matcher, first), leastcolor))
    common = fork(sfilter, identity, compose(lbind(matcher, first), mostcolor))
    ways = fork(apply, compose(lbind(rbind, subtract), ulcorner), lbind(occurrences, I))
    place = lbind(lbind, shift)
    J = paint(I, mapply(fork(mapply, place, compose(ways, rare)), figures))
    O = paint(J, mapply(fork(mapply, place, compose(ways, common)), figures))
    return O


# The shape that is its own mirror image.
def solve_72ca375d(I):
    O = subgrid(extract(objects(I, T, T, T), fork(equality, identity, vmirror)), I)
    return O


# Holes are filled from the mirror image at the diagonal, then along the diagonal.
def solve_73251a56(I):
    seen = compose(rbind(sfilter, compose(positive, first)), asobject)
    step = fork(paint, fork(paint, identity, compose(rbind(shift, UNITY), seen)), seen)
    steps = power(step, NINE)
    O = steps(paint(dmirror(I), seen(I)))
    return O


# Of the pockets of the zigzag, from left to right, every third is filled with four.
def solve_7447852a(I):
    pockets = order(colorfilter(objects(I, T, F, F), ZERO), leftmost)
    chosen = apply(lbind(get_nth_t, pockets), interval(ZERO, size(pockets), THREE))
    O = fill(I, FOUR, merge(chosen))
    return O


# The rectangle, cut out and mirrored.
def solve_7468f01a(I):
    O = vmirror(subgrid(first(objects(I, F, T, T)), I))
    return O


# The colours of the stripes, one cell each.
def solve_746b3537(I):
    colours = apply(color, order(objects(I, T, F, F), ulcorner))
    turn = branch(equality(numcolors(repeat(first(I), ONE)), ONE), dmirror, identity)
    O = turn(repeat(colours, ONE))
    return O


# Transposed.
def solve_74dd1130(I):
    O = dmirror(I)
    return O


# The four quarters on top of each other: four lowest, then nine, six and five.
def solve_75b8110e(I):
    base = lefthalf(tophalf(I))
    nine = fill(base, NINE, ofcolor(righthalf(bottomhalf(I)), NINE))
    six = fill(nine, SIX, ofcolor(lefthalf(bottomhalf(I)), SIX))
    O = fill(six, FIVE, ofcolor(righthalf(tophalf(I)), FIVE))
    return O


# The figure is mirrored to the side at which the lower shape has its arm.
def solve_760b3cac(I):
    image = asobject(vmirror(crop(I, (0, 3), THREE_BY_THREE)))
    side = branch(equality(index(I, THREE_BY_THREE), FOUR), ORIGIN, (0, 6))
    O = paint(I, shift(image, side))
    return O


# Shapes like the one in the closed grey frame take its colour.
def solve_776ffc46(I):
    things = objects(I, T, F, T)
    frame = extract(colorfilter(things, FIVE), fork(equality, toindices, box))
    model = sfilter(toobject(delta(frame), I), compose(positive, first))
    form = compose(toindices, normalize)
    O = fill(I, color(model), mfilter(things, matcher(form, form(model))))
    return O


# The inner figure, each quarter in the colour of the corner next to it.
def solve_77fdfe62(I):
    inner = trim(trim(I))
    corner = downscale(I, decrement(width(I)))
    O = fill(upscale(corner, halve(width(inner))), ZERO, ofcolor(inner, ZERO))
    return O


# One cell for each noisy block, in its colour.
def solve_780d0b14(I):
    plain = fill(canvas(ONE, shape(I)), ZERO, merge(frontiers(I)))
    blocks = colorfilter(objects(plain, T, F, F), ONE)
    ink = chain(maximum, palette, rbind(subgrid, I))
    solid = paint(plain, mapply(fork(recolor, ink, identity), blocks))
    squeeze = chain(dmirror, dedupe, rbind(sfilter, compose(positive, maximum)))
    O = squeeze(squeeze(solid))
    return O


# A cell of colour for each mesh whose four knots have that colour.
def solve_7837ac64(I):
    line = mostcommon(remove(ZERO, merge(I)))
    J = replace(I, line, ZERO)
    area = subgrid(difference(asindices(J), ofcolor(J, ZERO)), J)
    knots = downscale(area, divide(width(area), THREE))
    upper = cellwise(crop(knots, ORIGIN, THREE_BY_THREE), crop(knots, RIGHT, THREE_BY_THREE), ZERO)
    lower = cellwise(crop(knots, DOWN, THREE_BY_THREE), crop(knots, UNITY, THREE_BY_THREE), ZERO)
    O = cellwise(upper, lower, ZERO)
    return O


# As many twos as there are ones: along the top row, the fourth in the middle.
def solve_794b24be(I):
    n = colorcount(I, ONE)
    row = connect(ORIGIN, tojvec(decrement(n)))
    extra = branch(equality(n, FOUR), UNITY, ORIGIN)
    O = fill(canvas(ZERO, shape(I)), TWO, insert(extra, row))
    return O


# Enclosed rooms become two, the outside three.
def solve_7b6016b9(I):
    rooms = colorfilter(objects(I, T, F, F), ZERO)
    closed = mfilter(rooms, compose(flip, rbind(bordering, I)))
    O = replace(fill(I, TWO, closed), ZERO, THREE)
    return O


# One of the two equal halves.
def solve_7b7f7511(I):
    O = branch(portrait(I), tophalf(I), lefthalf(I))
    return O


# The green figure, each quarter in the colour of the two by two key.
def solve_7c008303(I):
    figure = subgrid(ofcolor(I, THREE), I)
    J = replace(replace(I, EIGHT, ZERO), THREE, ZERO)
    key = subgrid(difference(asindices(J), ofcolor(J, ZERO)), J)
    O = fill(upscale(key, THREE), ZERO, ofcolor(figure, ZERO))
    return O


# The cells at the corners of the block go on diagonally to the edge.
def solve_7ddcd7ec(I):
    parts = objects(I, T, F, T)
    block = argmax(parts, size)
    ray = fork(shoot, ulcorner, lbind(position, block))
    O = fill(I, color(block), mapply(ray, sizefilter(parts, ONE)))
    return O


# Wherever the pattern of fours occurs again, turned or mirrored, it gets the ground of ones.
def solve_7df24a62(I):
    P = paint(canvas(ZERO, add(shape(I), TWO)), shift(asobject(I), UNITY))
    model = replace(subgrid(ofcolor(I, ONE), I), ONE, ZERO)
    turned = astuple(model, dmirror(model))
    mirrored = combine(turned, apply(vmirror, turned))
    views = combine(mirrored, apply(hmirror, mirrored))
    ground = compose(lbind(lbind, shift), rbind(ofcolor, ZERO))
    found = mapply(fork(mapply, ground, compose(lbind(occurrences, P), asobject)), views)
    O = trim(fill(P, ONE, found))
    return O


# Specks vanish: inside a rectangle they take its colour, outside they are emptied.
def solve_7e0986d6(I):
    speck = leastcolor(I)
    ink = other(remove(ZERO, palette(I)), speck)
    near = chain(size, rbind(intersection, ofcolor(I, ink)), dneighbors)
    inside = sfilter(ofcolor(I, speck), compose(rbind(greater, ONE), near))
    O = replace(fill(I, ink, inside), speck, ZERO)
    return O


# Only what is part of a full two by two block stays.
def solve_7f4411dc(I):
    ink = leastcolor(I)
    block = asobject(canvas(ink, TWO_BY_TWO))
    O = fill(canvas(ZERO, shape(I)), ink, mapply(lbind(shift, block), occurrences(I, block)))
    return O


# The grid and its three turns, arranged in a pinwheel.
def solve_7fe24cdd(I):
    O = vconcat(hconcat(I, rot90(I)), hconcat(rot270(I), rot180(I)))
    return O
