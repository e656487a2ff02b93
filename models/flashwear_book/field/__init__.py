"""What a collection of reports says of its drives, as tables of counts, quantiles and fits."""

from typing import TYPE_CHECKING

from flashwear._extras import lazily

if TYPE_CHECKING:  # what loads lazily
    from flashwear_book.field import infer as infer, summary as summary
else:
    __getattr__ = lazily(__name__)
