"""Best of some rounds in milliseconds, as JSON: a plane of 64 MiB by acq_client.py, and as many bytes from a bare socket.

python python_client.py FOLDER_OF_CLIENT BASE PATH PORT
"""
import json
import socket
import sys
import time

import numpy as np

sys.path.insert(0, sys.argv[1])
import acq_client as acq

base, path, port = sys.argv[2], sys.argv[3], int(sys.argv[4])
ROUNDS = 40


def bare():
    """Into new memory, as a plane is."""
    bytes_ = np.empty(64 << 20, "u1")
    rest = memoryview(bytes_)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"x")
        while rest:
            rest = rest[connection.recv_into(rest):]


def milliseconds(work):
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


with acq.open(path, server=base) as a:
    assert a[0].nbytes == 64 << 20
    # In turns, so that both see the same machine.
    times = [(milliseconds(bare), milliseconds(lambda: a[0])) for _ in range(ROUNDS)]
print(json.dumps({name: min(column) for name, column in zip(("bare", "plane"), zip(*times))}))
