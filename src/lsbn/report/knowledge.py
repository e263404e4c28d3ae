"""The section of the page on knowledge: what was told, and where the data disagree."""

from html import escape

from lsbn.learners.evidence import KnowledgeDiagnostics

__all__ = ["knowledge_section"]


def knowledge_section(known: KnowledgeDiagnostics | None) -> str:
    """Return the section as HTML; empty without knowledge."""
    if known is None:
        return ""
    told = "".join(f"<li><bdi>{escape(sentence)}</bdi></li>" for sentence in known.told)
    return (
        '<section aria-labelledby="knowledge-title" id="knowledge"><h2 id="knowledge-title">What '
        'you told</h2><p class="quiet">The network honours these statements. They are not results '
        f"of the data.</p><ul>{told}</ul>{_disagreements(known)}</section>"
    )


def _disagreements(known: KnowledgeDiagnostics) -> str:
    """Return the table of statements that have evidence against them."""
    if not known.disagreements:
        return "<p>The data show no evidence against them.</p>"
    rows = "".join(
        f"<tr><td><bdi>{escape(each.source)}</bdi> → <bdi>{escape(each.target)}</bdi></td>"
        f"<td>{escape(each.statement)}</td><td><bdi>{escape(each.instead)}</bdi></td>"
        f'<td class="number">{each.log_odds:,.1f}</td></tr>'
        for each in known.disagreements
    )
    more = known.disagreeing - len(known.disagreements)
    rest = f"<p>There are {more:,} more.</p>" if more > 0 else ""
    head = "".join(
        f'<th scope="col">{title}</th>'
        for title in ("edge", "statement", "the data prefer", "log odds")
    )
    return (
        '<h3>Where the data disagree</h3><p class="quiet">The log odds compare the network with a '
        "network that differs by one step and ignores the statement. Above 3 they are strong "
        "evidence, about 20 to 1.</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    )
