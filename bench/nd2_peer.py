"""Times nd2 reading one channel of one frame of an ND2 file as float32; see peer_timing.py. Needs nd2."""
import nd2
import numpy

from peer_timing import report


def once(path, channel, frame):
    with nd2.ND2File(path) as file:
        plane = file.read_frame(frame)
        return numpy.array(plane[channel] if plane.ndim == 3 else plane, "<f4", order="C")


report(once)
