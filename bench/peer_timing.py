"""Times another reader: `report(once)` answers each line of standard input, the JSON of what is asked, with the milliseconds that
`once(**asked)` takes by the clock, and those of processor time of all threads. So its rounds and those of the bench take turns."""
import json, logging, sys, time, warnings


def report(once):
    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
    for line in sys.stdin:
        asked = json.loads(line)
        start, used = time.perf_counter(), time.process_time()
        once(**asked)
        print(1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used), flush=True)
