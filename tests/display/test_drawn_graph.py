"""Graphs of programs: every call is a box, every value taken is an edge, and boxes do not lie over one another."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import pytest

from arcbatt.display.graph import MOST_NODES, Node, graph_image
from arcbatt.language.drawing import program_nodes
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

PROGRAMS = {program.id: program for program in library()}


def drawing(nodes):
    """The boxes (left, top, right, bottom) and the edges (from, to) of a picture."""
    html = graph_image(nodes, "graph")
    svg = ElementTree.fromstring(base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]))
    rects = [one for one in svg.iter() if one.tag.endswith("rect")]
    boxes = []
    for rect in rects:
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        boxes.append((x, y, x + width, y + height))
    (path,) = [one for one in svg.iter() if one.tag.endswith("path")]
    edges = []
    for edge in path.get("d").split("M")[1:]:
        numbers = [float(number) for number in re.findall(r"-?\d+", edge)]
        edges.append(((numbers[0], numbers[1]), (numbers[-2], numbers[-1])))
    return boxes, edges, (float(svg.get("width")), float(svg.get("height")))


def near(a, b):
    return abs(a - b) <= 2


@pytest.mark.parametrize("name", sorted(PROGRAMS)[::8])
def test_boxes_and_edges(name):
    nodes = program_nodes(PROGRAMS[name])
    boxes, edges, (width, height) = drawing(nodes)
    assert len(boxes) == len(nodes)
    for number, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
        for other in boxes[:number]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    wanted = [(given, number) for number, node in enumerate(nodes) for given in dict.fromkeys(node.inputs)]
    assert len(edges) == len(wanted)
    for (given, number), ((x, y), (to_x, to_y)) in zip(wanted, edges, strict=True):
        assert near(x, (boxes[given][0] + boxes[given][2]) / 2)
        assert near(y, boxes[given][3])
        assert near(to_x, (boxes[number][0] + boxes[number][2]) / 2)
        assert near(to_y, boxes[number][1])


@pytest.mark.parametrize("name", sorted(PROGRAMS)[::8])
def test_every_node_takes_what_stands_before_it(name):
    for number, node in enumerate(program_nodes(PROGRAMS[name])):
        assert all(given < number for given in node.inputs)


def test_equal_calls_are_one_box():
    text = "def solve_a(I):\n    x = rot90(I)\n    y = rot90(I)\n    z = size(I)\n    return hconcat(x, y)\n"
    assert program_nodes(parse_program(text)) == [Node("I"), Node("rot90(·)", (0,)), Node("hconcat(·, ·)", (1, 1))]


def test_functions_stand_where_they_are_passed():
    program = parse_program(
        "def solve_a(I):\n    f = compose(size, first)\n    return argmax(objects(I, T, F, T), f)\n"
    )
    assert [node.label for node in program_nodes(program)] == [
        "I",
        "objects(·, T, F, T)",
        "argmax(·, compose(size, first))",
    ]


def test_a_graph_too_large_to_read_is_left_out():
    assert graph_image([Node("I")] + [Node("x", (0,))] * MOST_NODES, "graph") == ""
    assert graph_image([], "graph") == ""
