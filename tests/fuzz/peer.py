"""The loop around an independent reader that `peer.ts` asks about changed files.

A peer is a script `peer_FORMAT.py` that calls `answer(read)`, where `read(path)` returns one `(name, samples)` per channel
in channel order: the name or None, and the rows and columns at index 0 of every other axis, as they are stored. What it
raises is a refusal. In: a line `{"path": ...}`. Out: a line `{"planes": [{"rows", "columns", "sha256", "name"}]}`, the
hash over little-endian float32 with one kind of NaN, or `{"refused": "why"}`.
"""
import hashlib, json, logging, os, resource, signal, sys, warnings

import numpy

# Longer than any of the small files takes; the default action of the signal ends the process, also inside C.
SECONDS_PER_FILE = 3
MAX_MEMORY = 2 << 30


def digest(name, samples):
    samples = numpy.asarray(samples)
    if samples.ndim != 2: raise ValueError(f"a plane of {samples.ndim} axes")
    with numpy.errstate(all="ignore"): plane = numpy.array(samples, "<f4", order="C")
    plane[numpy.isnan(plane)] = numpy.nan
    rows, columns = plane.shape
    return {"rows": rows, "columns": columns, "sha256": hashlib.sha256(plane.tobytes()).hexdigest(), "name": name}


def answer(read):
    # What a library prints must not come between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for line in sys.stdin:
        signal.alarm(SECONDS_PER_FILE)
        try:
            planes = [digest(name, samples) for name, samples in read(json.loads(line)["path"])]
            said = {"planes": planes} if planes else {"refused": "no channels"}
        except Exception as error:
            said = {"refused": f"{type(error).__name__}: {error}"[:500]}
        signal.alarm(0)
        print(json.dumps(said), file=out, flush=True)
