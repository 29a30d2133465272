"""Times zarr-python reading the array "0" of a store as float32; see peer_timing.py. Needs zarr."""
import numpy
import zarr

from peer_timing import report


def once(path): return numpy.ascontiguousarray(zarr.open_array(path + "/0", mode="r")[:], "<f4")


report(once)
