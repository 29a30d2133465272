"""The loop around an independent reader that `peer.ts` asks about changed files.

A peer is a script `peer_FORMAT.py` that calls `answer(read, pages)`, where `read(path)` returns one `(name, samples)` per channel
in channel order: the name or None, and the rows and columns at index 0 of every other axis, as they are stored. What it
raises is a refusal. In: a line `{"path": ...}`. Out: a line `{"planes": [{"rows", "columns", "sha256", "name"}]}`, the
hash over little-endian float32 with one kind of NaN, or `{"refused": "why"}`. For a format of pages, `pages(path)`
returns the planes in the order in which they lie in the file, None for one that cannot be read: where the file is refused,
and where the line in has `"pages": true`, the line out has them as `"pages"`. For a format whose samples lie in planes and in
parts of planes, `samples(path)` returns the `(offset, bytes)` of all of them, which a line in with `"samples": true` asks for;
a line in with `"first": true` is about `first(path)`, which reads as `read` does, but nothing beside index 0.
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


def digests(planes):
    return [plane and digest(*plane) for plane in planes]


def answer(read, pages=None, samples=None, first=None):
    # What a library prints must not come between the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for line in sys.stdin:
        signal.alarm(SECONDS_PER_FILE)
        asked = json.loads(line)
        try:
            planes = digests((first if asked.get("first") else read)(asked["path"]))
            said = {"planes": planes} if planes else {"refused": "no channels"}
        except Exception as error:
            said = {"refused": f"{type(error).__name__}: {error}"[:500]}
        if pages and (asked.get("pages") or "refused" in said):
            try: said["pages"] = digests(pages(asked["path"]))
            except Exception: pass
        if samples and asked.get("samples"): said["samples"] = samples(asked["path"])
        signal.alarm(0)
        print(json.dumps(said), file=out, flush=True)
