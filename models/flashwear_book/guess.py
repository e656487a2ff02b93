"""A question that readers answer by guessing, before a chapter does."""

import re
from dataclasses import dataclass
from html import escape

from flashwear._domain import one_number

__all__ = ["Guess"]

_TIED = re.compile(r"(\d) (?=%|[kMGTP]i?B\b)")


def tied(text: str) -> str:
    """Return `text` for a page, with each number and its unit on one line."""
    return _TIED.sub("\\1\N{NO-BREAK SPACE}", escape(text))


@dataclass(frozen=True)
class Guess:
    """A question with a slider in the page, which holds the answer back until it is asked for.

    Parameters
    ----------
    question : str
        Ends with a question mark.
    answer : float
        A computed number, from `low` to `high`.
    unit : str
        What the number counts, in the plural; may be empty.
    told : str
        A sentence or two that give the answer and why guesses miss it.
    low, high, step : float
        Of the slider, which starts at its low end. A guess is weighed by a factor, or by the
        difference where `low` is 0.

    Raises
    ------
    ValueError
        If the answer is not on the slider.

    Examples
    --------
    >>> Guess("Legs of a spider?", answer=8, unit="legs", told="Eight.", low=0, high=20, step=1)
    Legs of a spider? Eight.
    """

    question: str
    answer: float
    unit: str
    told: str
    low: float
    high: float
    step: float

    def __post_init__(self) -> None:
        one_number("answer", self.answer, low=self.low, high=self.high)

    def __repr__(self) -> str:
        return f"{self.question} {self.told}"

    def _repr_html_(self) -> str:
        numbers = {"answer": self.answer, "low": self.low, "high": self.high, "step": self.step}
        question, told = tied(self.question), tied(self.told)
        data = " ".join(f'data-{name}="{value:.6g}"' for name, value in numbers.items())
        return (
            f'<div class="fw-guess" {data} data-unit="{escape(self.unit)}">'
            f"<p><strong>Guess first.</strong> {question}</p>"
            f'<p class="fw-guess-told">{told}</p></div>'
        )
