"""Opens what each line of standard input asks for with examples/python/acq_client.py and prints what it gives, a JSON line each.

A line is {"path", "scene"?, "at"?}. The answer is {"shape", "sha256", "mean", "names", "axes", "scenes", "reference"} or {"error"}.
"""
import hashlib
import json
import sys
import warnings

sys.path.insert(0, sys.argv[1])
import acq_client as acq

acq.SERVER = sys.argv[2]
warnings.simplefilter("ignore", acq.AcqWarning)


def hashes(planes):
    return [hashlib.sha256(plane.tobytes()).hexdigest() for plane in planes]


def described(a, at):
    planes = a.at(**at) if at else a
    return {
        "shape": list(planes[0].shape),
        "sha256": hashes(planes),
        "mean": [float(plane.mean(dtype="f8")) for plane in planes],
        "names": a.names,
        "axes": [list(axis) for axis in a.axes],
        "scenes": len(a.scenes),
        "reference": a.reference and {
            "sha256": hashes(a.reference),
            "scan_path": None if a.reference.scan_path is None else a.reference.scan_path.tolist(),
        },
    }


for line in sys.stdin:
    asked = json.loads(line)
    try:
        with acq.open(asked["path"]) as a:
            if asked.get("scene") is None:
                answer = described(a, asked.get("at"))
            else:
                with a.scene(asked["scene"]) as other:
                    answer = described(other, asked.get("at"))
    except acq.AcqError as error:
        answer = {"error": error.code}
    print(json.dumps(answer).replace("NaN", "null").replace("Infinity", "null"), flush=True)
