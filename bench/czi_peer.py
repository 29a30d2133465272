#!/usr/bin/env python3
"""Times czifile reading one plane, and recodes a raw CZI as JPEG XR, for which nothing else here has an encoder.

usage: czi_peer.py recode RAW JPEGXR | czi_peer.py, see peer_timing.py
"""
import pathlib, sys

import czifile, imagecodecs

from peer_timing import report

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "czi"))
from czi_file import GRAY16, JPEGXR, Czi


def recode(raw, path):
    with czifile.CziFile(raw) as czi: array = czi.scenes[next(iter(czi.scenes))].asarray()
    made = Czi("<ImageDocument><Metadata/></ImageDocument>")
    for c, plane in enumerate(array):
        coded = imagecodecs.jpegxr_encode(plane, level=1.0)
        made.subblock(GRAY16, [("X", 0, plane.shape[1]), ("Y", 0, plane.shape[0]), ("C", c, 1)], coded, JPEGXR)
    pathlib.Path(path).write_bytes(made.bytes())


def once(path, axis, index):
    with czifile.CziFile(path) as czi: return czi.scenes[next(iter(czi.scenes))](**{axis: index}).asarray().astype("float32")


if sys.argv[1:2] == ["recode"]: recode(*sys.argv[2:])
else: report(once)
