"""Hook of mkdocs: turn the TeX of a page into MathML, which browsers show without scripts."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

_TEX = re.compile(
    r'<(?P<tag>div|span) class="arithmatex">\\[\[(](?P<tex>.*?)\\[\])]</(?P=tag)>', re.DOTALL
)


def on_page_content(content: str, **_: Any) -> str:
    """Replace each formula that `pymdownx.arithmatex` has marked."""
    return _TEX.sub(_mathml, content)


def _mathml(match: re.Match[str]) -> str:
    tex = html.unescape(match["tex"]).strip()
    if match["tag"] == "div":
        return f'<div class="equation">{convert(tex, display="block")}</div>'
    return convert(tex)
