#!/usr/bin/env python3
"""Reads OIR files with oirfile (2026.10.22); see peer.py."""
import numpy
import oirfile

from peer import answer


def read(path):
    with oirfile.OirFile(path) as oir:
        planes, dims = oir.asarray(), oir.dims
        # The lines of a line scan are on the axis T, before the channels, and there is no Y.
        rows = "T" if oir.is_linescan else "Y"
        for axis in "TLZ":
            if axis in dims and axis != rows:
                planes = planes.take(0, dims.index(axis))
                dims = tuple(d for d in dims if d != axis)
        left = [axis for axis in ("C", "S") if axis in dims] + [rows, "X"]
        planes = numpy.transpose(planes, [dims.index(axis) for axis in left])
        return [(None, plane) for plane in (planes if planes.ndim == 3 else planes[None])]


if __name__ == "__main__": answer(read)
