#!/usr/bin/env python3
"""Reads TIFF with tifffile (needs tifffile and imagecodecs); see peer.py."""
import numpy
import tifffile

from peer import answer


def first_pages(series, error):
    """Index 0 alone, where it is the first page or the first pages: what fails may lie behind it."""
    axes, shape = series.axes, series.shape
    at = [axis for axis in axes if axis not in "SYX"]
    channels = shape[axes.index("C")] if "C" in axes else 1
    if "C" in at and at[-1] != "C" or "S" in axes: raise error
    return numpy.stack([series.pages[c].asarray() for c in range(channels)])


def read(path):
    with tifffile.TiffFile(path) as tiff:
        series = tiff.series[0]
        if series.dtype.kind not in "biuf": raise ValueError(f"samples of {series.dtype}")
        axes = series.axes
        try: array = series.asarray()
        except Exception as error: axes, array = "CYX", first_pages(series, error)
    if array.ndim != len(axes): raise ValueError(f"{array.ndim} axes, not {axes}")
    if axes.count("Y") != 1 or axes.count("X") != 1: raise ValueError(f"axes {axes} without Y and X")
    array = array[tuple(slice(None) if axis in "CSYX" else 0 for axis in axes)]
    left = [axis for axis in axes if axis in "CSYX"]
    array = numpy.transpose(array, [left.index(axis) for axis in "CSYX" if axis in left])
    return [(None, plane) for plane in array.reshape(-1, *array.shape[-2:])]


if __name__ == "__main__": answer(read)
