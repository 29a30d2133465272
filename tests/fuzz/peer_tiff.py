#!/usr/bin/env python3
"""Reads TIFF with tifffile (needs tifffile and imagecodecs); see peer.py."""
import math

import numpy
import tifffile

from peer import answer

# Planes at index 0 lie on the first pages of all files that are changed here.
PAGES = 24


def channels_first(array, axes):
    """The planes of an array whose axes other than these are at index 0."""
    array = array[tuple(slice(None) if axis in "CSYX" else 0 for axis in axes)]
    left = [axis for axis in axes if axis in "CSYX"]
    array = numpy.transpose(array, [left.index(axis) for axis in "CSYX" if axis in left])
    return [(None, plane) for plane in array.reshape(-1, *array.shape[-2:])]


def index_0(series):
    """The pages of index 0 alone: what fails may lie behind them."""
    counted = [(axis, size) for axis, size in zip(series.axes, series.shape) if axis not in "SYX"]
    letters = [axis for axis, _ in counted]
    if not series.axes.startswith("".join(letters)): raise ValueError(f"axes {series.axes}")
    channels, step = 1, 0
    if "C" in letters:
        at = letters.index("C")
        channels, step = counted[at][1], math.prod(size for _, size in counted[at + 1:])
    return [plane for c in range(channels) for plane in page_planes(series.pages[c * step])]


def page_planes(page):
    return channels_first(page.asarray(), page.axes)


def pages(path):
    """The planes of the first pages as they lie in the file; None for a page that cannot be read."""
    with tifffile.TiffFile(path) as tiff:
        try: found = run(tiff)
        except Exception: found = [None] * PAGES
        for number in range(PAGES):
            try: found += page_planes(tiff.pages.get(number))
            except IndexError: break
            except Exception: found.append(None)
    return found


def run(tiff):
    """Planes one after the other from the first page's samples on, which one directory may stand for."""
    page = tiff.pages.first
    if not page.is_contiguous: return [None] * PAGES
    tiff.filehandle.seek(page.dataoffsets[0])
    samples = numpy.frombuffer(tiff.filehandle.read(PAGES * page.nbytes), tiff.byteorder + page.dtype.char)
    planes = [samples[at:at + page.size] for at in range(0, PAGES * page.size, page.size)]
    return [(None, plane.reshape(page.shape)) if plane.size == page.size and len(page.shape) == 2 else None for plane in planes]


def read(path):
    with tifffile.TiffFile(path) as tiff:
        series = tiff.series[0]
        if series.dtype.kind not in "biuf": raise ValueError(f"samples of {series.dtype}")
        axes = series.axes
        try: array = series.asarray()
        except Exception: return index_0(series)
        if array.ndim != len(axes): raise ValueError(f"{array.ndim} axes, not {axes}")
        if axes.count("Y") != 1 or axes.count("X") != 1: raise ValueError(f"axes {axes} without Y and X")
        return channels_first(array, axes)


if __name__ == "__main__": answer(read, pages)
