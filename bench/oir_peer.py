"""Times oirfile reading all planes of an OIR file as float32; see peer_timing.py. Needs oirfile."""
import numpy
import oirfile

from peer_timing import report


def once(path):
    with oirfile.OirFile(path) as oir: return numpy.ascontiguousarray(oir.asarray(), "<f4")


report(once)
