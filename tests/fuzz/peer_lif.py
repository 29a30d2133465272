#!/usr/bin/env python3
"""Reads LIF and LOF files with liffile (2026.10.14); see peer.py. Planes are the two fastest axes of the first image, columns X."""
import liffile, numpy

from peer import answer


def read(path):
    with liffile.LifFile(path) as file:
        image = file.images[0]
        # It knows of padded rows when it was asked for the sizes.
        names, array = list(image.dims), None
        array = image.asarray()
    channels = [name for name in names if name[0] in "CS"]
    plane = [name for name in names if name not in channels and name in "XYZTN"][-2:]
    if "X" in plane: plane = [name for name in plane if name != "X"] + ["X"]
    others = [name for name in names if name not in channels + plane]
    array = array.transpose([names.index(name) for name in others + channels + plane])[(0,) * len(others)]
    rows, columns = ([1, 1] + list(array.shape[len(channels):]))[-2:] if plane != ["Y"] and plane != ["T"] else (array.shape[-1], 1)
    return [(None, one) for one in array.reshape(-1, rows, columns)]


def samples(path):
    """Where the blocks lie."""
    with liffile.LifFile(path) as file: return [(block.offset, block.size) for block in file.memory_blocks.values()]


if __name__ == "__main__": answer(read, samples=samples, first=read)
