from __future__ import annotations

import html
import re

import pytest

from arcbatt.report.highlight import program_html


def test_words_have_their_classes():
    shown = program_html("def solve_a(I):\n    x1 = fill(I, 10, ZERO)  # why & <how>\n    return x1\n")
    assert shown == (
        '<span class="k">def</span> solve_a(I):\n    x1 = <span class="p">fill</span>(I, <span class="n">10</span>, '
        '<span class="n">ZERO</span>)  <span class="m"># why &amp; &lt;how&gt;</span>\n'
        '    <span class="k">return</span> x1\n'
    )


@pytest.mark.parametrize("text", ["", "</code><script>alert(1)</script>", "x & y \"'", "é = fill(ü)", "#", "1a 2"])
def test_the_text_is_all_there_and_escaped(text):
    shown = program_html(text)
    assert html.unescape(re.sub(r"</?span[^>]*>", "", shown)) == text
    assert set(re.findall(r"<(/?\w+)", shown)) <= {"span", "/span"}
