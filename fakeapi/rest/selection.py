"""Label and field selectors of a request as one predicate over stored objects."""

from fakeapi.machinery.resources import Resource
from fakeapi.machinery.selectors import SelectorError, parse_field_selector, parse_label_selector
from fakeapi.machinery.status import bad_request
from fakeapi.registry import views
from fakeapi.rest.request import RequestInfo
from fakeapi.storage.objects import Object
from fakeapi.storage.watch import Selection, everything


def selection_of(info: RequestInfo) -> Selection:
    """Whether an object is one that the request asks for.

    Raises:
        StatusError: 400 for a selector that cannot be read or names a field that cannot be selected by.
    """
    label_text, field_text = info.text("labelSelector"), info.text("fieldSelector")
    if not label_text and not field_text:
        return everything
    try:
        labels = parse_label_selector(label_text) if label_text else None
        fields = parse_field_selector(field_text, info.resource) if field_text else None
    except SelectorError as error:
        raise bad_request(str(error)) from None
    parts: list[Selection] = [part for part in (fields, labels and labels.selects) if part]
    chosen = parts[0] if len(parts) == 1 else _both(parts[0], parts[1])
    return _through_view(info.resource, chosen) if views.is_view(info.resource) else chosen


def _both(first: Selection, second: Selection) -> Selection:
    return lambda obj: first(obj) and second(obj)


def _through_view(resource: Resource, chosen: Selection) -> Selection:
    def select(obj: Object) -> bool:
        return chosen(views.shown(resource, obj))

    return select
