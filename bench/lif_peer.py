"""Times liffile reading one channel of one frame of the first image of a LIF file as float32; see peer_timing.py. Needs liffile."""
import liffile
import numpy

from peer_timing import report


def once(path, frame, channel):
    with liffile.LifFile(path) as file:
        frames = file.images[0].frames
        wanted = {"Z": frame, "C": channel}
        keys = {name: index for name, index in wanted.items() if name in file.images[0].dims}
        plane = numpy.asarray(frames(**keys)[0]) if keys else numpy.asarray(frames[0])
        return numpy.array(plane, "<f4", order="C")


report(once)
