"""Fetches a plane with what openapi-generator wrote: python openapi_generator_client.py FOLDER_OF_CLIENT BASE PATH"""
import hashlib
import json
import sys

sys.path.insert(0, sys.argv[1])
from openapi_client import AcquisitionsApi, ApiClient, Configuration, OpenRequest, SessionsApi

with ApiClient(Configuration(host=sys.argv[2])) as client:
    opened = AcquisitionsApi(client).open_by_path(OpenRequest(path=sys.argv[3], channelIndices=[1]))
    plane = SessionsApi(client).read_channel(opened.session_id, opened.channels[0].index)
    print(json.dumps({
        "shape": opened.plane.shape,
        "unit": opened.plane.axes[0].unit,
        "line": opened.reference.line_roi,
        "sha256": hashlib.sha256(plane).hexdigest(),
    }))
    assert SessionsApi(client).delete_session(opened.session_id).deleted
