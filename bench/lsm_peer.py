"""Times tifffile reading one channel of one plane of an LSM file as float32; see peer_timing.py. Needs tifffile and imagecodecs."""
import numpy
import tifffile

from peer_timing import report


def once(path, channel, page):
    with tifffile.TiffFile(path) as tiff:
        plane = tiff.series[0].pages[page].asarray()
        return numpy.ascontiguousarray(plane[channel] if plane.ndim == 3 else plane, "<f4")


report(once)
