#!/usr/bin/env python3
"""Reads OIF and OIB files with oiffile (2026.10.15); see peer.py."""
import oiffile

from peer import answer


def read(path):
    with oiffile.OifFile(path) as oif:
        planes, axes = oif.asarray(), oif.axes
    # The rows of a line scan are T, of a section Z.
    rows = "Y" if "Y" in axes else next(axis for axis in axes if axis not in "XC")
    for axis in axes:
        if axis in ("C", "X", rows): continue
        planes = planes.take(0, axes.index(axis))
        axes = axes.replace(axis, "")
    order = [axis for axis in ("C", rows, "X") if axis in axes]
    planes = planes.transpose([axes.index(axis) for axis in order])
    return [(None, plane) for plane in (planes if planes.ndim == 3 else planes[None])]


if __name__ == "__main__": answer(read)
