"""Fetches a plane with what openapi-python-client wrote: python generated_client.py FOLDER_OF_CLIENT BASE PATH"""
import hashlib
import json
import sys

sys.path.insert(0, sys.argv[1])
from acq_server_client import Client
from acq_server_client.api.acquisitions import open_by_path
from acq_server_client.api.sessions import delete_session, read_channel
from acq_server_client.models import OpenRequest, OpenResponse

client = Client(base_url=sys.argv[2])
opened = open_by_path.sync(client=client, body=OpenRequest(path=sys.argv[3], channel_indices=[1]))
assert isinstance(opened, OpenResponse), opened
plane = read_channel.sync(opened.session_id, opened.channels[0].index, client=client)
print(json.dumps({
    "shape": opened.plane.shape,
    "unit": opened.plane.axes[0].unit,
    "line": opened.reference.line_roi,
    "sha256": hashlib.sha256(plane.payload.read()).hexdigest(),
}))
assert delete_session.sync(opened.session_id, client=client).deleted
