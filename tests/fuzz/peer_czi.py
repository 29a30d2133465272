#!/usr/bin/env python3
"""Reads CZI files with czifile (2026.10.14, needs imagecodecs); see peer.py."""
import czifile
import numpy

from peer import answer


def read(path):
    with czifile.CziFile(path) as czi: return planes(czi.scenes[next(iter(czi.scenes))])


def first(path):
    """Decodes the subblocks of index 0 alone."""
    with czifile.CziFile(path) as czi:
        scene = czi.scenes[next(iter(czi.scenes))]
        rows = "Y" if dict(zip(scene.dims, scene.shape)).get("Y", 1) > 1 else next((axis for axis in "TZ" if axis in scene.dims), "Y")
        index = {axis: start for axis, start in zip(scene.dims, scene.start) if axis not in "CYXS" + rows}
        return planes(scene(**index) if index else scene)


def samples(path):
    """Where samples lie, and the masks behind them."""
    with czifile.CziFile(path) as czi: return [(block.data_offset, block.data_size + block.attachment_size) for block in czi.subblocks()]


def planes(scene):
    dims, array = list(scene.dims), scene.asarray(maxworkers=1)
    # What is stored is served here; czifile puts 255 in its place.
    if dims[-1] == "S" and array.shape[-1] == 4: raise ValueError("alpha")
    # Lines of a line scan are time points, those of a section focus planes.
    if "Y" in dims and array.shape[dims.index("Y")] == 1:
        array = array.take(0, dims.index("Y"))
        dims.remove("Y")
    if "Y" not in dims:
        rows = next((axis for axis in "TZ" if axis in dims), None)
        if rows: dims[dims.index(rows)] = "Y"
    for axis in [axis for axis in dims if axis not in "CYXS"]:
        array = array.take(0, dims.index(axis))
        dims.remove(axis)
    for axis in "CSYX":
        if axis not in dims: array, dims = array[None], [axis, *dims]
    array = numpy.transpose(array, [dims.index(axis) for axis in "CSYX"])
    return [(None, plane) for plane in array.reshape(-1, *array.shape[-2:])]


if __name__ == "__main__": answer(read, samples=samples, first=first)
