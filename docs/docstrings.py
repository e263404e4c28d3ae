"""Extension of griffe: write docstrings so that the API page shows them rightly.

Griffe takes the first of the choices ``{"a", "b"}`` for the default, which it need not be. It does
not know the roles and directives of mathematics.
"""

import re
from typing import Any

import griffe

_RULES = (
    (re.compile(r"^( *\w+ : )\{(.*?)\}", re.MULTILINE), r"\1one of \2"),
    (re.compile(r"^( *)\.\. math:: *(.*?)$", re.MULTILINE), r"\1\\[ \2 \\]"),
    (re.compile(r":math:`(.*?)`"), r"\\( \1 \\)"),
)


class PlainDocstrings(griffe.Extension):
    """Rewrite every docstring by the rules."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring, before it is parsed."""
        if obj.docstring is not None:
            for pattern, text in _RULES:
                obj.docstring.value = pattern.sub(text, obj.docstring.value)
