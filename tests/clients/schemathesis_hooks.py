"""Lets schemathesis open a file that exists: what it makes up names none, and sessions would never be reached."""
import os

import schemathesis

SAMPLE = os.environ.get("SAMPLE", "")


def is_index(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and value == int(value)


@schemathesis.hook.apply_to(operation_id=["openByPath", "openAgain", "listFolder", "exportArchive"])
def map_body(context, body):
    """Keeps every fault of a body; of what is right the path becomes that of the sample and indices become 0."""
    if not isinstance(body, dict):
        return body
    body = dict(body)
    path, channels, scene = (body.get(name) for name in ("path", "channelIndices", "scene"))
    if SAMPLE and isinstance(path, str) and path.startswith("/") and "\0" not in path:
        body["path"] = os.path.dirname(SAMPLE) if context.operation.path.endswith("/list") else SAMPLE
    if isinstance(body.get("members"), list):
        body["members"] = [map_body(context, member) for member in body["members"]]
    if isinstance(channels, list) and channels and all(map(is_index, channels)) and len(set(channels)) == len(channels):
        body["channelIndices"] = [0]
    if is_index(scene):
        body["scene"] = 0
    return body
