#!/usr/bin/env python3
"""Reads Zeiss LSM with tifffile (needs tifffile and imagecodecs); see peer.py."""
import numpy
import tifffile

from peer import answer

# Planes at index 0 lie on the first pages of all files that are changed here.
PAGES = 24


def channel_planes(array, axes):
    """The planes of an array whose axes other than these are at index 0; rows are the last axis before the columns."""
    if "X" not in axes: array, axes = array[..., None], axes + "X"
    rows = axes.replace("C", "").replace("X", "")[-1:]
    array = array[tuple(slice(None) if axis in "CX" or axis == rows else 0 for axis in axes)]
    left = [axis for axis in axes if axis in "CX" or axis == rows]
    array = numpy.transpose(array, [left.index(axis) for axis in ("C", rows, "X") if axis in left])
    return [(None, plane) for plane in array.reshape(-1, *array.shape[-2:])]


def page_planes(page):
    return channel_planes(page.asarray(), page.axes.replace("S", "C"))


def pages(path):
    """The planes of the first pages as they lie in the file; None for a page that cannot be read. One damaged thumbnail makes tifffile
    refuse all pages of an LSM file, but not those of the TIFF that it is."""
    try: return pages_of(path)
    except Exception: return pages_of(path, is_lsm=False)


def pages_of(path, **options):
    found = []
    with tifffile.TiffFile(path, **options) as tiff:
        for number in range(PAGES):
            try: found += page_planes(tiff.pages.get(number))
            except IndexError: break
            except Exception: found.append(None)
    return found


def samples(path):
    """Where the strips of the first pages lie."""
    with tifffile.TiffFile(path) as tiff:
        return [(at, count) for page in tiff.pages[:PAGES] for at, count in zip(page.dataoffsets, page.databytecounts)]


def first(path):
    with tifffile.TiffFile(path) as tiff: return page_planes(tiff.pages.first)


def read(path):
    with tifffile.TiffFile(path) as tiff:
        series = tiff.series[0]
        if series.kind != "lsm": raise ValueError(f"a series of {series.kind}")
        if series.dtype.kind not in "biuf": raise ValueError(f"samples of {series.dtype}")
        return channel_planes(series.asarray(), series.axes)


if __name__ == "__main__": answer(read, pages, samples, first)
