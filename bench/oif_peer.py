"""Times oiffile reading the first plane of an OIB file as float32; see peer_timing.py. Needs oiffile."""
import oiffile

from peer_timing import report


def once(path):
    with oiffile.OifFile(path) as oif: return oif.asarray(next(oif.glob("*.tif"))).astype("f4")


report(once)
