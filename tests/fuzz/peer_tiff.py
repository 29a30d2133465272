#!/usr/bin/env python3
"""Reads TIFF with tifffile (needs tifffile and imagecodecs); see peer.py."""
import numpy
import tifffile

from peer import answer


def read(path):
    with tifffile.TiffFile(path) as tiff:
        series = tiff.series[0]
        if series.dtype.kind not in "biuf": raise ValueError(f"samples of {series.dtype}")
        axes, array = series.axes, series.asarray()
    if array.ndim != len(axes): raise ValueError(f"{array.ndim} axes, not {axes}")
    if axes.count("Y") != 1 or axes.count("X") != 1: raise ValueError(f"axes {axes} without Y and X")
    array = array[tuple(slice(None) if axis in "CSYX" else 0 for axis in axes)]
    left = [axis for axis in axes if axis in "CSYX"]
    array = numpy.transpose(array, [left.index(axis) for axis in "CSYX" if axis in left])
    return [(None, plane) for plane in array.reshape(-1, *array.shape[-2:])]


if __name__ == "__main__": answer(read)
