"""Differs: how a grid (the input, or what a program gave) differs from the expected output C."""


# Colours the grid has and the expected output has not.
def differ_extra_colours(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    return difference(x1, x2)


# Colours the expected output has and the grid has not.
def differ_missing_colours(S, I, C):
    x1 = palette(I)
    x2 = palette(C)
    return difference(x2, x1)


# Sizes of objects of the grid that no object of the expected output has.
def differ_object_sizes(S, I, C):
    x1 = apply(size, totuple(objects(I, T, F, T)))
    x2 = apply(size, totuple(objects(C, T, F, T)))
    return difference_tuple(x1, x2)


# Cells that are the same in place and colour.
def differ_matching_cells(S, I, C):
    x1 = asobject(I)
    x2 = asobject(C)
    return size(intersection(x1, x2))
