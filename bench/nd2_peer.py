"""Times nd2 on ND2 files: for each line `{"path", "channel", "frame"}` the best of five opens that give one channel of one frame as
float32, in milliseconds. Needs nd2."""
import json, logging, sys, time, warnings

import nd2
import numpy

logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")


def once(path, channel, frame):
    with nd2.ND2File(path) as file:
        plane = file.read_frame(frame)
        return numpy.array(plane[channel] if plane.ndim == 3 else plane, "<f4", order="C")


for line in sys.stdin:
    asked = json.loads(line)
    times = []
    for _ in range(6):
        start = time.perf_counter()
        once(**asked)
        times.append(time.perf_counter() - start)
    print(1000 * min(times[1:]), flush=True)
