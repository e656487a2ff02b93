"""Questions at the end of a chapter, answered in the page."""

from dataclasses import dataclass

from flashwear_book.guess import tied

__all__ = ["Question", "Quiz"]


@dataclass(frozen=True)
class Question:
    """A question with one right answer.

    Parameters
    ----------
    asked : str
        Ends with a question mark.
    right : str
        The answer; not among the `wrong` ones.
    wrong : tuple of str
        At least one.
    why : str
        What makes it right.

    Raises
    ------
    ValueError
        If an answer is given twice, or none is wrong.
    """

    asked: str
    right: str
    wrong: tuple[str, ...]
    why: str

    def __post_init__(self) -> None:
        answers = (self.right, *self.wrong)
        if len(answers) < 2 or len(set(answers)) < len(answers):
            raise ValueError(f"answers must be two or more that differ, got {answers}")


class Quiz:
    """Questions to choose answers for; without scripts the answers are folded below each.

    Parameters
    ----------
    *questions : Question
        In their order.

    Examples
    --------
    >>> Quiz(Question("Legs of a spider?", "8", ("6", "10"), "Insects have six."))
    Legs of a spider? 8. Insects have six.
    """

    def __init__(self, *questions: Question) -> None:
        self.questions = questions

    def __repr__(self) -> str:
        return "\n".join(f"{one.asked} {one.right}. {one.why}" for one in self.questions)

    def _repr_html_(self) -> str:
        parts = []
        for number, one in enumerate(self.questions, 1):
            choices = "".join(
                f'<label><input type="radio" name="fw-quiz-{number}" '
                f'value="{int(text == one.right)}"> {tied(text)}</label>'
                for text in sorted((one.right, *one.wrong), key=lambda text: (len(text), text))
            )
            parts.append(
                f"<fieldset><legend>{number}. {tied(one.asked)}</legend>{choices}"
                f"<details><summary>Show the answer</summary><p><strong>{tied(one.right)}."
                f"</strong> {tied(one.why)}</p></details></fieldset>"
            )
        return (
            f'<form class="fw-quiz">{"".join(parts)}'
            '<p class="fw-quiz-said" aria-live="polite"></p></form>'
        )
