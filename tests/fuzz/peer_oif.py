#!/usr/bin/env python3
"""Reads OIF and OIB files with oiffile (2026.10.15); see peer.py. Where that refuses a file, the planes are read one by one from its
folder, or with olefile (0.47) from its streams, in the order of their names."""
import io, os

import oiffile
import olefile
import tifffile

from peer import answer


def read(path):
    with oiffile.OifFile(path) as oif:
        # Without it the axes of the array are not those of the settings.
        if oif.series and not oif._has_main: raise ValueError("planes that the settings do not describe")
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


def plane_of(read_bytes):
    """The plane of an image, None for a damaged one or what is no image."""
    try: content = read_bytes()
    except Exception: return None
    if content[:4] != b"II*\0": return None
    try:
        with tifffile.TiffFile(io.BytesIO(content)) as tiff: return None, tiff.pages.first.asarray()
    except Exception: return None


def pages(path):
    folder = path + ".files"
    if os.path.isdir(folder):
        names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        return [plane_of(open(name, "rb").read) for name in names if name.endswith(".tif")]
    with olefile.OleFileIO(path) as ole:
        streams = sorted(name for name in ole.listdir() if name[-1].startswith("Stream"))
        return [plane_of(lambda: ole.openstream(name).read()) for name in streams]


if __name__ == "__main__": answer(read, pages)
