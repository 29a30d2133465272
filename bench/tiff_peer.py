"""Times tifffile reading one page of a TIFF or LSM file as float32, one of its channels or all; see peer_timing.py. Needs tifffile and
imagecodecs."""
import numpy
import tifffile

from peer_timing import report


def once(path, page=0, channel=None):
    with tifffile.TiffFile(path) as tiff:
        plane = tiff.series[0].pages[page].asarray()
        return numpy.ascontiguousarray(plane if channel is None or plane.ndim < 3 else plane[channel], "<f4")


report(once)
