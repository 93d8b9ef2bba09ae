"""Label and field selectors of a request as one predicate over stored objects."""

from fakeapi.machinery.selectors import (
    SelectorError,
    conjunction,
    parse_field_selector,
    parse_label_selector,
    select_all,
)
from fakeapi.machinery.status import bad_request
from fakeapi.rest.request import RequestInfo
from fakeapi.storage.watch import Selection


def selection_of(info: RequestInfo) -> Selection:
    """Whether an object is one that the request asks for.

    Raises:
        StatusError: 400 for a selector that cannot be read or names a field that cannot be selected by.
    """
    label_text, field_text = info.text("labelSelector"), info.text("fieldSelector")
    try:
        labels = parse_label_selector(label_text).selects if label_text else select_all
        fields = parse_field_selector(field_text, info.resource) if field_text else select_all
    except SelectorError as error:
        raise bad_request(str(error)) from None
    return conjunction(fields, labels)
